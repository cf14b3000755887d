"""Tables in memory as data of a plan: as files of the same rows, for as long as the study lasts."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from helpers.small_study import FRAME, PEOPLE

from toolbox.config.model import Limits
from toolbox.errors import ConfigurationError, InputError, OutputError
from toolbox.experiments.cells.data_set import OpenedData, compute_data_digest
from toolbox.experiments.study import open_plan

COLUMNS: dict[str, Any] = {"quasi_identifiers": ["age", "town"], "sensitive": ["ill"], "label": "ill"}
FORMS = (FRAME, pl.from_pandas(FRAME), pl.from_pandas(FRAME).lazy(), pa.Table.from_pandas(FRAME))


def words(*data: object) -> dict[str, Any]:
    return {"methods": ["Mondrian"], "metrics": ["NCP"], "parameters": {"k": 5}, "data": list(data)}


@pytest.mark.slow
def test_each_kind_of_table_becomes_a_file_of_its_rows_and_is_gone_in_the_end(tmp_path: Path) -> None:
    people = tmp_path / "people.csv"
    FRAME.to_csv(people, index=False)
    given = [{"table": table, **COLUMNS} for table in FORMS] + [{"table": people, **COLUMNS}]
    with open_plan(words(*given), Limits(temp_dir=tmp_path)) as plan:
        assert [data.name for data in plan.data] == ["table 1", "table 2", "table 3", "table 4", "people"]
        *files, path = [data.table for data in plan.data if data.table is not None]
        assert path == people
        read = [pd.read_parquet(file) for file in files]
        assert all(each[["age", "town", "ill"]].equals(FRAME[["age", "town", "ill"]]) for each in read)
        assert read[0]["visits"].isna().all(), "what nobody has named stays with the caller"
        assert plan.data[0].as_written(f"{files[0]} is broken") == "the table is broken"
    assert [file.name for file in tmp_path.iterdir()] == ["people.csv"]


@pytest.mark.slow
def test_the_digest_is_that_of_the_rows_so_that_their_results_are_used_again() -> None:
    def digest(table: object) -> str:
        with open_plan(words({"table": table, **COLUMNS}), Limits()) as plan:
            return compute_data_digest(plan.data[0])

    assert digest(FRAME) == digest(pl.from_pandas(FRAME))
    assert digest(FRAME) != digest(FRAME.assign(age=FRAME["age"] // 10))


def test_a_column_that_is_declared_must_be_readable(tmp_path: Path) -> None:
    odd = FRAME.assign(odd=[object() for _ in PEOPLE], town=["Graz", 5] * 20)
    for table, column in ((odd, "town"), (pd.DataFrame({"age": [5], "town": [1j]}), "town")):
        named = words({"table": table, "name": "odd", **COLUMNS})
        with pytest.raises(InputError, match=f"The data set 'odd'.* column {column!r}"), open_plan(named, Limits()):
            pass
    with pytest.raises(InputError, match="cannot be read"), open_plan(words({"table": object(), **COLUMNS}), Limits()):
        pass
    readable = {"quasi_identifiers": ["age"], "label": "il"}
    with pytest.raises(ConfigurationError, match="'ill'"), open_plan(words({"table": odd, **readable}), Limits()):
        pass


def test_a_table_takes_the_place_of_the_input_of_a_configuration(tmp_path: Path) -> None:
    path = tmp_path / "people.xml"
    path.write_text("<config k='2'><qid><att name='age'/><att name='town'/></qid></config>")
    with open_plan(words({"configuration": path, "table": FRAME}), Limits()) as plan, ExitStack() as stack:
        opened = OpenedData.of(stack, plan.data[0], Limits(), with_records=False)
        assert opened.original().loaded.tables.record_count == 40


def test_what_is_no_table_is_a_fault_of_the_plan_and_no_file_is_left(tmp_path: Path) -> None:
    for wrong, expected in (
        (words({"table": 5}), "table is '5'."),
        (words({"table": FRAME, "label": FRAME}), "label is 'an object of type DataFrame'."),
        ({"data": FRAME}, "data is 'an object of type DataFrame'."),
        (words(FRAME), "data is '[an object of type DataFrame]'."),
    ):
        with pytest.raises(ConfigurationError) as caught, open_plan(wrong, Limits(temp_dir=tmp_path)):
            pass
        assert expected in str(caught.value)
        assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_keep_tables_is_said(tmp_path: Path) -> None:
    limits = Limits(temp_dir=tmp_path / "absent")
    with (
        pytest.raises(OutputError, match="no folder for temporary files can be made here"),
        open_plan(words({"table": FRAME, **COLUMNS}), limits),
    ):
        pass
