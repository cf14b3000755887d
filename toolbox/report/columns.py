"""Notes on the columns that a release shows as they are."""

from __future__ import annotations

from collections.abc import Sequence

from toolbox.errors import quote
from toolbox.messages import either
from toolbox.risks.passing.columns import PassedColumn
from toolbox.risks.passing.evidence import Evidence

_SHOWN = 10
"""Columns that a note names, and columns that have a note."""


def listed(names: Sequence[str], most: int = _SHOWN) -> str:
    """List some columns in words, or the first of many.

    Examples
    --------
    >>> listed(["a", "b", "c"]), listed(["a", "b", "c"], most=2)
    ('a, b, c', 'a, b and 1 more')
    """
    more = len(names) - most
    shown = ", ".join(
        name if name.isprintable() and name.strip() == name != "" else quote(name) for name in names[:most]
    )
    return f"{shown} and {more:,} more" if more > 0 else shown


def column_notes(passed: Sequence[PassedColumn], left_out: Sequence[str]) -> list[str]:
    """Return notes on the columns that are not declared, and on the evidence against releasing a column as it is."""
    notes = []
    if left_out:
        asked = either("undeclared='drop'", options="--undeclared drop")
        notes.append(f"Nobody declared {listed(left_out)}: left out of the release, as {asked} asks.")
    undeclared = [column.name for column in passed if not column.is_declared]
    if undeclared:
        remedy = either("undeclared='drop'", options="--undeclared drop")
        subject = "it is" if len(undeclared) == 1 else "they are"
        notes.append(
            f"Nobody declared {listed(undeclared)}: {subject} released unchanged, and the proof says nothing about "
            "that. Declare each column, as an identifier, a quasi-identifier or sensitive, or write "
            f"{remedy} to leave them out."
        )
    suspicious = [column for column in passed if column.evidence]
    notes += [_against(column) for column in suspicious[:_SHOWN]]
    if len(suspicious) > _SHOWN:
        names = listed([column.name for column in suspicious[_SHOWN:]])
        notes.append(
            f"More columns look as if they should not be released unchanged: {names}. The report has the counts."
        )
    return notes


def _against(column: PassedColumn) -> str:
    reasons = "; ".join(map(_reason, column.evidence))
    remedy = " Declare it as an identifier instead, which is dropped." if column.is_declared else ""
    return f"{listed([column.name])} looks as if it should not be released unchanged: {reasons}.{remedy}"


def _reason(evidence: Evidence) -> str:
    about = "about " if evidence.is_estimate else ""
    where = " in a sample" if evidence.is_sample else ""
    return f"{evidence.kind} ({about}{evidence.count:,} of {evidence.looked_at:,} values{where})"
