"""The figures of an attacker who matches everybody at once."""

from __future__ import annotations

import pytest
from helpers.matchings import written

from toolbox.risks.figures import Attack, MatchingBeliefs, MatchingRisk
from toolbox.risks.matching.matching import measure_matching_risk

NOTHING = Attack()


def figures(found: MatchingRisk) -> MatchingBeliefs:
    assert found.beliefs is not None
    return found.beliefs


def test_an_order_among_classes_leaves_each_person_one_class() -> None:
    # Each person fits the own row and all before; only one assignment is perfect.
    found = figures(
        measure_matching_risk(written([1, 1, 1], [1, 1, 1], "x.. xx. xxx", truth="1.. 01. 001"), 2, NOTHING)
    )
    assert (found.matchable_below_k, found.matchable_with_one, found.fewest) == (3, 3, 1)
    assert found.believed_above == ((0.5, 3), (0.9, 3))
    assert (found.expected_hits, found.right_guesses) == (3, 1)


def test_classes_that_nobody_else_needs_protect_with_their_size() -> None:
    found = figures(measure_matching_risk(written([1, 1, 4], [2, 4], "x. x. xx", truth="1. 1. 04"), 2, NOTHING))
    assert (found.matchable_below_k, found.counts) == (0, ((2, 2), (4, 4)))
    assert (found.expected_hits, found.right_guesses) == (pytest.approx(2), pytest.approx(1 / 3))


def test_nobody_can_tell_right_guesses_where_the_truth_is_unknown() -> None:
    assert figures(measure_matching_risk(written([2], [2], "x"), 2, NOTHING)).right_guesses is None


def test_people_who_fit_no_row_make_all_beliefs_void() -> None:
    found = measure_matching_risk(written([2, 2], [3, 1], ".x xx"), 2, NOTHING)
    assert (found.unassigned, found.beliefs) == (1, None)


def test_being_in_no_row_is_no_row_that_is_found() -> None:
    # One row and three people who fit it: each believes in it with a third, and nobody is certain to have it.
    found = figures(measure_matching_risk(written([3], [1], "x"), 2, NOTHING))
    assert (found.matchable_with_one, found.expected_hits) == (0, pytest.approx(1))
    assert (found.matchable_below_k, found.counts) == (3, ((1, 3),))
    assert found.believed_above == ((0.5, 0), (0.9, 0))


def test_strangers_are_not_counted() -> None:
    # One person fits a class of two rows; whose the other four are does not matter.
    found = measure_matching_risk(written([1], [2, 3], "x."), 3, NOTHING)
    assert (found.people, found.rows, figures(found).counts) == (1, 5, ((2, 1),))
    assert figures(found).believed_above[0] == (1 / 3, 1)


def test_insiders_leave_fewer_rows_for_the_others() -> None:
    found = measure_matching_risk(written([4], [4], "x", truth="4"), 4, Attack(insiders=0.5))
    assert (found.people, found.rows, figures(found).counts) == (2, 2, ((2, 2),))
    assert figures(found).matchable_below_k == 2
