"""The cells of a release that a spreadsheet would run as formulas, and what a publisher should know of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_SHOWN_COLUMNS = 5


@dataclass(frozen=True)
class FormulaResult:
    """The cells of one released column that a spreadsheet would run as formulas."""

    column: str
    cells: int
    header: bool
    """Whether it would run the name of the column too."""


def formula_notes(formulas: Sequence[FormulaResult], *, are_escaped: bool) -> list[str]:
    """Return the note on formulas, if there are any.

    Parameters
    ----------
    are_escaped : bool
        Whether an apostrophe was written before them.
    """
    if not formulas:
        return []
    counts = [_count(result) for result in formulas[:_SHOWN_COLUMNS]]
    if more := len(formulas) - len(counts):
        counts.append(f"{more:,} more column{'s' if more > 1 else ''}")
    shown = ", ".join(counts)
    if are_escaped:
        return [f"A spreadsheet would run these as formulas, so that an apostrophe stands before them: {shown}."]
    remedy = "--escape-formulas writes an apostrophe before them."
    return [f"A spreadsheet may run texts that begin with =, +, -, @, tab or CR as formulas: {shown}. {remedy}"]


def _count(result: FormulaResult) -> str:
    cells = [f"{result.cells:,} cell{'s' if result.cells > 1 else ''}"] if result.cells else []
    header = ["the header"] if result.header else []
    return f"{' and '.join([*cells, *header])} of {result.column}"
