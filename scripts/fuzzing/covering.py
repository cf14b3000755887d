"""Whether a released value stands for an original one, by the rules that the README states."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation

from fuzzing.columns import Column
from fuzzing.dialects import Cell

_NUMBER = r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_RANGE = re.compile(rf"([\[(]) *({_NUMBER}) *: *({_NUMBER}) *([\])])")
"""The ends are written as the input writes them, with blanks around."""
ROOT = "*"
_OPEN = re.compile(rf"(<|>=)({_NUMBER})")
_ZERO = re.compile(r"[+-]?0*\.?0*[eE][+-]?[0-9]+")


def covers(column: Column, shown: Cell, original: Cell) -> bool:
    """Return whether a cell of the release stands for a value of the input; a kept missing value has its name."""
    if shown is None or original is None:
        return False
    if shown in (ROOT, original) or shown in column.generalisations.labels.get(original, ()):
        return True
    if column.kind == "number":
        return _number_covers(shown, original)
    return original in members(shown)


def tells_nothing(columns: Sequence[Column], cells: Sequence[Cell], records: Sequence[Mapping[str, str]]) -> bool:
    """Return whether the cells of a class fit every record of the input, as those of a suppressed one do."""
    return all(
        shown == ROOT or all(covers(column, shown, record[column.name]) for record in records)
        for column, shown in zip(columns, cells, strict=True)
    )


def shows_codes(shown: Cell) -> bool:
    """Return whether a cell shows a range of any kind."""
    return _RANGE.fullmatch(shown or "") is not None


def _number_covers(shown: str, original: str) -> bool:
    try:
        value = _number(original)
        if match := _RANGE.fullmatch(shown):
            low, high = _number(match[2]), _number(match[3])
            above = value >= low if match[1] == "[" else value > low
            return above and (value <= high if match[4] == "]" else value < high)
        if match := _OPEN.fullmatch(shown):
            return value < _number(match[2]) if match[1] == "<" else value >= _number(match[2])
        return _number(shown.strip("[] ")) == value
    except InvalidOperation:
        return False


def _number(text: str) -> Decimal:
    """Read a number; one of zeros is 0, also with an exponent that is too large for a decimal."""
    stripped = text.strip()
    return Decimal(0) if _ZERO.fullmatch(stripped) else Decimal(stripped)


def members(shown: str) -> list[str]:
    """Cut ``{a,"b,c"}`` into its members, blanks before them left out; none if the text is no set."""
    if not (shown.startswith("{") and shown.endswith("}")):
        return []
    try:
        # A list of one record, because a member may hold line ends.
        rows = list(csv.reader([shown[1:-1]], strict=True, skipinitialspace=True))
    except csv.Error:
        return []
    return rows[0] if rows else []
