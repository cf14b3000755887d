"""The first records of a text of which nothing is known: its encoding, its separator, and whether it has a header."""

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

from toolbox.config.model import Input
from toolbox.errors import InputError
from toolbox.store.compressed import open_binary
from toolbox.store.text_file import is_utf_8, opened_text, wrong_encoding

_SEPARATORS: Final = ("\t", ";", "|", ",")
"""Those that stand within values least often come first: a decimal comma is no separator."""
_RECORDS: Final = 100
_UTF_16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_WESTERN: Final = ("windows-1252", "latin-1")


def guessed_encoding(path: Path) -> str:
    """Return the encoding in which a whole text can be read: UTF-16 by its mark, UTF-8 if it can, else a western one.

    Raises
    ------
    InputError
        If the file is damaged, or cannot be read any more.
    """
    with _told(path):
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


def guessed_separator(declared: Input) -> str:
    """Return the usual separator that cuts the first records into equally many values, more than one; else a comma."""
    for separator in _SEPARATORS:
        widths = [len(record) for record in first_records(replace(declared, separator=separator))]
        if widths and widths[0] > 1 and widths.count(widths[0]) >= 0.9 * len(widths):
            return separator
    return ","


def first_records(declared: Input) -> list[Sequence[str]]:
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
        with _told(declared.path), opened_text(declared.path, declared.encoding) as text, suppress(csv.Error):
            lines = (line.replace(separator, one) for line in islice(text, 10 * _RECORDS))
            found = (
                [value.replace(one, separator) for value in record]
                for record in csv.reader(lines, delimiter=one, strict=True)
            )
            records.extend(islice((record for record in found if record), _RECORDS))
    except UnicodeError as error:
        raise wrong_encoding(declared) from error
    return records


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Say what is wrong with a file that was there a moment ago: somebody may be writing it."""
    try:
        yield
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}.") from error
