"""The rounds of PrioPrivacy: as in its listing, and so that nobody is left below k."""

from collections import Counter
from itertools import product

import pytest
from helpers.amounts import times
from helpers.brute_prioprivacy import prioprivacy
from helpers.prioritised import Coded, coded, halving
from hypothesis import example, given, settings

from toolbox.errors import UsageError
from toolbox.methods.prioprivacy.search import search

# The example of the paper: {gender, age, country} with 2 {f,20,AT}, 2 {m,20,GR} and 1 {m,20,AT}.
F, M, AT, GR = 0, 1, 0, 1
PAPER = Coded(
    [(F, 0, AT)] * 2 + [(M, 0, GR)] * 2 + [(M, 0, AT)], [halving(2, 0), halving(1, 0), halving(2, 0)], [3, 1, 2], 2
)


def levels(given: Coded, *, published: bool) -> list[tuple[int, ...]]:
    return given.levels(search(given.combinations, given.k, published=published))


@given(coded())
@settings(max_examples=times(33, slow=100), deadline=None)
def test_as_published_it_does_what_the_listing_does(given: Coded) -> None:
    rounds = given.combinations.rounds
    assert levels(given, published=True) == prioprivacy(given.rows, given.trees, rounds, given.k)


@pytest.mark.slow
@given(coded())
@example(PAPER)
@settings(max_examples=times(40, slow=150), deadline=None)
def test_everybody_shares_a_class_with_k_and_fits_k_released_rows(given: Coded) -> None:
    found = levels(given, published=False)
    shown = given.released(found)
    assert min(Counter(shown).values()) >= given.k
    assert min(given.consistent(found)) >= given.k


def test_the_record_of_the_paper_is_masked_in_two_columns() -> None:
    """Without its gender it would be the man missing beside {20, AT}: there are only two genders."""
    assert levels(PAPER, published=True) == [(0, 0, 0)] * 4 + [(1, 0, 1)]


def test_the_record_of_the_paper_is_found_all_the_same() -> None:
    """Whoever knows the man of 20 from Austria finds one record that could be his: the masked one, unlike all others."""
    published = levels(PAPER, published=True)
    assert PAPER.consistent(published) == [3, 3, 3, 3, 1]
    assert Counter(PAPER.released(published))[(1, 0), (0, 0), (1, 0)] == 1


def test_the_largest_group_is_made_first() -> None:
    """1 and 2 could be in two groups: with 0, or with three others that share their right column once it is raised."""
    rows = [(0, 0), (1, 0), (1, 1), (1, 2), (1, 3)]
    given = Coded(rows, [halving(2, 1), halving(4, 1)], [1, 2], 2)
    # The right column goes first, level 1 puts 0 with 1 and 2 with 3: groups {10, 11} and {12, 13}; (0, 0) is left.
    assert levels(given, published=True)[1:] == [(0, 1)] * 4


def test_the_least_important_column_is_changed_and_no_other_where_that_is_enough() -> None:
    rows = list(product(range(2), repeat=2))
    given = Coded(rows, [halving(2, 0), halving(2, 0)], [1, 2], 2)
    assert levels(given, published=False) == [(0, 1)] * 4
    swapped = Coded(rows, given.trees, [2, 1], 2)
    assert levels(swapped, published=False) == [(1, 0)] * 4


def test_records_with_k_like_them_stay_as_they_are() -> None:
    given = Coded([(0,)] * 3 + [(1,), (2,), (3,)], [halving(4, 1)], [1], 3)
    assert levels(given, published=False)[:3] == [(0,)] * 3


def test_the_last_few_join_the_class_that_loses_least() -> None:
    """3 alone is left. The four 2s would lose one level, the three 0s two; the 5s are as far away, and more."""
    given = Coded([(0,)] * 3 + [(2,)] * 4 + [(5,)] * 5 + [(3,)], [halving(6, 1)], [1], 3)
    assert levels(given, published=False) == [(0,)] * 3 + [(1,)] * 4 + [(0,)] * 5 + [(1,)]


def test_more_transformations_than_can_be_tried_are_refused() -> None:
    given = Coded([(0,) * 20] * 2, [halving(2, 0)] * 20, [1] * 20, 2)
    with pytest.raises(UsageError, match=r"20 quasi-identifiers have 1,048,576 of them; 300,000 is the most"):
        levels(given, published=False)
