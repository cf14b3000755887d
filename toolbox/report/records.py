"""The records of a session, some at a time: as they were read, and what became of them."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from toolbox.messages import counted
from toolbox.report.notebook import Shown


class LookedAt(NamedTuple):
    """One record."""

    record: int
    """Its place in the input, from 1."""
    values: tuple[str | None, ...]
    """As they were read; None where one is missing."""
    released: tuple[str | None, ...] | None
    """As the variant releases them; None where no variant is looked at, or the record is left out since it lacks a
    value."""
    class_size: int | None
    """Records that are released like this one, or without a variant those that agree with it; None if it is left
    out."""
    suppressed: bool
    changed: bool
    """Whether the variant releases another value than it read."""


@dataclass(frozen=True, kw_only=True, repr=False)
class RecordsPage(Shown):
    """Some of the records."""

    columns: tuple[str, ...]
    total: int
    """Records that are looked at, on all pages."""
    offset: int
    """Of the first one that is here, from 0."""
    records: tuple[LookedAt, ...]

    def headline(self) -> str:
        """Return the most important facts in one line."""
        if not self.records:
            return f"none of {self.total:,} records"
        return f"records {self.offset + 1:,} to {self.offset + len(self.records):,} of {self.total:,}"

    def show_on(self, console: Any) -> None:
        """Print the records on a console of rich, each followed by what became of it."""
        from rich.markup import escape

        from toolbox.report.console.tables import plain_table

        console.print(self.headline(), soft_wrap=True)
        table = plain_table("", "record", *self.columns, "class", numbers=frozenset({0, len(self.columns) + 1}))
        for each in self.records:
            size = "" if each.class_size is None else f"{each.class_size:,}"
            table.add_row(f"{each.record:,}", *(escape(text or "") for text in each.values), size)
            if each.released is not None:
                table.add_row("", *(escape(text or "") for text in each.released), "")
        console.print(table)

    def document(self) -> dict[str, Any]:
        """Return a document with stable names that machines read."""
        return {**asdict(self), "records": [record._asdict() for record in self.records]}


class ClassColumn(NamedTuple):
    """One quasi-identifier of a class."""

    name: str
    released: str | None
    """What the release shows; None without a variant."""
    values: tuple[tuple[str | None, int], ...]
    """The values of its records, as they were read, each with the number of records, the most frequent first."""
    others: int
    """Values that are not listed."""


@dataclass(frozen=True, kw_only=True, repr=False)
class RecordClass(Shown):
    """The equivalence class of one record: all that nobody can tell from it."""

    record: int
    size: int
    """Records in the class."""
    suppressed: bool
    columns: tuple[ClassColumn, ...]

    def headline(self) -> str:
        """Return the most important facts in one line."""
        state = "suppressed, with" if self.suppressed else "in a class of"
        return f"record {self.record:,} is {state} {counted(self.size, 'record')}"

    def show_on(self, console: Any) -> None:
        """Print the columns on a console of rich."""
        from rich.markup import escape

        from toolbox.report.console.tables import plain_table

        console.print(self.headline(), soft_wrap=True)
        table = plain_table("", "column", "released", "values")
        for column in self.columns:
            values = ", ".join(
                f"{'nothing' if text is None else text} ({records:,})" for text, records in column.values
            )
            more = f", {column.others:,} others" if column.others else ""
            table.add_row(escape(column.name), escape(column.released or ""), escape(values + more))
        console.print(table)

    def document(self) -> dict[str, Any]:
        """Return a document with stable names that machines read."""
        return {**asdict(self), "columns": [column._asdict() for column in self.columns]}
