"""The figures of attackers: shares of right guesses and of disclosed cells, and what an attacker knows, in words."""

from helpers.learned_values import ILLNESS
from helpers.solved_statistics import AGE, FOUND

from toolbox.risks.figures import Attack


def test_five_of_eight_people_are_guessed_rightly() -> None:
    assert ILLNESS.right_guesses == 0.625


def test_an_attacker_knows_all_columns_unless_some_are_named_and_nobody_told_unless_a_share_is_named() -> None:
    assert Attack().in_words() == "knows all quasi-identifiers of everybody"
    assert Attack(known=("age",)).in_words() == "knows age of everybody"
    assert (
        Attack(insiders=0.5).in_words()
        == "knows all quasi-identifiers of everybody; 50.00% of them have told their row"
    )


def test_shares_of_cells_that_statistics_disclose_are_of_all_cells() -> None:
    assert AGE.share_disclosed == 0.5
    assert (FOUND.cells, FOUND.cells_disclosed, FOUND.share_disclosed) == (40, 10, 0.25)
