"""The loss of local recoding and its prices at the margin."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolbox.methods.local_recoding.rows import (
    RecodingColumn,
    _compute_importances,
    compute_prices,
    measure_bits_lost,
    measure_most_bits,
)

# Four values, two pairs, a root; their records.
COLUMN = RecodingColumn(codes=[np.arange(4), np.array([4, 4, 5, 5]), np.full(4, 6)], counts=np.array([4, 4, 2, 6]))
HISTOGRAMS = st.lists(st.lists(st.integers(0, 9), min_size=3, max_size=3), min_size=4, max_size=4).map(np.array)


@pytest.mark.parametrize(
    ("histogram", "bits"),
    [
        ([[4, 0, 0], [4, 0, 0], [2, 0, 0], [6, 0, 0]], 0),
        # each record may be either of two
        ([[0, 4, 0], [0, 4, 0], [2, 0, 0], [6, 0, 0]], 8),
        # one value alone tells what it was
        ([[0, 0, 4], [4, 0, 0], [2, 0, 0], [6, 0, 0]], 0),
        # two of each pair: one bit within the pair, one bit which pair
        ([[2, 0, 2], [2, 0, 2], [0, 0, 2], [4, 0, 2]], 16),
        # within the pair four records lose a bit; then two of them, alike, rise with nobody
        ([[2, 2, 0], [2, 0, 2], [2, 0, 0], [6, 0, 0]], 4),
    ],
    ids=["nothing", "a pair", "homogeneous", "all the way", "by steps"],
)
def test_records_lose_the_entropy_of_what_may_stand_behind_their_value(histogram: list[list[int]], bits: float) -> None:
    assert measure_bits_lost(COLUMN, np.array(histogram)) == pytest.approx(bits)


def test_the_most_that_can_be_lost_is_the_entropy_of_the_column() -> None:
    """16 records: two values of 1/4 have 2 bits each, one of 1/8 has 3, one of 3/8 has log2(8/3)."""
    expected = 8 * 2 + 2 * 3 + 6 * np.log2(8 / 3)
    assert measure_most_bits(COLUMN) == pytest.approx(expected)
    assert measure_bits_lost(COLUMN, np.outer(COLUMN.counts, [0, 0, 1])) == pytest.approx(expected)


@given(HISTOGRAMS, HISTOGRAMS)
def test_prices_of_one_release_never_say_less_than_another_loses(here: np.ndarray, there: np.ndarray) -> None:
    assert measure_bits_lost(COLUMN, there) <= (compute_prices(COLUMN, here).T * there).sum() + 1e-9


@given(HISTOGRAMS)
def test_prices_add_up_to_the_loss_but_for_the_trace_of_the_input(here: np.ndarray) -> None:
    lost = measure_bits_lost(COLUMN, here)
    assert lost - 1e-9 <= (compute_prices(COLUMN, here).T * here).sum() <= lost + 1.0


def test_importance_goes_from_bits_to_the_shares_of_columns() -> None:
    """One column has 16 bits, the other 32: alike as columns, a bit of the first counts twice as much."""
    one = RecodingColumn(codes=[np.arange(2), np.full(2, 2)], counts=np.array([8, 8]))
    two = RecodingColumn(codes=[np.arange(4), np.full(4, 4)], counts=np.full(4, 4))
    assert _compute_importances([one, two], [5, 5], 0).tolist() == [1, 1]
    assert _compute_importances([one, two], [5, 5], 1).tolist() == [1.5, 0.75]
    assert _compute_importances([one, two], [3, 1], 1).tolist() == [2.25, 0.375]
    assert _compute_importances([one, two], [5, 5], 0.5).tolist() == [1.25, 0.875]


def test_a_column_with_one_value_counts_nothing_as_a_column() -> None:
    one = RecodingColumn(codes=[np.arange(1), np.full(1, 1)], counts=np.array([8]))
    assert _compute_importances([one, COLUMN], [1, 1], 1).tolist() == [0, 0.5]


def test_a_value_that_no_record_has_costs_nothing_and_changes_nothing() -> None:
    """As a column may have it whose only records of a value are skipped for another missing one."""
    column = RecodingColumn(codes=[np.arange(3), np.full(3, 3)], counts=np.array([4, 0, 4]))
    assert compute_prices(column).tolist() == [[0, 0, 0], [1, 0, 1]]
    assert measure_bits_lost(column, np.array([[0, 4], [0, 0], [0, 4]])) == 8
