"""Counting the records, blank lines and bytes of a text, piece by piece. The module needs numpy."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import IO, TYPE_CHECKING

import numpy as np

from toolbox.errors import InputError
from toolbox.store.lines import Piece, pieces
from toolbox.store.source import FIRST_PLACES, Place, where
from toolbox.store.statements import CHARACTERS_PER_LINE
from toolbox.store.text_file import LONGEST, Survey, open_quote, too_long

if TYPE_CHECKING:
    from numpy.typing import NDArray


class _Count:
    """Adds up the pieces of a file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._endings: Counter[str] = Counter()
        self._records = self._blank = 0
        self._is_plain = True
        self._begin, self._line = 0, 1
        """Where the present record begins."""
        self._loose, self._loose_lines = 0, list[int]()
        """Closing quotes behind which text follows."""
        self._quote_line: int | None = None
        """Line of the quote that is open."""

    def add(self, piece: Piece) -> None:
        content = piece.content
        has_returns, has_quotes = b"\r" in content, b'"' in content
        self._is_plain &= not (has_returns or has_quotes or b"#" in content)
        is_whole = content.endswith(b"\n") and self._begin == piece.start and not piece.begins_quoted
        if is_whole and not (has_returns or has_quotes) and len(content) <= CHARACTERS_PER_LINE:
            self._add_plain(piece)
        else:
            self._add_any(piece, has_returns=has_returns)

    def _add_plain(self, piece: Piece) -> None:
        """Add whole records without quotes, as most texts have, in an eighth of the time."""
        is_end = piece.is_end
        ends = int(np.count_nonzero(is_end))
        blank = int(np.count_nonzero(is_end[1:] & is_end[:-1])) + int(is_end[0])
        self._endings["\n"] += ends
        self._blank += blank
        self._records += ends - blank
        self._begin, self._line = piece.start + len(piece.content), piece.line + ends

    def _add_any(self, piece: Piece, *, has_returns: bool) -> None:
        content, ends = piece.content, piece.record_ends
        begins = np.concatenate(([self._begin - piece.start], ends + 1))
        lengths = ends + 1 - begins[:-1] - 1
        if has_returns:
            is_pair = piece.follows_return(ends)
            lengths -= is_pair
            pairs, feeds = int(is_pair.sum()), int((np.frombuffer(content, np.uint8)[ends] == ord("\n")).sum())
            self._endings.update({"\r\n": pairs, "\n": feeds - pairs, "\r": len(ends) - feeds})
        else:
            self._endings["\n"] += len(ends)
        blank = int((lengths == 0).sum())
        self._blank += blank
        self._records += len(ends) - blank
        self._note_open_quote(piece)
        self._loose += len(piece.loose)
        self._loose_lines += [
            piece.line_of(position) for position in piece.loose[: FIRST_PLACES - len(self._loose_lines)]
        ]
        self._require_short(piece, lengths, begins)
        if len(ends):
            self._begin = piece.start + int(begins[-1])
            self._line = piece.line_of(int(begins[-1]))

    def _note_open_quote(self, piece: Piece) -> None:
        if (len(piece.toggles) + piece.begins_quoted) % 2 == 0:
            self._quote_line = None
        elif len(piece.toggles):
            self._quote_line = piece.line_of(int(piece.toggles[-1]))

    def _require_short(self, piece: Piece, lengths: NDArray[np.intp], begins: NDArray[np.intp]) -> None:
        """Stop where a record is longer than the engine reads."""
        unfinished = len(piece.content) - int(begins[-1])
        over = np.flatnonzero(np.append(lengths, unfinished) > CHARACTERS_PER_LINE)
        if not len(over):
            return
        index = int(over[0])
        if self._quote_line is not None and index == len(lengths):
            raise open_quote(self._path, self._quote_line, f"does not close within {LONGEST}")
        line = piece.line_of(int(begins[index])) if index else self._line
        raise too_long(self._path, line)

    def finish(self, size: int) -> Survey:
        """Count the text behind the last line end."""
        if self._quote_line is not None:
            raise open_quote(self._path, self._quote_line, "never closes")
        if self._loose:
            places = where("line", [Place(line) for line in self._loose_lines])
            more = ", ..." if self._loose > len(self._loose_lines) else ""
            remedy = 'A quoted value ends with its quote; double a quote that belongs to it: "".'
            raise InputError(f"{self._path}, {places}{more}: text follows a closing quote. {remedy}")
        self._records += self._begin < size
        endings = {ending: count for ending, count in self._endings.items() if count}
        return Survey(self._records, self._blank, endings, self._is_plain)


def count_text(text: IO[bytes], separator: str, called: Path) -> Survey:
    """Count the records, blank lines and bytes of a text.

    Parameters
    ----------
    text : binary file
        In UTF-8.
    separator : str
    called : Path
        What messages call it.

    Raises
    ------
    InputError
        If a quote never closes, or a record is longer than the engine reads.
    """
    count = _Count(called)
    size = 0
    for piece in pieces(text, separator.encode(), CHARACTERS_PER_LINE):
        count.add(piece)
        size = piece.start + len(piece.content)
    return count.finish(size)
