"""A release as a folder, as Hive and Spark read it: its files hold the same records, or there is no folder."""

from __future__ import annotations

import csv
import gzip
import io
from collections import Counter
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pyarrow as pa
import pytest
from pyarrow import dataset, parquet

import toolbox
from toolbox.cli.main import main
from toolbox.release.files import split
from toolbox.release.files.part import Notation
from toolbox.release.files.split import write_partitions
from toolbox.store.engine.store import Store

TOWNS = ["Graz/Süd", "a=b", "100 %", "x y", ".", "..", "Wien", None]
"""What no folder can be called without being written in another way, and a missing value."""


def write_people(path: Path) -> None:
    rows = [
        {"age": 20 + row % 40, "sex": "fm"[row % 2], "town": TOWNS[row % 8], "year": 2020 + row % 3}
        for row in range(240)
    ]
    parquet.write_table(pa.Table.from_pylist(rows), path)


def config(tmp_path: Path, columns: str, **said: Any) -> toolbox.Config:
    write_people(tmp_path / "people.parquet")
    (tmp_path / "c.xml").write_text(
        "<config method='Mondrian' k='5'><input filename='people.parquet'/><output filename='release.parquet/'/>"
        "<qid><att name='age' type='number'/><att name='sex' type='category'/></qid>"
        "</config>"
    )
    return toolbox.load_config(tmp_path / "c.xml", partition_by=columns, undeclared="pass", **said)


def read_as_others_do(folder: Path) -> Counter[tuple[Any, ...]]:
    """Read a folder with Arrow, which knows nothing of ours."""
    told = dataset.partitioning(pa.schema([("town", pa.string()), ("sex", pa.string())]), flavor="hive")
    rows = dataset.dataset(folder, partitioning=told).to_table().to_pylist()
    return Counter((row["sex"], row["town"], row["year"]) for row in rows)


@pytest.mark.slow
def test_each_record_is_in_the_folder_of_its_values_however_these_are_written(tmp_path: Path) -> None:
    made = toolbox.anonymize(config(tmp_path, "town,sex"))
    folder = tmp_path / "release.parquet"
    rows = parquet.read_table(tmp_path / "people.parquet").to_pylist()
    assert read_as_others_do(folder) == Counter((row["sex"], row["town"], row["year"]) for row in rows)
    assert {path.name for path in folder.iterdir()} == {
        *(
            "town=Graz%2FS%C3%BCd",
            "town=a%3Db",
            "town=100%20%25",
            "town=x%20y",
            "town=.",
            "town=..",
            "town=Wien",
            "town=__HIVE_DEFAULT_PARTITION__",
        ),
        "_SUCCESS",
    }
    assert list(made.summary.sha256["release"]) == [str(path) for path in sorted(folder.rglob("*.parquet"))]


@pytest.mark.slow
def test_a_generalised_value_is_told_as_it_is_released_and_a_number_as_it_is(tmp_path: Path) -> None:
    made = toolbox.anonymize(config(tmp_path, "age,year", k="20"))
    told = [path.parts[-3:-1] for path in (tmp_path / "release.parquet").rglob("*.parquet")]
    ages = {unquote(age.removeprefix("age=")) for age, _ in told}
    assert ages == set(made.to_arrow()["age"].to_pylist())
    assert any(":" in age for age in ages)
    assert {year for _, year in told} == {"year=2020", "year=2021", "year=2022"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("columns", "says"),
    [
        ("nobody", "names 'nobody', which no column of the release is"),
        ("age,sex,town,year", "names all columns of the release, and files need one"),
    ],
)
def test_columns_that_cannot_be_told_are_refused_and_there_is_no_folder(
    tmp_path: Path, columns: str, says: str
) -> None:
    with pytest.raises(toolbox.UsageError, match=says):
        toolbox.anonymize(config(tmp_path, columns))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["c.xml", "people.parquet"]


def test_what_cannot_be_a_folder_is_told_with_the_configuration(tmp_path: Path) -> None:
    for said, says in (
        ({"output": "release.xlsx"}, "is no folder of Parquet or text"),
        ({"split_size": "1MB"}, "cannot be combined with split_size"),
        ({"output_format": "anatomy", "method": "Anatomy", "l": "2"}, "cannot be combined with the format anatomy"),
    ):
        with pytest.raises(toolbox.ConfigurationError, match=says):
            config(tmp_path, "sex", **said)
    (tmp_path / "release.parquet").mkdir()
    with pytest.raises(toolbox.ConfigurationError, match="is there already, and no folder is replaced"):
        config(tmp_path, "sex")


@pytest.mark.slow
def test_a_folder_that_comes_meanwhile_stays_and_nothing_of_the_run_is_placed(tmp_path: Path) -> None:
    given = config(tmp_path, "sex", report=str(tmp_path / "report.json"))
    (tmp_path / "release.parquet").mkdir()
    (tmp_path / "release.parquet" / "other").touch()
    with pytest.raises(toolbox.OutputError, match="cannot be written"):
        toolbox.anonymize(given)
    left = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*"))
    assert left == ["c.xml", "people.parquet", "release.parquet", "release.parquet/other"]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("change", ["lost", "doubled", "moved"])
