"""The page: one file of HTML with its style in it, no script, and nothing that is fetched from elsewhere."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from toolbox.charts import format_number, read_style, render_table
from toolbox.charts.markup import Markup, element, shorten_text
from toolbox.report.html.findings import Counts, DeclaredColumn, PageFindings, format_today, make_repeatable
from toolbox.report.html.losses import render_losses, render_quasi_identifiers
from toolbox.report.html.making import render_columns, render_data, render_method, render_verdict
from toolbox.report.html.protection import render_limits, render_models, render_risks
from toolbox.report.judges.measure import LossReport
from toolbox.report.judges.risk import FACES
from toolbox.report.runs.summary import Summary
from toolbox.report.sections import (
    join_parts,
    render_facts,
    render_paragraph,
    render_scrolling_table,
    render_section,
    render_standalone_page,
)

# How a release is made again, and the lines where people sign.

_LONGEST_DOCUMENT = 20_000
_SIGNED = ("Made by", "Checked by", "Released by")


def render_repetition(findings: PageFindings) -> Markup:
    """Return the section on how to repeat it."""
    summary = findings.summary
    versions = {"toolbox": findings.version} if summary is None else summary.versions
    lines = [("Command", findings.command or "")]
    lines += [(f"Version of {name}", version) for name, version in versions.items()]
    if summary is not None:
        lines.append(("Seed", _format_seed(findings)))
        lines += [(f"Seconds to {name}", f"{seconds:.2f}") for name, seconds in summary.timings.items()]
    return render_section(
        "repeating", "How to repeat it", render_facts(lines), _render_configuration(findings.configuration)
    )


def _format_seed(findings: PageFindings) -> str:
    if findings.has_seed:
        return "set: the configuration has it"
    is_random = findings.order == "shuffled"
    return f"none: {'random order comes from the operating system' if is_random else 'the order is not random'}"


def _render_configuration(configuration: str | None) -> Markup | None:
    if configuration is None:
        return None
    cut = len(configuration) > _LONGEST_DOCUMENT
    shown = configuration[:_LONGEST_DOCUMENT]
    note = render_paragraph(f"The first {format_number(_LONGEST_DOCUMENT)} characters.", "small") if cut else None
    return join_parts(
        element("h3", "The configuration"), element("pre", element("code", _keep_line_ends(shown)), tabindex="0"), note
    )


def _keep_line_ends(text: str) -> Markup:
    """Keep the ends of lines, which markup of one line does not."""
    return Markup("\n".join(element("span", shorten_text(line, 1000)) for line in text.splitlines()))


def render_signatures() -> Markup:
    """Return the lines for signatures."""
    lines = [
        element("div", element("p", role), element("p", "Name, date, signature", class_="small"), class_="signature")
        for role in _SIGNED
    ]
    return render_section("signatures", "Signatures", element("div", *lines, class_="signatures"))


# What was found that calls for a change, and what would lower it.

_HEADING = "What to do about it"


def render_advice(findings: PageFindings) -> Markup:
    """Return the section; nothing where nothing was found, or nothing may be told."""
    if not findings.advice:
        return Markup()
    rows = [(one.finding, one.remedy, one.effect or "", one.severity) for one in findings.advice]
    shown = render_table(["what was found", "what would lower it", "effect", "severity"], rows)
    said = "Each line was found on the finished release. If it has a number, the best remedy was counted."
    return render_section(
        "advice", _HEADING, render_paragraph(said), render_scrolling_table(shown, "Findings and remedies")
    )


def _render_attacks(findings: PageFindings) -> Markup:
    """Return the section of what an attacker really learns; nothing where nothing of that was measured."""
    parts = FACES.render(findings)
    return render_section("learned", "What an attacker really learns", *parts) if parts else Markup()


# The page: one file of HTML with its style in it, no script, and nothing that is fetched from anywhere.

_KINDS = {
    "internal": "Internal report: not for publication. It tells what the original records hold.",
    "public": "Public report: it tells nothing that the release does not tell.",
}


def render_page(findings: PageFindings) -> str:
    """Return the whole page.

    Parameters
    ----------
    findings : Findings

    Returns
    -------
    str
        The same for the same findings.
    """
    title = f"Release report: {shorten_text(findings.name, 80)}"
    sections = (
        render_verdict(findings),
        render_advice(findings),
        render_data(findings),
        render_columns(findings),
        render_method(findings),
        render_models(findings),
        render_quasi_identifiers(findings) if findings.pictures else Markup(),
        render_losses(findings),
        render_risks(findings),
        _render_attacks(findings),
        render_limits(findings),
        render_repetition(findings),
        render_signatures(),
    )
    head = element(
        "header",
        element("p", _KINDS[findings.kind], class_="kind"),
        element("h1", "Release report: ", element("bdi", shorten_text(findings.name, 80))),
        element("p", f"Made on {findings.date} with toolbox {findings.version}.", class_="small"),
    )
    body = element("main", head, *sections)
    return render_standalone_page(title, body, build_page_style(_KINDS[findings.kind]))


@cache
def build_page_style(kind: str) -> str:
    """Return the style sheet, which writes on each printed page which kind it is."""
    own = files("toolbox.report.html").joinpath("page.css").read_text(encoding="utf-8")
    return read_style() + own.replace("KIND", kind)


# The page of a variant: proved and measured as far as a session does it, and not released.

_NOT_RELEASED = "this is a variant of a session, which is proved and not released. Release it to have all figures."


def render_variant_page(summary: Summary, losses: LossReport | None) -> str:
    """Return the internal page of a run of a session; `Variant.to_html` explains it."""
    columns = [
        DeclaredColumn(
            column.name, "quasi-identifier, generalised", "", _format_level(column.level, column.height), None
        )
        for column in summary.quasi_identifiers
    ]
    findings = PageFindings(
        kind="internal",
        name=f"variant of {summary.method}",
        date=format_today(),
        k=summary.k,
        counts=Counts.of(summary),
        models=summary.proof.models,
        columns=tuple(columns),
        version=summary.versions["toolbox"],
        losses=losses,
        notes=summary.notes,
        unjudged=_NOT_RELEASED,
        method=summary.method,
        summary=make_repeatable(summary),
    )
    return render_page(findings)


def _format_level(level: int | None, height: int | None) -> str:
    if level is not None and height is not None:
        return f"level {level} of {height}"
    return "" if height is None else f"{height} levels"
