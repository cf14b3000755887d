"""What was found that calls for a change, and what would lower it."""

from __future__ import annotations

from toolbox.charts import table
from toolbox.charts.markup import Markup
from toolbox.report.html.findings import Findings
from toolbox.report.html.parts import paragraph, scrolling, section

_HEADING = "What to do about it"


def advised(findings: Findings) -> Markup:
    """Return the section; nothing where nothing was found, or nothing may be told."""
    if not findings.advice:
        return Markup()
    rows = [(one.finding, one.remedy, one.effect or "", one.severity) for one in findings.advice]
    shown = table(["what was found", "what would lower it", "effect", "severity"], rows)
    said = "Each line was found on the finished release. If it has a number, the best remedy was counted."
    return section("advice", _HEADING, paragraph(said), scrolling(shown, "Findings and remedies"))