def test_the_proof_finds_a_file_that_is_lost_doubled_or_in_another_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    write = dataset.write_dataset

    def write_wrongly(rows: Any, folder: Path, **how: Any) -> None:
        write(rows, folder, **how)
        first = folder / "sex=f" / "part-0.parquet"
        if change == "doubled":
            (folder / "sex=f" / "part-1.parquet").write_bytes(first.read_bytes())
        elif change == "moved":
            first.rename(folder / "sex=m" / "part-1.parquet")
        else:
            first.unlink()

    monkeypatch.setattr("pyarrow.dataset.write_dataset", write_wrongly)
    with pytest.raises(toolbox.ProofError, match="do not hold the records of the release"):
        toolbox.anonymize(config(tmp_path, "sex"))
    assert not (tmp_path / "release.parquet").exists()


@pytest.mark.slow
def test_too_many_folders_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(split, "_MOST_FOLDERS", 6)
    with pytest.raises(toolbox.UsageError, match="would make more than 6 folders"):
        toolbox.anonymize(config(tmp_path, "town"))


def read_text_as_others_do(folder: Path, headers: list[str]) -> Counter[tuple[str, ...]]:
    """Read a folder of text with the standard library, which knows nothing of ours; a missing value is an empty text."""
    rows: list[tuple[str, ...]] = []
    for path in folder.rglob("*.csv*"):
        told = dict(part.split("=", 1) for part in path.relative_to(folder).parts[:-1])
        told = {name: "" if text == "__HIVE_DEFAULT_PARTITION__" else unquote(text) for name, text in told.items()}
        text = (gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()).decode()
        records = csv.DictReader(io.StringIO(text, newline=""))
        rows += [tuple({**told, **row}[name] for name in headers) for row in records]
    return Counter(rows)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["release.csv", pytest.param("release.csv.gz", marks=pytest.mark.slow)])
def test_text_is_put_into_folders_too_with_quotes_and_the_header_in_each_file(tmp_path: Path, name: str) -> None:
    headers = ["age", "sex", "town", "note"]
    notes = ["plain", 'a "quote"', "two\nlines", "a,b", ""]
    given = [[str(20 + row % 40), "fm"[row % 2], TOWNS[row % 8] or "", notes[row % 5]] for row in range(240)]
    with (tmp_path / "people.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([headers, *given])
    folder = tmp_path / name
    said = ["--qi", "age,sex", "-k", "5", "--undeclared", "pass", "--quiet", "--partition-by", "town,sex"]
    assert main(["anonymize", str(tmp_path / "people.csv"), *said, "-output", str(folder)]) == 0
    found = read_text_as_others_do(folder, headers)
    assert Counter(row[1:] for row in found.elements()) == Counter(tuple(row[1:]) for row in given)
    assert (folder / "_SUCCESS").exists()
    assert sorted(path.name for path in (folder / "town=Graz%2FS%C3%BCd").iterdir()) == ["sex=f"]
    # Our own reader takes the folder as one table.
    assert toolbox.check(folder, quasi_identifiers=["age", "sex"], k=5).holds


def put_into_folders(store: Store, text: str) -> dict[str, str]:
    """Put the records of a text into the folders of its column town; return its files."""
    (whole := store.folder / "whole.csv").write_text(text, encoding="utf-8")
    write_partitions(store, whole, folder := store.folder / "release.csv", ["town"], Notation(","))
    return {str(path.relative_to(folder)): path.read_text(encoding="utf-8") for path in folder.rglob("*.csv")}


def test_lines_are_cut_by_their_bytes_whatever_their_letters(own_store: Store) -> None:
    text = "town,path,sex\nGraz,é𝄞,f\nWien,a\\b,m\nGraz,a\\x41b,m\nWien,c,f\n"
    assert put_into_folders(own_store, text) == {
        "town=Graz/part-0.csv": "path,sex\né𝄞,f\na\\x41b,m\n",
        "town=Wien/part-0.csv": "path,sex\na\\b,m\nc,f\n",
    }


def test_without_records_there_is_one_file_with_the_header(own_store: Store) -> None:
    empty = {"town=__HIVE_DEFAULT_PARTITION__/part-0.csv": "path,sex\n"}
    assert put_into_folders(own_store, "town,path,sex\n") == empty
    schema = pa.schema([("town", pa.string()), ("pay", pa.int64())])
    parquet.write_table(schema.empty_table(), whole := own_store.folder / "whole.parquet")
    (file,) = write_partitions(own_store, whole, folder := own_store.folder / "release.parquet", ["town"])
    assert file == folder / "town=__HIVE_DEFAULT_PARTITION__" / "part-0.parquet"
    assert parquet.ParquetFile(file).read().equals(pa.table({"pay": pa.array([], pa.int64())}))


@pytest.mark.slow
def test_the_records_are_sorted_by_their_folders_where_these_are_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(split, "_MOST_HELD", 2 * split._GROUP)
    monkeypatch.setattr(split, "_OPEN", 2)
    toolbox.anonymize(config(tmp_path, "town,sex"))
    rows = parquet.read_table(tmp_path / "people.parquet").to_pylist()
    assert read_as_others_do(tmp_path / "release.parquet") == Counter((r["sex"], r["town"], r["year"]) for r in rows)
    assert {path.name for path in (tmp_path / "release.parquet").rglob("*.parquet")} == {"part-0.parquet"}
