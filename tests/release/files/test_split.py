"""Cutting a finished table into files: never within a record, in order, near to the size."""

import csv
import gzip
import io
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pyarrow as pa
import pytest
from helpers import amounts
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pyarrow import parquet
from sqlalchemy import select

from toolbox.config.file_names import build_piece_path
from toolbox.errors import UsageError
from toolbox.release.files.part import Part
from toolbox.release.files.split import split_parquet, split_text
from toolbox.store.engine.store import Store


def split(folder: Path, whole: bytes, size: int, *, header: bool = True, ending: str = "") -> list[bytes]:
    """Cut a text and return the bytes of the pieces."""
    (folder / "whole").write_bytes(whole)
    paths = split_text(
        folder / "whole", lambda number: build_piece_path(folder / f"out.csv{ending}", number), size, header=header
    )
    assert paths == [folder / f"out-{number:05}.csv{ending}" for number in range(1, len(paths) + 1)]
    return [path.read_bytes() for path in paths]


def test_every_piece_has_the_header_and_as_many_records_as_fit(tmp_path: Path) -> None:
    pieces = split(tmp_path, b"a,b\n1,2\n3,4\n5,6\n7,8\n9,0\n", 12)
    assert pieces == [b"a,b\n1,2\n3,4\n", b"a,b\n5,6\n7,8\n", b"a,b\n9,0\n"]


def test_without_a_header_there_are_records_only(tmp_path: Path) -> None:
    assert split(tmp_path, b"1\n2\n3\n", 4, header=False) == [b"1\n2\n", b"3\n"]


def test_a_piece_may_be_filled_to_the_last_byte_and_not_beyond(tmp_path: Path) -> None:
    assert split(tmp_path, b"h\n1\n2\n", 6) == [b"h\n1\n2\n"]
    assert split(tmp_path, b"h\n1\n2\n", 5) == [b"h\n1\n", b"h\n2\n"]


def test_a_record_that_is_too_large_has_a_piece_of_its_own(tmp_path: Path) -> None:
    assert split(tmp_path, b"h\n1\n" + b"x" * 50 + b"\n2\n3\n", 8) == [
        b"h\n1\n",
        b"h\n" + b"x" * 50 + b"\n",
        b"h\n2\n3\n",
    ]


def test_line_ends_within_quotes_end_no_record(tmp_path: Path) -> None:
    records = ['"a\nb\n\n",1\n', '"say ""\n""",2\n', "x,3\n", '"\n",4\n']
    pieces = split(tmp_path, ("".join(['"h\n1",h2\n', *records])).encode(), 1)
    assert pieces == [f'"h\n1",h2\n{record}'.encode() for record in records]


@pytest.mark.parametrize("whole", [b"h1,h2\n", b""])
def test_a_table_without_records_is_one_piece(tmp_path: Path, whole: bytes) -> None:
    assert split(tmp_path, whole, 1, header=bool(whole)) == [whole]


def part(*headers: str) -> Part:
    return Part(suffix="", headers=headers, rows=select())


def test_a_table_without_records_is_one_piece_of_parquet(store: Store) -> None:
    parquet.write_table(pa.table({"a": pa.array([], pa.string())}), store.folder / "whole.parquet")
    (piece,) = split_parquet(
        store, store.folder / "whole.parquet", lambda number: store.folder / f"{number}.parquet", 1, part("a")
    )
    assert parquet.read_table(piece).column_names == ["a"]


@pytest.mark.slow
def test_records_longer_than_a_block_are_not_cut(tmp_path: Path) -> None:
    long = '"' + "x\n" * 600_000 + '"\n'
    assert split(tmp_path, f"h\n1\n{long}2\n".encode(), 100) == [b"h\n1\n", f"h\n{long}".encode(), b"h\n2\n"]


def test_more_files_than_five_digits_can_number_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolbox.release.files.split.MOST_PIECES", 3)
    assert split(tmp_path, b"1\n" * 3, 1, header=False) == [b"1\n"] * 3
    (tmp_path / "whole").write_bytes(b"1\n" * 4)
    with pytest.raises(UsageError, match="would be more than 3 files of the size to split by"):
        split_text(tmp_path / "whole", lambda number: tmp_path / "piece", 1, header=False)


@pytest.mark.slow
def test_compressed_pieces_come_near_to_the_size(tmp_path: Path) -> None:
    random = Random(1)
    lines = [f"{random.random()},{number % 7},{'x' * (number % 50)}\n" for number in range(60_000)]
    whole = ("a,b,c\n" + "".join(lines)).encode()
    for ending, unpack in (
        (".gz", gzip.decompress),
        (".zst", lambda packed: pa.input_stream(pa.py_buffer(packed), compression="zstd").read()),
    ):
        pieces = split(tmp_path, whole, 100_000, ending=ending)
        assert len(pieces) > 5
        assert all(95_000 < len(piece) < 105_000 for piece in pieces[:-1])
        texts = [unpack(piece) for piece in pieces]
        assert all(text.startswith(b"a,b,c\n") for text in texts)
        assert b"a,b,c\n" + b"".join(text.removeprefix(b"a,b,c\n") for text in texts) == whole


@pytest.mark.slow
def test_parquet_pieces_come_near_to_the_size(own_store: Store) -> None:
    random = Random(1)
    whole = pa.table({"a": [random.random() for _ in range(300_000)], "A": list(range(300_000))})
    parquet.write_table(whole, own_store.folder / "whole.parquet", row_group_size=50_000)
    pieces = split_parquet(
        own_store,
        own_store.folder / "whole.parquet",
        lambda number: own_store.folder / f"{number}.parquet",
        1_000_000,
        part("a", "A"),
    )
    assert all(700_000 < path.stat().st_size < 1_300_000 for path in pieces)
    joined = pa.concat_tables([parquet.read_table(path) for path in pieces])
    assert joined.column(0).to_pylist() == whole.column(0).to_pylist()
    assert joined.column(1).to_pylist() == whole.column(1).to_pylist()


VALUES = st.text(alphabet='ab",\n\r ', max_size=6)


@settings(max_examples=amounts.times(25, slow=60), deadline=None)
@example(rows=[['"', "\n"]], size=1, header=True)
@given(
    rows=st.lists(st.lists(VALUES, min_size=2, max_size=2), max_size=25), size=st.integers(1, 200), header=st.booleans()
)
def test_the_pieces_in_a_row_are_the_whole(rows: list[list[str]], size: int, header: bool) -> None:
    def text(some: list[list[str]]) -> bytes:
        sink = io.StringIO(newline="")
        csv.writer(sink, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows(some)
        return sink.getvalue().encode()

    head = text([["h", 'a "header"']]) if header else b""
    with TemporaryDirectory() as folder:
        pieces = split(Path(folder), head + text(rows), size, header=header)
    assert head + b"".join(piece.removeprefix(head) for piece in pieces) == head + text(rows)
    for piece in pieces:
        read = list(csv.reader(io.StringIO(piece.decode(), newline=""), strict=True))
        assert len(piece) <= size or len(read) <= 1 + header
