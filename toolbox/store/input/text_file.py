"""Text files: their encoding and separator where nobody tells, and the form that the engine reads."""

from __future__ import annotations

import codecs
import csv
import io
import os
import re
import sys
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path
from typing import Final

from toolbox.config.file_names import has_types, list_input_files
from toolbox.config.model import Column, Config, Input
from toolbox.config.values import LAST_HEADER_LINE
from toolbox.errors import InputError, quote
from toolbox.messages import choose_setting_name, format_count
from toolbox.store.engine.statements import CHARACTERS_PER_LINE
from toolbox.store.input.formats.first_bytes import detect_compression, open_binary, require_regular

UNIT_SEPARATOR = "\x1f"
"""Stands in for a separator that is longer than the engine's reader takes."""
LONGEST = f"{CHARACTERS_PER_LINE // 1_000_000} MB"
"""The longest record, for messages."""
_LONGEST_SEPARATOR = 4
PLAIN = {"utf-8", "utf-8-sig"}
"""Encodings that need no conversion."""
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")
"""A path has lost one of the two slashes."""
_CHUNK = 1 << 20
_ENDINGS = {None: "", "gzip": ".gz", "zstd": ".zst"}
_SEPARATORS: Final = ("\t", ";", "|", ",")
"""Those that stand within values least often come first: a decimal comma is no separator."""
_RECORDS: Final = 100
_FEWEST_RECORDS: Final = 3
_UTF_16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_WESTERN: Final = ("windows-1252", "latin-1")
_USUAL: Final = {",": "A comma", ";": "A semicolon", "\t": "A tab", "|": "A vertical bar"}
_LINES_LOOKED_AT: Final = 100


@dataclass(frozen=True)
class TextFile:
    """A file in the form that the engine reads."""

    path: Path
    """A name without wildcards, whose extension tells how the file is compressed."""
    separator: str


@dataclass(frozen=True)
class SourceFile:
    """One file of an input."""

    given: Input
    text: TextFile
    skip: int
    """Lines before the header."""
    line_end: str | None = None
    """How every record ends, where that is known."""


@dataclass(frozen=True)
class Survey:
    """What a file of delimited text consists of.

    Every byte belongs to a record, to its line end or to a blank line.
    """

    records: int
    """Records, the header included; a quoted value may hold line ends."""
    blank: int
    """Lines without any character."""
    endings: Mapping[str, int]
    """How many records and blank lines end with each of CR LF, CR and LF."""
    is_plain: bool
    """Whether it holds no quote, no carriage return and no ``#``."""


@dataclass(frozen=True)
class FirstRecord:
    """The first record: the headers, or a record that shows the number of columns."""

    values: list[str]
    blank_lines: int
    """Empty lines before it."""


def check_readable(path: Path, *, alone: bool = True) -> None:
    """Stop where the input cannot be read, before anything is created.

    Parameters
    ----------
    alone : bool
        Whether this file is the whole input.
    """
    try:
        if path.is_dir():
            raise InputError(f"{path} is a folder. Name a file.")
        require_regular(path)
        with path.open("rb") as file:
            if not file.read(1):
                remedy = "A table needs at least one record." if alone else "Leave it out, or get a complete copy."
                raise InputError(f"{path} is empty. {remedy}")
    except (OSError, ValueError) as error:
        if _URL.match(str(path)) and not os.path.lexists(path):
            raise InputError(f"{path} is a URL. Nothing is fetched: download the file, and write its path.") from None
        reason = getattr(error, "strerror", None) or error
        remedy = " Name a file that exists." if isinstance(error, FileNotFoundError) else ""
        raise InputError(f"{path} cannot be read: {reason}.{remedy}") from error


@contextmanager
def open_text(path: Path, encoding: str) -> Iterator[Iterator[str]]:
    """Open a file as lines that keep their ends, without a byte order mark."""
    plain = codecs.lookup(encoding).name in PLAIN
    with open_binary(path) as binary:
        # Without translation of line ends, which belong to quoted values.
        lines = io.TextIOWrapper(binary, encoding="utf-8-sig" if plain else encoding, newline="")
        yield (line.removeprefix("\ufeff") if index == 0 else line for index, line in enumerate(lines))


@contextmanager
def open_table(declared: Input) -> Iterator[Iterator[str]]:
    """Open a file as `open_text` does; lines above its header are empty, so that all others keep their numbers."""
    with open_text(declared.path, declared.encoding) as lines:
        titles = (line[len(line.rstrip("\r\n")) :] or "\n" for line in islice(lines, declared.header_line - 1))
        yield chain(titles, lines)


