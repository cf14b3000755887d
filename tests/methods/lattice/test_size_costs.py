"""Metrics of class sizes as costs, and what bounds all that is above a node."""

from __future__ import annotations

from math import inf

import pytest
from helpers.lattices import NODES, checker_of, objective, values

from toolbox.store.engine.store import Store


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        # At the top all is at the roots, of which nothing is to be seen: judges take it for suppressed.
        ("number-of-classes", [2, 3, 2, 2, 2, 0]),
        ("number-of-combinations", [3, 3, 3, 2, 2, 1]),
        ("suppressed-records", [3, 0, 2, 0, 0, 7]),
        ("discernibility", [4 + 4 + 9, 17, 9 + 4 + 4, 29, 25, 49]),
        ("discernibility-with-suppression", [8 + 21, 17, 13 + 14, 29, 25, 49]),
        ("average-class-size", [2, 7 / 3, 2.5, 3.5, 3.5, inf]),
        ("c-avg", [1, 7 / 6, 1.25, 1.75, 1.75, inf]),
    ],
)
def test_the_value_of_every_node(store: Store, name: str, expected: list[float]) -> None:
    assert values(checker_of(store), name) == pytest.approx(expected)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("limit", [0, 2, 3, 7])
@pytest.mark.parametrize(
    "name", ["discernibility", "discernibility-with-suppression", "average-class-size", "number-of-classes"]
)
def test_nothing_above_a_node_costs_less_than_its_bound(store: Store, name: str, limit: int) -> None:
    checker = checker_of(store, limit=limit)
    found = objective(checker, name)
    checked = dict(zip(NODES, checker.check(NODES), strict=True))
    for low in NODES:
        for high in NODES:
            is_above = low[0] <= high[0] and low[1] <= high[1]
            if is_above and checked[high].node.suppressed <= limit:
                assert found.bound(checked[low]) <= found.cost(checked[high])


def test_without_suppression_the_squares_are_the_bound(store: Store) -> None:
    checker = checker_of(store)
    bounds = [objective(checker, "discernibility").bound(checked) for checked in checker.check(NODES)]
    assert bounds == [11, 17, 15, 29, 25, 49]
