"""One search: what is noted of a node that is checked, and which node ranks first."""

from __future__ import annotations

from math import inf

import pytest
from helpers.lattices import checker_of, search_of

from toolbox.methods.lattice.searching import CutOffError, Scored, round_cost
from toolbox.store.engine.store import Store
from toolbox.store.tables import LatticeNode


@pytest.mark.slow
def test_a_node_is_checked_once_and_tags_what_follows(store: Store) -> None:
    search = search_of(checker_of(store, limit=2))
    search.check([(1, 0), (0, 0)])
    assert search.lattice.satisfying.tolist() == [[False, False], [True, True], [True, True]]
    assert search.lattice.failing.tolist() == [[True, False], [False, False], [False, False]]
    assert search.best is not None
    assert (search.best.node.levels, 14 * search.best.cost) == ((1, 0), pytest.approx(6.5))
    known = dict(search.nodes)
    search.check([(1, 0)])
    assert search.nodes == known


def test_ties_go_to_what_suppresses_fewest_and_then_breadth_first() -> None:
    nodes = [LatticeNode(levels, 3, 2, suppressed) for levels, suppressed in (((1, 1), 0), ((0, 1), 1), ((2, 0), 0))]
    ranked = sorted((Scored(node, cost) for node, cost in zip(nodes, (0.3, 0.1 + 0.2, 0.3), strict=True)), key=_rank)
    assert [scored.node.levels for scored in ranked] == [(2, 0), (1, 1), (0, 1)]


def _rank(scored: Scored) -> object:
    return scored.rank


def test_rounding_makes_no_difference() -> None:
    assert round_cost(0.1 + 0.2) == round_cost(0.3)
    assert round_cost(inf) == inf


def test_a_search_stops_when_its_time_is_over(store: Store) -> None:
    search = search_of(checker_of(store))
    search.deadline = 0.0
    with pytest.raises(CutOffError):
        search.measure([(2, 1), (0, 0)])
    assert list(search.nodes) == [(2, 1)]


@pytest.mark.slow
def test_a_search_checks_no_more_nodes_than_it_may_and_goes_on_with_those_that_it_knows(store: Store) -> None:
    search = search_of(checker_of(store))
    search.most_nodes = 2
    search.check([(2, 1), (0, 0), (0, 0)])
    with pytest.raises(CutOffError):
        search.check([(0, 0), (1, 1)])
    search.measure([(2, 1), (0, 0)])
    assert list(search.nodes) == [(2, 1), (0, 0)]
