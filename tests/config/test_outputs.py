"""The names of the files that a release consists of."""

from pathlib import Path

import pytest

from toolbox.config.file_names import (
    add_suffix_to_stem,
    build_piece_path,
    find_compression,
    find_unwritable_kind,
    is_compressed_parquet,
    list_existing_pieces,
)


@pytest.mark.parametrize(
    ("path", "table", "piece"),
    [
        ("out.csv", "out_QIT.csv", "out-00007.csv"),
        ("a.b.csv.gz", "a.b_QIT.csv.gz", "a.b-00007.csv.gz"),
        ("out.CSV.ZST", "out_QIT.CSV.ZST", "out-00007.CSV.ZST"),
        ("out.gz", "out_QIT.gz", "out-00007.gz"),
        ("out", "out_QIT", "out-00007"),
        ("d.x/out.parquet", "d.x/out_QIT.parquet", "d.x/out-00007.parquet"),
        (".hidden", ".hidden_QIT", ".hidden-00007"),
    ],
)
def test_suffixes_stand_before_the_whole_extension(path: str, table: str, piece: str) -> None:
    assert add_suffix_to_stem(Path(path), "_QIT") == Path(table)
    assert build_piece_path(Path(path), 7) == Path(piece)


def test_the_extension_tells_the_compression() -> None:
    found = {name: find_compression(Path(name)) for name in ("a.csv", "a.csv.gz", "a.GZ", "a.zst", "gz", "a.parquet")}
    assert found == {"a.csv": None, "a.csv.gz": "gzip", "a.GZ": "gzip", "a.zst": "zstd", "gz": None, "a.parquet": None}


def test_parquet_within_a_compressed_file_is_recognised() -> None:
    assert is_compressed_parquet(Path("a.parquet.gz"))
    assert not is_compressed_parquet(Path("a.parquet"))
    assert not is_compressed_parquet(Path("a.csv.gz"))


@pytest.mark.parametrize("name", ["a.csv", "a.csv.gz", "a", "a.parquet", "a.parquet.gz", "a.xlsx", "a.SAV", "a.dta"])
def test_a_release_may_be_called_so(name: str) -> None:
    assert find_unwritable_kind(Path(name)) is None


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.ods", "a workbook"),
        ("a.xlsx.gz", "a workbook"),
        ("a.zsav", "a file of a statistics package"),
        ("a.jsonl", "JSON lines"),
        ("a.jsonl.gz", "JSON lines"),
        ("a.db", "a database"),
        ("a.docx", "a document"),
        ("a.PDF", "a document"),
        ("a.zip", "an archive"),
        ("a.json", "JSON"),
    ],
)
def test_a_kind_that_is_only_read_is_no_name_of_a_release(name: str, kind: str) -> None:
    assert find_unwritable_kind(Path(name)) == kind


def test_pieces_of_the_same_release_are_found_and_nothing_else(tmp_path: Path) -> None:
    pieces = ["o+-00001.csv", "o+-00007.csv", "o+-99999.csv"]
    others = [
        "o+.csv",
        "o+-1.csv",
        "o+-000001.csv",
        "o+-00001.csv.gz",
        "oo-00001.csv",
        "o+_QIT-00001.csv",
        "o+-20200131.csv",
    ]
    for name in [*pieces, *others]:
        (tmp_path / name).touch()
    assert list_existing_pieces(tmp_path / "o+.csv") == [tmp_path / name for name in pieces]
    assert list_existing_pieces(tmp_path / "absent" / "o.csv") == []
