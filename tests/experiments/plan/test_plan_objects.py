"""Python objects in a plan become the words of a file; what cannot is told by its type, not by what it holds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl

import toolbox
from toolbox.experiments.plan.plan_file import convert_plan


def test_ranges_arrays_and_paths_become_lists_numbers_and_texts() -> None:
    words = {"k": range(2, 4), "t": np.array([0.1, 0.2]), "seed": np.int64(3), "data": [{"table": Path("a") / "b.csv"}]}
    found = convert_plan({**words, "methods": ("Mondrian",), "features": pd.Series(["age"])})
    lists = {"k": [2, 3], "t": [0.1, 0.2], "methods": ["Mondrian"], "features": ["age"]}
    assert found == {**lists, "seed": 3, "data": [{"table": "a/b.csv"}]}
    assert type(found["seed"]) is int


def test_hierarchies_become_words_or_rows() -> None:
    rows = [["Graz", "Styria"], ["Wien", "Vienna"]]
    tables: list[Callable[..., object]] = [pd.DataFrame, lambda given: pl.DataFrame(given, orient="row")]
    for table in tables:
        assert convert_plan({"hierarchies": {"town": table(rows)}}) == {"hierarchies": {"town": rows}}
    trees = {"age": toolbox.hierarchies.intervals(5, 10, top=90), "town": {"Styria": ["Graz"]}}
    assert convert_plan({"hierarchies": trees}) == {
        "hierarchies": {"age": "intervals:5,10:top=90", "town": {"Styria": ["Graz"]}}
    }


def test_other_objects_tell_their_type_and_no_cell() -> None:
    found = convert_plan({"label": pd.DataFrame({"ill": ["cancer"]}), "methods": [object()]})
    assert str(found) == "{'label': an object of type DataFrame, 'methods': [an object of type object]}"
