"""beta-likeness as a judge of classes: how much a sensitive value gains over its share in the table."""

from __future__ import annotations

import math

import pytest
from helpers import brute_models as brute
from helpers.amounts import times
from helpers.model_classes import achieved, classes, violating, worst
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from toolbox.errors import SettingError
from toolbox.privacy.models.likeness import BasicBetaLikeness, EnhancedBetaLikeness
from toolbox.store.engine.store import Store

RUNS = settings(
    max_examples=times(7, slow=40), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
VALUES = st.lists(st.sampled_from("abc"), min_size=1, max_size=12)
BETAS = st.sampled_from([0.1, 0.25, 0.5, 1.0, 2.0])
BOTH = pytest.mark.parametrize("kind", [BasicBetaLikeness, EnhancedBetaLikeness])
Kind = type[BasicBetaLikeness] | type[EnhancedBetaLikeness]


def basic(beta: float = 1) -> BasicBetaLikeness:
    return BasicBetaLikeness(beta=beta, attribute="illness")


def enhanced(beta: float = 1) -> EnhancedBetaLikeness:
    return EnhancedBetaLikeness(beta=beta, attribute="illness")


def test_a_class_achieves_the_largest_gain_of_its_values(store: Store) -> None:
    """Of aabc half are a, a quarter b and c. In b, b gains 3; in bc, both gain 1; in aab, a and b gain a third."""
    judged = classes(store, "b", "bc", "aab", "abca", column="aabc")
    assert achieved(store, basic(), judged) == pytest.approx([3, 1, 1 / 3, 0], abs=1e-15)
    assert violating(store, basic(1), judged) == {1}
    assert violating(store, basic(0.3), judged) == {1, 2, 3}
    assert worst(store, basic(), judged) == 3


def test_a_value_may_not_gain_more_than_its_share_allows(store: Store) -> None:
    """-ln 1/4 = 1.386, -ln 1/2 = 0.69: b alone gains too much, and so does a alone, with a gain of 1."""
    judged = classes(store, "b", "bc", "a", "aab", column="aabc")
    assert achieved(store, enhanced(), judged) == pytest.approx([math.inf, 1, math.inf, 1 / 3])
    assert violating(store, enhanced(99), judged) == {1, 3}
    assert violating(store, enhanced(0.9), judged) == {1, 2, 3}


def test_the_only_value_of_a_table_gains_nothing_and_may_gain_nothing(store: Store) -> None:
    judged = classes(store, "aaa", "a")
    assert achieved(store, enhanced(), judged) == [0, 0]
    assert achieved(store, basic(), judged) == [0, 0]


@pytest.mark.parametrize(("beta", "in_class", "in_table"), [(0.1, 11, 10), (0.2, 6, 5), (0.7, 17, 10), (0.3, 13, 10)])
def test_a_gain_of_just_beta_is_small_enough(store: Store, beta: float, in_class: int, in_table: int) -> None:
    """Of 1,000 records in_table are a; of a class of 1,000, in_class."""
    judged = classes(store, [0] * in_class + [1] * (1000 - in_class), column=[0] * in_table + [1] * (1000 - in_table))
    assert violating(store, basic(beta), judged) == set()


@BOTH
@RUNS
@given(given_classes=st.lists(VALUES, min_size=1, max_size=6), rest=st.lists(st.sampled_from("abcd"), max_size=6))
def test_it_measures_what_a_plain_program_measures(
    store: Store, given_classes: list[list[str]], rest: list[str], kind: Kind
) -> None:
    column = [value for one in given_classes for value in one] + rest
    measure = brute.basic_gain if kind is BasicBetaLikeness else brute.enhanced_gain
    expected = [float(measure(one, column)) for one in given_classes]
    judged = classes(store, *given_classes, column=column)
    assert achieved(store, kind(beta=1, attribute="illness"), judged) == pytest.approx(expected, abs=1e-13)


@pytest.mark.slow
@BOTH
@RUNS
@given(left=VALUES, right=VALUES, rest=VALUES, beta=BETAS)
def test_merging_classes_that_satisfy_it_gives_one_that_does(
    store: Store, left: list[str], right: list[str], rest: list[str], beta: float, kind: Kind
) -> None:
    model, column = kind(beta=beta, attribute="illness"), left + right + rest
    apart, together = classes(store, left, right, column=column), classes(store, left + right, column=column)
    assert violating(store, model, apart) or not violating(store, model, together)
    assert model.monotone and not model.suppression_helps


@BOTH
@pytest.mark.parametrize("beta", [0, -1, math.nan, math.inf, "1", None, True])
def test_beta_is_a_positive_number(beta: object, kind: Kind) -> None:
    with pytest.raises(SettingError, match=r"^beta is .*above 0"):
        kind(beta=beta, attribute="illness")