def make_readable_copy(declared: Input, target: Path) -> TextFile:
    """Link to the input under a name without wildcards; copy it only where the engine needs another form of it.

    Parameters
    ----------
    target : Path
        Where to put the link or the copy; a link gets the extension of its compression.

    Raises
    ------
    InputError
        If the text is not in the declared encoding.
    """
    is_long = len(declared.separator.encode()) > _LONGEST_SEPARATOR
    if codecs.lookup(declared.encoding).name in PLAIN and not is_long and declared.header_line == 1:
        link = target.with_name(target.name + _ENDINGS[detect_compression(declared.path)])
        link.symlink_to(declared.path.resolve())
        return TextFile(link, declared.separator)
    try:
        with (
            open_table(declared) as source,
            target.open("w", encoding="utf-8", newline="") as copy,
        ):
            copy.writelines(_replace_separator(source, declared) if is_long else source)
    except UnicodeError as error:
        raise make_encoding_error(declared) from error
    return TextFile(target, UNIT_SEPARATOR if is_long else declared.separator)


def _replace_separator(lines: Iterable[str], declared: Input) -> Iterator[str]:
    """Replace the separator; stop where its substitute stands in the text already."""

    def checked() -> Iterator[str]:
        for line in lines:
            if UNIT_SEPARATOR in line:
                remedy = "Remove it, or use a separator of one character."
                raise InputError(f"{declared.path} holds the control character U+001F. {remedy}")
            yield line

    return _replace_line_separators(checked(), declared.separator)


def _replace_line_separators(lines: Iterable[str], separator: str) -> Iterator[str]:
    """Replace a separator line by line, except within quoted values, which begin a line or follow a separator."""
    separator = re.escape(separator)
    value = '(?:[^"]|"")*("?)'
    rest, token = re.compile(value), re.compile(rf'(?:^|(?<={separator})) ?"{value}|{separator}')
    is_open = False
    for line in lines:
        written, done = "", 0
        if is_open and (match := rest.match(line)):
            is_open, done = not match[1], match.end()
            written = match[0]
        for match in token.finditer(line, done):
            is_separator = match[1] is None
            written += line[done : match.start()] + (UNIT_SEPARATOR if is_separator else match[0])
            # Without its last quote the value goes on in the next line.
            is_open, done = not is_separator and not match[1], match.end()
        yield written + line[done:]


def read_first_record(declared: Input) -> FirstRecord:
    """Cut the first record into its values.

    Raises
    ------
    InputError
        If there is none, or a quote opens in it and never closes.
    """
    blank_lines = 0
    try:
        with open_table(declared) as text:
            lines = islice(text, LAST_HEADER_LINE)
            for values in _cut_records(lines, declared.separator, strict=True):
                if values:
                    return FirstRecord(values, blank_lines)
                blank_lines += 1
    except UnicodeError as error:
        raise make_encoding_error(declared) from error
    except csv.Error as error:
        begins = f"{declared.path}, line {blank_lines + 1}"
        raise InputError(f"{begins}: the quotes of the first record are wrong ({error}).") from error
    except OSError as error:
        raise InputError(f"{declared.path} cannot be read: {error}.") from error
    raise InputError(f"{declared.path} holds only empty lines. A table needs at least one record.")


def _cut_records(lines: Iterable[str], separator: str, *, strict: bool = False) -> Iterator[list[str]]:
    """Cut lines into the values of their records, as Python does; none of an empty line.

    Parameters
    ----------
    strict : bool
        Whether wrong quotes are an error, `csv.Error`.
    """
    csv.field_size_limit(sys.maxsize)
    if len(separator) == 1:
        return csv.reader(lines, delimiter=separator, strict=strict)
    # The reader of Python knows separators of one character only.
    return csv.reader(_replace_line_separators(lines, separator), delimiter=UNIT_SEPARATOR, strict=strict)


def find_lines(file: SourceFile, width: int, position: int, texts: Collection[str]) -> Iterator[int]:
    """Yield the numbers of the lines where a record begins that has one of these texts in a column.

    Parameters
    ----------
    file : SourceFile
    width : int
        Number of columns; a line with another number of values is no record.
    position : int
        Of the column.
    texts : collection of str
    """
    separator, line_end = file.text.separator, "\r" if file.line_end == "\r" else "\n"
    is_header, ended = file.given.header, 0
    with open_text(file.text.path, "utf-8") as text:

        def counted() -> Iterator[str]:
            nonlocal ended
            for line in text:
                ended += 1 if file.line_end is None else line.count(line_end)
                yield line

        begins = 1
        for values in _cut_records(counted(), separator):
            if len(values) == width and not is_header and values[position] in texts:
                yield begins
            is_header, begins = is_header and not values, ended + 1


