"""Counting the records of a text from its bytes, and finding those that the engine did not read."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from threading import Event
from typing import IO, TYPE_CHECKING, Final

import numpy as np
from sqlalchemy import FromClause, Integer, String, cast, column, false, func, literal, null, select, table

from toolbox.errors import InputError
from toolbox.queries.dialect import Query, choose_any_value
from toolbox.store.engine.statements import CHARACTERS_PER_LINE, append_rows
from toolbox.store.engine.store import Store
from toolbox.store.input.formats.first_bytes import open_binary
from toolbox.store.input.source import FIRST_PLACES, RecordPlace, Rejects, format_places
from toolbox.store.input.text_file import LONGEST, SourceFile, Survey, make_length_error
from toolbox.store.input.text_records import BYTE_ORDER_MARK, TextPiece, cut_pieces

if TYPE_CHECKING:
    from numpy.typing import NDArray


# Counting the records, blank lines and bytes of a text, piece by piece. The module needs numpy.


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

    def add(self, piece: TextPiece) -> None:
        content = piece.content
        has_returns, has_quotes = b"\r" in content, b'"' in content
        self._is_plain &= not (has_returns or has_quotes or b"#" in content)
        is_whole = content.endswith(b"\n") and self._begin == piece.start and not piece.begins_quoted
        if is_whole and not (has_returns or has_quotes) and len(content) <= CHARACTERS_PER_LINE:
            self._add_plain(piece)
        else:
            self._add_any(piece, has_returns=has_returns)

    def _add_plain(self, piece: TextPiece) -> None:
        """Add whole records without quotes, as most texts have, in an eighth of the time."""
        is_end = piece.is_end
        ends = int(np.count_nonzero(is_end))
        blank = int(np.count_nonzero(is_end[1:] & is_end[:-1])) + int(is_end[0])
        self._endings["\n"] += ends
        self._blank += blank
        self._records += ends - blank
        self._begin, self._line = piece.start + len(piece.content), piece.line + ends

    def _add_any(self, piece: TextPiece, *, has_returns: bool) -> None:
        content, ends = piece.content, piece.record_ends
        begins = np.concatenate(([self._begin - piece.start], ends + 1))
        lengths = ends + 1 - begins[:-1] - 1
        if has_returns:
            is_pair = piece.find_crlf_ends(ends)
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
            piece.find_byte_line(position) for position in piece.loose[: FIRST_PLACES - len(self._loose_lines)]
        ]
        self._require_short(piece, lengths, begins)
        if len(ends):
            self._begin = piece.start + int(begins[-1])
            self._line = piece.find_byte_line(int(begins[-1]))

    def _note_open_quote(self, piece: TextPiece) -> None:
        if (len(piece.toggles) + piece.begins_quoted) % 2 == 0:
            self._quote_line = None
        elif len(piece.toggles):
            self._quote_line = piece.find_byte_line(int(piece.toggles[-1]))

    def _require_short(self, piece: TextPiece, lengths: NDArray[np.intp], begins: NDArray[np.intp]) -> None:
        """Stop where a record is longer than the engine reads."""
        unfinished = len(piece.content) - int(begins[-1])
        over = np.flatnonzero(np.append(lengths, unfinished) > CHARACTERS_PER_LINE)
        if not len(over):
            return
        index = int(over[0])
        if self._quote_line is not None and index == len(lengths):
            raise _open_quote(self._path, self._quote_line, f"does not close within {LONGEST}")
        line = piece.find_byte_line(int(begins[index])) if index else self._line
        raise make_length_error(self._path, line)

    def finish(self, size: int) -> Survey:
        """Count the text behind the last line end."""
        if self._quote_line is not None:
            raise _open_quote(self._path, self._quote_line, "never closes")
        if self._loose:
            places = format_places("line", [RecordPlace(line) for line in self._loose_lines])
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
    for piece in cut_pieces(text, separator.encode(), CHARACTERS_PER_LINE):
        count.add(piece)
        size = piece.start + len(piece.content)
    return count.finish(size)


# Counting the lines of a long text that needs no more: it has no quotes, no carriage returns and no blank lines.
#
# It takes half of the time that the count above takes, which understands all texts, and it uses several processors. It
# needs numpy.

_PLAIN_BLOCK = 1 << 18
"""Bytes that are looked at at once; a processor keeps them beside it. Less than the longest line that is read."""
_THREADS = 4
_LF = b"\n"[0]


def count_plain_lines(path: Path) -> Survey | None:
    """Count the records of a text whose records are its lines.

    Parameters
    ----------
    path : Path
        Not compressed.

    Returns
    -------
    Survey
        None if the text is not so plain, or if it has a line longer than a block.
    """
    size = path.stat().st_size
    with path.open("rb") as text:
        if not size or text.read(len(BYTE_ORDER_MARK)) == BYTE_ORDER_MARK:
            return None
        text.seek(size - 1)
        is_ended = text.read(1) == b"\n"
    bounds = [size * index // _THREADS for index in range(_THREADS + 1)]
    is_over = Event()
    with ThreadPoolExecutor(_THREADS) as threads:
        try:
            parts = list(threads.map(lambda part: _count_part(path, part[0], part[1], is_over), pairwise(bounds)))
        finally:
            # The pool waits for its threads, after an interrupt too.
            is_over.set()
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    ends = sum(count for count, _ in known)
    is_plain = not any(has_sign for _, has_sign in known)
    return Survey(ends + (not is_ended), 0, {"\n": ends} if ends else {}, is_plain)


def _count_part(path: Path, first: int, beyond: int, is_over: Event) -> tuple[int, bool] | None:
    """Count the line ends of a part, and tell whether it has a ``#``; None where it is not plain.

    Parameters
    ----------
    is_over : Event
        Set as soon as one part is not plain: then nobody asks for the others.
    """
    # Before each block stands the last byte of the one before; a line end before the first byte of all makes a blank
    # first line one.
    block = bytearray(_PLAIN_BLOCK + 1)
    codes = np.frombuffer(block, np.uint8)
    count, has_sign, left = 0, False, beyond - first
    with path.open("rb", buffering=0) as text:
        block[0] = _LF
        if first:
            text.seek(first - 1)
            text.readinto(memoryview(block)[:1])
        while left and not is_over.is_set():
            length = text.readinto(memoryview(block)[1 : 1 + min(_PLAIN_BLOCK, left)])
            left -= length
            ends = codes[: length + 1] == _LF
            found = int(np.count_nonzero(ends[1:]))
            # A part may end within a line; a text that has become shorter meanwhile is left to others too.
            is_odd = not length or (not found and left) or np.any(ends[1:] & ends[:-1])
            if is_odd or _has_any(block, length, b'"', b"\r"):
                is_over.set()
                return None
            has_sign |= _has_any(block, length, b"#")
            count += found
            block[0] = block[length]
    return None if left else (count, has_sign)


def _has_any(block: bytearray, length: int, *signs: bytes) -> bool:
    return any(block.find(sign, 1, length + 1) >= 0 for sign in signs)


# Finding the records of a text that the engine does not read: rejected lines, and lines that would be lost.
#
# The engine keeps a kilobyte for each line that it rejects, outside its memory limit. So the engine is asked for them
# only where some are missing, and for a few thousand at a time. Where there are more, they are those with too few or
# too many values, and the engine is only asked whether this is so. The module needs numpy.

_GROUP: Final = 16_000_000
"""Bytes that are compared at once."""
_MOST_KEPT: Final = 50_000_000
"""Bytes that the engine may keep of the lines it rejects."""
_PER_LINE: Final = 1_500
"""Bytes that it keeps for a line beside its text, which it keeps for every value that the line lacks."""

Reading = Callable[[Path, str | None, str | None], FromClause]
"""From a part of a file without header, the end of its lines and a name for the table of its rejected lines, to its
records; without a name these lines are skipped."""


class Audit:
    """Compares what stands in files with what the engine reads, part by part.

    Parameters
    ----------
    store : Store
    folder : Path
        Of the store; the parts are written there.
    reading : callable
        How the engine reads a part.
    columns : int
        How many there are; where there is but one, an empty line is a record without a value.
    until : int, optional
        Stop as soon as this many lines are found.
    most_places : int
        How many places are noted.
    """

    def __init__(
        self,
        store: Store,
        folder: Path,
        reading: Reading,
        columns: int,
        *,
        until: int | None = None,
        most_places: int = FIRST_PLACES,
    ) -> None:
        self._store = store
        self._part = folder / "part.csv"
        self._reading = reading
        self._columns = columns
        self._until = until
        self._most_places = most_places
        nothing = (cast(null(), Integer).label(name) for name in ("part", "position"))
        self._lines = store.create("rejected", select(*nothing, cast(null(), String).label("line")).where(false()))
        self._parts = 0
        self.count = 0
        """Rejected lines so far."""
        self.first: list[RecordPlace] = []
        """Where the first of them stand."""

    def look_through(self, file: SourceFile, called: Path | None) -> None:
        """Find the lines of a file that are not read.

        Parameters
        ----------
        file : SourceFile
        called : Path, optional
            The file of the places, where there are several.

        Raises
        ------
        InputError
            Where it cannot be told which records the engine reads.
        """
        with open_binary(file.text.path, file.given.path) as text:
            for content, line in _cut_groups(text, file):
                self._compare(file, content, line, called)

    def rejects(self) -> Rejects:
        """Return the lines that the engine rejects."""
        lines = select(self._lines.c.line).order_by(self._lines.c.part, self._lines.c.position)
        return Rejects(self.count, tuple(self.first), lines)

    def _compare(self, file: SourceFile, content: bytes, line: int, called: Path | None) -> None:
        if self._until is not None and self.count >= self._until:
            return
        survey = count_text(io.BytesIO(content), file.text.separator, file.given.path)
        held = survey.records + (survey.blank if self._columns == 1 else 0)
        missing = held - self._read(file, content)
        if not missing:
            return
        bounds = _find_bounds(content, file)
        longest = int(np.diff(bounds, prepend=0).max())
        is_little = missing * (self._columns * longest + _PER_LINE) <= _MOST_KEPT
        if missing > 0 and is_little and self._keep_rejects(file, content, line, called, missing):
            return
        if missing > 0 and self._keep_misfits(file, content, line, called, bounds, (held, missing)):
            return
        if held == missing == 1:
            self._keep_whole(file, content, line, called)
            return
        if len(bounds) == 1:
            problem = "where this record ends cannot be told. Is a quote or a line end wrong?"
            raise InputError(f"{file.given.path}, line {line}: {problem}")
        middle = int(bounds[len(bounds) // 2 - 1])
        self._compare(file, content[:middle], line, called)
        self._compare(file, content[middle:], line + _count_line_ends(content[:middle], file), called)

    def _read(self, file: SourceFile, content: bytes) -> int:
        """Return how many records of some lines the engine reads."""
        self._part.write_bytes(content)
        return int(self._store.scalar(select(func.count()).select_from(self._records(file)))) if content else 0

    def _records(self, file: SourceFile, rejects: str | None = None) -> FromClause:
        return self._reading(self._part, file.line_end, rejects)

    def _keep_rejects(self, file: SourceFile, content: bytes, line: int, called: Path | None, missing: int) -> bool:
        """Collect the lines that the engine rejects; return False if these are not exactly the missing ones."""
        name = self._store.fresh("rejects")
        self._store.scalar(select(func.count()).select_from(self._records(file, name)))
        listed = table(name, column("line_byte_position"), column("csv_line"))
        position = listed.c.line_byte_position
        # The engine lists a line once for every value that it lacks, and may put line ends before its text.
        text = choose_any_value(listed.c.csv_line)
        rejected = self._store.create("rejects", select(position, text.label("line")).group_by(position))
        if self._store.count(rejected) != missing:
            self._store.drop(rejected)
            return False
        self._parts += 1
        self.count += missing
        if len(self.first) < self._most_places:
            self._note_places(file, content, line, called, rejected.select())
        rows = select(literal(self._parts), rejected.c.line_byte_position, func.trim(rejected.c.line, "\r\n"))
        self._store.run(append_rows(self._lines, rows))
        self._store.drop(rejected)
        return True

    def _keep_misfits(
        self,
        file: SourceFile,
        content: bytes,
        line: int,
        called: Path | None,
        bounds: NDArray[np.intp],
        counts: tuple[int, int],
    ) -> bool:
        """Collect the records that have too few or too many values, which the engine need not list.

        Return False if it does not reject exactly these: it must read all of the others by themselves, and none of
        these.

        Parameters
        ----------
        bounds : array
            Where records and blank lines end.
        counts : tuple
            The records that there are, and how many of them the engine does not read.
        """
        held, missing = counts
        begins, codes = np.append(0, bounds[:-1]), np.frombuffer(content, np.uint8)
        separators, ends = _find_separators(content, file)
        values = 1 + np.searchsorted(separators, bounds) - np.searchsorted(separators, begins)
        is_blank = np.isin(codes[begins], np.frombuffer(b"\r\n", np.uint8)) & (self._columns > 1)
        is_misfit = (values != self._columns) & ~is_blank
        sizes = bounds - begins
        is_within = np.repeat(is_misfit, sizes)
        misfits = codes[is_within].tobytes()
        is_exact = np.count_nonzero(is_misfit) == missing and not self._read(file, misfits)
        if not is_exact or self._read(file, codes[~is_within].tobytes()) != held - missing:
            return False
        self._parts += 1
        self.count += missing
        places = begins[is_misfit]
        first = line + np.searchsorted(ends, places[: self._most_places - len(self.first)])
        self.first += [RecordPlace(number, called) for number in first.tolist()]
        self._keep_lines(places, np.append(0, np.cumsum(sizes[is_misfit])), misfits)
        return True

    def _keep_lines(self, places: NDArray[np.intp], bounds: NDArray[np.intp], lines: bytes) -> None:
        """Keep some lines, which stand one behind the other."""
        import pyarrow as pa

        offsets = pa.py_buffer(bounds.astype(np.int32))
        texts = pa.StringArray.from_buffers(len(places), offsets, pa.py_buffer(lines))
        with self._store.register_arrays("misfits", pa.table({"position": places, "line": texts})) as name:
            listed = table(name, column("position"), column("line"))
            text = func.trim(listed.c.line, "\r\n")
            self._store.run(append_rows(self._lines, select(literal(self._parts), listed.c.position, text)))

    def _keep_whole(self, file: SourceFile, content: bytes, line: int, called: Path | None) -> None:
        """Collect one rejected record without the engine, which would need too much memory for it."""
        text = content.decode().strip("\r\n")
        before = len(content) - len(content.lstrip(b"\r\n"))
        self._parts += 1
        self.count += 1
        if len(self.first) < self._most_places:
            self.first.append(RecordPlace(line + _count_line_ends(content[:before], file), called))
        self._store.run(append_rows(self._lines, select(literal(self._parts), literal(0), literal(text))))

    def _note_places(self, file: SourceFile, content: bytes, line: int, called: Path | None, rejected: Query) -> None:
        first = rejected.order_by("line_byte_position").limit(self._most_places - len(self.first))
        for position, text in self._store.rows(first):
            begin = position - 1
            begin += len(text) - len(text.lstrip("\r\n"))
            self.first.append(RecordPlace(line + _count_line_ends(content[:begin], file), called))


def _cut_pieces(content: bytes, file: SourceFile) -> Iterator[TextPiece]:
    return cut_pieces(io.BytesIO(content), file.text.separator.encode(), CHARACTERS_PER_LINE)


def _cut_groups(text: IO[bytes], file: SourceFile) -> Iterator[tuple[bytes, int]]:
    """Cut a file into groups of whole records, without its header, each with the number of its first line."""
    group, first, is_header = b"", 1, file.given.header
    for piece in cut_pieces(text, file.text.separator.encode(), CHARACTERS_PER_LINE):
        ends = piece.record_ends
        cut = int(ends[-1]) + 1 if len(ends) else 0
        group += piece.content[:cut]
        if cut and is_header:
            header = _measure_header(group, file)
            is_header = header is None
            if header is not None:
                first += _count_line_ends(group[:header], file)
                group = group[header:]
        if cut and not is_header and len(group) > _GROUP:
            yield group, first
            group, first = b"", piece.find_byte_line(cut)
        group += piece.content[cut:]
    if group and not is_header:
        yield group, first


def _find_bounds(content: bytes, file: SourceFile) -> NDArray[np.intp]:
    """Find where records and blank lines end."""
    ends = [piece.record_ends + piece.start + 1 for piece in _cut_pieces(content, file)]
    bounds: NDArray[np.intp] = np.concatenate([*ends, [len(content)]])
    return bounds[:-1] if len(bounds) > 1 and bounds[-2] == len(content) else bounds


def _find_separators(content: bytes, file: SourceFile) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Find where the separators between values stand, and the last bytes of all line ends."""
    separators, ends = [np.empty(0, np.intp)], [np.empty(0, np.intp)]
    first, *others = file.text.separator.encode()
    for piece in _cut_pieces(content, file):
        codes = np.frombuffer(piece.content, np.uint8)
        found = np.flatnonzero(codes[: len(codes) - len(others)] == first)
        for distance, code in enumerate(others, start=1):
            found = found[codes[found + distance] == code]
        is_quoted = (np.searchsorted(piece.toggles, found) + piece.begins_quoted) % 2 == 1
        separators.append(found[~is_quoted] + piece.start)
        ends.append(piece.ends + piece.start)
    return np.concatenate(separators), np.concatenate(ends)


def _measure_header(content: bytes, file: SourceFile) -> int | None:
    """Return the length of the header in bytes, with the lines before it; None if there are more of them."""
    begin, bounds = 0, map(int, _find_bounds(content, file))
    for end in bounds:
        if content[begin:end].strip(b"\r\n"):
            return int(end)
        begin = end
    return None


def _count_line_ends(content: bytes, file: SourceFile) -> int:
    return sum(len(piece.ends) for piece in _cut_pieces(content, file))


def _open_quote(path: Path, line: int, what: str) -> InputError:
    """Return the error that a quoted value goes on where it should not.

    Parameters
    ----------
    what : str
        What the quote does, such as ``never closes``.
    """
    remedy = 'Close it, or double a quote that belongs to the value: "".'
    return InputError(f"{path}, line {line}: a quote opens here and {what}. {remedy}")
