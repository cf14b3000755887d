"""Delimited text as a source: any separator, encoding and line ending, gzip or not."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import FromClause, Select, String, TableClause, cast, column, func, select, table

from toolbox.config.model import Input
from toolbox.errors import InputError
from toolbox.store.source import FIRST_PLACES, Rejects, Source
from toolbox.store.statements import CHARACTERS_PER_LINE, CreateEnumeration, read_delimited
from toolbox.store.store import MixedLineEndingsError, Store
from toolbox.store.text_file import (
    UNIT_SEPARATOR,
    check_readable,
    first_record,
    open_binary,
    readable_copy,
    with_one_line_ending,
    wrong_encoding,
)

_CHUNK = 1 << 20


class DelimitedSource(Source):
    """Delimited text: every column is text; lines that do not fit are rejected and kept aside."""

    place = "line"

    def __init__(self, given: Input, store: Store) -> None:
        self._given = given
        self._store = store
        check_readable(given.path)
        first = first_record(given)
        self._file = readable_copy(given, store.folder)
        self._blank_lines = first.blank_lines
        super().__init__(str(given.path), first.values if given.header else None, [None] * len(first.values))
        self._rejects: str | None = None
        self._is_unified = False

    def relation(self) -> FromClause:
        self._rejects = self._store.fresh("rejects")
        return self._read(self._rejects)

    def _read(self, rejects: str, types: dict[int, str] | None = None, null_text: str = "") -> FromClause:
        return read_delimited(
            self._file.path,
            columns=self.width,
            separator=self._file.separator,
            header=self._given.header,
            # The engine would take an empty line for the header.
            skip=self._blank_lines if self._given.header else 0,
            compressed=self._file.compressed,
            rejects=rejects,
            types=types,
            null_text=null_text,
            line_feed=self._is_unified,
        )

    def unify_line_endings(self) -> None:
        self._file = with_one_line_ending(self._file, self._store.folder / "unified.csv")
        self._is_unified = True

    def rejects(self) -> Rejects:
        if self._rejects is None:
            return Rejects()
        errors = _rejects_table(self._rejects)
        found = self._store.rows(
            select(errors.c.line_byte_position, func.any_value(errors.c.error_type), func.any_value(errors.c.csv_line))
            .group_by(errors.c.line_byte_position)
            .order_by(errors.c.line_byte_position)
        )
        numbers = self._line_numbers([(place, text) for place, _, text in found])
        for number, (_, kind, text) in zip(numbers, found, strict=True):
            self._refuse_lost_text(number, kind, text)
        return Rejects(tuple((number, text.strip("\r\n")) for number, (_, _, text) in zip(numbers, found, strict=True)))

    def _refuse_lost_text(self, line: int, kind: str, text: str) -> None:
        """Stop where a rejected line is a sign that much more than a line is lost."""
        if kind == "INVALID ENCODING":
            raise wrong_encoding(self._given)
        if kind == "LINE SIZE OVER MAXIMUM":
            limit = f"{CHARACTERS_PER_LINE // 1_000_000} MB"
            raise InputError(f"{self.name}, line {line}: is longer than {limit}. Does a line end or a quote lack?")
        if kind != "UNQUOTED VALUE":
            return
        if text.count('"') % 2:
            raise InputError(
                f"{self.name}, line {line}: a quote opens here and never closes. Close it, or double a quote that "
                'belongs to the value: "".'
            )
        if "\n" in text.strip("\r\n") and not self._is_unified:
            # Behind a closing quote the engine takes the other kind of line end for text.
            raise MixedLineEndingsError(f"{self.name}, line {line}: lines end in more than one way.")

    def _line_numbers(self, found: Sequence[tuple[int, str]]) -> list[int]:
        """Turn byte positions, from 1 and ascending, into line numbers.

        The engine's own line numbers do not count line ends within quotes. Its positions are those of the line ends
        that stand before a rejected line.
        """
        if not found:
            return []
        numbers: list[int] = []
        line, read = 1, 0
        with open_binary(self._file.path, self._given.path) as source:
            start = source.read(_CHUNK)
            line_end = b"\n" if b"\n" in start or b"\r" not in start else b"\r"
            source.seek(0)
            for place, text in found:
                while read < place - 1 and (chunk := source.read(min(_CHUNK, place - 1 - read))):
                    line += chunk.count(line_end)
                    read += len(chunk)
                leading = text[: len(text) - len(text.lstrip("\r\n"))].count(line_end.decode())
                numbers.append(line + leading)
        return numbers

    def places(self, position: int, known: Select[str]) -> list[int]:
        # A type that knows only these texts makes the reader reject every other value, and say where it stands.
        rejects, kind = self._store.fresh("faulty"), self._store.fresh("known")
        self._store.run(CreateEnumeration(kind, known))
        relation = self._read(rejects, types={position: kind}, null_text=UNIT_SEPARATOR)
        self._store.scalar(select(func.max(cast(relation.c[f"c{position}"], String))))
        errors = _rejects_table(rejects)
        found = self._store.rows(
            select(errors.c.line_byte_position, errors.c.csv_line)
            .where(errors.c.error_type == "CAST")
            .order_by(errors.c.line_byte_position)
            .limit(FIRST_PLACES)
        )
        return self._line_numbers([(place, text) for place, text in found])


def _rejects_table(name: str) -> TableClause:
    """Describe the table in which the engine keeps rejected lines."""
    return table(name, column("line_byte_position"), column("error_type"), column("csv_line"))
