"""Our kinds of files but text and Parquet: what each is. What reads and writes them is imported when it is done."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

from toolbox.config.file_names import FileKind, FirstBytes
from toolbox.config.model import Input
from toolbox.messages import mark

if TYPE_CHECKING:
    from toolbox.release.files.part import Part
    from toolbox.store.engine.store import Store
    from toolbox.store.input.formats.table import FileTable


class WorkbookFile(FileKind):
    """A sheet of a workbook of a spreadsheet program."""

    name: ClassVar[str] = "workbook"
    words: ClassVar[str] = mark("a workbook")
    extensions: ClassVar[tuple[str, ...]] = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
    written: ClassVar[tuple[str, ...]] = (".xlsx",)
    first_bytes: ClassVar[tuple[FirstBytes, ...]] = (
        # A locked workbook of today is a compound file too.
        FirstBytes("an Excel workbook", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", (".xls", ".xlsx", ".xlsm", ".xlsb")),
        FirstBytes("an OpenDocument file", b"PK\x03\x04", (".ods",)),
    )
    needs: ClassVar[str] = "python-calamine"
    has_tables: ClassVar[bool] = True
    rank: ClassVar[int] = 30

    @classmethod
    def open_table(cls, path: Path, declared: Input, known: Sequence[str]) -> FileTable:
        from toolbox.store.input.formats.workbook import Sheet

        return Sheet(path, declared.table)

    @classmethod
    def write(cls, store: Store, part: Part, path: Path) -> None:
        from toolbox.release.files.workbook import write_workbook

        write_workbook(store, part, path)

    @classmethod
    def recognise(cls, start: bytes, path: Path) -> FirstBytes | None:
        """Return which workbook a file is; new ones are archives, which list their parts."""
        from toolbox.store.input.formats.first_bytes import list_archive_parts

        if not start.startswith(b"PK\x03\x04"):
            return super().recognise(start, path)
        parts = list_archive_parts(path)
        if parts is None:
            return FirstBytes(
                "a damaged zip archive", extensions=("", ".xlsx", ".xlsm", ".xlsb", ".ods"), remedy=_COMPLETE
            )
        if "xl/workbook.xml" in parts:
            return FirstBytes("an Excel workbook", extensions=(".xlsx", ".xlsm"))
        if "xl/workbook.bin" in parts:
            return FirstBytes("a binary Excel workbook", extensions=(".xlsb",))
        return cls.first_bytes[1] if "content.xml" in parts and "mimetype" in parts else None


_COMPLETE: Final = "Get a complete copy."


class StatisticsPackageFile(FileKind):
    """A table of SPSS, Stata or SAS, with the labels of its codes."""

    name: ClassVar[str] = "statistics"
    words: ClassVar[str] = mark("a file of a statistics package")
    extensions: ClassVar[tuple[str, ...]] = (".sav", ".zsav", ".por", ".dta", ".sas7bdat", ".xpt")
    written: ClassVar[tuple[str, ...]] = (".sav", ".dta")
    first_bytes: ClassVar[tuple[FirstBytes, ...]] = (
        FirstBytes("an SPSS data file", b"$FL2", (".sav", ".zsav")),
        FirstBytes("an SPSS data file", b"$FL3", (".sav", ".zsav")),
        FirstBytes(
            "locked by a password of SPSS",
            b"\x1c" + bytes(7) + b"ENCRYPTED",
            remedy="Save a copy without one in SPSS.",
        ),
        FirstBytes("a Stata data file", b"<stata_dta>", (".dta",)),
        # Versions 102 to 115 name themselves by their first byte, and then the order of their bytes.
        *(
            FirstBytes("a Stata data file", bytes([version, order, 1, 0]), (".dta",))
            for version in range(0x66, 0x74)
            for order in (1, 2)
        ),
        FirstBytes("a SAS data file", b"\0" * 12 + b"\xc2\xea\x81\x60", (".sas7bdat",)),
        FirstBytes("a SAS transport file", b"HEADER RECORD*******LIB", (".xpt",)),
    )
    needs: ClassVar[str] = "pyreadstat"
    rank: ClassVar[int] = 40

    @classmethod
    def open_table(cls, path: Path, declared: Input, known: Sequence[str]) -> FileTable:
        from toolbox.store.input.formats.statistics import StatisticsFile

        return StatisticsFile(path, declared.encoding)

    @classmethod
    def write(cls, store: Store, part: Part, path: Path) -> None:
        from toolbox.release.files.statistics_file import write_statistics

        write_statistics(store, part, path)


class JsonLinesFile(FileKind):
    """Objects of JSON, one in each line, whose names are the columns."""

    name: ClassVar[str] = "jsonl"
    words: ClassVar[str] = "JSON lines"
    extensions: ClassVar[tuple[str, ...]] = (".jsonl", ".ndjson")
    may_be_packed: ClassVar[bool] = True
    columns_may_differ: ClassVar[bool] = True
    rank: ClassVar[int] = 50

    @classmethod
    def open_table(cls, path: Path, declared: Input, known: Sequence[str]) -> FileTable:
        from toolbox.store.input.formats.json_lines import JsonLines

        return JsonLines(path, declared.encoding, known)

    @classmethod
    def recognise(cls, start: bytes, path: Path) -> FirstBytes | None:
        from toolbox.store.input.formats.first_bytes import detect_json

        is_lines = detect_json(start) == "lines"
        return FirstBytes("JSON lines, not delimited text", extensions=cls.extensions) if is_lines else None


class DatabaseFile(FileKind):
    """A table or a view in the file of an SQLite or DuckDB database."""

    name: ClassVar[str] = "database"
    words: ClassVar[str] = mark("a database")
    extensions: ClassVar[tuple[str, ...]] = (".sqlite", ".sqlite3", ".db", ".duckdb", ".ddb")
    first_bytes: ClassVar[tuple[FirstBytes, ...]] = (
        FirstBytes("a DuckDB database", b"DUCK", (".duckdb", ".ddb", ".db"), place=8),
        FirstBytes("an SQLite database", b"SQLite format 3\0", (".sqlite", ".sqlite3", ".db")),
    )
    has_tables: ClassVar[bool] = True
    rank: ClassVar[int] = 60

    @classmethod
    def open_table(cls, path: Path, declared: Input, known: Sequence[str]) -> FileTable:
        from toolbox.store.input.formats.database import open_database_table

        return open_database_table(path, declared.table)
