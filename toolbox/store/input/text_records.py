"""Where the records of delimited text end, found from its bytes alone, without the engine.

A quote opens a quoted value where it begins a field; one blank before it is allowed, as the engine allows it. Within a
quoted value a line end is text, and two quotes stand for one. The quote that closes it ends the field; only blanks may
follow. Every other quote is text. The module needs numpy.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import IO, TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_BLOCK = 1 << 18
"""Bytes that are read at once. Of larger blocks, the memory would be given back and fetched anew for each."""
_LF, _CR, _QUOTE, _BLANK = b"\n"[0], b"\r"[0], b'"'[0], b" "[0]
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class TextPiece:
    """Some bytes of a text that end with a line end, unless they are its last ones."""

    content: bytes
    start: int
    """Where they stand in the text."""
    line: int
    """Number of their first line, from 1."""
    toggles: NDArray[np.intp]
    """Positions of the quotes at which quoted values begin or end."""
    loose: NDArray[np.intp]
    """Those of them that end a value, and behind which text follows."""
    begins_quoted: bool

    @cached_property
    def is_end(self) -> NDArray[np.bool_]:
        """For each byte, whether it is the last one of a line end, be it within a quoted value or not."""
        codes = np.frombuffer(self.content, np.uint8)
        is_end: NDArray[np.bool_] = codes == _LF
        if b"\r" in self.content:
            is_return = codes == _CR
            is_return[:-1] &= ~is_end[1:]
            is_end |= is_return
        return is_end

    @cached_property
    def ends(self) -> NDArray[np.intp]:
        """Positions of the last byte of each line end, those within quoted values included."""
        return np.flatnonzero(self.is_end)

    @cached_property
    def is_quoted(self) -> NDArray[np.bool_]:
        """For each of these line ends, whether it stands within a quoted value."""
        is_quoted: NDArray[np.bool_] = (np.searchsorted(self.toggles, self.ends) + self.begins_quoted) % 2 == 1
        return is_quoted

    @cached_property
    def record_ends(self) -> NDArray[np.intp]:
        """Positions of the last byte of each line end that ends a record."""
        return self.ends[~self.is_quoted]

    def find_byte_line(self, position: int) -> int:
        """Return the number of the line in which a byte stands."""
        return self.line + int(np.searchsorted(self.ends, position))

    def find_crlf_ends(self, ends: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Test of each line end whether it is CR LF."""
        codes = np.frombuffer(self.content, np.uint8)
        is_pair: NDArray[np.bool_] = (codes[ends] == _LF) & (ends > 0) & (codes[ends - 1] == _CR)
        return is_pair

    def replace_line_ends(self) -> bytes:
        """Return the bytes with every record ended by a line feed."""
        codes = np.frombuffer(self.content, np.uint8).copy()
        ends = self.record_ends
        is_kept = np.ones(len(codes), np.bool_)
        is_kept[ends[self.find_crlf_ends(ends)] - 1] = False
        codes[ends] = _LF
        return codes[is_kept].tobytes()


def cut_pieces(text: IO[bytes], separator: bytes, longest: int) -> Iterator[TextPiece]:
    """Cut a text into pieces.

    Parameters
    ----------
    text : binary file
    separator : bytes
        What stands between values.
    longest : int
        Bytes after which a piece ends without a line end.
    """
    start, line, is_inside = 0, 1, False
    for content in _read_whole_lines(text, longest):
        toggles, loose = _find_quotes(content, separator, is_inside)
        piece = TextPiece(content, start, line, toggles, loose, is_inside)
        yield piece
        start += len(content)
        line += int(np.count_nonzero(piece.is_end))
        is_inside = (len(toggles) + is_inside) % 2 == 1


def _read_whole_lines(text: IO[bytes], longest: int) -> Iterator[bytes]:
    """Read blocks that end where a line does."""
    rest = text.read(_BLOCK).removeprefix(BYTE_ORDER_MARK)
    while block := text.read(_BLOCK):
        # A CR at the end may be half of a CR LF.
        cut = max(rest.rfind(b"\n"), rest.rfind(b"\r", 0, len(rest) - 1)) + 1
        if cut == 0 and len(rest) > longest:
            cut = len(rest.removesuffix(b"\r"))
        if cut:
            yield rest[:cut]
        rest = rest[cut:] + block
    if rest:
        yield rest


def _find_quotes(content: bytes, separator: bytes, is_inside: bool) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Find the quotes that begin or end a value, and the quotes that text follows.

    Where all quotes stand as RFC 4180 requires, every quote begins or ends a value: two that stand for one close the
    value and open it again.
    """
    nowhere = np.empty(0, np.intp)
    if b'"' not in content:
        return nowhere, nowhere
    quotes = np.flatnonzero(np.frombuffer(content, np.uint8) == _QUOTE)
    if _has_regular_quotes(content, quotes, separator, is_inside):
        return quotes, nowhere
    toggles = np.fromiter(_find_irregular_quotes(content, separator, is_inside), np.intp)
    closing = toggles[1 - int(is_inside) :: 2]
    loose = [position for position in closing.tolist() if not _is_field_end(content, position + 1, separator)]
    return toggles, np.array(loose, np.intp)


def _has_regular_quotes(content: bytes, quotes: NDArray[np.intp], separator: bytes, is_inside: bool) -> bool:
    """Test whether each quote opens a value at the start of a field, closes it at the end, or is one of a pair."""
    codes = np.frombuffer(content, np.uint8)
    opening, closing = quotes[int(is_inside) :: 2], quotes[1 - int(is_inside) :: 2]

    def at(places: NDArray[np.intp], *values: int) -> NDArray[np.bool_]:
        bytes_there = codes[np.clip(places, 0, len(codes) - 1)]
        is_any: NDArray[np.bool_] = np.logical_or.reduce([bytes_there == value for value in values])
        return is_any & (places >= 0) & (places < len(codes))

    def separates(begin: NDArray[np.intp]) -> NDArray[np.bool_]:
        is_there: NDArray[np.bool_] = at(begin, separator[0])
        for index, value in enumerate(separator[1:], start=1):
            is_there &= at(begin + index, value)
        return is_there

    def begins(places: NDArray[np.intp]) -> NDArray[np.bool_]:
        is_first: NDArray[np.bool_] = places == 0
        return is_first | at(places - 1, _LF, _CR) | separates(places - len(separator))

    begin = begins(opening) | at(opening - 1, _QUOTE) | (at(opening - 1, _BLANK) & begins(opening - 1))
    end = at(closing + 1, _LF, _CR, _QUOTE) | (closing + 1 == len(codes)) | separates(closing + 1)
    return bool(begin.all() and end.all())


def _find_irregular_quotes(content: bytes, separator: bytes, is_inside: bool) -> Iterator[int]:
    position = content.find(b'"')
    while position >= 0:
        following = position + 1
        if is_inside and content[following : following + 1] == b'"':
            following += 1
        elif is_inside or _is_field_start(content, position, separator):
            is_inside = not is_inside
            yield position
        position = content.find(b'"', following)


def _is_field_start(content: bytes, position: int, separator: bytes) -> bool:
    # The blank before a quote may belong to the separator.
    begins = [position, position - 1] if content[position - 1 : position] == b" " else [position]
    return any(at == 0 or content[at - 1] in b"\r\n" or content.endswith(separator, 0, at) for at in begins)


def _is_field_end(content: bytes, position: int, separator: bytes) -> bool:
    while not content.startswith(separator, position) and content[position : position + 1] == b" ":
        position += 1
    return position == len(content) or content[position] in b"\r\n" or content.startswith(separator, position)
