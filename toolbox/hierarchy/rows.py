"""The rows of a hierarchy file: its text, its separator, its header, and what is wrong with its table."""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from io import StringIO
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import Final

from toolbox.errors import ConfigurationError, Fault
from toolbox.hierarchy.hierarchy import ROOT
from toolbox.messages import choose_setting_name, mark, say, say_count

# Texts that stand for files which are not written yet, such as hierarchies that somebody is still editing.

_HELD: ContextVar[Mapping[str, str]] = ContextVar("held_texts", default=MappingProxyType({}))


@contextmanager
def replace_file_texts(texts: Mapping[Path, str]) -> Iterator[None]:
    """Give readers of these files a text instead, while the block runs.

    Examples
    --------
    >>> with replace_file_texts({Path("towns.csv"): "Graz;Styria"}):
    ...     find_replaced_text(Path("./towns.csv"))
    'Graz;Styria'
    >>> find_replaced_text(Path("towns.csv")) is None
    True
    """
    token = _HELD.set({_make_path_key(path): text for path, text in texts.items()})
    try:
        yield
    finally:
        _HELD.reset(token)


def find_replaced_text(path: Path) -> str | None:
    """Return the text that stands for a file; None if the file itself is to be read."""
    held = _HELD.get()
    return held.get(_make_path_key(path)) if held else None


def _make_path_key(path: Path) -> str:
    return os.path.abspath(path)  # noqa: PTH100 - a link to a file is a file of its own


# The rows of a hierarchy file: its text, its separator, and what is wrong with its table.

_SEPARATORS: Final = (";", "\t", ",")  # ARX writes the first one
_SAMPLE: Final = 200
_MOST_COLUMNS: Final = 64
_WRITE_PATH: Final = mark("Write the path of a file.")


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
    return require_table(read_raw_rows(path), str(path))


def read_raw_rows(path: Path) -> list[Row]:
    """Read all rows, of any width.

    Raises
    ------
    ConfigurationError
        If the file cannot be read.
    """
    return split_rows(read_text(path), str(path))


def split_rows(text: str, source: str) -> list[Row]:
    """Cut the text of a file into rows of any width.

    Raises
    ------
    ConfigurationError
        If its quotes are wrong.
    """
    try:
        return list(_parse_rows(text, _guess_separator(text)))
    except csv.Error as error:
        problem = say("The file is not a table of values (%(error)s).", error=str(error))
        raise _make_error(source, 0, problem, say("Check its quotes.")) from None


def require_table(rows: list[Row], source: str) -> list[Row]:
    """Return the rows if they are a table, at least one row of full fields.

    Raises
    ------
    ConfigurationError
        Otherwise.
    """
    if not any(row.fields for row in rows):
        raise _make_error(source, 0, say("The hierarchy is empty."), say("Write a row per value."))
    raise_faults(
        source, [fault for row in rows if any("\0" in text for text in row.fields) for fault in _find_nul(row)]
    )
    width = len(rows[0].fields)
    if width > _MOST_COLUMNS:
        problem = say("The row has %(columns)s columns.", columns=width)
        raise _make_error(source, rows[0].line, problem, say("Write at most %(most)s.", most=_MOST_COLUMNS))
    faulty = (row for row in rows if len(row.fields) != width or "" in row.fields)
    raise_faults(source, [fault for row in faulty for fault in _find_row_faults(row, rows[0])])
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
    if (held := find_replaced_text(path)) is not None:
        return held.removeprefix("\ufeff")
    if path.exists() and not (path.is_file() or path.is_dir()):
        # A device may never end, and a pipe never begin.
        raise _make_error(path, 0, say("The file is a device or a pipe."), say(_WRITE_PATH))
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise _make_error(path, line, say("The file is not UTF-8."), say("Save it in that encoding.")) from None
    except FileNotFoundError:
        remedy = say("Write the path of a hierarchy file.")
        raise _make_error(path, 0, say("There is no such file."), remedy) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        problem = say("The file cannot be read (%(reason)s).", reason=reason)
        raise _make_error(path, 0, problem, say(_WRITE_PATH)) from None


