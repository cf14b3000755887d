"""The page of a variant: proved and measured as far as a session does it, and not released."""

from __future__ import annotations

from toolbox.report.html.day import repeatable, today
from toolbox.report.html.findings import Counts, DeclaredColumn, Findings
from toolbox.report.html.page import page
from toolbox.report.measure import LossReport
from toolbox.report.summary import Summary

_NOT_RELEASED = "this is a variant of a session, which is proved and not released. Release it to have all figures."


def variant_page(summary: Summary, losses: LossReport | None) -> str:
    """Return the internal page of a run of a session; `Variant.to_html` explains it."""
    columns = [
        DeclaredColumn(column.name, "quasi-identifier, generalised", "", _level(column.level, column.height), None)
        for column in summary.quasi_identifiers
    ]
    findings = Findings(
        kind="internal",
        name=f"variant of {summary.method}",
        date=today(),
        k=summary.k,
        counts=Counts.of(summary),
        models=summary.proof.models,
        columns=tuple(columns),
        version=summary.versions["toolbox"],
        losses=losses,
        notes=summary.notes,
        unjudged=_NOT_RELEASED,
        method=summary.method,
        summary=repeatable(summary),
    )
    return page(findings)


def _level(level: int | None, height: int | None) -> str:
    if level is not None and height is not None:
        return f"level {level} of {height}"
    return "" if height is None else f"{height} levels"
