"""The records of a session and the values of its columns: safe and at risk, before a run and after it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, NamedTuple

from toolbox.detection.election import Detection
from toolbox.loss.pairs import FigureChange, PairChanges
from toolbox.messages import format_count
from toolbox.report.console import ConsoleReport
from toolbox.risks.individual import SampleRisk
from toolbox.risks.risk import AttackerRisk

# The records of a session, some at a time: as they were read, and what became of them.


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
class RecordsPage(ConsoleReport):
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
        from toolbox.report.console import make_table

        console.print(self.headline(), soft_wrap=True)
        table = make_table("", "record", *self.columns, "class", numbers=frozenset({0, len(self.columns) + 1}))
        for each in self.records:
            size = "" if each.class_size is None else f"{each.class_size:,}"
            table.add_row(f"{each.record:,}", *(text or "" for text in each.values), size)
            if each.released is not None:
                table.add_row("", *(text or "" for text in each.released), "")
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
class RecordClass(ConsoleReport):
    """The equivalence class of one record: all that nobody can tell from it."""

    record: int
    size: int
    """Records in the class."""
    suppressed: bool
    columns: tuple[ClassColumn, ...]

    def headline(self) -> str:
        """Return the most important facts in one line."""
        state = "suppressed, with" if self.suppressed else "in a class of"
        return f"record {self.record:,} is {state} {format_count(self.size, 'record')}"

    def show_on(self, console: Any) -> None:
        """Print the columns on a console of rich."""
        from toolbox.report.console import make_table

        console.print(self.headline(), soft_wrap=True)
        table = make_table("", "column", "released", "values")
        for column in self.columns:
            values = ", ".join(
                f"{'nothing' if text is None else text} ({records:,})" for text, records in column.values
            )
            more = f", {column.others:,} others" if column.others else ""
            table.add_row(column.name, column.released or "", values + more)
        console.print(table)

    def document(self) -> dict[str, Any]:
        """Return a document with stable names that machines read."""
        return {**asdict(self), "columns": [column._asdict() for column in self.columns]}


# How many records are at risk before anything is generalised, in all and by the values of a column.


class ValueAtRisk(NamedTuple):
    """The records with one value."""

    value: str | None
    """As the input writes it; None where it is missing."""
    safe: int
    at_risk: int


@dataclass(frozen=True, kw_only=True, repr=False)
class AtRisk(ConsoleReport):
    """The records that are in classes of fewer than k, if the table were released as it is."""

    k: int
    quasi_identifiers: tuple[str, ...]
    records: int
    """Those that lack no declared value."""
    at_risk: int
    classes: int
    counts_persons: bool = False
    """Whether a class is too small for the persons in it, however many records they have."""
    column: str | None = None
    values: tuple[ValueAtRisk, ...] = ()
    """Of the column that was asked for, in the order of its values."""

    @property
    def share(self) -> float:
        """The records at risk, as a share of all."""
        return self.at_risk / self.records

    def headline(self) -> str:
        """Return the most important facts in one line."""
        least = f"{self.k} persons" if self.counts_persons else str(self.k)
        return f"{self.at_risk:,} of {self.records:,} records ({self.share:.2%}) are in classes below k = {least}"

    def show_on(self, console: Any) -> None:
        """Print the tables on a console of rich."""
        from toolbox.report.console import make_table

        console.print(self.headline(), soft_wrap=True)
        if self.column is not None:
            table = make_table(f"by {self.column}", "safe", "at risk", "value", numbers=frozenset({0, 1}))
            for value, safe, at_risk in self.values:
                table.add_row(f"{safe:,}", f"{at_risk:,}", "" if value is None else value)
            console.print(table)

    def document(self) -> dict[str, Any]:
        """Return a document with stable names that machines read."""
        values = [value._asdict() for value in self.values]
        return {
            **asdict(self),
            "quasi_identifiers": list(self.quasi_identifiers),
            "share": self.share,
            "values": values,
        }


@dataclass(frozen=True, kw_only=True, repr=False)
class MissingRecords(ConsoleReport):
    """The records that lack a value of a declared column, and what becomes of them."""

    records: int
    lacking: int
    """Those that lack at least one value."""
    on_missing: Literal["skip", "fail", "keep"] | None
    """What somebody has chosen; None: they are left out, and nobody has said so."""
    needs_choice: bool
    """Whether they are so many that a run asks what becomes of them."""
    columns: tuple[tuple[str, int], ...]
    """The columns that some records lack, each with how many lack it; most first."""

    @property
    def left_out(self) -> int:
        """Records that are in no release."""
        return 0 if self.on_missing == "keep" else self.lacking

    def headline(self) -> str:
        """Return the most important facts in one line."""
        lack = "lacks" if self.lacking == 1 else "lack"
        becomes = "kept, with missing as a category" if self.on_missing == "keep" else "left out"
        return f"{self.lacking:,} of {format_count(self.records, 'record')} {lack} a value: {becomes}"

    def show_on(self, console: Any) -> None:
        """Print the columns on a console of rich."""
        from toolbox.report.console import make_table

        console.print(self.headline(), soft_wrap=True)
        table = make_table("", "column", "records without a value", numbers=frozenset({1}))
        for name, count in self.columns:
            table.add_row(name, f"{count:,}")
        console.print(table)

    def document(self) -> dict[str, Any]:
        """Return a document with stable names that machines read."""
        return {**asdict(self), "left_out": self.left_out, "columns": dict(self.columns)}


# The values of a column as a table and as the bars of a histogram: safe and at risk, or before and after.


class Bar(NamedTuple):
    """The records of one value, or of several that are shown together."""

    label: str | None
    """A value, or a range of numbers or dates; None: what is missing or is no number."""
    values: int
    """How many values these are."""
    safe: int
    at_risk: int


class CountedBar(NamedTuple):
    """The records of one value, or of several that are shown together."""

    label: str | None
    """A value, or a range of numbers or dates; None: what is missing or is no number."""
    values: int
    """How many values these are."""
    records: int

    @property
    def name(self) -> str:
        """What it is called, with how many values share it."""
        return f"{self.label} ({self.values:,})" if self.label == "others" and self.values > 1 else str(self.label)


@dataclass(frozen=True, kw_only=True, repr=False)
class ValuesAtRisk(ConsoleReport):
    """Some of the values of a column, with the records of each."""

    k: int
    column: str
    total: int
    """Values that the column has; a missing one is one of them."""
    offset: int
    """Of the first value that is listed, from 0."""
    values: tuple[ValueAtRisk, ...]

    def headline(self) -> str:
        """Return the most important facts in one line."""
        first, last = self.offset + 1, self.offset + len(self.values)
        shown = f"{first:,} to {last:,} of {self.total:,}" if self.values else f"none of {self.total:,}"
        return f"{self.column}: values {shown}, at risk below k = {self.k}"

    def show_on(self, console: Any) -> None:
        """Print the values on a console of rich."""
        console.print(self.headline(), soft_wrap=True)
        console.print(_make_bars_table(("safe", "at risk"), self.values))

    def document(self) -> dict[str, Any]:
        """Return a document with stable names that machines read."""
        return {**asdict(self), "values": [value._asdict() for value in self.values]}


@dataclass(frozen=True, kw_only=True, repr=False)
class Histogram(ConsoleReport):
    """The records of each value of a column, in few enough bars to be seen at once."""

    k: int
    column: str
    is_binned: bool
    """Whether a bar is a range of numbers or dates."""
    bars: tuple[Bar, ...]
    others: Bar | None = None
    """All values that have no bar of their own."""

    def headline(self) -> str:
        """Return the most important facts in one line."""
        return f"{self.column}: {_format_extent([*self.bars, self.others])}, at risk below k = {self.k}"

    def show_on(self, console: Any) -> None:
        """Print the bars on a console of rich."""
        console.print(self.headline(), soft_wrap=True)
        rows = [(bar.label, bar.safe, bar.at_risk) for bar in (*self.bars, _name_bar(self.others)) if bar is not None]
        console.print(_make_bars_table(("safe", "at risk"), rows))

    def document(self) -> dict[str, Any]:
        """Return a document with stable names that machines read."""
        return {**asdict(self), **_build_bars_document(self.bars, self.others)}


@dataclass(frozen=True, kw_only=True, repr=False)
class BeforeAndAfter(ConsoleReport):
    """The values of a quasi-identifier in the input, and those that a release shows instead."""

    column: str
    is_binned: bool
    """Whether a bar of ``before`` is a range of numbers or dates."""
    before: tuple[CountedBar, ...]
    after: tuple[CountedBar, ...]
    """The released values as they stand in the release; the last bar may hold all others."""
    suppressed: int
    """Records of which the release tells no value; they show the root."""

    def headline(self) -> str:
        """Return the most important facts in one line."""
        extents = [_format_extent(self.before), _format_extent(self.after)]
        return (
            f"{self.column}: {extents[0]}, released {extents[1]}, {format_count(self.suppressed, 'record')} suppressed"
        )

    def show_on(self, console: Any) -> None:
        """Print the values on a console of rich."""
        console.print(self.headline(), soft_wrap=True)
        for side in ("before", "after"):
            rows = [(bar.name, bar.records) for bar in getattr(self, side)]
            console.print(_make_bars_table([f"records {side}"], rows))

    def document(self) -> dict[str, Any]:
        """Return a document with stable names that machines read."""
        sides = {side: [bar._asdict() for bar in getattr(self, side)] for side in ("before", "after")}
        return {**asdict(self), **sides}


@dataclass(frozen=True)
class ColumnRemains:
    """What is left of a quasi-identifier in a variant, so that anybody can check it by looking at the records."""

    name: str
    values_before: int
    values_after: int
    """Different values in its released cells."""
    records: int
    """Released ones, each with a cell."""
    unchanged: int
    """Cells that show the value as it was."""
    silent: int
    """Cells that say nothing: suppressed, or a value that covers all others."""
    example: tuple[str, str] | None
    """A frequent value, and what the release shows most often in its place; None if nothing is released."""

    @property
    def says_nothing(self) -> bool:
        """Whether hardly a cell says anything, where there was something to say."""
        return self.silent >= _NEARLY_ALL * self.records > 0

    def document(self) -> dict[str, Any]:
        """Return a document with stable names that machines read."""
        return {**asdict(self), "says_nothing": self.says_nothing}


_NEARLY_ALL = 0.99
"""Share of the cells of a column that may say nothing before the column does."""


def _name_bar(others: Any) -> Any:
    """Return the bar of all other values as a table calls it."""
    return None if others is None else others._replace(label=f"others ({others.values:,})")


def _format_extent(bars: Iterable[Any]) -> str:
    shown = [bar for bar in bars if bar is not None]
    return f"{format_count(sum(bar.values for bar in shown), 'value')} in {format_count(len(shown), 'bar')}"


def _build_bars_document(bars: Iterable[Any], others: Any) -> dict[str, Any]:
    return {"bars": [bar._asdict() for bar in bars], "others": None if others is None else others._asdict()}


def _make_bars_table(names: Sequence[str], rows: Iterable[tuple[Any, ...]]) -> Any:
    """Make the table of some bars: their numbers, and the label behind them, since it may be long."""
    from toolbox.report.console import make_table

    table = make_table("", *names, "value", numbers=frozenset(range(len(names))))
    for label, *counts in rows:
        table.add_row(*(f"{count:,}" for count in counts), "" if label is None else label)
    return table


# What all records together tell of columns, and for whom they stand.


@dataclass(frozen=True, kw_only=True)
class RankedColumns:
    """Which quasi-identifiers tell records apart, alone and together."""

    detection: Detection
    """As that of `toolbox.detect`."""
    counts_persons: bool
    """Whether persons are counted instead of records."""


@dataclass(frozen=True, kw_only=True)
class PopulationRisk:
    """Who hides among the people of a population, as the records were read."""

    records: int
    counts_persons: bool = False
    """Whether the different persons of a combination count, however many records they have; then all figures but
    `records` are of persons."""
    register: AttackerRisk | None
    """Of an attacker who knows a register of the population; None where none is named."""
    below_k: int | None
    """Records whose combination fewer than k people of the register have."""
    alone: int | None
    """Records whose combination one person of the register has."""
    sample: SampleRisk | None
    """Estimated from the share of the population that is in the table; None where nobody says it."""


@dataclass(frozen=True, kw_only=True)
class ValueStatistics:
    """The most frequent value of a column before and after, and of numbers the smallest, the middle and the largest."""

    name: str
    commonest_before: tuple[str | None, int]
    """The value, and its records."""
    commonest_after: tuple[str | None, int]
    order: Mapping[Literal["smallest", "median", "largest"], FigureChange]
    """Of a release only what each can be at least and at most; empty for categories and dates."""


@dataclass(frozen=True, kw_only=True)
class VariantStatistics:
    """What an analyst would compute of a variant, beside what the records say."""

    values: tuple[ValueStatistics, ...]
    changes: PairChanges
    """Of columns of numbers mean and variance, and the two-way table of a pair, as `measure` tells them of pairs."""
