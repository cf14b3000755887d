"""Where in a file the engine begins to read other records than stand there; the module needs numpy."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

import numpy as np

from toolbox.store.compressed import open_binary
from toolbox.store.counting import count_text
from toolbox.store.lines import pieces
from toolbox.store.statements import CHARACTERS_PER_LINE
from toolbox.store.survey import Survey

_GROUP = 16_000_000
"""Bytes that are compared at once."""

Agrees = Callable[[bytes, Survey], bool]
"""Tells whether the engine reads all records of some whole lines."""


def first_difference(path: Path, separator: str, agrees: Agrees) -> int | None:
    """Find the line of the first record that the engine does not read as it stands; None if it reads each group so.

    Parameters
    ----------
    path : Path
    separator : str
    agrees : callable
    """

    def is_whole(content: bytes) -> bool:
        return agrees(content, count_text(io.BytesIO(content), separator, path))

    with open_binary(path) as text:
        for content, line in _groups(text, separator):
            if not is_whole(content):
                return line + _lines_before(content, separator, is_whole)
    return None


def _groups(text: IO[bytes], separator: str) -> Iterator[tuple[bytes, int]]:
    """Cut a text into groups of whole records, each with the number of its first line."""
    group, first = b"", 1
    for piece in pieces(text, separator.encode(), CHARACTERS_PER_LINE):
        cut = int(piece.record_ends[-1]) + 1 if len(piece.record_ends) else 0
        group += piece.content[:cut]
        if cut and len(group) > _GROUP:
            yield group, first
            group, first = b"", piece.line_of(cut)
        group += piece.content[cut:]
    if group:
        yield group, first


def _lines_before(content: bytes, separator: str, is_whole: Callable[[bytes], bool]) -> int:
    """Count the lines before the first record that is not read as it stands, by halving."""
    found = list(pieces(io.BytesIO(content), separator.encode(), CHARACTERS_PER_LINE))
    bounds = np.unique(np.concatenate([[0], *(one.record_ends + one.start + 1 for one in found), [len(content)]]))
    low, high = 0, len(bounds) - 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if is_whole(content[bounds[low] : bounds[middle]]) else (low, middle)
    before = int(bounds[low])
    return sum(int(np.searchsorted(one.ends + one.start, before)) for one in found)
