"""The records of a table as codes: which agree, which lack a value, and how many each row stands for."""

from __future__ import annotations

import numpy as np
import pytest
from sqlalchemy import Table

from toolbox.detection.search import Coded, CodedTable, code_records
from toolbox.store.engine.store import Store


def counted(store: Store, rows: list[tuple[str | None, str | None, int]]) -> Table:
    """Make a table of distinct records of two columns, with how often each occurs."""
    first, second, sizes = map(list, zip(*rows, strict=True))
    return store.create_constant("counted", {"text_1": (str, first), "text_2": (str, second), "size": (int, sizes)})


def agreement(codes: np.ndarray) -> list[list[int]]:
    """List for each row the rows that have its code."""
    return [np.flatnonzero(codes == code).tolist() for code in codes]


def test_rows_have_one_code_where_they_have_one_text_and_weights_where_many_records_are_alike(store: Store) -> None:
    table = code_records(store, counted(store, [("a", "x", 5), ("a", None, 2), ("b", "x", 1)]), 2)
    first, second = table.coded.columns
    assert agreement(first) == [[0, 1], [0, 1], [2]]
    assert agreement(second) == [[0, 2], [1], [0, 2]]
    assert table.coded.values == (2, 2)
    assert max(first.max(), second.max()) < 2
    assert table.coded.weights is not None
    assert table.coded.weights.tolist() == [5, 2, 1]
    assert (table.coded.rows, table.coded.records) == (3, 8)


def test_where_most_records_differ_each_is_a_row_without_weight(store: Store) -> None:
    table = code_records(store, counted(store, [("a", "x", 1), ("b", "x", 2), ("c", None, 1)]), 2)
    assert agreement(table.coded.columns[0]) == [[0], [1, 2], [1, 2], [3]]
    assert table.coded.weights is None
    assert (table.coded.rows, table.coded.records) == (4, 4)
    assert table.missing[1] is not None
    assert table.missing[1].tolist() == [False, False, False, True]


def test_half_as_many_distinct_records_as_records_still_have_weights(store: Store) -> None:
    table = code_records(store, counted(store, [("a", "x", 3), ("b", "x", 1)]), 2)
    assert (table.coded.rows, table.coded.records) == (2, 4)


@pytest.mark.parametrize("sizes", [(5, 2, 1), (1, 1, 2)], ids=["with weights", "record by record"])
def test_records_that_lack_a_value_are_counted_and_can_be_left_out(store: Store, sizes: tuple[int, int, int]) -> None:
    both, one, other = sizes
    table = code_records(store, counted(store, [("a", "x", both), ("a", None, one), ("b", "x", other)]), 2)
    assert table.missing[0] is None
    assert [table.count_incomplete_records(0), table.count_incomplete_records(1)] == [0, one]
    assert table.complete().records == both + other


def test_who_lacks_a_value_of_any_column_is_not_complete() -> None:
    coded = Coded((np.array([0, 1, 2]), np.array([0, 1, 0])), (3, 2), None)
    table = CodedTable(coded, (np.array([True, False, False]), np.array([False, True, False])))
    assert [column.tolist() for column in table.complete().columns] == [[2], [0]]
    assert CodedTable(coded, (None, None)).complete().rows == 3


def test_some_rows_and_some_columns_keep_what_belongs_to_them() -> None:
    coded = Coded((np.array([0, 1, 2]), np.array([1, 0, 1])), (3, 2), np.array([5, 6, 7]))
    rows = coded.only(np.array([True, False, True]))
    assert [column.tolist() for column in rows.columns] == [[0, 2], [1, 1]]
    assert (rows.values, rows.records) == ((3, 2), 12)
    turned = coded.of([1, 0])
    assert [column.tolist() for column in turned.columns] == [[1, 0, 1], [0, 1, 2]]
    assert (turned.values, turned.records) == ((2, 3), 18)


@pytest.mark.parametrize(("values", "width"), [(256, 1), (257, 2)])
def test_codes_take_as_few_bytes_as_hold_them(store: Store, values: int, width: int) -> None:
    table = code_records(store, counted(store, [(str(number), "x", 1) for number in range(values)]), 2)
    assert [column.dtype.itemsize for column in table.coded.columns] == [width, 1]
    assert table.coded.values == (values, 1)
