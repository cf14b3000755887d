"""How a text is read of which nothing is known: its encoding and its separator, from its first records."""

from __future__ import annotations

import codecs
import csv
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Final

from toolbox.config.file_names import has_types, list_input_files
from toolbox.config.model import Column, Config, Input
from toolbox.errors import InputError, quote
from toolbox.messages import choose_setting_name, format_count
from toolbox.store.input.formats.first_bytes import open_binary
from toolbox.store.input.text_file import is_utf_8, make_encoding_error, open_text, read_first_record

# The first records of a text of which nothing is known: its encoding, its separator, and whether it has a header.

_SEPARATORS: Final = ("\t", ";", "|", ",")
"""Those that stand within values least often come first: a decimal comma is no separator."""
_RECORDS: Final = 100
_UTF_16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_WESTERN: Final = ("windows-1252", "latin-1")


def guess_encoding(path: Path) -> str:
    """Return the encoding in which a whole text can be read: UTF-16 by its mark, UTF-8 if it can, else a western one.

    Raises
    ------
    InputError
        If the file is damaged, or cannot be read any more.
    """
    with _report_unreadable(path):
        with open_binary(path) as file:
            start = file.read(2)
        if start in _UTF_16:
            return "utf-16"
        if is_utf_8(path):
            return "utf-8"
        return next(name for name in _WESTERN if _can_be_read(path, name))


def _can_be_read(path: Path, encoding: str) -> bool:
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        with open_binary(path) as file:
            while chunk := file.read(1 << 20):
                decoder.decode(chunk)
    except UnicodeError:
        return False
    return True


def guess_separator(declared: Input) -> str:
    """Return the usual separator that cuts the first records into equally many values, more than one; else a comma."""
    for separator in _SEPARATORS:
        widths = [len(record) for record in split_first_records(replace(declared, separator=separator))]
        if widths and widths[0] > 1 and widths.count(widths[0]) >= 0.9 * len(widths):
            return separator
    return ","


def split_first_records(declared: Input) -> list[Sequence[str]]:
    """Cut the first records of a text into their values, as far as their quotes are right.

    Raises
    ------
    InputError
        If it is in another encoding, or cannot be read any more.
    """
    csv.field_size_limit(sys.maxsize)
    records: list[Sequence[str]] = []
    separator = declared.separator
    # The reader of Python knows separators of one character only.
    one = separator if len(separator) == 1 else "\x1f"
    try:
        with (
            _report_unreadable(declared.path),
            open_text(declared.path, declared.encoding) as text,
            suppress(csv.Error),
        ):
            lines = (line.replace(separator, one) for line in islice(text, 10 * _RECORDS))
            found = (
                [value.replace(one, separator) for value in record]
                for record in csv.reader(lines, delimiter=one, strict=True)
            )
            records.extend(islice((record for record in found if record), _RECORDS))
    except UnicodeError as error:
        raise make_encoding_error(declared) from error
    return records


@contextmanager
def _report_unreadable(path: Path) -> Iterator[None]:
    """Say what is wrong with a file that was there a moment ago: somebody may be writing it."""
    try:
        yield
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}.") from error


# The separator of a text, where none is named: found from its first record and the declared columns.

_USUAL: Final = {",": "A comma", ";": "A semicolon", "\t": "A tab", "|": "A vertical bar"}
_LINES_LOOKED_AT: Final = 100


def guess_input(declared: Input, names: Sequence[str]) -> Input:
    """Choose the usual separator with which the header of a file has most of the wanted columns.

    Among equals it is the one with most columns, so that a separator is also found if no columns are wanted.
    """
    first = list_input_files(declared)[0]
    if has_types(first):
        return declared
    first_records = _split_first_record(replace(declared, path=first))
    best = max(
        first_records,
        key=lambda separator: (len(set(names).intersection(first_records[separator])), len(first_records[separator])),
    )
    return replace(declared, separator=best, guesses_separator=False)


def choose_fitting_input(declared: Input, names: Sequence[str]) -> Input:
    """Return an input as it is declared if its separator yields all columns, or else choose the one that fits best."""
    first = list_input_files(declared)[0]
    if has_types(first) or set(names) <= set(_read_values(replace(declared, path=first))):
        return replace(declared, guesses_separator=False)
    return guess_input(declared, names)


