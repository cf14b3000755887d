"""Reports in Python and on a console: the text of the command line, tables without lines, and HTML for a notebook."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from io import StringIO
from types import MappingProxyType
from typing import Any, Literal, Self

from rich import box
from rich.console import Console, ConsoleOptions, RenderResult
from rich.markup import escape as markup_escape
from rich.measure import Measurement
from rich.padding import PaddingDimensions
from rich.table import Column, Table

from toolbox.privacy.results import ModelResult

# Reports in Python: the text of the command line, and tables of HTML for a notebook.

_WIDTH = 100


class ConsoleReport(ABC):
    """A report in Python: its repr is one line, its text that of the command line, and in a notebook it shows tables.

    A subclass supplies its headline, and how a console shows it.
    """

    @abstractmethod
    def headline(self) -> str:
        """Return the most important facts in one line."""

    @abstractmethod
    def show_on(self, console: Any) -> None:
        """Print the tables and the notes on a console of rich."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.headline()}>"

    def __str__(self) -> str:
        from rich.console import Console

        written = StringIO()
        self.show_on(Console(file=written, width=_WIDTH, highlight=False, color_system=None))
        return "\n".join(line.rstrip() for line in written.getvalue().splitlines())

    def _repr_html_(self) -> str:
        page = _Page()
        self.show_on(page)
        return "<div>" + "".join(page.parts) + "</div>"


class _Page:
    """Takes what a console would print, as HTML."""

    width = 10_000
    """Characters of a line, which a page breaks itself."""

    def __init__(self) -> None:
        self.parts: list[str] = []

    def print(self, *shown: Any, **_: Any) -> None:
        """Add tables and texts."""
        for part in shown:
            if isinstance(part, ResultTable):
                self.parts.append(_render_html_table(part))
            elif text := _remove_markup(part).strip():
                self.parts.append(f"<p>{escape(text)}</p>")


def _render_html_table(table: ResultTable) -> str:
    title = f"<caption>{escape(table.title)}</caption>" if table.title else ""
    sides = ["right" if place in table.numbers else "left" for place in range(len(table.heads) or 2)]
    head = "".join(f"<th>{escape(head)}</th>" for head in table.heads)
    rows = (
        "".join(f'<td style="text-align: {side}">{escape(cell)}</td>' for side, cell in zip(sides, row, strict=True))
        for row in table.rows
    )
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    return f"<table>{title}{f'<thead><tr>{head}</tr></thead>' if head else ''}<tbody>{body}</tbody></table>"


def _remove_markup(part: Any) -> str:
    from rich.text import Text

    return Text.from_markup(str(part)).plain


# What all reports print on a console: tables without lines, privacy models, notes.

_PADDINGS: Mapping[int, PaddingDimensions] = MappingProxyType({3: (0, 1), 2: (0, 1, 0, 0), 1: (0, 0)})
"""What stands around cells, by the blanks that it leaves between columns: fewer, where cells would be broken."""
_EDGES = 2
"""Characters before the first column and behind the last."""
_LONGEST_WORD = 20
"""A longer word of a column of texts may be broken; a number never is."""


class PlainTable(Table):
    """A table without lines; where a row has no room without breaking numbers, its cells stand below one another."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Give each column its width, or stack the cells."""
        needs = [_measure_column(console, options, column) for column in self.columns]
        rooms = {gap: options.max_width - _EDGES - gap * (len(needs) - 1) for gap in _PADDINGS}
        whole = [gap for gap in (3, 2) if sum(need.maximum for need in needs) <= rooms[gap]]
        broken = [gap for gap in _PADDINGS if sum(need.minimum for need in needs) <= rooms[gap]]
        if not broken:
            yield from self._stack_columns().__rich_console__(console, options)
            return
        gap = (whole or broken)[0]
        self.padding = _PADDINGS[gap]
        for column, width in zip(self.columns, _fit_widths(needs, rooms[gap]), strict=True):
            column.width = width
        yield from super().__rich_console__(console, options)

    def _stack_columns(self) -> Table:
        """Return a table of two columns, with a line for each cell: the heading and what stands below it."""
        stacked = Table(
            title=self.title, title_justify="left", title_style="bold", box=None, show_header=False, pad_edge=False
        )
        stacked.add_column(overflow="fold", max_width=_LONGEST_WORD + 4)
        stacked.add_column(overflow="fold")
        heads = [" ".join(str(column.header).replace("-\n", "").split()) for column in self.columns]
        for row in zip(*(column.cells for column in self.columns), strict=True):
            for head, cell in zip(heads, row, strict=True):
                stacked.add_row(head, cell)
            stacked.add_row("", "")
        return stacked