def make_length_error(path: Path, line: int) -> InputError:
    """Return the error that a record is longer than the engine reads."""
    return InputError(f"{path}, line {line}: is longer than {LONGEST}. Does a line end or a quote lack?")


def require_encoding(declared: Input) -> None:
    """Stop if a file is not in the declared encoding.

    Raises
    ------
    InputError
        With the first line that is not.
    """
    decoder = codecs.getincrementaldecoder(declared.encoding)()
    try:
        with open_binary(declared.path) as file:
            while chunk := file.read(_CHUNK):
                decoder.decode(chunk)
            decoder.decode(b"", final=True)
    except UnicodeError as error:
        raise make_encoding_error(declared) from error


def is_utf_8(path: Path) -> bool:
    """Return whether a file of text can be read as UTF-8 from its beginning to its end."""
    try:
        require_encoding(Input(path=path))
    except (InputError, OSError):
        return False
    return True


def make_encoding_error(declared: Input) -> InputError:
    """Return the error that names the line where the declared encoding fails."""
    decoder = codecs.getincrementaldecoder(declared.encoding)()
    line = 0
    with open_binary(declared.path) as file, suppress(UnicodeError):
        for raw in file:
            line += 1
            decoder.decode(raw)
    with open_binary(declared.path) as file:
        is_marked = file.read(2) in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
    other = "utf-8" if codecs.lookup(declared.encoding).name not in PLAIN else "windows-1252"
    remedy = f"Name its encoding, such as {_detect_encoding(other)}."
    if is_marked:
        remedy = f"It begins as UTF-16 does: write {_detect_encoding('utf-16')}."
    return InputError(
        f"{declared.path}, line {line}: the text is not {declared.encoding}. {remedy}", setting="encoding"
    )


def _detect_encoding(name: str) -> str:
    in_python = f"encoding='{name}'"
    return choose_setting_name(f"{in_python} (--encoding {name})", python=in_python, options=f"--encoding {name}")


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
    records: list[Sequence[str]] = []
    try:
        with (
            _report_unreadable(declared.path),
            open_table(declared) as text,
            suppress(csv.Error),
        ):
            found = _cut_records(islice(text, declared.header_line + 10 * _RECORDS), declared.separator, strict=True)
            records.extend(islice(filter(None, found), _RECORDS))
    except UnicodeError as error:
        raise make_encoding_error(declared) from error
    return records


def find_header_line(declared: Input) -> int:
    """Return the line of the header of a text, below a title if there is one; 1 where nothing looks like a title.

    A table has most of its first lines cut into equally many values. What is above the first of them is a title if it
    has half as many values at most, or else the lines are of no table, and whoever reads it hears what is wrong.
    """
    with _report_unreadable(declared.path), open_text(declared.path, declared.encoding) as text:
        try:
            lines = list(islice(text, 2 * _RECORDS))
        except UnicodeError:
            return 1
    separators = _SEPARATORS if declared.guesses_separator else (declared.separator,)
    starts = [_find_table_start(lines, separator) for separator in separators if len(separator) == 1]
    return max(starts, default=(0, 0, 1))[-1]


def _find_table_start(lines: Sequence[str], separator: str) -> tuple[int, int, int]:
    """Return how many lines are records of one table, their values, and where it begins: below a title, or 1."""
    records, begins, reader = list[tuple[int, int, int]](), 1, csv.reader(lines, delimiter=separator)
    with suppress(csv.Error):
        for values in reader:
            if filled := sum(map(bool, values)):
                records.append((begins, len(values), filled))
            begins = reader.line_num + 1
    counts = Counter(width for _, width, _ in records if width > 1)
    width, fitting = counts.most_common(1)[0] if counts else (0, 0)
    if 2 * fitting < len(records) or fitting < _FEWEST_RECORDS:
        return 0, 0, 1
    start = next((at for at, (_, each, filled) in enumerate(records) if each == width and filled > width // 2), 0)
    is_titled = all(filled <= max(1, width // 2) for _, _, filled in records[:start])
    return fitting, width, records[start][0] if start and is_titled else 1


@contextmanager
def _report_unreadable(path: Path) -> Iterator[None]:
    """Say what is wrong with a file that was there a moment ago: somebody may be writing it."""
    try:
        yield
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}.") from error


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
        *(column for column, _ in config.treated),
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
    with open_table(declared) as lines, suppress(csv.Error, UnicodeError):
        for number, line in enumerate(islice(lines, _LINES_LOOKED_AT), start=1):
            if set(names) <= set(next(_cut_records([line], declared.separator), ())):
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
