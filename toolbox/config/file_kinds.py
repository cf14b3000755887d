"""What a file holds, by its extension: delimited text, Parquet, a workbook, a database, and so on."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

_PACKED: Final = (".gz", ".zst")


@dataclass(frozen=True)
class FileKind:
    """A kind of file that a table is read from."""

    name: str
    """As messages call it."""
    extensions: tuple[str, ...] = ()
    has_tables: bool = False
    """Whether one file may hold several tables, each of which has a name."""
    may_be_packed: bool = False
    """Whether ``.gz`` or ``.zst`` may follow."""
    written: tuple[str, ...] = ()
    """The extensions with which a release may be one."""


TEXT: Final = FileKind("delimited text", may_be_packed=True)
PARQUET: Final = FileKind("Parquet", (".parquet", ".pq"), written=(".parquet", ".pq"))
WORKBOOK: Final = FileKind(
    "a workbook", (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"), has_tables=True, written=(".xlsx",)
)
STATISTICS: Final = FileKind(
    "a file of a statistics package", (".sav", ".zsav", ".por", ".dta", ".sas7bdat", ".xpt"), written=(".sav", ".dta")
)
JSON_LINES: Final = FileKind("JSON lines", (".jsonl", ".ndjson"), may_be_packed=True)
DATABASE: Final = FileKind("a database", (".sqlite", ".sqlite3", ".db", ".duckdb", ".ddb"), has_tables=True)
KINDS: Final = (PARQUET, WORKBOOK, STATISTICS, JSON_LINES, DATABASE)
"""All but delimited text, which a file is whose extension is none of theirs."""
WITH_TABLES: Final = tuple(extension for kind in KINDS if kind.has_tables for extension in kind.extensions)
WRITTEN: Final = tuple(extension for kind in KINDS for extension in kind.written)


def kind_of(path: Path) -> FileKind:
    """Return what a file is by its extension, in any case.

    Examples
    --------
    >>> [kind_of(Path(name)).name for name in ("a.csv.gz", "a.XLSX", "a.jsonl.zst", "a.sav.gz", "a")]
    ['delimited text', 'a workbook', 'JSON lines', 'delimited text', 'delimited text']
    """
    extension = path.suffix.lower()
    is_packed = extension in _PACKED
    if is_packed:
        extension = Path(path.stem).suffix.lower()
    for kind in KINDS:
        if extension in kind.extensions and (kind.may_be_packed or not is_packed):
            return kind
    return TEXT


def has_types(path: Path) -> bool:
    """Return whether a file names its columns and says what they hold, as all but delimited text do."""
    return kind_of(path) is not TEXT
