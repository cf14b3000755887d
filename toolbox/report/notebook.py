"""Reports in Python: the text of the command line, and tables of HTML for a notebook."""

from __future__ import annotations

from abc import ABC, abstractmethod
from html import escape
from io import StringIO
from typing import Any

_WIDTH = 100


class Shown(ABC):
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

    def __init__(self) -> None:
        self.parts: list[str] = []

    def print(self, *shown: Any, **_: Any) -> None:
        """Add tables and texts."""
        from rich.table import Table

        for part in shown:
            if isinstance(part, Table):
                self.parts.append(_table(part))
            elif text := _plain(part).strip():
                self.parts.append(f"<p>{escape(text)}</p>")


def _table(table: Any) -> str:
    title = f"<caption>{escape(_plain(table.title))}</caption>" if table.title else ""
    columns = [list(column.cells) for column in table.columns]
    head = "".join(f"<th>{escape(_plain(column.header))}</th>" for column in table.columns)
    rows = (
        "".join(
            f'<td style="text-align: {column.justify}">{escape(_plain(cell))}</td>'
            for column, cell in zip(table.columns, row, strict=True)
        )
        for row in zip(*columns, strict=True)
    )
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    return (
        f"<table>{title}{f'<thead><tr>{head}</tr></thead>' if table.show_header else ''}<tbody>{body}</tbody></table>"
    )


def _plain(part: Any) -> str:
    from rich.text import Text

    return Text.from_markup(str(part)).plain
