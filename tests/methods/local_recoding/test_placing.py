"""Records that are left join the classes to which they add least."""

from __future__ import annotations

import numpy as np
import pytest

from toolbox.methods.local_recoding.rows import RecodingColumn, RecodingRows
from toolbox.methods.local_recoding.search import Hosts, _make_row_classes, place_all_rows

# Values 0 and 1 are a pair, 2 and 3 another; a level up costs a bit, the root three.
CODES = [np.arange(4), np.array([4, 4, 5, 5]), np.full(4, 6)]
PRICES = [np.repeat([[0.0], [1.0], [3.0]], 4, axis=1)]


def rows_of(values: list[int], sizes: list[int]) -> RecodingRows:
    counts = np.bincount(values, sizes, 4).astype(np.int64)
    return RecodingRows(np.arange(len(values)), np.array(sizes), [np.array(values)], [RecodingColumn(CODES, counts)])


def test_a_host_pays_for_its_own_rise_and_the_guest_for_his() -> None:
    """A record of value 1 takes two of value 0, three of value 2 and one of value 1 with it."""
    rows = rows_of([0, 2, 1], [2, 3, 1])
    hosts = Hosts(rows, _make_row_classes(rows, np.array([0, 1, 2])), PRICES)
    assert hosts.costs(rows_of([1], [1])).tolist() == [2 + 1, 9 + 3, 0]


def test_guests_that_come_together_share_one_value() -> None:
    rows = rows_of([0], [2])
    hosts = Hosts(rows, _make_row_classes(rows, np.array([0])), PRICES)
    assert hosts.costs(rows_of([1, 3], [1, 1])).tolist() == [6 + 3 + 3]


@pytest.mark.parametrize(
    ("of_row", "levels"),
    [([0, 1, -1], [1, 0, 1]), ([-1, -1, -1], [2, 2, 2]), ([4, 9, 9], [0, 2, 2])],
    ids=["the cheapest class", "nobody has a class", "nobody is left"],
)
def test_all_are_placed(of_row: list[int], levels: list[int]) -> None:
    """The rows are two of value 0, two of value 2 and one of value 1."""
    placed = place_all_rows(rows_of([0, 2, 1], [2, 2, 1]), np.array(of_row), PRICES, None)
    assert placed.of_rows.tolist() == [levels]
