"""The tables of a call: paths, or Arrow tables in which the columns that are asked for can be read."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest

from toolbox.config.model import Column, Config, Output, QuasiIdentifier
from toolbox.errors import InputError
from toolbox.flows.judge.question import Question, TableDescription, make_described_question
from toolbox.flows.judge.tables import check_judged_table, check_optional_table, convert_table

BY_NAME = make_described_question("test", TableDescription(quasi_identifiers=["age"], sensitive=["illness"]))
BY_POSITION = Question(
    config=Config(
        source="c.xml",
        path=None,
        input=None,
        output=Output(path=None),
        quasi_identifiers=(QuasiIdentifier(column=Column(index=0, name=None), kind=None),),
    )
)
MIXED = pd.DataFrame({"age": [21, "*"], "odd": [1j, 2j]})


@pytest.mark.parametrize("source", ["people.csv", Path("people.csv")])
def test_a_path_stays_a_path(source: str | Path) -> None:
    assert convert_table(source) == Path("people.csv")
    assert check_judged_table(source, BY_NAME) == Path("people.csv")
    assert check_optional_table(source, BY_NAME) == Path("people.csv")


def test_a_frame_becomes_an_arrow_table() -> None:
    table = convert_table(pd.DataFrame({"age": [21, 23]}))
    assert isinstance(table, pa.Table)
    assert table.to_pydict() == {"age": [21, 23]}


def test_a_column_that_mixes_numbers_and_what_hides_them_is_judged_as_texts() -> None:
    table = check_judged_table(pd.DataFrame({"age": [21, "*"]}), BY_NAME)
    assert isinstance(table, pa.Table)
    assert table.column("age").to_pylist() == ["21", "*"]
    with pytest.raises(InputError):
        convert_table(pd.DataFrame({"age": [21, "*"]}))


def test_columns_that_nobody_asks_for_need_not_be_readable_unless_positions_count() -> None:
    table = check_judged_table(MIXED, BY_NAME)
    assert isinstance(table, pa.Table)
    assert table.column("age").to_pylist() == ["21", "*"]
    for question, more in ((BY_NAME, "odd"), (BY_POSITION, None)):
        with pytest.raises(InputError, match="odd"):
            check_judged_table(MIXED, question, more)


def test_a_table_that_is_not_there_is_none() -> None:
    assert check_optional_table(None, BY_NAME) is None
