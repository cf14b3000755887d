"""Combinations as arrays: numbers for equal rows, and rounds."""

import numpy as np
from helpers.prioritised import Coded, halving

from toolbox.methods.prioprivacy.combinations import numbered, rounds_of


def test_equal_rows_have_equal_numbers_in_the_order_of_their_values() -> None:
    number, count = numbered([np.array([1, 0, 1, 0]), np.array([0, 5, 0, 2])])
    assert (number.tolist(), count) == ([2, 1, 2, 0], 3)


def test_columns_with_more_combinations_than_a_word_holds_are_told_apart() -> None:
    wide = np.array([0, 2**40, 2**40, 0])
    number, count = numbered([wide, wide[::-1].copy(), wide])
    assert (number.tolist(), count) == ([0, 1, 1, 0], 2)


def test_rounds_begin_with_the_least_important_and_among_equals_with_the_first() -> None:
    assert rounds_of([1, 3, 2, 3]) == [1, 3, 2, 0]


def test_a_column_loses_a_share_of_the_bits_that_tell_its_values() -> None:
    """Four values, one record each: two bits; their pairs keep one of them. A constant has nothing to lose."""
    given = Coded([(0, 7), (1, 7), (2, 7), (3, 7)], [halving(4, 1), halving(8, 0)], [1, 1], 2)
    assert [losses.tolist() for losses in given.combinations.losses] == [[0, 0.5, 1], [0, 0]]
