"""What a file holds, by its extension."""

from __future__ import annotations

from pathlib import Path

import pytest

from toolbox.config.file_names import (
    DATABASE,
    JSON_LINES,
    KINDS,
    PARQUET,
    STATISTICS,
    TEXT,
    WORKBOOK,
    WRITTEN,
    FileKind,
    find_file_kind,
    has_types,
)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.csv", TEXT),
        ("a.csv.gz", TEXT),
        ("a", TEXT),
        ("a.xlsx.gz", TEXT),
        ("a.PARQUET", PARQUET),
        ("a.Xlsx", WORKBOOK),
        ("part-*.ods", WORKBOOK),
        ("a.zsav", STATISTICS),
        ("a.jsonl.zst", JSON_LINES),
        ("a.db", DATABASE),
    ],
)
def test_the_extension_tells_in_any_case(name: str, kind: FileKind) -> None:
    assert find_file_kind(Path(name)) is kind
    assert has_types(Path(name)) == (kind is not TEXT)


def test_no_extension_is_that_of_two_kinds() -> None:
    extensions = [extension for kind in KINDS for extension in kind.extensions]
    assert len(set(extensions)) == len(extensions)
    assert set(WRITTEN) == {".parquet", ".pq", ".xlsx", ".sav", ".dta"}
