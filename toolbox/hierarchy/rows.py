"""The rows of a hierarchy file: its text, its separator, and what is wrong with its table."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from io import StringIO
from itertools import islice
from pathlib import Path
from typing import Final

from toolbox.errors import ConfigurationError, Fault
from toolbox.hierarchy.held import held_text

_SEPARATORS: Final = (";", "\t", ",")  # ARX writes the first one
_SAMPLE: Final = 200
_MOST_COLUMNS: Final = 64


@dataclass(frozen=True)
class Row:
    """A value and its generalisations, the narrowest first."""

    line: int
    fields: tuple[str, ...]


def read_rows(path: Path) -> list[Row]:
    """Read all rows, at least one, which have the same number of fields, none of them empty.

    Raises
    ------
    ConfigurationError
        If the file cannot be read, or its rows are no such table.
    """
    return checked(raw_rows(path), str(path))


def raw_rows(path: Path) -> list[Row]:
    """Read all rows, of any width.

    Raises
    ------
    ConfigurationError
        If the file cannot be read.
    """
    return rows_of(read_text(path), str(path))


def rows_of(text: str, source: str) -> list[Row]:
    """Cut the text of a file into rows of any width.

    Raises
    ------
    ConfigurationError
        If its quotes are wrong.
    """
    try:
        return list(_rows(text, _guess_separator(text)))
    except csv.Error as error:
        raise _one_fault(source, 0, f"The file is not a table of values ({error}).", "Check its quotes.") from None


def checked(rows: list[Row], source: str) -> list[Row]:
    """Return the rows if they are a table, at least one row of full fields.

    Raises
    ------
    ConfigurationError
        Otherwise.
    """
    if not rows:
        raise _one_fault(source, 0, "The hierarchy is empty.", "Write a row per value.")
    raise_faults(source, [fault for row in rows if any("\0" in text for text in row.fields) for fault in _nul(row)])
    width = len(rows[0].fields)
    if width > _MOST_COLUMNS:
        raise _one_fault(source, rows[0].line, f"The row has {width} columns.", f"Write at most {_MOST_COLUMNS}.")
    faulty = (row for row in rows if len(row.fields) != width or "" in row.fields)
    raise_faults(source, [fault for row in faulty for fault in _row_faults(row, rows[0])])
    return rows


def raise_faults(source: str, faults: list[Fault]) -> None:
    """Raise the faults of a file, if there are any."""
    if faults:
        raise ConfigurationError(source, faults)


def read_text(path: Path) -> str:
    """Read a file that is UTF-8.

    Raises
    ------
    ConfigurationError
        If it cannot be read.
    """
    if (held := held_text(path)) is not None:
        return held.removeprefix("\ufeff")
    if path.exists() and not (path.is_file() or path.is_dir()):
        # A device may never end, and a pipe never begin.
        raise _one_fault(path, 0, "The file is a device or a pipe.", "Write the path of a file.")
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise _one_fault(path, line, "The file is not UTF-8.", "Save it in that encoding.") from None
    except FileNotFoundError:
        raise _one_fault(path, 0, "There is no such file.", "Write the path of a hierarchy file.") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise _one_fault(path, 0, f"The file cannot be read ({reason}).", "Write the path of a file.") from None


def _guess_separator(text: str) -> str:
    """Guess the separator: one that cuts the first rows alike, at best into full fields and one label at the top."""

    def quality(separator: str) -> tuple[bool, bool, bool, bool]:
        try:
            sample = list(islice(_rows(text, separator), _SAMPLE))
        except csv.Error:
            # Rather this one than one that cuts nothing: reading it tells what is wrong with the quotes.
            return separator in text, False, False, False
        widths = {len(row.fields) for row in sample}
        tops = {row.fields[-1] for row in sample}
        # A value may begin with a tab, which does not cut it.
        is_full = not any("" in row.fields for row in sample)
        return widths != {1}, len(widths) == 1, is_full, len(tops) == 1

    return max(_SEPARATORS, key=quality)  # the first of equals


def _rows(text: str, separator: str) -> Iterator[Row]:
    reader = csv.reader(StringIO(text, newline=""), delimiter=separator, strict=True)
    line = 1
    for fields in reader:
        if fields:  # an empty line holds no value
            yield Row(line, tuple(fields))
        line = reader.line_num + 1


def _row_faults(row: Row, first: Row) -> Iterator[Fault]:
    if len(row.fields) != len(first.fields):
        problem = f"The row has {_columns(len(row.fields))}, that of line {first.line} has {len(first.fields)}."
        yield Fault(row.line, problem, "Give every value a label on each level.")
    for index, text in enumerate(row.fields, start=1):
        if not text:
            yield Fault(row.line, f"Column {index} is empty.", "Write a label, or remove the row.")


def _nul(row: Row) -> Iterator[Fault]:
    for index, text in enumerate(row.fields, start=1):
        if "\0" in text:
            yield Fault(row.line, f"Column {index} holds the control character U+0000.", "Remove it.")


def _columns(count: int) -> str:
    return "1 column" if count == 1 else f"{count} columns"


def _one_fault(source: str | Path, line: int, problem: str, remedy: str) -> ConfigurationError:
    return ConfigurationError(str(source), [Fault(line, problem, remedy)])
