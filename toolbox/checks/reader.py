"""What a reader of a release sees: its classes, and whether a value stands for another."""

from __future__ import annotations

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
