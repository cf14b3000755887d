"""Notes on the columns that a release shows as they are."""

from __future__ import annotations

from collections.abc import Sequence

from toolbox.errors import quote
from toolbox.messages import either
from toolbox.risks.passing.columns import PassedColumn
from toolbox.risks.passing.evidence import NEARLY_ALL_DIFFER, Evidence

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
    notes = [_names_people(column, own) for column in passed if column.is_declared for own in _own_values(column)]
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
    suspicious = [column for column in passed if _other_reasons(column)]
    several = [column for column in suspicious if not column.is_declared]
    notes += [_against(column) for column in suspicious if column.is_declared or len(several) == 1]
    if len(several) > 1:
        each = [f"{listed([column.name])} ({_reasons(column)})" for column in several[:_SHOWN]]
        more = f"; and {len(several) - _SHOWN:,} more, which the report lists" if len(several) > _SHOWN else ""
        notes.append(
            f"{len(several):,} of these columns look as if they should not be released unchanged: "
            f"{'; '.join(each)}{more}."
        )
    return notes


def _own_values(column: PassedColumn) -> list[Evidence]:
    """Return the evidence that nearly each record has a value of its own, if there is any."""
    return [evidence for evidence in column.evidence if evidence.kind == NEARLY_ALL_DIFFER]


def _other_reasons(column: PassedColumn) -> list[Evidence]:
    """Return the evidence that has no note of its own."""
    own = _own_values(column) if column.is_declared else []
    return [evidence for evidence in column.evidence if evidence not in own]


def _names_people(column: PassedColumn, own: Evidence) -> str:
    each = "each record" if own.count == own.looked_at and not own.is_estimate else "nearly each record"
    return own_values_note(column.name, f"{each} ({_count(own)})")


def own_values_note(name: str, each: str) -> str:
    """Return what it means that a sensitive attribute has a different value for each record, or nearly each."""
    return (
        f"{listed([name])} is declared sensitive, and has a different value for {each}: "
        "somebody who knows the value of a person finds the record by it, although the privacy models hold. If it "
        "names people, as their numbers do, declare it as an identifier, which is dropped."
    )


def _against(column: PassedColumn) -> str:
    reasons = "; ".join(f"{evidence.kind} ({_count(evidence)})" for evidence in _other_reasons(column))
    remedy = " Declare it as an identifier instead, which is dropped." if column.is_declared else ""
    return f"{listed([column.name])} looks as if it should not be released unchanged: {reasons}.{remedy}"


def _reasons(column: PassedColumn) -> str:
    return ", ".join(f"{evidence.kind}: {_count(evidence)}" for evidence in _other_reasons(column))


def _count(evidence: Evidence) -> str:
    about = "about " if evidence.is_estimate else ""
    where = " in a sample" if evidence.is_sample else ""
    return f"{about}{evidence.count:,} of {evidence.looked_at:,} values{where}"
