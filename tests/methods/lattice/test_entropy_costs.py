"""Non-uniform entropy as a cost: what all lose at a level, and the suppressed from there on."""

from __future__ import annotations

from math import log2

import numpy as np
from helpers.lattices import checker_of, objective, values
from pytest import approx

from toolbox.methods.lattice.objectives import sum_information
from toolbox.store.engine.store import Store

AGE = 7 * log2(7) - 2 - 3 * log2(3) - 2
"""Bits that the ages 2, 3, 2 can lose."""
SEX = 7 * log2(7) - 8 - 3 * log2(3)


def test_information_is_summed_by_group() -> None:
    assert sum_information(np.array([2, 3, 2]), np.array([0, 0, 1])) == approx(5 * log2(5) + 2)


def test_what_all_lose_by_level(store: Store) -> None:
    ages, sexes = objective(checker_of(store), "non-uniform-entropy").column_bounds or ()
    assert [(AGE + SEX) * bits for bits in ages] == approx([0, 5 * log2(5) - 2 - 3 * log2(3), AGE], abs=1e-12)
    assert [(AGE + SEX) * bits for bits in sexes] == approx([0, SEX], abs=1e-12)


def test_what_the_suppressed_lose_besides(store: Store) -> None:
    # At the bottom a 22, f and both of 34 are suppressed: ages 1 and 2 of three, sexes 2 and 1.
    more = 2 * (3 * log2(3) - 2)
    found = values(checker_of(store), "non-uniform-entropy")
    assert found[0] == approx(1 - more / (AGE + SEX))
    assert found[1] == approx(1 - SEX / (AGE + SEX))
    # Of young and old, where a woman and a man that are old are suppressed: they lose their sexes.
    assert found[2] == approx(1 - (5 * log2(5) - 2 - 3 * log2(3) + 2) / (AGE + SEX))


def test_weights_count_columns(store: Store) -> None:
    # Without declared weights, the average of the columns.
    assert values(checker_of(store), "weighted-non-uniform-entropy")[1] == approx(0.5)
