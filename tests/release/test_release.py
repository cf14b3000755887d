"""Making a release: the chosen format, written beside its place."""

import hashlib
import stat
from dataclasses import replace
from pathlib import Path

import pytest
from helpers.small_tables import declared, load
from pyarrow import parquet
from sqlalchemy import select

from toolbox.config.formats import FORMATS
from toolbox.config.model import Output
from toolbox.release.files.part import Part
from toolbox.release.release import count_written_bytes, release_parts, write_rejects, write_release
from toolbox.store.engine.store import Store
from toolbox.store.input.source import Rejects

PEOPLE = "age town\n31 Graz\n22 Wien\n31 Graz\n22 Wien"


def config(output: Output):
    return replace(declared("age"), output=output)


def part(store: Store, suffix: str = "", rows: int = 2) -> Part:
    table = store.create_constant("rows", {"a": (str, ["1"] * rows), "b": (str, ["x,y"] * rows)})
    return Part(suffix=suffix, headers=("age", "note"), rows=select(table))


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("output_format", "name", "suffixes", "is_written_by_us"),
    [
        ("genVals", "out.csv", [""], True),
        ("genValsDist", "out.csv", [""], True),
        ("anatomy", "out.csv", ["_QIT", "_ST"], True),
        ("genVals", "out.parquet", [""], False),
    ],
)
def test_a_format_has_its_parts_and_only_text_a_notation(
    store: Store, output_format: str, name: str, suffixes: list[str], is_written_by_us: bool
) -> None:
    given = config(Output(path=Path(name), format=FORMATS[output_format], separator=";"))
    loaded = load(store, PEOPLE, given)
    parts = release_parts(given, loaded.tables, loaded.layout)
    assert [one.suffix for one in parts] == suffixes
    assert {one.notation.separator if one.notation else None for one in parts} == {";" if is_written_by_us else None}


def test_finished_files_lie_in_the_store_and_know_their_places_and_checksums(own_store: Store, tmp_path: Path) -> None:
    given = config(Output(path=tmp_path / "out.csv", separator=";"))
    written = write_release(given, [part(own_store, "_QIT"), part(own_store, "_ST", 1)], own_store, has_header=True)
    finals = [tmp_path / "out_QIT.csv", tmp_path / "out_ST.csv"]
    assert list(written.files.values()) == finals
    assert written.tables == ((finals[0],), (finals[1],))
    assert [path.read_text() for path in written.files] == ["age;note\n1;x,y\n1;x,y\n", "age;note\n1;x,y\n"]
    assert not any(path.exists() for path in finals)
    assert all(own_store.folder in path.parents for path in written.files)
    assert written.checksums[str(finals[1])] == hashlib.sha256(b"age;note\n1;x,y\n").hexdigest()
    assert count_written_bytes(own_store) == len("age;note\n1;x,y\n" * 2 + "1;x,y\n")


def test_a_release_is_written_as_its_name_says(store: Store, tmp_path: Path) -> None:
    given = config(Output(path=tmp_path / "out.parquet"))
    (finished,) = write_release(given, [part(store)], store, has_header=True).files
    assert parquet.read_table(finished).to_pydict() == {"age": ["1", "1"], "note": ["x,y", "x,y"]}


def test_a_split_table_is_its_pieces_in_order_and_older_pieces_behind_them_are_left_over(
    store: Store, tmp_path: Path
) -> None:
    for number in (1, 2, 3, 4):
        (tmp_path / f"out-0000{number}.csv").write_text("older")
    given = config(Output(path=tmp_path / "out.csv", separator=";", split_size=21))
    written = write_release(given, [part(store, rows=4)], store, has_header=True)
    finals = [tmp_path / f"out-0000{number}.csv" for number in (1, 2)]
    assert written.tables == (tuple(finals),)
    assert [path.read_text() for path in written.files] == ["age;note\n1;x,y\n1;x,y\n"] * 2
    assert written.split == (tmp_path / "out.csv",)
    assert sorted(written.leftovers) == [tmp_path / "out-00003.csv", tmp_path / "out-00004.csv"]


def test_rejected_lines_are_kept_as_they_stand_without_their_numbers(store: Store, tmp_path: Path) -> None:
    texts = store.create_constant("texts", {"number": (int, [7, 3]), "text": (str, ['"é\nx"', "1,2,3"])})
    rejects = Rejects(2, (), select(texts.c.text).order_by(texts.c.number))
    assert write_rejects(rejects, store, tmp_path / "r.txt") == {store.folder / "rejects": tmp_path / "r.txt"}
    assert (store.folder / "rejects").read_bytes() == '1,2,3\n"é\nx"\n'.encode()


def test_an_empty_file_says_that_no_line_was_rejected(own_store: Store, tmp_path: Path) -> None:
    write_rejects(Rejects(), own_store, tmp_path / "r.txt")
    assert (own_store.folder / "rejects").read_bytes() == b""


def test_rejected_lines_are_for_their_owner_alone(store: Store, tmp_path: Path) -> None:
    write_rejects(Rejects(), store, tmp_path / "r.txt")
    assert stat.S_IMODE((store.folder / "rejects").stat().st_mode) == 0o600
