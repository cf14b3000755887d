"""A reader of delimited text that shares nothing with the toolbox: one pass over the characters, by RFC 4180.

It is as lenient as the toolbox says that it is. One blank before a quoted value and blanks behind it are no part of it.
A quote within a value that does not begin with one is a character like any other. One separator too many at the end of
a line is none.
"""

from __future__ import annotations

import gzip
from dataclasses import dataclass, field
from io import BytesIO

import pyarrow as pa

from fuzzing.dialects import Cell, Line

_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"


class UnreadableError(Exception):
    """The bytes are no text of the declared encoding, or no whole compressed file."""


def text_of(data: bytes, encoding: str = "utf-8") -> str:
    """Unpack and decode a file; a byte order mark is no part of it.

    Raises
    ------
    UnreadableError
    """
    try:
        if data.startswith(_GZIP):
            data = gzip.decompress(data)
        elif data.startswith(_ZSTD):
            data = _unpacked(data)
        return data.decode(encoding).removeprefix("\ufeff")
    except (UnicodeError, OSError, EOFError, ValueError, pa.ArrowException) as error:
        raise UnreadableError(str(error)) from error


def _unpacked(data: bytes) -> bytes:
    with pa.CompressedInputStream(BytesIO(data), "zstd") as stream:
        return bytes(stream.read())


@dataclass
class _Row:
    cells: list[Cell] = field(default_factory=list)
    broken: bool = False
    """Whether something other than a separator stands behind a closing quote."""
    open: bool = False
    """Whether a quote never closed."""


def rows_of(text: str, separator: str) -> list[_Row]:
    """Cut text into rows; a line end is LF, CR or CRLF outside quotes."""
    rows: list[_Row] = []
    at, end, wide = 0, len(text), len(separator)
    row = _Row()
    while at < end:
        at = _cell(text, at, separator, row)
        if text.startswith(separator, at):
            at += wide
            if at == end or text[at] in "\r\n":
                row.cells.append(None)
            else:
                continue
        if at < end:
            at += 2 if text.startswith("\r\n", at) else 1
        rows.append(row)
        row = _Row()
    return rows


def _cell(text: str, at: int, separator: str, row: _Row) -> int:
    """Read the value that begins at a place; return the place behind it."""
    begin = at + 1 if text.startswith(' "', at) and not separator.startswith(" ") else at
    if not text.startswith('"', begin):
        stop = _stop(text, at, separator)
        row.cells.append(text[at:stop] or None)
        return stop
    value, at = "", begin + 1
    while True:
        close = text.find('"', at)
        if close < 0:
            row.open = True
            row.cells.append(value + text[at:])
            return len(text)
        value += text[at:close]
        if not text.startswith('""', close):
            break
        value += '"'
        at = close + 2
    stop = _stop(text, close + 1, separator)
    row.broken = row.broken or bool(text[close + 1 : stop].strip(" "))
    row.cells.append(value)
    return stop


def _stop(text: str, at: int, separator: str) -> int:
    """Find the next separator or line end."""
    places = (text.find(end, at) for end in (separator, "\r", "\n"))
    return min((position for position in places if position >= 0), default=len(text))


@dataclass(frozen=True)
class Reading:
    """A file, as this reader understands it."""

    header: tuple[str, ...] | None
    lines: list[Line]
    is_plain: bool
    """Whether every reader of RFC 4180 would understand it in the same way."""


def read(text: str, separator: str, *, header: bool, width: int | None = None) -> Reading:
    """Read a file; the first row that is not blank says how many values a record has, unless ``width`` does."""
    names: tuple[str, ...] | None = None
    lines: list[Line] = []
    is_plain = "\0" not in text
    for row in rows_of(text, separator):
        is_plain = is_plain and not row.broken and not row.open
        is_blank = row.cells == [None]
        if is_blank and (width != 1 or (header and names is None)):
            # What stands before the first row belongs to nothing.
            lines += [Line("blank")]
            continue
        if header and names is None:
            names = tuple(cell or "" for cell in row.cells)
            width = width or len(names)
            continue
        width = width or len(row.cells)
        cells = row.cells[:-1] if len(row.cells) == width + 1 and row.cells[-1] is None else row.cells
        fits = len(cells) == width and not row.broken and not row.open
        lines.append(Line("record", tuple(cells)) if fits else Line("rejected"))
    return Reading(names, lines, is_plain)
