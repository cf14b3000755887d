"""A table of a lake is read by its log or not at all: its Parquet files have deleted records as well."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest
from pyarrow import parquet

import toolbox
from toolbox.config.file_names import list_input_files
from toolbox.config.model import Input

OWN = {"autoinstall_known_extensions": False}


def write_people(path: Path, sex: str) -> dict[str, object]:
    """Write a file of a hundred people, and return the action of Delta that adds it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    parquet.write_table(pa.table({"age": [20 + row % 40 for row in range(100)], "sex": [sex] * 100}), path)
    size = path.stat().st_size
    return {"add": {"path": path.name, "partitionValues": {}, "size": size, "modificationTime": 0, "dataChange": True}}


def delta_table(folder: Path) -> Path:
    """Write a table of Delta of two hundred people, a hundred of whom were deleted."""
    kept, gone = write_people(folder / "kept.parquet", "f"), write_people(folder / "gone.parquet", "m")
    fields = [{"name": name, "type": kind, "nullable": True, "metadata": {}} for name, kind in COLUMNS.items()]
    schema = json.dumps({"type": "struct", "fields": fields})
    about = {"id": "1", "format": {"provider": "parquet", "options": {}}, "schemaString": schema}
    actions = [
        [
            {"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}},
            {"metaData": {**about, "partitionColumns": [], "configuration": {}, "createdTime": 0}},
            kept,
            gone,
        ],
        [{"remove": {"path": "gone.parquet", "deletionTimestamp": 0, "dataChange": True}}],
    ]
    (folder / "_delta_log").mkdir()
    for version, lines in enumerate(actions):
        (folder / "_delta_log" / f"{version:020}.json").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder


COLUMNS = {"age": "long", "sex": "string"}


def iceberg_table(folder: Path) -> Path:
    write_people(folder / "data" / "a.parquet", "f")
    (folder / "metadata").mkdir()
    (folder / "metadata" / "00000-a.metadata.json").write_text("{}")
    return folder


def hudi_table(folder: Path) -> Path:
    write_people(folder / "a.parquet", "f")
    (folder / ".hoodie").mkdir()
    return folder


def has_reader() -> bool:
    with duckdb.connect(config=OWN) as connection:
        try:
            connection.load_extension("delta")
        except duckdb.Error:
            return False
    return True


@pytest.mark.parametrize(
    ("make", "named", "kind"),
    [
        (delta_table, "people", "Delta"),
        (delta_table, "people/kept.parquet", "Delta"),
        (delta_table, "people/*.parquet", "Delta"),
        (delta_table, "", "Delta"),
        (iceberg_table, "people", "Iceberg"),
        (iceberg_table, "people/data", "Iceberg"),
        (iceberg_table, "*/data/*.parquet", "Iceberg"),
        (hudi_table, "people", "Hudi"),
    ],
)
def test_its_files_are_never_taken_for_the_table_however_they_are_named(make, named, kind, tmp_path):
    make(tmp_path / "people")
    with pytest.raises(
        toolbox.InputError, match=rf"people is a table of {kind}: its Parquet files have deleted records"
    ):
        list_input_files(Input(path=tmp_path / named))


def test_a_folder_beside_it_is_read(tmp_path):
    delta_table(tmp_path / "lake" / "people")
    write_people(tmp_path / "export" / "a.parquet", "f")
    write_people(tmp_path / "export" / "metadata" / "b.parquet", "f")
    assert len(list_input_files(Input(path=tmp_path / "export"))) == 2


def config(tmp_path: Path) -> toolbox.Config:
    (tmp_path / "c.xml").write_text(
        "<config method='Mondrian' k='5'><input filename='people'/><output filename='r.csv'/>"
        "<qid><att name='age'/><att name='sex' type='category'/></qid></config>"
    )
    delta_table(tmp_path / "people")
    return toolbox.load_config(tmp_path / "c.xml")


@pytest.mark.skipif(has_reader(), reason="DuckDB has its reader of Delta")
def test_a_run_without_a_reader_says_what_to_do(tmp_path):
    with pytest.raises(toolbox.InputError, match=r"Export its records to Parquet .*install_extension\('delta'\)"):
        toolbox.anonymize(config(tmp_path))
    assert not (tmp_path / "r.csv").exists()


@pytest.mark.skipif(not has_reader(), reason="DuckDB has no reader of Delta: install its extension delta")
def test_a_run_reads_the_records_that_are_there(tmp_path):
    made = toolbox.anonymize(config(tmp_path))
    assert made.summary.records_read == 100
    assert set(made.to_arrow()["sex"].to_pylist()) == {"f"}
