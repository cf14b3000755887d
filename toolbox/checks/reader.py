"""What a reader of a release sees: its classes, and whether a value stands for another."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from toolbox.checks.tables import SmallTable

if TYPE_CHECKING:
    import pandas as pd

    from toolbox import Summary

GROUP = "group"
"""The column that connects the two tables of anatomy."""
# Written anew: who judges does not read with the eyes of the accused.
_NUMBER = r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_RANGE = re.compile(rf"([\[(])({_NUMBER}):({_NUMBER})([\])])")
_MEMBER = re.compile(r'"((?:[^"]|"")*)"|([^,]+)')


@dataclass(frozen=True)
class CheckedRelease:
    """One release, and the table from which it was made."""

    table: SmallTable
    given: pd.DataFrame
    """What the call was given, as it is after the call."""
    parts: tuple[pd.DataFrame, ...]
    """One table, or the two of anatomy."""
    summary: Summary

    @property
    def is_anatomy(self) -> bool:
        """Whether quasi-identifiers and all else are in two tables."""
        return len(self.parts) > 1

    def quasi_identifiers(self) -> list[tuple[object, ...]]:
        """Return the released quasi-identifiers of each record."""
        return read_rows(self.parts[0], self.table.quasi_identifiers)

    def passed_through(self) -> list[tuple[object, ...]]:
        """Return the values of each record in the columns that are released as they are."""
        return read_rows(self.parts[-1], self.table.passed_through)

    def classes(self, column: str) -> dict[object, list[object]]:
        """Return the values of a column that passes through, by released quasi-identifiers or by group."""
        frame = self.parts[-1]
        keys: Sequence[object] = read_values(frame, GROUP) if self.is_anatomy else self.quasi_identifiers()
        members: dict[object, list[object]] = defaultdict(list)
        for key, value in zip(keys, read_values(frame, column), strict=True):
            members[key].append(value)
        return members


def read_values(frame: pd.DataFrame, name: Hashable) -> list[object]:
    """Return a column as plain values; None for every kind of missing value."""
    # Only a value that is missing differs from itself, or cannot tell.
    return [value if _is_itself(value) else None for value in frame[name].tolist()]


def read_rows(frame: pd.DataFrame, names: Sequence[Hashable]) -> list[tuple[object, ...]]:
    """Return some columns as one tuple of plain values per row."""
    return list(zip(*(read_values(frame, name) for name in names), strict=True))


def _is_itself(value: Any) -> bool:
    return (value == value) is True  # noqa: PLR0124


def stands_for(shown: object, original: object, table: SmallTable, name: str) -> bool:
    """Return whether a released value is the original, a range or a set around it, or a label above it."""
    text, value = str(shown), "?" if original is None else original
    if any(str(row[0]) == str(value) and text in map(str, row) for row in table.hierarchies[name]):
        return True
    if text == "*" and not table.needs_hierarchies:
        # The root of a column without a hierarchy.
        return True
    if name in table.numbers:
        assert isinstance(value, (int, float))
        return _number_stands_for(text, value)
    return text == value or value in _parse_members(text)


def _number_stands_for(text: str, value: float) -> bool:
    match = _RANGE.fullmatch(text)
    if match is None:
        return bool(re.fullmatch(_NUMBER, text)) and float(text) == value
    low, high = float(match[2]), float(match[3])
    above = low <= value if match[1] == "[" else low < value
    return above and (value <= high if match[4] == "]" else value < high)


def _parse_members(text: str) -> list[str]:
    """Cut ``{a,"b,c"}`` into its members."""
    if not (text.startswith("{") and text.endswith("}")):
        return []
    return [member[2] if member[1] is None else member[1].replace('""', '"') for member in _MEMBER.finditer(text[1:-1])]
