"""Delimited text as a source: any separator, encoding and line ending, compressed or not, in one file or several."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any

from sqlalchemy import FromClause, Select, String, Subquery, and_, cast, column, func, select, table, union_all

from toolbox.config.inputs import input_files
from toolbox.config.model import Input
from toolbox.errors import InputError
from toolbox.store.compressed import open_binary
from toolbox.store.engine_errors import MixedLineEndingsError
from toolbox.store.source import FIRST_PLACES, Place, Rejects, Source, require_same_columns, several
from toolbox.store.statements import CHARACTERS_PER_LINE, CreateEnumeration, files_of_rejects, read_delimited
from toolbox.store.store import Store
from toolbox.store.text_file import (
    UNIT_SEPARATOR,
    FirstRecord,
    TextFile,
    check_readable,
    first_record,
    holds_any,
    line_endings,
    readable_copy,
    with_one_line_ending,
    wrong_encoding,
)

_CHUNK = 1 << 20


@dataclass(frozen=True)
class _File:
    """One file of the input."""

    given: Input
    text: TextFile
    skip: int
    """Lines before the header."""
    line_feed: bool = False
    """Whether every line is known to end with a line feed."""


class DelimitedSource(Source):
    """Delimited text: every column is text; lines that do not fit are rejected and kept aside.

    Parameters
    ----------
    given : Input
    store : Store
    paths : sequence of Path, optional
        The files of the input, if they are listed already.
    """

    place = "line"

    def __init__(self, given: Input, store: Store, paths: Sequence[Path] | None = None) -> None:
        self._given = given
        self._store = store
        self._folder = store.folder / store.fresh("input")
        self._folder.mkdir()
        inputs = [replace(given, path=path, more=()) for path in paths or input_files(given)]
        for one in inputs:
            check_readable(one.path, alone=len(inputs) == 1)
        # File by file: thousands of them are never open at once.
        first = first_record(inputs[0])
        self._files = [self._file(number, one, first, inputs[0]) for number, one in enumerate(inputs)]
        name = several([one.path for one in inputs])
        super().__init__(name, first.values if given.header else None, [None] * len(first.values))
        self._rejects: str | None = None
        self._is_unified = False

    def _file(self, number: int, given: Input, first: FirstRecord, first_input: Input) -> _File:
        own = first
        if number:
            own = first_record(given)
            require_same_columns(given.path, own.values, first_input.path, first.values, named=given.header)
        text = readable_copy(given, self._folder / f"{number:06}.csv")
        # The engine would take an empty line for the header.
        file = _File(given, text, own.blank_lines if given.header else 0)
        if own.ending == own.first_ending:
            return file
        # The engine would go by the first line end, which stands within quotes and is of another kind.
        return replace(file, line_feed=True) if own.ending == "\n" else self._unified(number, file)

    def relation(self) -> FromClause:
        self._rejects = self._store.fresh("rejects")
        return self._read(self._rejects)

    def _read(
        self,
        rejects: str,
        types: Mapping[int, str] | None = None,
        null_text: str = "",
        only: Sequence[_File] | None = None,
    ) -> FromClause:
        """Read all files, or only some, in their order, neighbours of one form together."""
        readings = [
            read_delimited(
                [file.text.path for file in files],
                columns=self.width,
                separator=self._files[0].text.separator,
                header=self._given.header,
                skip=skip,
                rejects=rejects,
                types=types,
                null_text=null_text,
                line_feed=line_feed,
            )
            for (skip, line_feed), files in groupby(only or self._files, key=lambda file: (file.skip, file.line_feed))
        ]
        if len(readings) == 1:
            return readings[0]
        return union_all(*(select(*reading.c) for reading in readings)).subquery("input")

    def unify_line_endings(self) -> None:
        endings = [line_endings(file.text.path) for file in self._files]
        known = any(len(found) > 1 for found in endings)
        self._is_unified = True
        self._files = [
            self._unified(number, file) if len(found) > 1 or not known else replace(file, line_feed=found == {"\n"})
            for number, (file, found) in enumerate(zip(self._files, endings, strict=True))
        ]

    def _unified(self, number: int, file: _File) -> _File:
        copy = with_one_line_ending(file.text, self._folder / f"unified_{number:06}.csv")
        return replace(file, text=copy, line_feed=True)

    def rejects(self) -> Rejects:
        if self._rejects is None:
            return Rejects()
        tables = [_rejects_table(name) for name in (self._rejects, self._open_quotes()) if name is not None]
        errors = union_all(*(select(*one.c) for one in tables)).subquery()
        found = self._store.rows(
            select(
                errors.c.file_path,
                errors.c.line_byte_position,
                func.any_value(errors.c.csv_line),
                func.any_value(errors.c.error_type),
            )
            .group_by(errors.c.file_path, errors.c.line_byte_position)
            .order_by(errors.c.line_byte_position)
        )
        lines = []
        for file, found_there in self._by_file(found):
            places = self._line_places(file, [(position, text) for position, text, _ in found_there])
            for place, (_, text, kind) in zip(places, found_there, strict=True):
                self._refuse_lost_text(file, place.number, kind, text)
                lines.append((place, text.strip("\r\n")))
        return Rejects(tuple(lines))

    def _open_quotes(self) -> str | None:
        """Find the quotes that never close, where the engine has kept silent about them; return a table of rejects.

        It does so if there are more than two files for each of its threads, and with such a quote it loses the rest of
        a file. So files that hold quotes are looked through a few at a time.
        """
        together = 2 * int(self._store.scalar(select(func.current_setting("threads"))))
        if len(self._files) <= together:
            return None
        quoting = [file for file in self._files if holds_any(file.text.path, b'"')]
        if not quoting:
            return None
        rejects = self._store.fresh("open_quotes")
        for start in range(0, len(quoting), together):
            relation = self._read(rejects, only=quoting[start : start + together])
            self._store.scalar(select(func.count()).select_from(relation))
        return rejects

    def _by_file(self, found: Iterable[Sequence[Any]]) -> list[tuple[_File, list[Sequence[Any]]]]:
        """Sort rows that begin with the engine's name of a file into the files, in their order."""
        rows: dict[str, list[Sequence[Any]]] = {}
        for path, *row in found:
            rows.setdefault(path, []).append(row)
        return [(file, rows[str(file.text.path)]) for file in self._files if str(file.text.path) in rows]

    def _refuse_lost_text(self, file: _File, line: int, kind: str, text: str) -> None:
        """Stop where a rejected line is a sign that much more than a line is lost."""
        place = f"{file.given.path}, line {line}"
        if kind == "INVALID ENCODING":
            raise wrong_encoding(file.given)
        if kind == "LINE SIZE OVER MAXIMUM":
            limit = f"{CHARACTERS_PER_LINE // 1_000_000} MB"
            raise InputError(f"{place}: is longer than {limit}. Does a line end or a quote lack?")
        if kind != "UNQUOTED VALUE":
            return
        if text.count('"') % 2:
            raise InputError(
                f"{place}: a quote opens here and never closes. Close it, or double a quote that "
                'belongs to the value: "".'
            )
        if "\n" in text.strip("\r\n") and not self._is_unified:
            # Behind a closing quote the engine takes the other kind of line end for text.
            raise MixedLineEndingsError(f"{place}: lines end in more than one way.")

    def _line_places(self, file: _File, found: Sequence[tuple[int, str]]) -> list[Place]:
        """Turn byte positions in one file, from 1 and ascending, into places.

        The engine's own line numbers do not count line ends within quotes. Its positions are those of the line ends
        that stand before a rejected line.
        """
        places: list[Place] = []
        line, read = 1, 0
        with open_binary(file.text.path, file.given.path) as source:
            start = source.read(_CHUNK)
        line_end = b"\n" if b"\n" in start or b"\r" not in start else b"\r"
        with open_binary(file.text.path, file.given.path) as source:
            for position, text in found:
                while read < position - 1 and (chunk := source.read(min(_CHUNK, position - 1 - read))):
                    line += chunk.count(line_end)
                    read += len(chunk)
                leading = text[: len(text) - len(text.lstrip("\r\n"))].count(line_end.decode())
                places.append(Place(line + leading, file.given.path if len(self._files) > 1 else None))
        return places

    def places(self, position: int, known: Select[str]) -> list[Place]:
        # A type that knows only these texts makes the reader reject every other value, and say where it stands.
        rejects, kind = self._store.fresh("faulty"), self._store.fresh("known")
        self._store.run(CreateEnumeration(kind, known))
        relation = self._read(rejects, types={position: kind}, null_text=UNIT_SEPARATOR)
        self._store.scalar(select(func.max(cast(relation.c[f"c{position}"], String))))
        errors = _rejects_table(rejects).c
        nth = func.row_number().over(partition_by=errors.file_path, order_by=errors.line_byte_position)
        wrong = select(*errors, nth.label("nth")).where(errors.error_type == "CAST").subquery().c
        found = self._store.rows(
            select(wrong.file_path, wrong.line_byte_position, wrong.csv_line)
            .where(wrong.nth <= FIRST_PLACES)
            .order_by(wrong.line_byte_position)
        )
        places: list[Place] = []
        for file, found_there in self._by_file(found):
            if len(places) < FIRST_PLACES:
                places += self._line_places(file, [(place, text) for place, text in found_there])
        return places[:FIRST_PLACES]


def _rejects_table(name: str) -> Subquery:
    """Select the lines that the engine has rejected, each with the name of its file."""
    keys = "scan_id", "file_id"
    errors = table(name, *map(column, (*keys, "line_byte_position", "error_type", "csv_line")))
    files = table(files_of_rejects(name), *map(column, (*keys, "file_path")))
    same = and_(*(errors.c[key] == files.c[key] for key in keys))
    shown = (errors.c[name] for name in ("line_byte_position", "error_type", "csv_line"))
    return select(files.c.file_path, *shown).join_from(errors, files, same).subquery()
