"""The nodes that a search visits: all of a small lattice, the most different ones of a large one."""

from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolbox.methods.local_recoding.rows import compute_node_prices, list_nodes


def visited(losses: list[list[float]], most: int) -> list[list[int]]:
    return list_nodes([np.array(lost) for lost in losses], most).tolist()


def test_a_small_lattice_is_visited_whole() -> None:
    assert visited([[0, 1], [0, 1, 2]], 6) == [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2]]


def test_the_level_that_loses_little_less_than_the_next_is_skipped_first() -> None:
    """Instead of level 2 of the second, a record loses 0.1 more at level 3; instead of level 1, 0.9 more."""
    assert visited([[0, 1], [0, 1, 1.9, 2]], 7) == [[0, 0], [0, 1], [0, 3], [1, 0], [1, 1], [1, 3]]
    assert visited([[0, 1], [0, 1, 1.9, 2]], 5) == [[0, 0], [0, 3], [1, 0], [1, 3]]


def test_then_the_columns_that_lose_least_go_together() -> None:
    assert visited([[0, 2], [0, 5], [0, 1]], 4) == [[0, 0, 0], [0, 1, 0], [1, 0, 1], [1, 1, 1]]


@given(st.lists(st.lists(st.floats(0.01, 9), min_size=1, max_size=4), min_size=1, max_size=20), st.integers(2, 300))
def test_bottom_and_top_are_always_visited_and_never_too_many(gains: list[list[float]], most: int) -> None:
    losses = [[0.0, *np.cumsum(gain)] for gain in gains]
    nodes = visited(losses, most)
    assert nodes[0] == [0] * len(losses)
    assert nodes[-1] == [len(lost) - 1 for lost in losses]
    assert len(nodes) <= most or len(losses) == 1
    assert len({tuple(node) for node in nodes}) == len(nodes)
    if prod(map(len, losses)) <= most:
        assert len(nodes) == prod(map(len, losses))


@pytest.mark.parametrize("columns", [15, 40])
def test_no_number_of_columns_is_too_many(columns: int) -> None:
    assert len(visited([[0, 1, 2]] * columns, 20_000)) == 2**14


def test_a_record_pays_at_a_node_what_it_pays_at_the_level_of_each_column() -> None:
    nodes = np.array([[0, 0], [1, 0], [1, 2]], np.int8)
    assert compute_node_prices(nodes, [np.array([0.0, 2]), np.array([0.0, 5, 7])]).tolist() == [0, 2, 9]
