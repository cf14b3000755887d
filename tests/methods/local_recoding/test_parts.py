"""Parts of a release formed again: what is kept loses less, and all else stays as it is."""

from __future__ import annotations

import numpy as np
from helpers.amounts import times
from hypothesis import given, settings
from hypothesis import strategies as st

from toolbox.methods.arrays.combinations import Reals
from toolbox.methods.local_recoding.rows import (
    RecodingColumn,
    RecodingRows,
    _RecodingCellCosts,
    compute_node_prices,
    list_nodes,
)
from toolbox.methods.local_recoding.search import Parts, _make_row_classes, _RowClasses
from toolbox.methods.local_recoding.sweep import draw_keys, find_best_nodes, select_all_rows

# At each level the interval of each of four values: itself, its pair, the root.
CODES = [np.arange(4), np.array([4, 4, 5, 5]), np.full(4, 6)]
STEPS = np.repeat(np.array([[0.0], [1], [3]]), 4, axis=1)
PRICES: list[Reals] = [STEPS, STEPS * 1.1]
ENDLESS = 10**9


def parts_of(records: list[tuple[int, int]], least: int, most_nodes: int = 9) -> Parts:
    values = [np.array(column) for column in zip(*records, strict=True)]
    sizes = np.ones(len(records), np.int64)
    rows = RecodingRows(
        np.arange(len(records)),
        sizes,
        values,
        [RecodingColumn(CODES, np.bincount(value, sizes, 4)) for value in values],
    )
    keys = draw_keys(rows)
    averages = select_all_rows(rows, keys).averages(PRICES)
    nodes = list_nodes(averages, most_nodes)
    best = find_best_nodes(rows, keys, nodes, compute_node_prices(nodes, averages), least)
    return Parts(rows, keys, nodes, least, best, np.random.default_rng(0))


def lost(parts: Parts, classes: _RowClasses) -> float:
    return _RecodingCellCosts(PRICES).lost(parts.rows.histograms(classes.of_rows))


def improved(parts: Parts, of_row: np.ndarray, tries: int) -> _RowClasses:
    classes = _make_row_classes(parts.rows, of_row)
    for _ in range(tries):
        again, _ = parts.form_again(classes, PRICES, ENDLESS)
        classes = classes if again is None else _make_row_classes(parts.rows, again)
    return classes


def test_a_class_of_two_groups_comes_apart() -> None:
    """Two of one value and two of its neighbour were together; apart they lose nothing."""
    parts = parts_of([(0, 0), (0, 0), (1, 0), (1, 0), (2, 2), (2, 2)], 2)
    classes = improved(parts, np.array([0, 0, 0, 0, 1, 1]), 20)
    assert classes.of_row.tolist() == [0, 0, 1, 1, 2, 2]


def test_where_nothing_can_be_better_nothing_changes() -> None:
    parts = parts_of([(0, 0), (0, 0), (1, 2), (1, 2)], 2)
    classes = _make_row_classes(parts.rows, np.array([0, 0, 1, 1]))
    assert all(parts.form_again(classes, PRICES, ENDLESS)[0] is None for _ in range(20))


@settings(max_examples=times(20, slow=60), deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=4, max_size=16),
    st.integers(1, 4),
    st.sampled_from([4, 9]),
)
def test_each_time_less_is_lost_and_classes_stay_large_enough(
    records: list[tuple[int, int]], least: int, most_nodes: int
) -> None:
    """Also if only four of the nine nodes are visited."""
    parts = parts_of(records, least, most_nodes)
    classes = _make_row_classes(parts.rows, np.zeros(len(records), np.int64))
    for _ in range(10):
        again, work = parts.form_again(classes, PRICES, ENDLESS)
        assert work >= 0
        if again is None:
            continue
        after = _make_row_classes(parts.rows, again)
        assert lost(parts, after) < lost(parts, classes)
        assert after.sizes(parts.rows).min() >= least
        classes = after
