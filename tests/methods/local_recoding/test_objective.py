"""Objectives: what a release loses, and what one more record of each value loses at each level."""

from __future__ import annotations

import numpy as np
import pytest

from toolbox.methods.local_recoding.rows import RecodingColumn, _Entropy, _RecodingCellCosts

# Four values, two pairs, a root; their records.
COLUMN = RecodingColumn(codes=[np.arange(4), np.array([4, 4, 5, 5]), np.full(4, 6)], counts=np.array([4, 4, 2, 6]))
ALL_IN_PAIRS = np.outer(COLUMN.counts, [0, 1, 0])


def test_bits_count_by_the_importance_of_their_column() -> None:
    """8 records are either of two, alike; of the other 8 a quarter is one value: 8 + 8 (2 - .75 log2 3) bits."""
    bits = 8 + 8 * (2 - 0.75 * np.log2(3))
    objective = _Entropy([COLUMN, COLUMN], np.array([1.0, 10.0]))
    nothing = np.outer(COLUMN.counts, [1, 0, 0])
    assert objective.lost([ALL_IN_PAIRS, nothing]) == pytest.approx(bits)
    assert objective.lost([nothing, ALL_IN_PAIRS]) == pytest.approx(10 * bits)


def test_a_bit_costs_ten_times_as_much_in_a_column_ten_times_as_important() -> None:
    objective = _Entropy([COLUMN, COLUMN], np.array([1.0, 10.0]))
    one, other = objective.prices(None)
    assert one[1].tolist() == pytest.approx([1, 1, 2, np.log2(4 / 3)])
    assert other.tolist() == (10 * one).tolist()


def test_cells_cost_the_same_in_every_release() -> None:
    costs = np.array([[0, 0, 0, 0], [1, 1, 5, 5], [9, 9, 9, 9]])
    objective = _RecodingCellCosts([costs])
    assert objective.lost([ALL_IN_PAIRS]) == 8 * 1 + 8 * 5
    assert objective.prices(None) == objective.prices([ALL_IN_PAIRS]) == [costs]
    assert (objective.learns, _Entropy.learns) == (False, True)
