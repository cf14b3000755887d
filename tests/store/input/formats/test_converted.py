"""Files of other kinds as sources: the account, the places, and the order of categories."""

from __future__ import annotations

import os
from pathlib import Path

import pandas as pd
import pyreadstat
import pytest
from helpers.file_tables import FileReader
from helpers.workbooks import people

from toolbox.errors import InputError
from toolbox.store.input.files import ConvertedSource


def test_the_records_that_the_engine_reads_must_be_those_of_the_file(read: FileReader, tmp_path: Path) -> None:
    source = read.source(people(tmp_path / "p.xlsx", [["a"], [1], [2]]))
    assert source.name == str(tmp_path / "p.xlsx")
    with pytest.raises(InputError, match="1 of 2 rows could be read"):
        source.account(1)


def test_all_files_are_named_by_the_first(read: FileReader, tmp_path: Path) -> None:
    paths = [people(tmp_path / f"{number}.xlsx", [["a"], [number]]) for number in range(3)]
    assert read.source(*paths).name == f"{paths[0]} and 2 more files"


def test_as_a_table_of_arrow_what_has_an_order_keeps_it(read: FileReader, tmp_path: Path) -> None:
    path = tmp_path / "p.sav"
    frame = pd.DataFrame({"edu": [3.0, 1.0, None, 3.0], "age": [1.0, 2.0, 3.0, 4.0]})
    labels = {"edu": {1.0: "none", 2.0: "school", 3.0: "college"}}
    pyreadstat.write_sav(frame, path, variable_value_labels=labels, variable_measure={"edu": "ordinal"})
    source = read.source(path)
    assert isinstance(source, ConvertedSource)
    table = source.arrow()
    assert table.to_pydict() == {"edu": ["college", "none", None, "college"], "age": [1, 2, 3, 4]}
    edu = table.column("edu").combine_chunks()
    assert (edu.type.ordered, edu.dictionary.to_pylist()) == (True, ["none", "school", "college"])


def test_a_workbook_without_records_has_columns(read: FileReader, tmp_path: Path) -> None:
    assert read.rows(people(tmp_path / "p.xlsx", [["a", "b"]])) == [("a", "b")]


def test_a_name_that_is_no_text_is_told(read: FileReader, tmp_path: Path) -> None:
    path = people(tmp_path / "p.xlsx", [["a"], [1]]).rename(tmp_path / os.fsdecode(b"p\xff.xlsx"))
    assert "is no valid text. Give the file another one." in read.refusal(path)


@pytest.mark.slow
def test_very_many_columns_are_read(read: FileReader, tmp_path: Path) -> None:
    names = [f"n{number}" for number in range(1_000)]
    path = people(tmp_path / "p.xlsx", [names, list(range(1_000))])
    assert read.rows(path) == [tuple(names), tuple(range(1_000))]
