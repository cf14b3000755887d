"""Delimited text as a source: any separator, encoding and line ending, compressed or not; no record is lost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby, islice
from pathlib import Path

from sqlalchemy import FromClause, Select, func, select, union_all

from toolbox.config.file_names import list_input_files
from toolbox.config.model import Input
from toolbox.errors import InputError
from toolbox.messages import choose_setting_name
from toolbox.store.engine.statements import CHARACTERS_PER_LINE, read_delimited
from toolbox.store.engine.store import Store
from toolbox.store.input.formats.first_bytes import detect_compression, open_binary, require_known
from toolbox.store.input.source import (
    FIRST_PLACES,
    Account,
    FolderColumns,
    RecordPlace,
    Rejects,
    Source,
    format_input_name,
    format_places,
    require_same_columns,
)
from toolbox.store.input.text_file import (
    FirstRecord,
    SourceFile,
    Survey,
    TextFile,
    check_readable,
    find_lines,
    find_misreading,
    make_readable_copy,
    read_first_record,
    require_encoding,
)

# Counting the records of a text file from its bytes: the engine must read as many.

_SHORT = 1 << 20
"""Bytes of a text that is counted at once."""


def count_records(path: Path, separator: str, called: Path | None = None) -> Survey:
    """Count the records of a file.

    Parameters
    ----------
    path : Path
        Text in UTF-8, also gzip or zstd.
    separator : str
    called : Path, optional
        What messages call it.

    Raises
    ------
    InputError
        If a quote never closes, a record is longer than the engine reads, or a compressed file is damaged.
    """
    with open_binary(path, called) as text:
        content = text.read(_SHORT + 1)
    if len(content) <= _SHORT and not any(special in content for special in (b'"', b"\r", b"\xef\xbb\xbf")):
        return _count_lines(content)
    # Not before: numpy takes longer to load than a small table to anonymise.
    from toolbox.store.input.text_count import count_plain_lines, count_text

    if detect_compression(path) is None and (surveyed := count_plain_lines(path)) is not None:
        return surveyed
    with open_binary(path, called) as text:
        return count_text(text, separator, called or path)


def _count_lines(content: bytes) -> Survey:
    """Count the lines of a text without quotes and carriage returns."""
    *lines, rest = content.split(b"\n")
    blank = lines.count(b"")
    records = len(lines) - blank + bool(rest)
    return Survey(records, blank, {"\n": len(lines)} if lines else {}, is_plain=b"#" not in content)


# Delimited text as a source: any separator, encoding and line ending, compressed or not, in one file or several.


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

    def __init__(self, declared: Input, store: Store, paths: Sequence[Path] | None = None) -> None:
        self._given = declared
        self._store = store
        self._folder = store.folder / store.fresh("input")
        self._folder.mkdir()
        inputs = [replace(declared, path=path, more=()) for path in paths or list_input_files(declared)]
        for file in inputs:
            check_readable(file.path, alone=len(inputs) == 1)
            require_known(file.path)
        # File by file: thousands of them are never open at once.
        first = read_first_record(inputs[0])
        self._told = FolderColumns()
        if declared.header:
            self._told = FolderColumns.find(declared, [file.path for file in inputs], first.values)
        self._own_width = len(first.values)
        self._files = [self._file(index, file, first, inputs[0]) for index, file in enumerate(inputs)]
        self._surveys: list[Survey] = []
        name = format_input_name([file.path for file in inputs])
        headers = (*first.values, *self._told.names)
        super().__init__(name, headers if declared.header else None, [None] * len(headers))

    def _file(self, index: int, declared: Input, first: FirstRecord, first_input: Input) -> SourceFile:
        own = first
        if index:
            own = read_first_record(declared)
            require_same_columns(declared.path, own.values, first_input.path, first.values, named=declared.header)
        text = make_readable_copy(declared, self._told.place(self._folder, index) / f"{index:06}.csv")
        self._store.gate.admit(text.path)
        # The engine would take an empty line for the header.
        return SourceFile(declared, text, own.blank_lines if declared.header else 0)

    def explain_misreading(self, names: Sequence[str], least: int) -> tuple[str, str] | None:
        return find_misreading(self._files[0].given, names, least)

    def relation(self) -> FromClause:
        if not self._surveys:
            self._count_file_records()
        return self._read()

    @property
    def expected_records(self) -> int:
        return sum(survey.records for survey in self._surveys)

    def _count_file_records(self) -> None:
        """Count the records of each file, and make all line ends of a file the same, as the engine needs it."""
        for index, file in enumerate(self._files):
            surveyed = count_records(file.text.path, file.text.separator, file.given.path)
            self._surveys.append(surveyed)
            if len(surveyed.endings) > 1:
                text = _unify_line_ends(file.text, file.text.path.with_name(f"unified_{index:06}.csv"))
                self._files[index] = replace(file, text=text, line_end="\n")
            else:
                self._files[index] = replace(file, line_end=next(iter(surveyed.endings), None))

    def _read(self) -> FromClause:
        """Read all files in their order, neighbours of the same form together. Lines that do not fit are skipped."""
        readings = [
            read_delimited(
                [file.text.path for file in files],
                columns=self._own_width,
                separator=self._files[0].text.separator,
                header=self._given.header,
                skip=skip,
                line_end=line_end,
                told=len(self._told.names),
            )
            for (skip, line_end), files in groupby(self._files, key=lambda file: (file.skip, file.line_end))
        ]
        if len(readings) == 1:
            return readings[0]
        return union_all(*(select(*reading.c) for reading in readings)).subquery("input")

    @property
    def _is_one_of_several(self) -> bool:
        return len(self._files) > 1

    def is_plain(self, separator: str) -> bool:
        is_known = len(separator) == 1 and separator == self._given.separator and bool(self._surveys)
        # A folder may be called by any text.
        return is_known and not self._told.names and all(survey.is_plain for survey in self._surveys)

    def account(self, read: int, *, is_strict: bool = False) -> Account:
        held = [self._held(file, survey) for file, survey in zip(self._files, self._surveys, strict=True)]
        records, blank = (sum(counts) for counts in zip(*held, strict=True))
        missing = records - read
        if not missing:
            return Account(blank=blank)
        self.require_encoding()
        if not read:
            # No line fits the first one. The caller has a message for that.
            return Account(Rejects(missing), blank)
        allowed = 0 if is_strict else self._given.reject_limit(records)
        return Account(self._find_rejects(missing, records, allowed, is_strict=is_strict), blank)

    def require_encoding(self) -> None:
        for file in self._files:
            require_encoding(file.given)

    def _held(self, file: SourceFile, survey: Survey) -> tuple[int, int]:
        """Count the records and the blank lines of a file, without the header."""
        records = survey.records - self._given.header
        # Where there is only one column, an empty line is a record without a value.
        return (records, survey.blank) if self._own_width > 1 else (records + survey.blank - file.skip, file.skip)

    def _find_rejects(self, missing: int, records: int, allowed: int, *, is_strict: bool) -> Rejects:
        """Find the lines that the engine has rejected. If there are none, no record may be missing."""
        from toolbox.store.input.text_count import Audit

        is_too_much = missing > allowed
        until = FIRST_PLACES if is_too_much else None
        audit = Audit(self._store, self._folder, self._part, self._own_width, until=until, most_places=self.most_places)
        for file in self._files:
            audit.look_through(file, file.given.path if self._is_one_of_several else None)
        if is_too_much and audit.count:
            more = ", ..." if missing > len(audit.first) else ""
            places = f"{format_places(self.place, audit.first)}{more}"
            misfits = f"{missing:,} of {records:,} lines have not as many values as the first one ({places})"
            if is_strict:
                raise InputError(f"{self.name}: {misfits}. Are separator and header right?")
            allowing = choose_setting_name(
                "maxRejects (--max-rejects)", python="maxRejects, or max_rejects=", options="--max-rejects"
            )
            remedy = f"Mend them, check separator and header, or allow more with {allowing}."
            raise InputError(f"{self.name}: {misfits}, and {allowed:,} may be left out. {remedy}")
        if audit.count != missing:
            remedy = "Are its quotes and line ends right? Otherwise try it in smaller files."
            raise InputError(f"{self.name}: not all of its records could be read. {remedy}")
        return audit.rejects()

    def _part(self, path: Path, line_end: str | None, rejects: str | None) -> FromClause:
        """Read a part of a file."""
        separator = self._files[0].text.separator
        return read_delimited(
            [path], columns=self._own_width, separator=separator, header=False, rejects=rejects, line_end=line_end
        )

    def places(self, position: int, known: Select[str]) -> list[RecordPlace]:
        # The engine finds the first texts, and their lines are looked up beside it. It could reject all other values,
        # but it keeps a kilobyte for each, outside its memory limit.
        text = func.coalesce(self._read().c[f"c{position}"], "")
        rows = select(text.label("text"), func.row_number().over().label("row")).subquery()
        first = select(rows.c.text).where(rows.c.text.not_in(known)).order_by(rows.c.row).limit(FIRST_PLACES)
        texts = {text for (text,) in self._store.rows(first)}
        if position >= self._own_width:
            told = zip(self._files, self._told.texts, strict=True)
            wrong = (file.given.path for file, values in told if (values[position - self._own_width] or "") in texts)
            return [RecordPlace(1, path) for path in islice(wrong, FIRST_PLACES)]
        places = (
            RecordPlace(line, file.given.path if self._is_one_of_several else None)
            for file in self._files
            for line in find_lines(file, self._own_width, position, texts)
        )
        return list(islice(places, FIRST_PLACES)) if texts else []


def _unify_line_ends(file: TextFile, target: Path) -> TextFile:
    """Copy a file whose records end in more than one way; line ends within quotes stay as they are."""
    from toolbox.store.input.text_records import cut_pieces

    with open_binary(file.path) as text, target.open("wb") as copy:
        for piece in cut_pieces(text, file.separator.encode(), CHARACTERS_PER_LINE):
            copy.write(piece.replace_line_ends())
    return TextFile(target, file.separator)
