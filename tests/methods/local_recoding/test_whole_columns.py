"""The cheapest node at which every record is in a class: by hand, and against a look at every node."""

from __future__ import annotations

from collections import defaultdict
from itertools import product

import numpy as np
from helpers.amounts import times
from helpers.illness import load_with_illness
from hypothesis import given, settings
from hypothesis import strategies as st

from toolbox.methods.arrays.models import ClassJudge
from toolbox.methods.local_recoding.rows import RecodingColumn, RecodingRows
from toolbox.methods.local_recoding.search import find_cheapest_node
from toolbox.methods.local_recoding.sweep import draw_keys, select_all_rows
from toolbox.privacy.models.l_diversity import DistinctLDiversity
from toolbox.store.engine.store import Store

CODES = [np.arange(4), np.array([4, 4, 5, 5]), np.full(4, 6)]
NODES = list(product(range(3), repeat=2))
Classes = list[list[int]]


def cheapest(
    rows: list[tuple[int, ...]],
    nodes: list[tuple[int, ...]],
    paid: list[int],
    least: int,
    judge: ClassJudge | None = None,
) -> Classes | None:
    """Return the rows of each class at the cheapest node; a row is its records and its values."""
    sizes, *values = (np.array(column) for column in zip(*rows, strict=True))
    columns = [RecodingColumn(CODES, np.bincount(value, sizes, 4).astype(np.int64)) for value in values]
    made = RecodingRows(np.arange(len(rows)), sizes, values, columns)
    left = select_all_rows(made, draw_keys(made))
    found = find_cheapest_node(left, np.array(nodes, np.int8), np.array(paid, np.float64), least, judge)
    return None if found is None else in_classes(found.tolist())


def in_classes(of_row: list[object]) -> Classes:
    classes = defaultdict(list)
    for row, name in enumerate(of_row):
        classes[name].append(row)
    return sorted(classes.values())


PEOPLE = [(1, 0), (1, 1), (1, 2), (1, 3)]


def test_of_the_nodes_that_serve_everybody_the_cheapest_is_taken() -> None:
    assert cheapest(PEOPLE, [(0,), (1,), (2,)], [0, 1, 2], 2) == [[0, 1], [2, 3]]
    assert cheapest(PEOPLE, [(0,), (1,), (2,)], [0, 2, 1], 2) == [[0, 1, 2, 3]]
    assert cheapest(PEOPLE, [(0,), (1,), (2,)], [0, 1, 2], 1) == [[0], [1], [2], [3]]


def test_there_may_be_no_such_node() -> None:
    assert cheapest(PEOPLE, [(0,), (1,)], [0, 1], 3) is None
    assert cheapest(PEOPLE, [], [], 1) is None


def test_a_node_at_which_a_model_refuses_a_class_is_no_option(store: Store) -> None:
    """Both of the first pair have the flu, so that only all four together have two illnesses in each class."""
    table = {"a": [0, 1, 2, 3], "illness": ["flu", "flu", "flu", "gout"]}
    tables = load_with_illness(store, table, "a")
    judge = ClassJudge(tables, [DistinctLDiversity(l=2, attribute="illness")])
    assert cheapest(PEOPLE, [(0,), (1,), (2,)], [0, 1, 2], 2, judge) == [[0, 1, 2, 3]]
    assert cheapest(PEOPLE, [(0,), (1,)], [0, 1], 2, judge) is None


@settings(max_examples=times(40, slow=150), deadline=None)
@given(
    st.lists(st.tuples(st.integers(1, 3), st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=12),
    st.permutations(range(len(NODES))),
    st.integers(1, 6),
)
def test_it_is_the_cheapest_of_all_nodes_whatever_they_cost(
    rows: list[tuple[int, int, int]], paid: list[int], least: int
) -> None:
    expected, lowest = None, len(NODES)
    for node, price in zip(NODES, paid, strict=True):
        shown = [tuple(int(CODES[level][value]) for level, value in zip(node, row[1:], strict=True)) for row in rows]
        classes = in_classes(list(shown))
        if price < lowest and all(sum(rows[row][0] for row in members) >= least for members in classes):
            expected, lowest = classes, price
    assert cheapest(rows, NODES, paid, least) == expected
