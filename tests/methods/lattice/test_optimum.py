"""The best node, and the bound that proves it."""

from __future__ import annotations

from math import inf

import pytest
from helpers.lattices import checker_of, search_of

from toolbox.methods.lattice.optimum import compute_proved_bound, find_optimum
from toolbox.methods.lattice.searching import check_paths
from toolbox.store.engine.store import Store


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("name", "limit", "expected"),
    [
        # By the tables of the tests of the costs; of ties, the lowest node.
        ("lm", 0, (0, 1)),
        ("lm", 2, (1, 0)),
        ("lm", 3, (0, 0)),
        ("ncp", 2, (0, 1)),
        ("discernibility", 3, (0, 1)),
        ("discernibility-with-suppression", 3, (0, 1)),
        ("average-class-size", 3, (0, 0)),
        ("number-of-classes", 3, (0, 1)),
        ("suppressed-records", 3, (0, 1)),
    ],
)
def test_the_best_node(store: Store, name: str, limit: int, expected: tuple[int, int]) -> None:
    search = search_of(checker_of(store, limit=limit), name)
    check_paths(search)
    find_optimum(search)
    assert search.best is not None
    assert search.best.node.levels == expected


def test_the_bound_of_a_search_that_was_cut_off(store: Store) -> None:
    search = search_of(checker_of(store))
    # Nothing is known: nobody's cells need cost anything.
    assert compute_proved_bound(search) == 0
    search.check([(2, 1), (0, 0), (1, 0)])
    # What is left costs seven cells at least, with all sexes or all ages at the root.
    assert compute_proved_bound(search) == pytest.approx(0.5)
    assert compute_proved_bound(search_of(checker_of(store), "discernibility")) == -inf
