"""The page: one file of HTML with its style in it, no script, and nothing that is fetched from anywhere."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from toolbox.charts import style
from toolbox.charts.markup import Markup, element, shortened
from toolbox.report.html.advised import advised
from toolbox.report.html.findings import Findings
from toolbox.report.html.learned import learned
from toolbox.report.html.losses import losses
from toolbox.report.html.making import columns, data, method
from toolbox.report.html.protection import limits, models
from toolbox.report.html.quasi_identifiers import quasi_identifiers
from toolbox.report.html.repeating import repeating, signatures
from toolbox.report.html.risks import risks
from toolbox.report.html.standalone import standalone
from toolbox.report.html.verdict import verdict

_KINDS = {
    "internal": "Internal report: not for publication. It tells what the original records hold.",
    "public": "Public report: it tells nothing that the release does not tell.",
}


def page(findings: Findings) -> str:
    """Return the whole page.

    Parameters
    ----------
    findings : Findings

    Returns
    -------
    str
        The same for the same findings.
    """
    title = f"Release report: {shortened(findings.name, 80)}"
    sections = (
        verdict(findings),
        advised(findings),
        data(findings),
        columns(findings),
        method(findings),
        models(findings),
        quasi_identifiers(findings) if findings.pictures else Markup(),
        losses(findings),
        risks(findings),
        learned(findings),
        limits(findings),
        repeating(findings),
        signatures(),
    )
    head = element(
        "header",
        element("p", _KINDS[findings.kind], class_="kind"),
        element("h1", "Release report: ", element("bdi", shortened(findings.name, 80))),
        element("p", f"Made on {findings.date} with toolbox {findings.version}.", class_="small"),
    )
    body = element("main", head, *sections)
    return standalone(title, body, page_style(_KINDS[findings.kind]))


@cache
def page_style(kind: str) -> str:
    """Return the style sheet, which writes on each printed page which kind it is."""
    own = files("toolbox.report.html").joinpath("page.css").read_text(encoding="utf-8")
    return style() + own.replace("KIND", kind)
