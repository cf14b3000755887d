"""(alpha,k)-anonymity as a judge of classes: the share of the most frequent value, in classes that are large enough."""

from __future__ import annotations

import math

import pytest
from helpers import brute_models as brute
from helpers.amounts import times
from helpers.model_classes import achieved, classes, violating, worst
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from toolbox.errors import SettingError
from toolbox.privacy.models.k_with_values import AlphaKAnonymity
from toolbox.store.engine.store import Store

RUNS = settings(
    max_examples=times(7, slow=40), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
VALUES = st.lists(st.sampled_from("abcd"), min_size=1, max_size=12)


def model(alpha: float = 0.5, k: int = 1) -> AlphaKAnonymity:
    return AlphaKAnonymity(alpha=alpha, k=k, attribute="illness")


def test_a_class_achieves_the_share_of_its_most_frequent_value(store: Store) -> None:
    judged = classes(store, "aab", "abcd", "ccc")
    assert achieved(store, model(), judged) == [2 / 3, 0.25, 1]
    assert violating(store, model(0.5), judged) == {1, 3}
    assert violating(store, model(2 / 3), judged) == {3}
    assert worst(store, model(), judged) == 1


def test_a_class_of_fewer_than_k_records_violates_whatever_its_shares(store: Store) -> None:
    judged = classes(store, "ab", "abc")
    assert achieved(store, model(1, k=3), judged) == [math.inf, 1 / 3]
    assert violating(store, model(1, k=3), judged) == {1}
    assert worst(store, model(1, k=3), judged) == math.inf


@pytest.mark.parametrize(
    ("alpha", "size", "most"), [(0.1, 10, 1), (0.2, 5, 1), (0.3, 10, 3), (0.7, 10, 7), (0.6, 5, 3)]
)
def test_a_share_of_just_alpha_is_small_enough(store: Store, alpha: float, size: int, most: int) -> None:
    judged = classes(store, [0] * most + list(range(1, size - most + 1)))
    assert violating(store, model(alpha), judged) == set()


@RUNS
@given(
    given_classes=st.lists(VALUES, min_size=1, max_size=6), alpha=st.sampled_from([0.3, 0.5, 0.6]), k=st.integers(1, 4)
)
def test_it_violates_where_a_plain_program_says_so(
    store: Store, given_classes: list[list[str]], alpha: float, k: int
) -> None:
    judge = brute.alpha_k_anonymous(alpha, k)
    expected = {number for number, one in enumerate(given_classes, start=1) if not judge(one)}
    assert violating(store, model(alpha, k), classes(store, *given_classes)) == expected


@RUNS
@given(left=VALUES, right=VALUES, alpha=st.sampled_from([0.3, 0.5, 0.6, 0.9]), k=st.integers(1, 4))
def test_merging_classes_that_satisfy_it_gives_one_that_does(
    store: Store, left: list[str], right: list[str], alpha: float, k: int
) -> None:
    apart, together = classes(store, left, right), classes(store, left + right)
    assert violating(store, model(alpha, k), apart) or not violating(store, model(alpha, k), together)
    assert model().monotone


def test_suppression_does_not_help_since_a_satisfying_class_may_be_spoilt(store: Store) -> None:
    apart, together = classes(store, "ab", "aaaa"), classes(store, "abaaaa")
    assert violating(store, model(0.5), apart) == {2}
    assert violating(store, model(0.5), together) == {1}
    assert not model().suppression_helps


@pytest.mark.parametrize(
    ("alpha", "k", "least"),
    [(1, 1, 1), (0.5, 1, 2), (0.4, 1, 3), (0.2, 3, 5), (0.2, 9, 9), (0.1, 1, 10), (1 / 3, 1, 3), (0.3, 1, 4)],
)
def test_the_fewest_records_of_a_satisfying_class(alpha: float, k: int, least: int) -> None:
    assert model(alpha, k).least_records == least


def test_an_alpha_next_to_nothing_is_no_error() -> None:
    assert model(5e-324).least_records > 10**18


@pytest.mark.parametrize("alpha", [0, -0.5, 1.01, math.nan, math.inf, "0.5", None, True])
def test_alpha_is_a_share(alpha: object) -> None:
    with pytest.raises(SettingError, match=r"^alpha is .*above 0, at most 1"):
        model(alpha)


@pytest.mark.parametrize("k", [0, -1, 1.5, "2", None])
def test_k_is_a_number_of_records(k: object) -> None:
    with pytest.raises(SettingError, match=r"^k is .*whole number of at least 1"):
        model(k=k)