def _guess_separator(text: str) -> str:
    """Guess the separator: one that cuts the first rows alike, at best into full fields and one label at the top."""

    def quality(separator: str) -> tuple[bool, bool, bool, bool]:
        try:
            sample = list(islice(_parse_rows(text, separator), _SAMPLE))
        except csv.Error:
            # Rather this one than one that cuts nothing: reading it tells what is wrong with the quotes.
            return separator in text, False, False, False
        widths = {len(row.fields) for row in sample}
        tops = {row.fields[-1] for row in sample}
        # A value may begin with a tab, which does not cut it.
        is_full = not any("" in row.fields for row in sample)
        return widths != {1}, len(widths) == 1, is_full, len(tops) == 1

    return max(_SEPARATORS, key=quality)  # the first of equals


def _parse_rows(text: str, separator: str) -> Iterator[Row]:
    reader = csv.reader(StringIO(text, newline=""), delimiter=separator, strict=True)
    line = 1
    for fields in reader:
        if fields:  # an empty line holds no value
            yield Row(line, tuple(fields))
        line = reader.line_num + 1


def _find_row_faults(row: Row, first: Row) -> Iterator[Fault]:
    if len(row.fields) != len(first.fields):
        problem = say_count(
            "The row has %(count)s column, that of line %(line)s has %(others)s.",
            "The row has %(count)s columns, that of line %(line)s has %(others)s.",
            len(row.fields),
            line=str(first.line),
            others=len(first.fields),
        )
        yield Fault(row.line, problem, say("Give every value a label on each level."))
    for index, text in enumerate(row.fields, start=1):
        if not text:
            problem = say("Column %(column)s is empty.", column=index)
            yield Fault(row.line, problem, say("Write a label, or remove the row."))


def _find_nul(row: Row) -> Iterator[Fault]:
    for index, text in enumerate(row.fields, start=1):
        if "\0" in text:
            problem = say("Column %(column)s holds the control character U+0000.", column=index)
            yield Fault(row.line, problem, say("Remove it."))


def _make_error(source: str | Path, line: int, problem: str, remedy: str) -> ConfigurationError:
    return ConfigurationError(str(source), [Fault(line, problem, remedy)])


# The first line of a hierarchy file: a value, or a header, which names the levels.

_NUMBER: Final = re.compile(r"\s*[+-]?([0-9]+([.,][0-9]*)?|[.,][0-9]+)([eE][+-]?[0-9]+)?\s*")
_FEWEST_OTHERS = 3
"""Lines that tell something together."""


def is_header(rows: list[Row], source: str, name: str | None, told: str = "") -> bool:
    """Return whether the first row names the levels.

    It does if none of its labels occurs in a row below, and either it begins with the name of the column, or its last
    label is not the root that all other rows share, and that root is ``*`` or all other values are numbers and its own
    is not.

    Parameters
    ----------
    rows : list of Row
        At least one, equally wide.
    name : str, optional
        Of the column.
    told : str
        What to write where it may be either, if that is not what a configuration or a call says.

    Raises
    ------
    ConfigurationError
        If it may be either: its root is another than that of all others, and nothing else tells.
    """
    first, rest = rows[0].fields, [row.fields for row in rows[1:]]
    below = [set(column) for column in zip(*rest, strict=True)]
    if not rest or any(label in labels for label, labels in zip(first, below, strict=True)):
        return False
    if name is not None and first[0].strip().casefold() == name.strip().casefold():
        return True
    if len(first) == 1 or len(rest) < _FEWEST_OTHERS or len(below[-1]) > 1:
        return False
    (root,) = below[-1]
    values_are_numbers = all(map(_NUMBER.fullmatch, below[0])) and not _NUMBER.fullmatch(first[0])
    if values_are_numbers or root == ROOT:
        return True
    problem = say(
        "The line may be a header: all others end in %(root)s, it ends in %(own)s.",
        root=repr(root),
        own=repr(first[-1]),
    )
    remedy = choose_setting_name(
        mark(
            "Write header='true' or header='false' beside file= in <vgh>; or remove it, or move it down, if it is a "
            "value."
        ),
        options=mark(
            "Write :header=yes or :header=no after the file; or remove it, or move it down, if it is a value."
        ),
        python=mark("Remove the line; or move it down, if it is a value."),
    )
    raise ConfigurationError(source, [Fault(rows[0].line, problem, told or remedy)])
