"""What a call of `anonymize` returns: the release as any kind of table, and its summary."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from helpers.small_summary import SUMMARY
from pyarrow import parquet

from toolbox.errors import UsageError
from toolbox.flows.arguments.tables import ReleasedFiles
from toolbox.flows.release.python import Result

QIT = pd.DataFrame({"age": [21, 34], "group": [1, 1]})
ST = pd.DataFrame({"group": [1, 1], "illness": ["flu", "cold"]})
HEADLINE = "Datafly, 1,197 records in 150 classes, smallest 5; k-anonymity 5 (required 5)"


def test_files_are_read_one_after_the_other_and_every_value_stays_text(tmp_path: Path) -> None:
    paths = (tmp_path / "r-00001.csv", tmp_path / "r-00002.csv")
    paths[0].write_text("age;note\n[21:34];007\n*;\n")
    paths[1].write_text("age;note\n64;'x'\n")
    table = ReleasedFiles(paths, separator=";", has_header=True).read()
    assert table.to_pydict() == {"age": ["[21:34]", "*", "64"], "note": ["007", None, "'x'"]}


def test_parquet_keeps_its_types(tmp_path: Path) -> None:
    paths = (tmp_path / "r-00001.parquet", tmp_path / "r-00002.parquet")
    for number, path in enumerate(paths):
        parquet.write_table(pa.table({"n": [number]}), path)
    assert ReleasedFiles(paths, separator=",", has_header=True).read().to_pydict() == {"n": [0, 1]}


@pytest.mark.parametrize("table", [QIT, pa.Table.from_pandas(QIT), pl.DataFrame(QIT.to_dict("list"))])
def test_a_release_of_any_make_is_each_kind_of_table(table: object) -> None:
    result = Result(SUMMARY, (table,))
    assert result.tables == (table,) or result.tables[0] is table
    assert result.release.to_dict("list") == {"age": [21, 34], "group": [1, 1]}
    assert result.to_arrow().to_pydict() == {"age": [21, 34], "group": [1, 1]}
    assert result.to_polars().to_dict(as_series=False) == {"age": [21, 34], "group": [1, 1]}


def test_an_index_that_was_kept_is_a_column_of_arrow() -> None:
    named = Result(SUMMARY, (QIT.set_axis(pd.Index(["Ada", "Bo"], name="name")),)).to_arrow()
    assert named.to_pydict() == {"age": [21, 34], "group": [1, 1], "name": ["Ada", "Bo"]}
    assert named.schema.metadata is None


def test_two_tables_are_taken_apart() -> None:
    result = Result(SUMMARY, (QIT, ST))
    assert [list(part.columns) for part in result.parts] == [["age", "group"], ["group", "illness"]]
    for take, said in (
        (lambda: result.release, "Take result.parts instead of result.release."),
        (result.to_arrow, r"Take result.tables instead of result.to_arrow\(\)."),
        (result.to_polars, r"Take result.tables instead of result.to_polars\(\)."),
    ):
        with pytest.raises(UsageError, match=f"An anatomy release has two tables. {said}"):
            take()


def test_the_headline_names_the_columns_unless_they_would_have_to_be_read() -> None:
    assert Result(SUMMARY, (QIT,)).headline() == f"{HEADLINE}; columns: age, group"
    wide = pd.DataFrame({f"c{number}": [1] for number in range(10)})
    assert Result(SUMMARY, (wide,)).headline() == f"{HEADLINE}; columns: c0, c1, c2, c3, c4, c5, c6, c7 and 2 more"
    unread = ReleasedFiles((Path("nobody.csv"),), separator=",", has_header=True)
    assert Result(SUMMARY, (unread,)).headline() == HEADLINE
