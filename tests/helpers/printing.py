"""What a console shows, as a reader reads it."""

from __future__ import annotations

from collections.abc import Callable
from io import StringIO

from rich.console import Console


def printed(show: Callable[..., None], *parts: object, **named: object) -> list[str]:
    """Return the lines that a function prints on a console, its first argument.

    Blanks are made one, and lines with nothing but blanks and rules are left out.
    """
    stream = StringIO()
    show(Console(file=stream, width=100, highlight=False, color_system=None), *parts, **named)
    lines = (" ".join(line.replace("─", " ").split()) for line in stream.getvalue().splitlines())
    return [line for line in lines if line]


def words(lines: list[str]) -> list[str]:
    """Return all words of some lines: where a title is wider than its table it is folded, wherever that may be."""
    return " ".join(lines).split()
