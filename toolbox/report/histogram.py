"""The values of a column as a table and as the bars of a histogram: safe and at risk, or before and after."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from toolbox.messages import counted
from toolbox.report.at_risk import ValueAtRisk
from toolbox.report.notebook import Shown


class Bar(NamedTuple):
    """The records of one value, or of several that are shown together."""

    label: str | None
    """A value, or a range of numbers or dates; None: what is missing or is no number."""
    values: int
    """How many values these are."""
    safe: int
    at_risk: int


class BarOfTwo(NamedTuple):
    """The records of one value, or of several, in the input and in a release."""

    label: str | None
    values: int
    before: int
    after: float
    """As a reader would guess: the records of a released value are shared evenly by all values that it covers."""


@dataclass(frozen=True, kw_only=True, repr=False)
class ValuesAtRisk(Shown):
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
        console.print(_table(("safe", "at risk"), self.values))

    def document(self) -> dict[str, Any]:
        """Return a document with stable names that machines read."""
        return {**asdict(self), "values": [value._asdict() for value in self.values]}


@dataclass(frozen=True, kw_only=True, repr=False)
class Histogram(Shown):
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
        return f"{self.column}: {_extent([*self.bars, self.others])}, at risk below k = {self.k}"

    def show_on(self, console: Any) -> None:
        """Print the bars on a console of rich."""
        console.print(self.headline(), soft_wrap=True)
        rows = [(bar.label, bar.safe, bar.at_risk) for bar in (*self.bars, _named(self.others)) if bar is not None]
        console.print(_table(("safe", "at risk"), rows))

    def document(self) -> dict[str, Any]:
        """Return a document with stable names that machines read."""
        return {**asdict(self), **_bars(self.bars, self.others)}


@dataclass(frozen=True, kw_only=True, repr=False)
class BeforeAndAfter(Shown):
    """The distribution of a quasi-identifier in the input, and what a release tells of it."""

    column: str
    is_binned: bool
    """Whether a bar is a range of numbers or dates."""
    bars: tuple[BarOfTwo, ...]
    others: BarOfTwo | None
    """All values that have no bar of their own."""
    suppressed: int
    """Records of which the release tells no value; they are in no bar of ``after``."""

    def headline(self) -> str:
        """Return the most important facts in one line."""
        return f"{self.column}: {_extent([*self.bars, self.others])}, {counted(self.suppressed, 'record')} suppressed"

    def show_on(self, console: Any) -> None:
        """Print the bars on a console of rich."""
        console.print(self.headline(), soft_wrap=True)
        rows = [(bar.label, bar.before, bar.after) for bar in (*self.bars, _named(self.others)) if bar is not None]
        console.print(_table(("before", "after"), rows))

    def document(self) -> dict[str, Any]:
        """Return a document with stable names that machines read."""
        return {**asdict(self), **_bars(self.bars, self.others)}


def _named(others: Any) -> Any:
    """Return the bar of all other values as a table calls it."""
    return None if others is None else others._replace(label=f"others ({others.values:,})")


def _extent(bars: Iterable[Any]) -> str:
    shown = [bar for bar in bars if bar is not None]
    return f"{counted(sum(bar.values for bar in shown), 'value')} in {counted(len(shown), 'bar')}"


def _bars(bars: Iterable[Any], others: Any) -> dict[str, Any]:
    return {"bars": [bar._asdict() for bar in bars], "others": None if others is None else others._asdict()}


def _table(names: tuple[str, str], rows: Iterable[tuple[str | None, float, float]]) -> Any:
    """Make the table of some bars: two numbers, and the label behind them, since it may be long."""
    from rich.markup import escape

    from toolbox.report.console.tables import plain_table

    table = plain_table("", *names, "value", numbers=frozenset({0, 1}))
    for label, first, second in rows:
        table.add_row(_number(first), _number(second), "" if label is None else escape(label))
    return table


def _number(number: float) -> str:
    return f"{number:,}" if isinstance(number, int) else f"{number:,.1f}"
