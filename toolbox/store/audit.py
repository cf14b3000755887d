"""Finding the records of a text that the engine does not read: rejected lines, and lines that would be lost.

The engine keeps a kilobyte for each line that it rejects, outside its memory limit. So the engine is asked for them
only where some are missing, and for a few thousand at a time. The module needs numpy.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import IO, Final

import numpy as np
from sqlalchemy import FromClause, Integer, String, cast, column, false, func, literal, null, select, table

from toolbox.errors import InputError
from toolbox.queries.dialect import any_value
from toolbox.queries.query import Query
from toolbox.store.compressed import open_binary
from toolbox.store.counting import count_text
from toolbox.store.lines import Piece, pieces
from toolbox.store.source import FIRST_PLACES, Place, Rejects
from toolbox.store.statements import CHARACTERS_PER_LINE, append
from toolbox.store.store import Store
from toolbox.store.text_file import SourceFile

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
        self.first: list[Place] = []
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
            for content, line in _groups(text, file):
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
        self._part.write_bytes(content)
        read = int(self._store.scalar(select(func.count()).select_from(self._records(file))))
        missing = held - read
        if not missing:
            return
        bounds = _bounds(content, file)
        longest = max(end - begin for begin, end in pairwise([0, *bounds]))
        is_little = missing * (self._columns * longest + _PER_LINE) <= _MOST_KEPT
        if missing > 0 and is_little and self._keeps(file, content, line, called, missing):
            return
        if held == missing == 1:
            self._keep_whole(file, content, line, called)
            return
        if len(bounds) == 1:
            problem = "where this record ends cannot be told. Is a quote or a line end wrong?"
            raise InputError(f"{file.given.path}, line {line}: {problem}")
        middle = bounds[len(bounds) // 2 - 1]
        self._compare(file, content[:middle], line, called)
        self._compare(file, content[middle:], line + _line_ends(content[:middle], file), called)

    def _records(self, file: SourceFile, rejects: str | None = None) -> FromClause:
        return self._reading(self._part, file.line_end, rejects)

    def _keeps(self, file: SourceFile, content: bytes, line: int, called: Path | None, missing: int) -> bool:
        """Collect the lines that the engine rejects; return False if these are not exactly the missing ones."""
        name = self._store.fresh("rejects")
        self._store.scalar(select(func.count()).select_from(self._records(file, name)))
        listed = table(name, column("line_byte_position"), column("csv_line"))
        position = listed.c.line_byte_position
        # The engine lists a line once for every value that it lacks, and may put line ends before its text.
        text = any_value(listed.c.csv_line)
        rejected = self._store.create("rejects", select(position, text.label("line")).group_by(position))
        if self._store.count(rejected) != missing:
            self._store.drop(rejected)
            return False
        self._parts += 1
        self.count += missing
        if len(self.first) < self._most_places:
            self._note_places(file, content, line, called, rejected.select())
        rows = select(literal(self._parts), rejected.c.line_byte_position, func.trim(rejected.c.line, "\r\n"))
        self._store.run(append(self._lines, rows))
        self._store.drop(rejected)
        return True

    def _keep_whole(self, file: SourceFile, content: bytes, line: int, called: Path | None) -> None:
        """Collect one rejected record without the engine, which would need too much memory for it."""
        text = content.decode().strip("\r\n")
        before = len(content) - len(content.lstrip(b"\r\n"))
        self._parts += 1
        self.count += 1
        if len(self.first) < self._most_places:
            self.first.append(Place(line + _line_ends(content[:before], file), called))
        self._store.run(append(self._lines, select(literal(self._parts), literal(0), literal(text))))

    def _note_places(self, file: SourceFile, content: bytes, line: int, called: Path | None, rejected: Query) -> None:
        first = rejected.order_by("line_byte_position").limit(self._most_places - len(self.first))
        for position, text in self._store.rows(first):
            begin = position - 1
            begin += len(text) - len(text.lstrip("\r\n"))
            self.first.append(Place(line + _line_ends(content[:begin], file), called))


def _pieces(content: bytes, file: SourceFile) -> Iterator[Piece]:
    return pieces(io.BytesIO(content), file.text.separator.encode(), CHARACTERS_PER_LINE)


def _groups(text: IO[bytes], file: SourceFile) -> Iterator[tuple[bytes, int]]:
    """Cut a file into groups of whole records, without its header, each with the number of its first line."""
    group, first, is_header = b"", 1, file.given.header
    for piece in pieces(text, file.text.separator.encode(), CHARACTERS_PER_LINE):
        ends = piece.record_ends
        cut = int(ends[-1]) + 1 if len(ends) else 0
        group += piece.content[:cut]
        if cut and is_header:
            header = _header_size(group, file)
            is_header = header is None
            if header is not None:
                first += _line_ends(group[:header], file)
                group = group[header:]
        if cut and not is_header and len(group) > _GROUP:
            yield group, first
            group, first = b"", piece.line_of(cut)
        group += piece.content[cut:]
    if group and not is_header:
        yield group, first


def _bounds(content: bytes, file: SourceFile) -> list[int]:
    """List where records and blank lines end."""
    ends = np.concatenate([[0], *(piece.record_ends + piece.start + 1 for piece in _pieces(content, file))])
    bounds: list[int] = np.unique(np.append(ends[1:], len(content))).tolist()
    return bounds


def _header_size(content: bytes, file: SourceFile) -> int | None:
    """Return the length of the header in bytes, with the lines before it; None if there are more of them."""
    begin = 0
    for end in _bounds(content, file):
        if content[begin:end].strip(b"\r\n"):
            return end
        begin = end
    return None


def _line_ends(content: bytes, file: SourceFile) -> int:
    return sum(len(piece.ends) for piece in _pieces(content, file))
