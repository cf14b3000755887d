"""The columns of a table are read from its first records, and anew when it has changed."""

from __future__ import annotations

import os
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from toolbox.config.model import Input
from toolbox.errors import InputError
from toolbox.projects.state import NO_COLUMNS, TableReader


def test_text_has_names_or_positions_and_kinds_of_its_first_records(people: Path) -> None:
    reader = TableReader()
    assert reader.columns(None) == NO_COLUMNS
    named = reader.columns(Input(path=people, header=True))
    assert named.headers == ("name", "age", "town", "illness")
    assert named.kinds == ("category", "number", "category", "category") and not named.is_typed
    bare = reader.columns(Input(path=people, header=False))
    assert (bare.headers, bare.width, bare.kinds[1]) == (None, 4, "category")


def test_a_changed_file_is_read_anew(people: Path) -> None:
    reader, declared = TableReader(), Input(path=people, header=True)
    before = reader.columns(declared)
    assert reader.columns(declared) is before
    people.write_text("a,b\n1,2\n")
    os.utime(people, ns=(1, 1))
    assert reader.columns(declared).headers == ("a", "b")


def test_a_file_with_types_says_them_itself(tmp_path: Path) -> None:
    path = tmp_path / "people.parquet"
    parquet.write_table(pa.table({"age": [1, 2], "town": ["a", "b"]}), path)
    found = TableReader().columns(Input(path=path))
    assert (found.headers, found.kinds, found.is_typed) == (("age", "town"), ("number", None), True)


def test_only_names_of_their_own_find_columns(tmp_path: Path) -> None:
    path = tmp_path / "twice.csv"
    path.write_text("a,a,b,column 3, c\n1,2,3,4,5\n")
    assert TableReader().columns(Input(path=path, header=True)).positions == {"b": 2}


def test_a_table_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        TableReader().columns(Input(path=tmp_path / "nothing.csv"))
