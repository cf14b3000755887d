"""Metrics of levels as costs."""

from __future__ import annotations

import pytest
from helpers.lattices import checker_of, objective, values
from pytest import approx

from toolbox.store.engine.store import Store


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("absolute-distance", [0, 1, 1, 2, 2, 3]),
        ("relative-distance", [0, 1, 0.5, 1.5, 1, 2]),
        # The average column; a suppressed record counts the height in each.
        ("full-domain-precision", [1 - 3 / 7, 0.5, 1 - (2 / 7 + (5 / 7 * 0.5 + 2 / 7)) / 2, 0.25, 0.5, 0]),
    ],
)
def test_the_value_of_every_node(store: Store, name: str, expected: list[float]) -> None:
    assert values(checker_of(store), name) == approx(expected)


def test_higher_levels_cost_more(store: Store) -> None:
    ages, sexes = objective(checker_of(store), "relative-distance").column_bounds or ()
    assert (ages.tolist(), sexes.tolist()) == ([0, 0.5, 1], [0, 1])
