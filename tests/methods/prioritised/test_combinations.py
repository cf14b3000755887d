"""Combinations as arrays: numbers for equal rows, ranks, rounds and weights."""

import numpy as np
import pytest
from helpers.prioritised import Coded, halving

from toolbox.methods.prioritised.combinations import by_importance, numbered, rounds_of, weights_of


def test_equal_rows_have_equal_numbers_in_the_order_of_their_values() -> None:
    number, count = numbered([np.array([1, 0, 1, 0]), np.array([0, 5, 0, 2])])
    assert (number.tolist(), count) == ([2, 1, 2, 0], 3)


def test_columns_with_more_combinations_than_a_word_holds_are_told_apart() -> None:
    wide = np.array([0, 2**40, 2**40, 0])
    number, count = numbered([wide, wide[::-1].copy(), wide])
    assert (number.tolist(), count) == ([0, 1, 1, 0], 2)


def test_ranks_have_no_gaps_and_who_has_no_priority_comes_last() -> None:
    assert by_importance([5, None, 2, 5, None]) == [2, 3, 1, 2, 3]
    assert by_importance([None, None]) == [1, 1]


def test_rounds_begin_with_the_least_important_and_among_equals_with_the_first() -> None:
    assert rounds_of([1, 3, 2, 3]) == [1, 3, 2, 0]


def test_weights_follow_the_ranks_unless_they_are_declared() -> None:
    assert weights_of([1, 2, 3], [None, None, 0.5]).tolist() == pytest.approx([1, 2 / 3, 0.5])


def test_a_column_loses_a_share_of_the_bits_that_tell_its_values() -> None:
    """Four values, one record each: two bits; their pairs keep one of them. A constant has nothing to lose."""
    given = Coded([(0, 7), (1, 7), (2, 7), (3, 7)], [halving(4, 1), halving(8, 0)], [1, 1], 2)
    assert [losses.tolist() for losses in given.combinations.losses] == [[0, 0.5, 1], [0, 0]]
