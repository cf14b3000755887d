"""What an engine must do for a release of records that never leave it, and names of tables as people write them."""

from __future__ import annotations

import re
import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, Protocol, Self

from toolbox.errors import InputError, UnsatisfiableError, UsageError, quote
from toolbox.messages import format_count
from toolbox.store.input.source import add_counts
from toolbox.treatments.treatment import ReleasedColumn as ReleasedColumn  # noqa: PLC0414 - a part of what engines must know

if TYPE_CHECKING:
    from types import TracebackType

    import pyarrow as pa


# What an engine must do for a release of records that never leave it: count, write, recount, publish.
#
# Up come counted combinations, down go their generalised values. Everything that crosses is a table of Arrow, never a
# literal in a statement: logs of queries would keep original values.

MOST_COMBINATIONS = 5_000_000
"""Combinations that are fetched at most, unless a setting of the engine says otherwise."""


@dataclass(frozen=True, kw_only=True)
class Lacking:
    """A column without whose value a record is skipped."""

    column: str
    marks: tuple[str, ...]
    """Texts that stand for a missing value in a column of texts, beside null; the empty text is one of them."""


@dataclass(frozen=True, kw_only=True)
class CountRequest:
    """What is counted, of the input or of a staged release; all columns by their names."""

    by: tuple[str, ...]
    """The quasi-identifiers: original values in the input, texts in a release."""
    judged: tuple[str, ...] = ()
    """The sensitive attributes whose values are counted with each combination."""
    passed: tuple[str, ...] = ()
    """The columns that are released record by record, the judged ones included."""
    treated: Mapping[str, ReleasedColumn] = field(default_factory=lambda: MappingProxyType({}))
    """Those of `passed` whose values a release changes: the sums are of the changed ones. Empty for a release."""
    lacking: tuple[Lacking, ...] = ()
    """The columns without whose values a record is unusable."""
    person: tuple[Lacking, ...] = ()
    """The columns that tell persons apart; all records that lack a value of one are of one person. Empty: nobody asks
    for persons."""
    secret: int = 0
    """Goes into the numbers of persons, which mean nothing without it. Two persons of one number are counted as one."""
    salt: int = 0
    """Changes all keys."""
    most: int = MOST_COMBINATIONS
    """Combinations beyond which nothing is fetched."""


class CountedPersons(NamedTuple):
    """The different persons of the usable records of a table."""

    number: int
    several: int
    """Those whose records do not all have one combination."""
    lacking: int
    """Records without a value of the person."""
    is_nobody_several: bool
    """Whether these records, which are of one person together, do not all have one combination."""

    def make_error(self, name: str, person: str, by: str) -> InputError:
        """Return the error that persons of an input cannot be counted by combinations.

        Parameters
        ----------
        person, by : str
            The columns that tell persons apart, and the quasi-identifiers.
        """
        varying = f"different values of the quasi-identifiers {by}"
        there = "An engine counts persons only where all records of each agree in these."
        here = "or read the records here: toolbox anonymize FILE, toolbox.anonymize"
        if self.several == self.is_nobody_several:
            return InputError(
                f"{name}: {format_count(self.lacking, 'record')} without a value of {person} are of one person "
                f"together, and have {varying}. {there} Complete them; let a query or a view leave them out; {here}."
            )
        have = "has" if self.several == 1 else "have"
        return InputError(
            f"{name}: {format_count(self.several, 'person')} by {person} {have} records with {varying}. {there} Leave "
            f"out the column that varies; let a query or a view give each person one value; {here}."
        )


class CountedRecords(NamedTuple):
    """The records of a table, counted."""

    combinations: pa.Table
    """``key, by_1 .., unusable, size, sum_1, sum_2``, one row per combination of usable records.

    All unusable records are one row at most, whose values are null and whose key says nothing: nobody fetches the
    combinations of records that are skipped. The key is a hash of 64 bits, of the salt and of the values; null and
    every other value count. It is a signed integer. ``by_i`` has the type that the engine gives it. ``sum_1`` and
    ``sum_2`` add up the two unsigned 32-bit halves of a 64-bit hash of the passed columns of each record, as they are
    released, as signed integers of 64 bits; 0 where none passes. Where persons are asked for, ``persons`` stands
    behind: the different ones of a combination.
    """
    held: tuple[pa.Table, ...]
    """For each judged column ``key, value, size``, one row per pair, of usable records only; the value may be null.
    Where persons are asked for, ``persons`` stands behind."""
    persons: CountedPersons | None = None
    """Where persons are asked for."""

    def name_columns(self, names: Sequence[str]) -> pa.Table:
        """Return the usable records as judges read them, each row for several, by columns that are called so."""
        from pyarrow import compute

        rows = self.combinations.filter(compute.invert(self.combinations["unusable"]))
        by = rows.select([f"by_{place}" for place, _ in enumerate(names, start=1)])
        return add_counts(by.rename_columns(list(names)), rows["size"])

    def add_unusable(self, number: int) -> CountedRecords:
        """Add the row of all unusable records to combinations of usable ones."""
        import pyarrow as pa

        if not number:
            return self
        known = {"key": 0, "unusable": True, "size": number, "sum_1": 0, "sum_2": 0, "persons": 0}
        row = {each.name: pa.array([known.get(each.name)], each.type) for each in self.combinations.schema}
        return self._replace(combinations=pa.concat_tables([self.combinations, pa.table(row)]))


