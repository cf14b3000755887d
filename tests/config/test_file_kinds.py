"""What a file holds, by its extension."""

from __future__ import annotations

from pathlib import Path

import pytest

from toolbox.config.file_names import (
    KINDS,
    DelimitedText,
    FileKind,
    Parquet,
    find_file_kind,
    has_types,
    list_file_kinds,
    list_written_extensions,
)
from toolbox.release.files.own import DatabaseFile, JsonLinesFile, StatisticsPackageFile, WorkbookFile


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.csv", DelimitedText),
        ("a.csv.gz", DelimitedText),
        ("a", DelimitedText),
        ("a.xlsx.gz", DelimitedText),
        ("a.PARQUET", Parquet),
        ("a.Xlsx", WorkbookFile),
        ("part-*.ods", WorkbookFile),
        ("a.zsav", StatisticsPackageFile),
        ("a.jsonl.zst", JsonLinesFile),
        ("a.db", DatabaseFile),
    ],
)
def test_the_extension_tells_in_any_case(name: str, kind: type[FileKind]) -> None:
    assert find_file_kind(Path(name)) is kind
    assert has_types(Path(name)) == (kind is not DelimitedText)


def test_no_extension_is_that_of_two_kinds() -> None:
    extensions = [extension for kind in list_file_kinds() for extension in kind.extensions]
    assert len(set(extensions)) == len(extensions)
    assert list_written_extensions() == [".parquet", ".pq", ".xlsx", ".sav", ".dta"]


def test_ours_are_known_by_the_names_of_their_entry_points() -> None:
    assert KINDS.names == ("database", "jsonl", "parquet", "statistics", "text", "workbook")
    assert {KINDS[name].name for name in KINDS} == set(KINDS)
