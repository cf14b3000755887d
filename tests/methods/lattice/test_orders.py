"""The orders in which nodes are checked: all find the same minimal nodes, and some check few."""

from __future__ import annotations

import pytest
from helpers.lattices import checker_of, search_of

from toolbox.methods.lattice.searching import (
    Order,
    check_bottom_up,
    check_every_node,
    check_halves,
    check_paths,
    check_subsets_first,
)
from toolbox.store.engine.store import Store

ORDERS = [check_every_node, check_subsets_first, check_halves, check_paths, check_bottom_up]


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(
    ("limit", "minimal"), [(0, [(0, 1), (2, 0)]), (2, [(0, 1), (1, 0)]), (3, [(0, 0)]), (7, [(0, 0)])]
)
def test_all_minimal_nodes_are_found(store: Store, order: Order, limit: int, minimal: list[tuple[int, int]]) -> None:
    search = search_of(checker_of(store, limit=limit))
    order(search)
    assert [node.levels for node in search.minimal()] == minimal


@pytest.mark.sampled(1)
@pytest.mark.parametrize("order", [check_subsets_first, check_halves, check_paths])
def test_nothing_stays_open_and_not_all_is_checked(store: Store, order: Order) -> None:
    search = search_of(checker_of(store))
    order(search)
    assert not search.lattice.open.any()
    assert len(search.nodes) < 6


@pytest.mark.slow
def test_the_exhaustive_search_checks_every_node(store: Store) -> None:
    search = search_of(checker_of(store))
    check_every_node(search)
    assert len(search.nodes) == 6
    assert sorted(search.costs) == [(0, 1), (1, 1), (2, 0), (2, 1)]
