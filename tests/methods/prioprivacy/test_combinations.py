"""Combinations as arrays: rounds, and what columns lose."""

from helpers.prioritised import Coded, halving

from toolbox.methods.prioprivacy.search import list_rounds


def test_rounds_begin_with_the_least_important_and_among_equals_with_the_first() -> None:
    assert list_rounds([1, 3, 2, 3]) == [1, 3, 2, 0]


def test_a_column_loses_a_share_of_the_bits_that_tell_its_values() -> None:
    """Four values, one record each: two bits; their pairs keep one of them. A constant has nothing to lose."""
    given = Coded([(0, 7), (1, 7), (2, 7), (3, 7)], [halving(4, 1), halving(8, 0)], [1, 1], 2)
    assert [losses.tolist() for losses in given.combinations.losses] == [[0, 0.5, 1], [0, 0]]
