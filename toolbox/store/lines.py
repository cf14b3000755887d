"""Where the records of delimited text end, told by its bytes alone: the engine, which reads them, is not asked.

A quote opens a quoted value where it begins a field; one blank before it is allowed, as the engine allows it. Within a
quoted value a line end is text, and two quotes stand for one. Every other quote is text. The module needs numpy.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_BLOCK = 1 << 20
_LF, _CR, _QUOTE = b"\n"[0], b"\r"[0], b'"'[0]
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Piece:
    """Some bytes of a text that end with a line end, unless they are its last ones."""

    content: bytes
    start: int
    """Where they stand in the text."""
    line: int
    """Number of their first line, from 1."""
    ends: NDArray[np.intp]
    """Positions of the last byte of each line end, those within quoted values included."""
    is_quoted: NDArray[np.bool_]
    """For each of these, whether it stands within a quoted value."""
    toggles: NDArray[np.intp]
    """Positions of the quotes at which quoted values begin or end."""
    begins_quoted: bool

    @property
    def record_ends(self) -> NDArray[np.intp]:
        """Positions of the last byte of each line end that ends a record."""
        return self.ends[~self.is_quoted]

    def line_of(self, position: int) -> int:
        """Return the number of the line in which a byte stands."""
        return self.line + int(np.searchsorted(self.ends, position))

    def follows_return(self, ends: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Tell of line ends whether they are CR LF."""
        codes = np.frombuffer(self.content, np.uint8)
        is_pair: NDArray[np.bool_] = (codes[ends] == _LF) & (ends > 0) & (codes[ends - 1] == _CR)
        return is_pair

    def with_line_feeds(self) -> bytes:
        """Return the bytes with every record ended by a line feed."""
        codes = np.frombuffer(self.content, np.uint8).copy()
        ends = self.record_ends
        is_kept = np.ones(len(codes), np.bool_)
        is_kept[ends[self.follows_return(ends)] - 1] = False
        codes[ends] = _LF
        return codes[is_kept].tobytes()


def pieces(text: IO[bytes], separator: bytes, longest: int) -> Iterator[Piece]:
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
    for content in _whole_lines(text, longest):
        ends = _line_ends(content)
        toggles = _toggles(content, separator, is_inside)
        before = np.searchsorted(toggles, ends)
        yield Piece(content, start, line, ends, (before + is_inside) % 2 == 1, toggles, is_inside)
        start += len(content)
        line += len(ends)
        is_inside = (len(toggles) + is_inside) % 2 == 1


def _whole_lines(text: IO[bytes], longest: int) -> Iterator[bytes]:
    """Read blocks that end where a line does."""
    rest = text.read(_BLOCK).removeprefix(BYTE_ORDER_MARK)
    while block := text.read(_BLOCK):
        # A CR at the end may be half of a CR LF.
        cut = max(rest.rfind(b"\n"), rest.rfind(b"\r", 0, len(rest) - 1)) + 1
        if cut == 0 and len(rest) > longest:
            cut = len(rest)
        if cut:
            yield rest[:cut]
        rest = rest[cut:] + block
    if rest:
        yield rest


def _line_ends(content: bytes) -> NDArray[np.intp]:
    codes = np.frombuffer(content, np.uint8)
    is_end = codes == _LF
    if b"\r" in content:
        is_return = codes == _CR
        is_return[:-1] &= ~is_end[1:]
        is_end |= is_return
    return np.flatnonzero(is_end)


def _toggles(content: bytes, separator: bytes, is_inside: bool) -> NDArray[np.intp]:
    """Find the quotes at which quoted values begin or end.

    Where all stand as RFC 4180 wants them, each of them is one: two that stand for one close a value and open it again.
    """
    if b'"' not in content:
        return np.empty(0, np.intp)
    quotes = np.flatnonzero(np.frombuffer(content, np.uint8) == _QUOTE)
    if len(separator) == 1 and _all_regular(content, quotes, separator, is_inside):
        return quotes
    return np.fromiter(_irregular_toggles(content, separator, is_inside), np.intp)


def _all_regular(content: bytes, quotes: NDArray[np.intp], separator: bytes, is_inside: bool) -> bool:
    codes = np.frombuffer(content, np.uint8)
    beside = np.zeros(256, np.bool_)
    beside[[_LF, _CR, _QUOTE, separator[0]]] = True
    opening, closing = quotes[int(is_inside) :: 2], quotes[1 - int(is_inside) :: 2]
    before, after = opening[opening > 0] - 1, closing[closing < len(codes) - 1] + 1
    return bool(beside[codes[before]].all() and beside[codes[after]].all())


def _irregular_toggles(content: bytes, separator: bytes, is_inside: bool) -> Iterator[int]:
    place = content.find(b'"')
    while place >= 0:
        following = place + 1
        if is_inside and content[following : following + 1] == b'"':
            following += 1
        elif is_inside or _begins_field(content, place, separator):
            is_inside = not is_inside
            yield place
        place = content.find(b'"', following)


def _begins_field(content: bytes, place: int, separator: bytes) -> bool:
    # The blank before a quote may belong to the separator.
    begins = [place, place - 1] if content[place - 1 : place] == b" " else [place]
    return any(at == 0 or content[at - 1] in b"\r\n" or content.endswith(separator, 0, at) for at in begins)
