"""One table in one file, as its reader gives it: its columns, a number of rows at a time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

BATCH = 20_000
"""Rows that are handed on at once."""


@dataclass(frozen=True)
class Codebook:
    """What a statistics package says of a column beside its values."""

    label: str = ""
    """The name of the column for people."""
    codes: Mapping[float, str] = field(default_factory=dict)
    """The label of each code, where the labels stand in the place of the codes."""
    is_ordered: bool = False
    """Whether the order of the codes means something."""


class FileTable(ABC):
    """One table in one file. A subclass is a context manager that closes the file."""

    place = "row"
    """What a message calls the place of a record."""

    def __init__(self) -> None:
        self.names: list[str] = []
        """Of the columns; those of JSON lines are complete when all rows were given."""
        self.notes: list[str] = []
        """What a person should know of the reading; complete when all rows were given."""
        self.blank = 0
        """Rows without any value, which are no records."""
        self.codebooks: Mapping[int, Codebook] = {}
        self._skipped: list[tuple[int, int]] = []

    @abstractmethod
    def batches(self) -> Iterator[tuple[int, Sequence[Any]]]:
        """Yield a number of rows and their columns: lists of values, None where one is missing, or arrays of Arrow."""

    def skip(self, record: int, rows: int) -> None:
        """Note how many rows that are no records stand before a record, by its number from 1."""
        self._skipped.append((record, rows))

    def place_of(self, record: int) -> int:
        """Return the row of the file in which a record stands; both are numbered from 1."""
        index = bisect_right(self._skipped, record, key=lambda entry: entry[0])
        return record + (self._skipped[index - 1][1] if index else 0)

    def close(self) -> None:  # noqa: B027 - most have read all of it when they are made
        """Close the file."""

    def __enter__(self) -> FileTable:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def array_of(values: Any) -> pa.Array:
    """Return one column of a batch as an array."""
    import pyarrow as pa

    from toolbox.store.readers.columns import column_of

    return values if isinstance(values, pa.Array) else column_of(values)
