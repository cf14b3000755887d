"""Delimited text in all dialects, with a note of what each of its lines is."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import pyarrow as pa

from fuzzing.draw import Draw
from fuzzing.values import is_writable

Cell = str | None
"""The text of a field; None for an empty one without quotes."""
LineKind = Literal["record", "rejected", "blank"]
_SEPARATORS = (",", ",", ",", ";", "\t", "|", " ", ":", "::", "||", "<->", ", ", "§", "→", "-----", "ab", "\x1e", "#")
_ENCODINGS = (
    *("utf-8",) * 12,
    *("utf-8-sig", "latin-1", "cp1252", "utf-16", "utf-16-le", "utf-32", "cp037", "gb18030", "koi8-r", "utf-7"),
)


@dataclass(frozen=True)
class Line:
    """What one line is, quoted line ends within it; the header is none."""

    kind: LineKind
    cells: tuple[Cell, ...] = ()


@dataclass(frozen=True)
class Dialect:
    """How text is cut into lines and values."""

    separator: str
    encoding: str
    line_ends: tuple[str, ...]
    header: bool
    quotes: float
    """Share of the values that are quoted without need."""
    quotes_least: bool
    """Whether a quote within a value that does not begin with one stays as it is."""
    blank_lines: float
    uneven_lines: float
    byte_order_mark: bool


def draw_dialect(draw: Draw) -> Dialect:
    encoding = draw.choice(_ENCODINGS)
    ends = draw.choice((("\n",), ("\n",), ("\n",), ("\r\n",), ("\r",), ("\n", "\r\n"), ("\n", "\r"), ("\r\n", "\r")))
    return Dialect(
        separator=draw.choice([separator for separator in _SEPARATORS if is_writable(separator, encoding)]),
        encoding=encoding,
        line_ends=ends,
        header=draw.chance(0.7),
        quotes=draw.choice((0.0, 0.0, 0.3, 1.0)),
        quotes_least=draw.chance(0.2),
        blank_lines=draw.choice((0.0, 0.0, 0.1)),
        uneven_lines=0.2 if draw.wrong("many lines have too few values or too many", 0.2) else 0.0,
        byte_order_mark=encoding == "utf-8" and draw.chance(0.1),
    )


class Writer:
    """Writes records in one dialect.

    Parameters
    ----------
    draw : Draw
    dialect : Dialect
    """

    def __init__(self, draw: Draw, dialect: Dialect) -> None:
        self._draw = draw
        self._dialect = dialect
        self._special = {*dialect.separator, "\r", "\n"} | (set() if dialect.quotes_least else {'"'})

    def write(self, names: Sequence[str], records: Sequence[Sequence[Cell]]) -> tuple[bytes, list[Line]]:
        """Write one file; return its bytes, and what its lines are."""
        draw, dialect = self._draw, self._dialect
        text = self._line("", names) if dialect.header else ""
        lines: list[Line] = []
        for index, cells in enumerate(records):
            # The first line says how many columns there are.
            if (index or dialect.header) and draw.chance(dialect.uneven_lines):
                uneven = self._line(text, self._uneven(cells))
                text += uneven
                # A line without any character is blank, also where it lacks values.
                lines.append(Line("rejected" if uneven.strip("\r\n") else "blank"))
            if len(cells) > 1 and draw.chance(dialect.blank_lines):
                text += self._line(text, [None])
                lines.append(Line("blank"))
            text += self._line(text, cells)
            lines.append(Line("record", tuple(cells)))
        if draw.chance(0.2) and lines[-1].cells != (None,):
            text = text.rstrip("\r\n")
        data = text.encode(dialect.encoding)
        return (b"\xef\xbb\xbf" + data if dialect.byte_order_mark else data), lines

    def _line(self, before: str, cells: Sequence[Cell]) -> str:
        record = self._dialect.separator.join(self._cell(cell) for cell in cells)
        # Behind a carriage return a line feed would not end a line of its own.
        end = "\r" if not record and before.endswith("\r") else self._draw.choice(self._dialect.line_ends)
        return record + end

    def _uneven(self, cells: Sequence[Cell]) -> list[Cell]:
        if len(cells) > 1 and self._draw.chance(0.5):
            return list(cells[:-1])
        return [*cells, "more"]

    def _cell(self, cell: Cell) -> str:
        if cell is None:
            return ""
        # Blanks before a quote are skipped by many readers, so that such a value needs quotes.
        needs = not cell or cell.lstrip(" ").startswith('"') or not self._special.isdisjoint(cell)
        if needs or self._draw.chance(self._dialect.quotes):
            return '"' + cell.replace('"', '""') + '"'
        return cell


def packed(draw: Draw, data: bytes) -> bytes:
    """Compress a file in one of the ways in which others do; mostly leave it as it is."""
    middle = len(data) // 2
    match draw.whole(0, 19):
        case 0:
            return gzip.compress(data, mtime=0)
        case 1:
            # Several members, as log rotation and parallel programs write them.
            return gzip.compress(data[:middle], mtime=0) + gzip.compress(data[middle:], mtime=0)
        case 2:
            return bytes(pa.compress(data, codec="zstd", asbytes=True))
        case 3:
            return b"".join(pa.compress(part, codec="zstd", asbytes=True) for part in (data[:middle], data[middle:]))
        case _:
            return data
