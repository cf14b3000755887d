"""Cells that a spreadsheet would run, as the documentation says which, and how they are escaped."""

from __future__ import annotations

import re

from fuzzing.dialects import Cell

_NUMBER = re.compile(r"\s*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\s*")


def is_formula(cell: Cell) -> bool:
    """Return whether a cell begins as a formula does; a number and a single character are none."""
    return cell is not None and len(cell) > 1 and cell[0] in "=+-@\t\r" and not _NUMBER.fullmatch(cell)


def unescaped(cell: Cell) -> Cell:
    """Remove the apostrophe that was written before a formula, or before a text that looked like an escaped one."""
    return cell[1:] if cell is not None and cell.startswith("'") and is_formula(cell.lstrip("'")) else cell
