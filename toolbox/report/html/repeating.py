"""How a release is made again, and the lines where people sign."""

from __future__ import annotations

from toolbox.charts import written
from toolbox.charts.markup import Markup, element, shortened
from toolbox.report.html.findings import Findings
from toolbox.report.html.parts import all_of, facts, paragraph, section

_LONGEST_DOCUMENT = 20_000
_SIGNED = ("Made by", "Checked by", "Released by")


def repeating(findings: Findings) -> Markup:
    """Return the section on how to repeat it."""
    summary = findings.summary
    versions = {"toolbox": findings.version} if summary is None else summary.versions
    lines = [("Command", findings.command or "")]
    lines += [(f"Version of {name}", version) for name, version in versions.items()]
    if summary is not None:
        lines.append(("Seed", _seed(findings)))
        lines += [(f"Seconds to {name}", f"{seconds:.2f}") for name, seconds in summary.timings.items()]
    return section("repeating", "How to repeat it", facts(lines), _document(findings.configuration))


def _seed(findings: Findings) -> str:
    if findings.has_seed:
        return "set: the configuration has it"
    is_random = findings.order == "shuffled"
    return f"none: {'random order comes from the operating system' if is_random else 'the order is not random'}"


def _document(configuration: str | None) -> Markup | None:
    if configuration is None:
        return None
    cut = len(configuration) > _LONGEST_DOCUMENT
    shown = configuration[:_LONGEST_DOCUMENT]
    note = paragraph(f"The first {written(_LONGEST_DOCUMENT)} characters.", "small") if cut else None
    return all_of(
        element("h3", "The configuration"), element("pre", element("code", _lines(shown)), tabindex="0"), note
    )


def _lines(text: str) -> Markup:
    """Keep the ends of lines, which markup of one line does not."""
    return Markup("\n".join(element("span", shortened(line, 1000)) for line in text.splitlines()))


def signatures() -> Markup:
    """Return the lines for signatures."""
    lines = [
        element("div", element("p", role), element("p", "Name, date, signature", class_="small"), class_="signature")
        for role in _SIGNED
    ]
    return section("signatures", "Signatures", element("div", *lines, class_="signatures"))