def choose_wider_input(declared: Input, names: Sequence[str]) -> Input:
    """Return an input as it is declared, or with another usual separator that yields more of the columns."""
    fitting = choose_fitting_input(declared, names)
    if fitting.separator == declared.separator:
        return declared
    return max((declared, fitting), key=lambda each: len(set(names).intersection(_read_values(each))))


def find_separator(config: Config) -> Config:
    """Find the separator of the input of a run if the configuration names none, and note the guess.

    If a comma yields all declared columns, it is the separator, and no note is made.
    """
    declared_input = config.input
    if declared_input is None or not declared_input.guesses_separator:
        return config
    known = replace(declared_input, guesses_separator=False)
    declared = [
        *config.identifiers,
        *(attribute.column for attribute in (*config.quasi_identifiers, *config.sensitive)),
    ]
    with suppress(InputError, OSError, ValueError):  # which the run reports
        first = list_input_files(declared_input)[0]
        if first.is_file() and not has_types(first):
            records = _split_first_record(replace(declared_input, path=first))
            fitting = {
                separator: len(values)
                for separator, values in records.items()
                if len(values) > 1 and all(_is_among(column, values, declared_input.header) for column in declared)
            }
            best = max(fitting, key=fitting.__getitem__, default=",")
            if "," not in fitting and best != ",":
                note = f"Nothing names the separator of the input. {_USUAL[best]} was taken, which fits the columns."
                return replace(config, input=replace(known, separator=best), warnings=(*config.warnings, note))
    return replace(config, input=known)


def find_misreading(declared: Input, names: Sequence[str], least: int) -> tuple[str, str] | None:
    """Return what is wrong with how a text is read in which no column was found, and what to write; if that is clear.

    Parameters
    ----------
    names : sequence of str
        Of all the columns that are looked for.
    least : int
        Columns that it must have, for those that are looked for by their positions.
    """
    found = _read_values(declared)
    for separator, values in _split_first_record(declared).items():
        has_names = declared.header and bool(names) and set(names) <= set(values)
        if len(values) > len(found) and len(values) >= least and (has_names or not names):
            # A line that holds all the names is a header, and no record.
            shown = f", {quote(found[0])}" if has_names and len(found) == 1 else ""
            written = separator.replace("\t", "\\t")
            return (
                f"{declared.path} has {format_count(len(found), 'column')}{shown}. "
                f"It looks separated by {_USUAL[separator].lower()}, not by {quote(declared.separator)}.",
                choose_setting_name(
                    f"Write separator='{written}' at the input, or --separator '{written}'.",
                    python=f"Write separator='{written}'.",
                    options=f"Write --separator '{written}'.",
                ),
            )
    line = _find_name_line(declared, names) if declared.header and names else None
    if line is None:
        return None
    problem = f"{declared.path}: the names of the columns are in line {line}, below other lines."
    return problem, "Remove the lines above it: the first line must name the columns."


def _find_name_line(declared: Input, names: Sequence[str]) -> int | None:
    """Return the line that holds all the names; the first lines are looked at."""
    if len(declared.separator) > 1:
        return None
    with open_text(declared.path, declared.encoding) as lines, suppress(csv.Error, UnicodeError):
        for number, line in enumerate(islice(lines, _LINES_LOOKED_AT), start=1):
            if set(names) <= set(next(csv.reader([line], delimiter=declared.separator), ())):
                return number
    return None


def _split_first_record(declared: Input) -> dict[str, Sequence[str]]:
    """Cut the first record at each usual separator; there are no values where its quotes do not fit."""
    return {separator: _read_values(replace(declared, separator=separator)) for separator in _USUAL}


def _read_values(attempt: Input) -> Sequence[str]:
    try:
        return read_first_record(attempt).values
    except InputError:
        return ()


def _is_among(column: Column, values: Sequence[str], has_header: bool) -> bool:
    if column.index is not None:
        return column.index < len(values)
    return has_header and column.name in values