@dataclass(frozen=True, kw_only=True)
class RecordRecoding:
    """What becomes of each record: looked up by its key, it gets the texts of its class."""

    request: CountRequest
    """As the input was counted: a record has the key that it had then, and an unusable one is left out."""
    mapping: pa.Table
    """``key, class_id``: signed integers of 64 bits, each key once. A record with another key is left out."""
    classes: pa.Table
    """``class_id`` and columns of texts, each class once; a text may be null."""
    columns: tuple[ReleasedColumn, ...]
    """In the order of the release; a text is a column of `classes`."""
    person: str | None = None
    """The header of one more column, the last one, with the number of each record's person, null for those who lack a
    value: persons are counted in what was written, and then `Engine.remove_column` takes it away."""


class Staged(NamedTuple):
    """A release that was written, under a name that no reader looks at."""

    name: str


class Engine(Protocol):
    """A database or a cluster that holds the records of one input, and gets one release.

    Between `count` and `recount` all statements see the same records, or `publish` raises an `InputError`. Leaving the
    context without `publish` leaves nothing behind, and no old release changed.
    """

    name: str
    """What messages call the input."""
    keeps_order: bool
    """Whether a release has an order of records."""
    counts_persons: bool
    """Whether it does what `CountRequest.person` and `RecordRecoding.person` ask; one that does not say so does not."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None: ...

    def schema(self) -> pa.Schema:
        """Return names and types of the columns of the input, as `count` returns their values.

        Raises
        ------
        InputError
            If there is no such table, or it may not be read.
        OutputError
            If the output cannot be written, or exists and must not be replaced.
        """

    def count(self, request: CountRequest) -> CountedRecords:
        """Count the records of the input.

        Raises
        ------
        UnsatisfiableError
            If there are more combinations than the request allows; before anything is fetched.
        InputError
            If the engine fails, in words of our own: those of a driver quote cells.
        """

    def write(self, recoding: RecordRecoding) -> Staged:
        """Write the release under a name that no reader looks at, in an order that is not that of the input."""

    def recount(self, staged: Staged, request: CountRequest) -> CountedRecords:
        """Read back what was written, and count it; the mapping has no part in it."""

    def remove_column(self, staged: Staged, header: str) -> Staged:
        """Return a staged release without one of its columns, of which nothing is left where the release is stored."""

    def publish(self, staged: Staged) -> None:
        """Put the release in its place: all or nothing."""

    def discard(self, staged: Staged) -> None:
        """Remove a release that is not to be published."""


def make_combinations_error(
    name: str, found: int, most: int, values: Mapping[str, int], *, are_estimates: bool = False
) -> UnsatisfiableError:
    """Return the error that the combinations of an input are too many to be fetched.

    Parameters
    ----------
    values : mapping of column to int
        How many different values each quasi-identifier has.
    are_estimates : bool
        Whether the engine only knows about how many these are.
    """
    largest = sorted(values.items(), key=lambda item: -item[1])[:3]
    about = "about " if are_estimates else ""
    named = ", ".join(f"{column} ({about}{format_count(count, 'value')})" for column, count in largest)
    return UnsatisfiableError(
        f"{name}: the quasi-identifiers have {found:,} combinations, more than the {most:,} that are fetched. "
        f"Most values have {named}. Replace the values of such a column by ranges, or by level 1 of a hierarchy, "
        "or raise the setting combinations of the engine."
    )


# Names of tables as people write them: ``schema.table``, a part in double quotes where it is no plain word.

_QUOTED = r'"(?:[^"\0]|"")+"'
_PLAIN = r"[^\W\d][\w$]*"
_UNQUOTED = re.compile("[a-z_][a-z0-9_]*")
_PART = re.compile(f"{_QUOTED}|{_PLAIN}")
_WHOLE = re.compile(rf"(?:{_QUOTED}|{_PLAIN})(?:\.(?:{_QUOTED}|{_PLAIN}))*")
_MOST_PARTS = 2
# Where texts have several bytes to a letter, PostgreSQL makes these small and no others.
_SMALL = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)


@dataclass(frozen=True)
class TableName:
    """A table, and the schema that holds it where somebody says it."""

    table: str
    schema: str | None = None

    def __str__(self) -> str:
        """Write the name so that `parse_table_name` reads it again, whether or not plain names are folded."""
        return ".".join(_format_name_part(part) for part in (self.schema, self.table) if part is not None)


def parse_table_name(text: str, *, folded: bool) -> TableName:
    """Read the name of a table.

    Parameters
    ----------
    text : str
        ``table`` or ``schema.table``; within a quoted part, ``""`` is one quote.
    folded : bool
        Whether letters of a part without quotes are made small, as SQL has it in PostgreSQL.

    Raises
    ------
    UsageError
        If it is no such name.

    Examples
    --------
    >>> parse_table_name('census."People of 2020"', folded=True)
    TableName(table='People of 2020', schema='census')
    >>> parse_table_name("Census.People", folded=True)
    TableName(table='people', schema='census')
    """
    if not _WHOLE.fullmatch(text):
        raise UsageError(
            f"{quote(text)} is no name of a table. Write schema.table, and a part that is more than letters, digits "
            'and underscores in double quotes: census."People of 2020".'
        )
    parts = [_read(part, folded=folded) for part in _PART.findall(text)]
    if len(parts) > _MOST_PARTS:
        raise UsageError(
            f"{quote(text)} has {len(parts)} parts. Write schema.table: the database is named by the URL. A name that "
            "holds a dot stands in double quotes."
        )
    return TableName(parts[-1], parts[0] if len(parts) == _MOST_PARTS else None)


def _read(part: str, *, folded: bool) -> str:
    if part.startswith('"'):
        return part[1:-1].replace('""', '"')
    return part.translate(_SMALL) if folded else part


def _format_name_part(part: str) -> str:
    return part if _UNQUOTED.fullmatch(part) else '"' + part.replace('"', '""') + '"'
