"""A text file in the form that the engine reads: UTF-8, a short separator, one kind of line ending."""

from __future__ import annotations

import codecs
import csv
import io
import os
import re
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from toolbox.config.model import Input
from toolbox.errors import InputError
from toolbox.messages import choose_setting_name
from toolbox.store.engine.statements import CHARACTERS_PER_LINE
from toolbox.store.input.formats.first_bytes import detect_compression, open_binary, require_regular

UNIT_SEPARATOR = "\x1f"
"""Stands in for a separator that is longer than the engine's reader takes."""
LONGEST = f"{CHARACTERS_PER_LINE // 1_000_000} MB"
"""The longest record, for messages."""
_LONGEST_SEPARATOR = 4
_MOST_HEADER_LINES = 10_000
PLAIN = {"utf-8", "utf-8-sig"}
"""Encodings that need no conversion."""
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")
"""A path has lost one of the two slashes."""
_CHUNK = 1 << 20
_ENDINGS = {None: "", "gzip": ".gz", "zstd": ".zst"}


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

    Raises
    ------
    InputError
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
    if codecs.lookup(declared.encoding).name in PLAIN and not is_long:
        link = target.with_name(target.name + _ENDINGS[detect_compression(declared.path)])
        link.symlink_to(declared.path.resolve())
        return TextFile(link, declared.separator)
    try:
        with (
            open_text(declared.path, declared.encoding) as source,
            target.open("w", encoding="utf-8", newline="") as copy,
        ):
            copy.writelines(_replace_separator(source, declared) if is_long else source)
    except UnicodeError as error:
        raise make_encoding_error(declared) from error
    return TextFile(target, UNIT_SEPARATOR if is_long else declared.separator)


def unify_line_ends(file: TextFile, target: Path) -> TextFile:
    """Copy a file whose records end in more than one way; line ends within quotes stay as they are."""
    from toolbox.store.input.text_records import cut_pieces

    with open_binary(file.path) as text, target.open("wb") as copy:
        for piece in cut_pieces(text, file.separator.encode(), CHARACTERS_PER_LINE):
            copy.write(piece.replace_line_ends())
    return TextFile(target, file.separator)


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
    csv.field_size_limit(sys.maxsize)
    is_short = len(declared.separator) == 1
    try:
        with open_text(declared.path, declared.encoding) as text:
            beginning = islice(text, _MOST_HEADER_LINES)
            lines = beginning if is_short else _replace_separator(beginning, declared)
            separator = declared.separator if is_short else UNIT_SEPARATOR
            for blank_lines, values in enumerate(csv.reader(lines, delimiter=separator, strict=True)):
                if values:
                    return FirstRecord(values, blank_lines)
    except UnicodeError as error:
        raise make_encoding_error(declared) from error
    except csv.Error as error:
        raise InputError(f"{declared.path}, line 1: the quotes of the first record are wrong ({error}).") from error
    except OSError as error:
        raise InputError(f"{declared.path} cannot be read: {error}.") from error
    raise InputError(f"{declared.path} holds only empty lines. A table needs at least one record.")


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
    is_short, is_header, ended = len(separator) == 1, file.given.header, 0
    with open_text(file.text.path, "utf-8") as text:

        def counted() -> Iterator[str]:
            nonlocal ended
            for line in text:
                ended += 1 if file.line_end is None else line.count(line_end)
                yield line

        lines = counted() if is_short else _replace_line_separators(counted(), separator)
        begins = 1
        for values in csv.reader(lines, delimiter=separator if is_short else UNIT_SEPARATOR):
            if len(values) == width and not is_header and values[position] in texts:
                yield begins
            is_header, begins = is_header and not values, ended + 1


def open_quote(path: Path, line: int, what: str) -> InputError:
    """Return the error that a quoted value goes on where it should not.

    Parameters
    ----------
    what : str
        What the quote does, such as ``never closes``.
    """
    remedy = 'Close it, or double a quote that belongs to the value: "".'
    return InputError(f"{path}, line {line}: a quote opens here and {what}. {remedy}")


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
    return InputError(f"{declared.path}, line {line}: the text is not {declared.encoding}. {remedy}")


def _detect_encoding(name: str) -> str:
    in_python = f"encoding='{name}'"
    return choose_setting_name(f"{in_python} (--encoding {name})", python=in_python, options=f"--encoding {name}")
