"""The records that Spark reads, and what tells whether their files have changed meanwhile."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from toolbox.errors import InputError, UsageError, quote

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

CSV: Final = "csv"
PARQUET: Final = "parquet"
TABLE: Final = "table"
FORMATS: Final = (PARQUET, CSV, "orc", "delta", TABLE)
_ENDINGS: Final = {".parquet": PARQUET, ".csv": CSV, ".tsv": CSV, ".txt": CSV, ".orc": "orc"}
_PACKED: Final = frozenset({".gz", ".bz2", ".zst", ".snappy", ".lz4"})

Fingerprint = frozenset[tuple[str, int, datetime]]


@dataclass(frozen=True, kw_only=True)
class TextOptions:
    """How delimited text is written; all of its columns are texts."""

    separator: str = ","
    header: bool = True
    encoding: str = "utf-8"

    def reading(self) -> dict[str, str]:
        """Return the options with which Spark loses no record, or fails."""
        return {
            **self.list_write_options(),
            "inferSchema": "false",
            "enforceSchema": "false",
            "mode": "FAILFAST",
            # Line ends within quotes; a file is then one task.
            "multiLine": "true",
            "unescapedQuoteHandling": "RAISE_ERROR",
        }

    def list_write_options(self) -> dict[str, str]:
        return {
            "sep": self.separator,
            "header": str(self.header).lower(),
            "encoding": self.encoding,
            "quote": '"',
            "escape": '"',
            "quoteAll": "true",
            "ignoreLeadingWhiteSpace": "false",
            "ignoreTrailingWhiteSpace": "false",
        }


def format_of(path: str, declared: str | None = None) -> str:
    """Return the format of files, by the ending of their name unless it is given; Parquet if nothing says it."""
    if declared is not None:
        if declared not in FORMATS:
            raise UsageError(f"Spark reads no format {quote(declared)}. Write one of {', '.join(FORMATS)}.")
        return declared
    name = Path(urlsplit(path).path.rstrip("/"))
    if name.suffix in _PACKED:
        name = name.with_suffix("")
    return _ENDINGS.get(name.suffix.lower(), PARQUET)


def make_absolute_path(path: str) -> str:
    """Return a path without a scheme from the root on: a server has another working folder."""
    return path if "://" in path or path.startswith(("file:", "dbfs:")) else str(Path(path).absolute())


@dataclass(frozen=True)
class Reader:
    """Reads records from files or from a table of the catalogue.

    Parameters
    ----------
    spark : SparkSession
    place : str
        A path, or the name of a table.
    kind : str
        One of `FORMATS`.
    options : TextOptions
    name : str
        What messages call it.
    """

    spark: SparkSession
    place: str
    kind: str
    options: TextOptions
    name: str

    def records(self) -> DataFrame:
        if self.kind == TABLE:
            return self.spark.table(self.place)
        options: Mapping[str, str] = self.options.reading() if self.kind == CSV else {}
        return self.spark.read.format(self.kind).options(**options).load(self.place)

    def fingerprint(self) -> Fingerprint:
        """Return name, size and time of each file, by a new look at them.

        Tables that do not consist of files, such as views on a database, have none.

        Raises
        ------
        InputError
            If there are no files.
        """
        if self.kind in {TABLE, "delta"}:
            places = self.list_spark_files()
            return self._listed(places) if places else frozenset()
        found = self._listed([self.place])
        if not found:
            raise InputError(f"{self.name}: there are no files that Spark can read. Is the path right?")
        return found

    def list_spark_files(self) -> list[str]:
        """Return the files of which a table consists now."""
        if self.kind == TABLE:
            # A session remembers which files a table had. Sail does not, and does not know the call.
            with suppress(Exception):
                self.spark.catalog.refreshTable(self.place)
        return sorted(self.records().inputFiles())

    def _listed(self, places: list[str]) -> Fingerprint:
        # Classic Spark, Connect and Sail have this one; the contents of the files are not read.
        listed = self.spark.read.format("binaryFile").load(places).select("path", "length", "modificationTime")
        return frozenset((row["path"], row["length"], row["modificationTime"]) for row in listed.toArrow().to_pylist())