def _measure_column(console: Console, options: ConsoleOptions, column: Column) -> Measurement:
    """Measure how wide a column must be and how wide it is at most."""
    wide = options.update(width=10_000)
    head, *cells = (Measurement.get(console, wide, text) for text in (column.header, *column.cells))
    widest = max([head.maximum, *(cell.maximum for cell in cells)])
    if column.no_wrap:
        return Measurement(widest, widest)
    if column.justify == "right":
        return Measurement(max([head.minimum, *(cell.maximum for cell in cells)]), widest)
    longest = max([head.minimum, *(cell.minimum for cell in cells)])
    return Measurement(min(longest, _LONGEST_WORD), widest)


def _fit_widths(needs: Sequence[Measurement], room: int) -> list[int]:
    """Narrow the widest column that can be narrowed, until all columns fit."""
    widths = [need.maximum for need in needs]
    while sum(widths) > room:
        giving = [at for at, need in enumerate(needs) if widths[at] > need.minimum]
        widest = max(giving, key=lambda at: widths[at])
        widths[widest] -= 1
    return widths


class StyledText(str):
    """A text of a cell that a console shows in a style, such as ``green``; elsewhere it is a text like any other."""

    style: str

    def __new__(cls, text: str, style: str) -> Self:
        """Make the text."""
        made = super().__new__(cls, text)
        made.style = style
        return made


@dataclass
class ResultTable:
    """A table of a result as plain texts: what a console prints, and what a notebook shows as HTML."""

    title: str
    heads: tuple[str, ...]
    """Of the columns; none for two columns of facts."""
    numbers: frozenset[int] = frozenset()
    """Positions of the columns that hold numbers."""
    rows: list[tuple[str, ...]] = field(default_factory=list)
    unbroken: set[int] = field(default_factory=set)
    """Positions of the columns whose texts are never broken."""

    def add_row(self, *cells: str) -> None:
        """Add a row, a text for each column; brackets in it are no markup."""
        self.rows.append(cells)

    def __rich__(self) -> Table:
        """Return the table of a console, without lines around it."""
        if self.heads:
            table: Table = PlainTable(
                title=markup_escape(self.title),
                title_justify="left",
                title_style="bold",
                box=box.SIMPLE_HEAD,
                pad_edge=False,
            )
        else:
            table = Table(box=None, show_header=False, pad_edge=False)
        for place, head in enumerate(self.heads):
            side: Literal["left", "right"] = "right" if place in self.numbers else "left"
            no_wrap = place in self.unbroken
            table.add_column(markup_escape(head), justify=side, overflow="fold", no_wrap=no_wrap)
        for row in self.rows:
            table.add_row(*map(_mark_style, row))
        return table


def _mark_style(cell: str) -> str:
    text = markup_escape(cell)
    return f"[{cell.style}]{text}[/]" if isinstance(cell, StyledText) else text


def make_table(title: str, *heads: str, numbers: frozenset[int] = frozenset()) -> ResultTable:
    """Make an empty table.

    Parameters
    ----------
    title, *heads : str
        Shown as they are, also with brackets.
    numbers : frozenset of int
        Positions of the columns that hold numbers.
    """
    return ResultTable(title, heads, numbers)


def make_judged_table(title: str, models: Sequence[ModelResult]) -> ResultTable:
    """Make the table of the privacy models that are required of a release."""
    table = make_table(title, "model", "required", "achieved", "", numbers=frozenset({1, 2}))
    for model in models:
        parameters = [f"{name}={value}" for name, value in model.parameters.items() if value != model.required]
        name = model.name + (f" ({', '.join(parameters)})" if parameters else "")
        name += f" of {model.attribute}" if model.attribute else ""
        achieved = "-" if model.achieved is None else f"{model.achieved:g}"
        verdict = StyledText("holds", "green") if model.holds else StyledText("fails", "red")
        if model.holds and model.is_estimated:
            verdict = StyledText("estimated, not proved", "yellow")
        table.add_row(name, f"{model.required:g}", achieved, verdict)
    return table


def print_notes(console: Console, notes: Sequence[str]) -> None:
    """Print what to know of the figures, a line for each note."""
    for note in notes:
        console.print(f"[yellow]note[/] {markup_escape(note)}", soft_wrap=True)
