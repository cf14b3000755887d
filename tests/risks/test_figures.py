"""The share of right guesses of who goes by the most frequent value of each class."""

from helpers.learned_values import ILLNESS


def test_five_of_eight_people_are_guessed_rightly() -> None:
    assert ILLNESS.right_guesses == 0.625
