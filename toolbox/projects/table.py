"""The columns of the table that a project is about: read from its first records, and only when these change."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from toolbox.config.draft import can_be_a_name
from toolbox.config.file_kinds import has_types
from toolbox.config.inputs import input_files
from toolbox.config.model import Input, Limits
from toolbox.errors import InputError
from toolbox.store.first_records import first_records
from toolbox.store.inputs import InputFiles
from toolbox.store.store import Store
from toolbox.store.text_file import check_readable, first_record


@dataclass(frozen=True)
class TableColumns:
    """What a table says of its columns."""

    headers: tuple[str, ...] | None
    """None where the input does not name them."""
    kinds: tuple[str | None, ...]
    """What each holds: in a text what its first records look like; None where they have no value."""
    is_typed: bool
    """Whether the table itself says it."""

    @property
    def width(self) -> int:
        """Number of columns."""
        return len(self.kinds)

    @cached_property
    def positions(self) -> dict[str, int]:
        """The positions of the columns that a configuration can name: each by a name of its own."""
        counts = Counter(self.headers)
        named = enumerate(self.headers or ())
        return {name: position for position, name in named if counts[name] == 1 and can_be_a_name(name)}


NO_COLUMNS = TableColumns((), (), is_typed=True)
"""Those of a table that only a database or a cluster could tell."""
_Key = tuple[Input, int, int]


class TableReader:
    """Reads the columns of an input, and remembers them as long as its first file stays as it is."""

    def __init__(self) -> None:
        self._known: tuple[_Key, TableColumns] | None = None

    def columns(self, source: Input | None) -> TableColumns:
        """Return the columns of an input.

        Raises
        ------
        InputError
            If it cannot be read.
        """
        if source is None or source.remote is not None:
            return NO_COLUMNS
        first = input_files(source)[0]
        check_readable(first)
        try:
            status = first.stat()
        except OSError as error:  # it was there a moment ago
            raise InputError(f"{first} cannot be read: {error.strerror}.") from error
        key = (source, status.st_mtime_ns, status.st_size)
        known = self._known
        if known is None or known[0] != key:
            # At once: other threads ask as well, perhaps about another state of the project.
            known = self._known = key, _read(source, first)
        return known[1]


def _read(source: Input, first: Path) -> TableColumns:
    if has_types(first):
        with Store(None, Limits()) as store:
            opened = InputFiles(source).source(store)
            return TableColumns(opened.headers, tuple(opened.said_kinds[: opened.width - opened.added]), is_typed=True)
    from toolbox.suggestions.looks import kinds_of_records

    one = replace(source, path=first, more=())
    header = first_record(one).values
    records = first_records(one) if len(one.separator) == 1 else []
    kinds = kinds_of_records(records[source.header :], len(header))
    return TableColumns(tuple(header) if source.header else None, kinds, is_typed=False)
