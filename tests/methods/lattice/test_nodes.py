"""The lattice as arrays: what is checked in which order, both prunings, minimal nodes, and the order of ties."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolbox.methods.lattice.nodes import Lattice, Levels, rank_breadth_first


def rounds_of(lattice: Lattice, satisfies: Callable[[Levels], bool]) -> list[list[Levels]]:
    """Search a lattice; return the nodes that were checked, round by round."""
    checked = []
    for nodes in lattice.rounds():
        checked.append(nodes)
        lattice.mark(filter(satisfies, nodes), [levels for levels in nodes if not satisfies(levels)])
    return checked


def test_nodes_with_few_columns_below_the_root_come_first_and_of_these_the_low_ones() -> None:
    assert rounds_of(Lattice([2, 1]), lambda levels: levels == (2, 1)) == [[(2, 1)], [(0, 1)], [(1, 1), (2, 0)]]


def test_a_node_is_checked_if_it_satisfies_without_each_of_its_columns() -> None:
    # Alone the first column needs its level 1, the second its level 0; so of the pairs (0, 0) fails unseen.
    satisfying = {(2, 1), (1, 1), (2, 0)}
    assert rounds_of(Lattice([2, 1]), satisfying.__contains__) == [[(2, 1)], [(0, 1)], [(1, 1), (2, 0)], [(1, 0)]]


def test_three_columns_are_checked_where_all_three_pairs_satisfy() -> None:
    pairs = {(0, 1, 1), (1, 0, 1), (1, 1, 0), (0, 0, 1), (1, 0, 0)}
    checked = rounds_of(Lattice([1, 1, 1]), lambda levels: levels in pairs or levels == (1, 1, 1))
    assert checked == [[(1, 1, 1)], [(0, 1, 1), (1, 0, 1), (1, 1, 0)], [(0, 0, 1), (0, 1, 0), (1, 0, 0)]]


def test_what_generalises_a_satisfying_node_is_never_looked_at() -> None:
    lattice = Lattice([3])
    assert rounds_of(lattice, lambda levels: levels >= (1,)) == [[(3,)], [(0,)], [(1,)]]
    assert lattice.minimal() == [(1,)]


def test_a_lattice_without_satisfying_nodes_has_no_minimal_one_and_is_not_searched() -> None:
    lattice = Lattice([1, 2])
    assert rounds_of(lattice, lambda levels: False) == [[(1, 2)]]
    assert lattice.minimal() == []


def test_columns_with_their_roots_alone_are_one_node() -> None:
    lattice = Lattice([0, 0])
    assert rounds_of(lattice, lambda levels: True) == [[(0, 0)]]
    assert lattice.minimal() == [(0, 0)]


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
    assert sorted(nodes, key=rank_breadth_first) == walk(heights)


@given(st.data())
def test_a_search_finds_all_that_satisfies_and_the_minimal_nodes_of_it(data: st.DataObject) -> None:
    heights = data.draw(st.lists(st.integers(0, 2), min_size=1, max_size=3))
    nodes = list(product(*(range(height + 1) for height in heights)))
    chosen = data.draw(st.lists(st.sampled_from(nodes), unique=True))
    satisfying = {node for node in nodes if any(is_above(node, one) for one in [*chosen, tuple(heights)])}
    lattice = Lattice(heights)
    checked = [node for nodes in rounds_of(lattice, satisfying.__contains__) for node in nodes]
    assert len(checked) == len(set(checked))
    assert {node for node in nodes if lattice.satisfying[node]} == satisfying
    assert {node for node in nodes if lattice.failing[node]} == set(nodes) - satisfying
    minimal = {node for node in satisfying if not any(other != node and is_above(node, other) for other in satisfying)}
    assert set(lattice.minimal()) == minimal
    assert minimal <= set(checked)


def is_above(node: Levels, other: Levels) -> bool:
    return all(a >= b for a, b in zip(node, other, strict=True))
