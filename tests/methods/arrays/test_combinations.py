"""The distinct combinations as arrays: their order, their ranks, and few bytes for each."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from helpers.small_tables import load

from toolbox.methods.arrays.combinations import combinations_of
from toolbox.store.engine.store import Store

ROWS = ["48 m", "21 f", "30 m", "21 f", "30 f"]


@pytest.mark.parametrize("rows", [ROWS, ROWS[::-1]])
def test_combinations_come_in_the_order_of_their_values_whatever_that_of_the_records(
    store: Store, rows: list[str]
) -> None:
    combinations = combinations_of(load(store, "\n".join(["age sex", *rows]), "age sex").tables)
    assert combinations.ids.tolist() == [0, 1, 2, 3]
    assert combinations.sizes.tolist() == [2, 1, 1, 1]
    assert [ranks.tolist() for ranks in combinations.values] == [[0, 1, 1, 2], [0, 0, 1, 1]]


@pytest.mark.slow
def test_ranks_take_two_bytes_where_these_are_enough(store: Store) -> None:
    table = pa.table({"small": [number % 7 for number in range(2**15)], "large": list(range(2**15))})
    combinations = combinations_of(load(store, table, "small large").tables)
    assert [ranks.dtype for ranks in combinations.values] == [np.int16, np.int32]
