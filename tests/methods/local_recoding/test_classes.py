"""Classes of rows: numbered by their first rows, and no more generalised than their rows need."""

from __future__ import annotations

import numpy as np
import pytest

from toolbox.methods.local_recoding.rows import RecodingColumn, RecodingRows
from toolbox.methods.local_recoding.search import _make_row_classes, _RowClasses

# At each level the interval of each of four values: itself, its pair, the root. The other column has no pairs.
PAIRS = RecodingColumn([np.arange(4), np.array([4, 4, 5, 5]), np.full(4, 6)], np.full(4, 9))
FLAT = RecodingColumn([np.arange(4), np.full(4, 4)], np.full(4, 9))
# Row by row: its records and its two values.
ROWS = [(1, 2, 0), (2, 0, 3), (3, 3, 0), (4, 1, 2), (5, 0, 1)]


@pytest.fixture
def rows() -> RecodingRows:
    sizes, first, second = (np.array(column) for column in zip(*ROWS, strict=True))
    return RecodingRows(np.arange(len(ROWS)), sizes, [first, second], [PAIRS, FLAT])


@pytest.fixture
def classes(rows: RecodingRows) -> _RowClasses:
    """Rows 0 and 2, rows 1 and 3, and row 4."""
    return _make_row_classes(rows, np.array([7, 5, 7, 5, 6]))


def test_classes_are_numbered_by_their_first_rows(classes: _RowClasses) -> None:
    assert classes.of_row.tolist() == [0, 1, 0, 1, 2]
    assert classes.first.tolist() == [0, 1, 4]
    assert classes.count == 3


def test_each_column_rises_to_the_lowest_level_at_which_the_rows_of_a_class_agree(classes: _RowClasses) -> None:
    assert classes.levels.tolist() == [[1, 1, 0], [0, 1, 0]]
    assert classes.of_rows.tolist() == [[1, 1, 1, 1, 0], [0, 1, 0, 1, 0]]


def test_rows_of_different_pairs_agree_at_the_root(rows: RecodingRows) -> None:
    everybody = _make_row_classes(rows, np.zeros(5, np.int64))
    assert everybody.levels.tolist() == [[2], [1]]
    assert [intervals.tolist() for intervals in everybody.intervals(rows)] == [[6], [4]]


def test_a_class_shows_the_intervals_of_its_levels_and_holds_the_records_of_its_rows(
    rows: RecodingRows, classes: _RowClasses
) -> None:
    assert [intervals.tolist() for intervals in classes.intervals(rows)] == [[5, 4, 0], [0, 4, 1]]
    assert classes.sizes(rows).tolist() == [1 + 3, 2 + 4, 5]
