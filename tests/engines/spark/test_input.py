"""What is read, and what tells that it has changed."""

from __future__ import annotations

import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers import spark_server

from toolbox.engines.spark.input import Reader, TextOptions, format_of, make_absolute_path
from toolbox.engines.spark.session import open_session
from toolbox.errors import InputError, UsageError


@pytest.mark.parametrize(
    ("path", "declared", "expected"),
    [
        ("s3a://bucket/people/", None, "parquet"),
        ("people.parquet", None, "parquet"),
        ("hdfs://host/a.b/people.CSV/", None, "csv"),
        ("people.csv.gz", None, "csv"),
        ("people.tsv", None, "csv"),
        ("people.orc", None, "orc"),
        ("people.csv", "delta", "delta"),
        ("schema.people", "table", "table"),
    ],
)
def test_the_ending_of_a_name_says_the_format_unless_it_is_given(
    path: str, declared: str | None, expected: str
) -> None:
    assert format_of(path, declared) == expected


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(UsageError, match=r"no format 'xlsx'\. Write one of parquet, csv, orc, delta, table"):
        format_of("people", "xlsx")


def test_a_path_without_a_scheme_is_one_of_this_machine() -> None:
    assert make_absolute_path("people") == str(Path.cwd() / "people")
    assert make_absolute_path("s3a://bucket/people") == "s3a://bucket/people"
    assert make_absolute_path("file:/people") == "file:/people"


def test_each_look_at_the_files_is_a_new_one(tmp_path: Path) -> None:
    session = open_session(spark_server.sail(), {})
    reader = Reader(session.spark, str(tmp_path), "parquet", TextOptions(), "people")
    table = pa.table({"x": [1]})
    pq.write_table(table, tmp_path / "1.parquet")
    seen = [reader.fingerprint()]
    assert reader.fingerprint() == seen[0]
    later = (tmp_path / "1.parquet").stat().st_mtime + 5
    os.utime(tmp_path / "1.parquet", (later, later))
    seen.append(reader.fingerprint())
    pq.write_table(table, tmp_path / "2.parquet")
    seen.append(reader.fingerprint())
    (tmp_path / "1.parquet").unlink()
    seen.append(reader.fingerprint())
    assert len(set(seen)) == 4
    (tmp_path / "2.parquet").unlink()
    with pytest.raises(InputError, match="people: there are no files"):
        reader.fingerprint()
    session.close()
