"""Metrics of cells as costs: by level, and what suppressed records add."""

from __future__ import annotations

import pytest
from helpers.lattices import checker_of, objective, values
from pytest import approx

from toolbox.store.engine.store import Store

# Of 14 cells: a sex at its root costs 1, an age at its root 1; young is 2 of 3 ages.
EXPECTED = {
    "lm": [6, 7, 2.5 + 4, 9.5, 7, 14],
    "ncp": [6, 7, 5 * 2 / 3 + 4, 7 + 5 * 2 / 3, 7, 14],
    "precision": [6, 7, 2.5 + 4, 7 + 3.5, 7, 14],
}


@pytest.mark.slow
@pytest.mark.parametrize("name", EXPECTED)
def test_the_value_of_every_node(store: Store, name: str) -> None:
    expected = [cells / 14 for cells in EXPECTED[name]]
    found = values(checker_of(store), name)
    assert found == approx([1 - share for share in expected] if name == "precision" else expected)


@pytest.mark.slow
def test_what_a_level_costs_at_least(store: Store) -> None:
    ages, sexes = objective(checker_of(store), "lm").column_bounds or ()
    assert [14 * cost for cost in ages] == approx([0, 2.5, 7])
    assert [14 * cost for cost in sexes] == approx([0, 7])


def test_entropies_have_bits(store: Store) -> None:
    # Sex alone: four women and three men, in a table of seven.
    bits = 7 * 2.807354922057604 - 4 * 2 - 3 * 1.584962500721156
    assert values(checker_of(store), "conditional-entropy")[1] == approx(bits)
