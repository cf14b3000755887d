"""Delimited text as a source: any separator, encoding and line ending, compressed or not, in one file or several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby, islice
from pathlib import Path

from sqlalchemy import FromClause, Select, func, select, union_all

from toolbox.config.inputs import input_files
from toolbox.config.model import Input
from toolbox.errors import InputError
from toolbox.store.rejected import RejectedLines
from toolbox.store.source import FIRST_PLACES, Account, Place, Rejects, Source, require_same_columns, several, where
from toolbox.store.statements import read_delimited
from toolbox.store.store import Store
from toolbox.store.survey import Survey, survey
from toolbox.store.text_file import (
    FirstRecord,
    SourceFile,
    TextFile,
    check_readable,
    first_record,
    lines_with,
    readable_copy,
    with_one_line_end,
)


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
        self._surveys: list[Survey] = []
        self._rejected = RejectedLines(store, self._files)
        name = several([one.path for one in inputs])
        super().__init__(name, first.values if given.header else None, [None] * len(first.values))

    def _file(self, number: int, given: Input, first: FirstRecord, first_input: Input) -> SourceFile:
        own = first
        if number:
            own = first_record(given)
            require_same_columns(given.path, own.values, first_input.path, first.values, named=given.header)
        text = readable_copy(given, self._folder / f"{number:06}.csv")
        self._store.gate.admit(text.path)
        # The engine would take an empty line for the header.
        return SourceFile(given, text, own.blank_lines if given.header else 0)

    def relation(self) -> FromClause:
        if not self._surveys:
            self._survey()
        self._rejected = RejectedLines(self._store, self._files)
        return self._read(self._rejected)

    def _survey(self) -> None:
        """Count what stands in each file, and give all its records one kind of line end, as the engine wants it."""
        for number, file in enumerate(self._files):
            found = survey(file.text.path, file.text.separator, file.given.path)
            self._surveys.append(found)
            if len(found.endings) > 1:
                text = with_one_line_end(file.text, self._folder / f"unified_{number:06}.csv")
                self._files[number] = replace(file, text=text, line_end="\n")
            else:
                self._files[number] = replace(file, line_end=next(iter(found.endings), None))

    def _read(
        self,
        rejected: RejectedLines,
        *,
        header: bool | None = None,
    ) -> FromClause:
        """Read files in their order, neighbours of one form together."""
        readings = [
            read_delimited(
                [file.text.path for file in files],
                columns=self.width,
                separator=self._files[0].text.separator,
                header=self._given.header if header is None else header,
                skip=skip,
                rejects=rejected.name,
                line_end=line_end,
            )
            for (skip, line_end), files in groupby(rejected.files, key=lambda file: (file.skip, file.line_end))
        ]
        if len(readings) == 1:
            return readings[0]
        return union_all(*(select(*reading.c) for reading in readings)).subquery("input")

    def is_plain(self, separator: str) -> bool:
        is_known = len(separator) == 1 and separator == self._given.separator and bool(self._surveys)
        return is_known and all(found.is_plain for found in self._surveys)

    def account(self, read: int) -> Account:
        rejects = self._rejected.rejects()
        held = [self._held(file, found) for file, found in zip(self._files, self._surveys, strict=True)]
        if read + rejects.count != sum(records for records, _ in held):
            raise self._lost()
        # Where nothing fits, whoever reads says so.
        if read and rejects.count > (allowed := self._given.reject_limit(read + rejects.count)):
            raise self._too_many(rejects, read, allowed)
        return Account(rejects, sum(blank for _, blank in held))

    def _held(self, file: SourceFile, found: Survey) -> tuple[int, int]:
        """Tell how many records and how many blank lines a file holds, the header aside."""
        records = found.records - self._given.header
        # Where there is only one column, an empty line is a record without a value.
        return (records, found.blank) if self.width > 1 else (records + found.blank - file.skip, file.skip)

    def _lost(self) -> InputError:
        """Say where the engine reads other records than stand there."""
        from toolbox.store.difference import first_difference

        for file in self._files:
            line = first_difference(file.text.path, file.text.separator, partial(self._agrees, file))
            if line is not None:
                place = f"{file.given.path}, line {line}"
                return InputError(f"{place}: where this record ends cannot be told. Is a quote or a line end wrong?")
        remedy = "Are its quotes and line ends right? Otherwise try it in smaller files."
        return InputError(f"{self.name}: not all of its records could be read. {remedy}")

    def _agrees(self, file: SourceFile, content: bytes, found: Survey) -> bool:
        """Tell whether the engine reads all records of some lines of a file."""
        path = file.text.path.with_name(f"part_of_{file.text.path.name}")
        path.write_bytes(content)
        part = replace(file, text=TextFile(path, file.text.separator), skip=0)
        rejected = RejectedLines(self._store, [part])
        lines = self._read(rejected, header=False)
        read = int(self._store.scalar(select(func.count()).select_from(lines))) + rejected.count()
        path.unlink()
        return read == found.records + (found.blank if self.width == 1 else 0)

    def _too_many(self, rejects: Rejects, read: int, allowed: int) -> InputError:
        more = ", ..." if rejects.count > len(rejects.first) else ""
        found = f"{rejects.count:,} of {read + rejects.count:,} lines have not as many values as the first one"
        remedy = "Mend them, check separator and header, or allow more with maxRejects (--max-rejects)."
        places = where(self.place, rejects.first)
        return InputError(f"{self.name}: {found} ({places}{more}), and {allowed:,} may be left out. {remedy}")

    def places(self, position: int, known: Select[str]) -> list[Place]:
        # The engine finds the first texts, and the lines are looked up beside it: would it reject every other value, it
        # would keep a kilobyte for each, outside its memory limit.
        text = func.coalesce(self._read(RejectedLines(self._store, self._files)).c[f"c{position}"], "")
        rows = select(text.label("text"), func.row_number().over().label("row")).subquery()
        first = select(rows.c.text).where(rows.c.text.not_in(known)).order_by(rows.c.row).limit(FIRST_PLACES)
        texts = {text for (text,) in self._store.rows(first)}
        several = len(self._files) > 1
        found = (
            Place(line, file.given.path if several else None)
            for file in self._files
            for line in lines_with(file, self.width, position, texts)
        )
        return list(islice(found, FIRST_PLACES)) if texts else []
