"""A sweep by price: the cheapest group first, and in the end nobody is left who could be in one."""

from __future__ import annotations

from collections import Counter
from itertools import product

import numpy as np
import pytest
from helpers.amounts import times
from hypothesis import given, settings
from hypothesis import strategies as st

from toolbox.methods.arrays.combinations import Reals
from toolbox.methods.local_recoding.rows import RecodingColumn, RecodingRows, compute_node_prices
from toolbox.methods.local_recoding.sweep import Queue, draw_keys, find_best_nodes, select_all_rows, sweep_by_price

# At each level the interval of each of four values: itself, its pair, the root.
CODES = [np.arange(4), np.array([4, 4, 5, 5]), np.full(4, 6)]
ENDLESS = 10**9


def rows_of(given: list[tuple[int, ...]]) -> RecodingRows:
    """Make rows; each is its records and its values."""
    sizes, *values = (np.array(column) for column in zip(*given, strict=True))
    columns = [RecodingColumn(CODES, np.bincount(value, sizes, 4).astype(np.int64)) for value in values]
    return RecodingRows(np.arange(len(sizes)), sizes, values, columns)


def lattice(count: int) -> np.ndarray:
    return np.array(list(product(range(3), repeat=count)), np.int8)


def queue_of(rows: RecodingRows, least: int, prices: list[Reals], optimism: float = 0.0) -> Queue:
    keys, nodes = draw_keys(rows), lattice(len(rows.columns))
    left = select_all_rows(rows, keys)
    best = find_best_nodes(rows, keys, nodes, compute_node_prices(nodes, left.averages(prices)), least)
    return Queue(left, nodes, least, prices, best, optimism)


def test_with_first_choice_each_row_is_at_the_cheapest_node_with_a_group_for_it() -> None:
    """Two of value 0 need nobody; value 1 pairs up with them; values 2 and 3 with each other."""
    rows = rows_of([(2, 0), (1, 1), (1, 2), (1, 3)])
    keys, nodes = draw_keys(rows), lattice(1)
    paid = np.array([0.0, 1, 2])
    assert find_best_nodes(rows, keys, nodes, paid, 2).tolist() == [[0], [1], [1], [1]]
    assert find_best_nodes(rows, keys, nodes, paid, 3).tolist() == [[1], [1], [2], [2]]
    assert find_best_nodes(rows, keys, nodes, np.array([0.0, 3, 2]), 3).tolist() == [[2], [2], [2], [2]]


def test_groups_of_one_node_become_classes_in_the_order_of_their_own_prices() -> None:
    """At the pairs of a, those of 0 and 1 pay 1, the others 5; at the root of b everybody pays 2.

    The average at the pairs of a, 3, is more than that. But 0 and 1 are cheaper together there than anywhere else.
    """
    rows = rows_of([(1, 0, 0), (1, 1, 0), (1, 2, 2), (1, 2, 3), (1, 3, 2), (1, 3, 3)])
    price_a = np.array([[0.0] * 4, [1, 1, 5, 5], [9] * 4])
    price_b = np.array([[0.0] * 4, [2] * 4, [2] * 4])
    of_row = sweep_by_price(queue_of(rows, 2, [price_a, price_b]), ENDLESS)
    assert (of_row[0], of_row[1]) == (0, 0)
    assert of_row[2] == of_row[3] != of_row[4] == of_row[5]


def test_who_has_nothing_better_is_not_kept_waiting_by_who_has() -> None:
    """z and w could be together for 2.9, the least of all. But for x there is only z, and for v only w, both for 3."""
    x, z, w, v = (1, 0, 0), (1, 1, 0), (1, 1, 1), (1, 2, 1)
    price_a = np.array([[0.0] * 4, [3] * 4, [30, 2, 4, 4]])
    price_b = np.array([[0.0] * 4, [2.9] * 4, [30] * 4])
    of_row = sweep_by_price(queue_of(rows_of([x, z, w, v]), 2, [price_a, price_b]), ENDLESS)
    assert of_row[0] == of_row[1] != of_row[2] == of_row[3]


PRICES = st.lists(st.integers(0, 9), min_size=2, max_size=2).map(
    lambda steps: np.repeat(np.cumsum([0.0, *steps])[:, None], 4, axis=1)
)


@settings(max_examples=times(40, slow=150), deadline=None)
@given(
    st.lists(st.tuples(st.integers(1, 3), st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=12),
    st.tuples(PRICES, PRICES),
    st.integers(1, 5),
    st.sampled_from([0.0, 0.5, 1.0]),
    st.sampled_from([0, ENDLESS]),
)
def test_classes_are_groups_at_a_node_and_nobody_is_left_who_could_be_in_one(
    given_rows: list[tuple[int, int, int]], prices: tuple[Reals, Reals], least: int, optimism: float, most: int
) -> None:
    rows = rows_of(given_rows)
    of_row = sweep_by_price(queue_of(rows, least, list(prices), optimism), most)

    def alike(row: int, node: tuple[int, ...]) -> tuple[int, ...]:
        pairs = zip(node, given_rows[row][1:], strict=True)
        return tuple(int(CODES[level][value]) for level, value in pairs)

    nodes = list(product(range(3), repeat=2))
    for number in range(int(of_row.max()) + 1):
        members = np.flatnonzero(of_row == number)
        assert rows.sizes[members].sum() >= least
        assert any(len({alike(row, node) for row in members}) == 1 for node in nodes)
    for node in nodes:
        sizes: Counter[tuple[int, ...]] = Counter()
        for row in np.flatnonzero(of_row < 0):
            sizes[alike(row, node)] += given_rows[row][0]
        assert max(sizes.values(), default=0) < least


def test_a_sweep_counts_its_work_and_ends_soon_after_the_most() -> None:
    rows = rows_of([(1, first, second) for first in range(4) for second in range(4)])
    steps = np.repeat(np.array([[0.0], [1], [2]]), 4, axis=1)
    careful, hasty = (queue_of(rows, 2, [steps, steps]) for _ in range(2))
    assert sweep_by_price(careful, ENDLESS).min() >= 0
    assert sweep_by_price(hasty, 0).min() >= 0
    assert 0 < hasty.work <= careful.work


@pytest.mark.parametrize("optimism", [0.0, 0.9])
def test_a_table_of_one_value_is_one_class(optimism: float) -> None:
    rows = rows_of([(3, 1)])
    nothing = np.zeros((3, 4))
    assert sweep_by_price(queue_of(rows, 2, [nothing], optimism), ENDLESS).tolist() == [0]
    assert sweep_by_price(queue_of(rows, 4, [nothing], optimism), ENDLESS).tolist() == [-1]
