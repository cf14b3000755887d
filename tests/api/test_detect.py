"""`detect` of tables in memory and of files."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

import toolbox

PEOPLE = pd.DataFrame(
    {"card": [1, 2, 3, 4, 5], "born": [1960, 1960, 1971, 1971, 1971], "sex": ["f", "m", "f", "f", "m"]}
)


def test_a_frame_an_arrow_table_and_files_say_the_same(tmp_path: Path) -> None:
    PEOPLE.to_csv(tmp_path / "people.csv", index=False)
    parquet.write_table(pa.Table.from_pandas(PEOPLE), tmp_path / "people.parquet")
    tables = (PEOPLE, pa.Table.from_pandas(PEOPLE), str(tmp_path / "people.csv"), tmp_path / "people.parquet")
    assert toolbox.detect(PEOPLE, columns=None, exclude=None).detection.identifiers == (("card",),)  # type: ignore[arg-type]
    with pytest.raises(toolbox.UsageError, match="exclude is a text"):
        toolbox.detect(PEOPLE, exclude="card")
    first, *others = (toolbox.detect(table, exclude=["card"]).detection for table in tables)
    assert (first.best[0].columns, first.best[0].singletons) == (("born", "sex"), 3)
    assert others == [first] * 3


def test_columns_bounds_and_missing_values_are_as_the_call_says() -> None:
    people = PEOPLE.assign(sex=["f", "m", None, "f", "m"])
    found = toolbox.detect(people, columns=["born", "sex"], max_columns=1, missing_is_a_value=True).detection
    assert {subset.columns: subset.singletons for subset in found.subsets} == {("born",): 0, ("sex",): 1}
    assert (found.complete, found.most_columns) == (5, 1)


def test_messages_name_the_arguments_of_the_call() -> None:
    (note,) = toolbox.detect(PEOPLE, max_columns=1).notes[:1]
    assert "(max_columns=)" in note
    wide = pd.DataFrame({f"c{number}": [1] for number in range(48)})
    with pytest.raises(toolbox.UsageError, match=r"\(columns=\), or lower max_columns="):
        toolbox.detect(wide, max_columns=5)
