"""Lattices as arrays: candidates, both prunings, minimal nodes, and the order of ties."""

from __future__ import annotations

from collections import deque
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolbox.methods.lattice.nodes import (
    Levels,
    SubsetLattice,
    breadth_first_rank,
    lattice_over,
    subsets_of_size,
)


def cells(shape: tuple[int, ...], *nodes: Levels) -> np.ndarray:
    array = np.zeros(shape, dtype=bool)
    for node in nodes:
        array[node] = True
    return array


def test_subsets_come_in_the_order_of_their_places() -> None:
    assert subsets_of_size(4, 2) == [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    assert subsets_of_size(3, 3) == [(0, 1, 2)]


def test_every_level_of_a_single_column_is_a_candidate_and_the_ground_is_the_root() -> None:
    lattice = lattice_over((1,), [3, 2], {})
    assert (lattice.roots(), lattice.height) == ([(0,)], 2)
    assert [lattice.to_check(height) for height in range(3)] == [[(0,)], [(1,)], [(2,)]]


def test_a_node_is_a_candidate_if_it_satisfies_without_each_of_its_columns() -> None:
    known = {(0,): np.array([False, True, True]), (1,): np.array([False, True])}
    lattice = lattice_over((0, 1), [2, 1], known)
    assert lattice.roots() == [(1, 1)]
    assert [lattice.to_check(height) for height in range(4)] == [[], [], [(1, 1)], [(2, 1)]]


def test_candidates_of_three_columns_need_all_three_pairs() -> None:
    pairs = {
        (0, 1): cells((2, 2), (1, 0), (0, 1), (1, 1)),
        (0, 2): cells((2, 2), (1, 0), (1, 1)),
        (1, 2): cells((2, 2), (0, 1), (1, 0), (1, 1)),
    }
    # (1,0,0) lacks (0,0) of the last pair, (1,0,1) and (1,1,0) have all three.
    assert lattice_over((0, 1, 2), [1, 1, 1], pairs).roots() == [(1, 0, 1), (1, 1, 0)]


def test_what_generalises_a_satisfying_node_is_never_looked_at() -> None:
    lattice = SubsetLattice((0, 1), np.ones((3, 2), dtype=bool))
    lattice.mark([(1, 0)], [(0, 0)])
    assert [lattice.to_check(height) for height in range(4)] == [[], [(0, 1)], [], []]
    assert lattice.minimal() == [(1, 0)]
    lattice.mark([(0, 1)], [])
    assert lattice.minimal() == [(0, 1), (1, 0)]
    assert [lattice.to_check(height) for height in range(4)] == [[]] * 4


def test_a_lattice_without_satisfying_nodes_has_no_minimal_one() -> None:
    lattice = SubsetLattice((0,), np.ones(2, dtype=bool))
    lattice.mark([], [(0,), (1,)])
    assert lattice.minimal() == []


def walk(heights: tuple[int, ...]) -> list[Levels]:
    """Walk a lattice breadth first, increments from the first attribute to the last."""
    bottom = (0,) * len(heights)
    waiting, met = deque([bottom]), [bottom]
    while waiting:
        node = waiting.popleft()
        for place, height in enumerate(heights):
            above = (*node[:place], node[place] + 1, *node[place + 1 :])
            if node[place] < height and above not in met:
                waiting.append(above)
                met.append(above)
    return met


@pytest.mark.parametrize("heights", [(3,), (1, 2), (2, 1, 2), (1, 1, 1, 1), (3, 0, 2)])
def test_the_rank_of_a_node_is_its_place_in_a_breadth_first_walk(heights: tuple[int, ...]) -> None:
    nodes = list(product(*(range(height + 1) for height in heights)))
    assert sorted(nodes, key=breadth_first_rank) == walk(heights)


@given(st.data())
def test_minimal_nodes_are_those_with_nothing_satisfying_below(data: st.DataObject) -> None:
    shape = tuple(data.draw(st.lists(st.integers(1, 3), min_size=1, max_size=3)))
    nodes = list(product(*map(range, shape)))
    chosen = data.draw(st.lists(st.sampled_from(nodes), unique=True))
    lattice = SubsetLattice(tuple(range(len(shape))), np.ones(shape, dtype=bool))
    lattice.mark(chosen, [])
    satisfying = {node for node in nodes if any(all(a >= b for a, b in zip(node, one, strict=True)) for one in chosen)}
    assert {node for node in nodes if lattice.satisfying[node]} == satisfying
    minimal = {
        node
        for node in satisfying
        if not any(other != node and all(a <= b for a, b in zip(other, node, strict=True)) for other in satisfying)
    }
    assert set(lattice.minimal()) == minimal
