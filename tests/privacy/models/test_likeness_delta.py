"""delta-disclosure as a judge of classes: how far the share of a value is from that in the table, in logarithms."""

from __future__ import annotations

import math

import pytest
from helpers import brute_models as brute
from helpers.amounts import times
from helpers.model_classes import achieved, classes, violating, worst
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import toolbox
from toolbox.errors import SettingError, UsageError
from toolbox.privacy.models.likeness import DeltaDisclosure
from toolbox.store.engine.store import Store

RUNS = settings(
    max_examples=times(7, slow=40), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
VALUES = st.lists(st.sampled_from("abc"), min_size=1, max_size=12)
DELTAS = st.sampled_from([0.1, 0.3, 0.7, 1.0, 2.0])


def model(delta: float = 1, absent: str = "infinite") -> DeltaDisclosure:
    return DeltaDisclosure(delta=delta, attribute="illness", absent=absent)


def test_half_and_twice_as_frequent_are_equally_far(store: Store) -> None:
    """Of aaab bbba half are a. In abbb it is 1/4, half as frequent; b, with 3/4, is 3/2 as frequent."""
    judged = classes(store, "aaab", "abbb")
    assert achieved(store, model(), judged) == pytest.approx([math.log(2), math.log(2)], rel=1e-14)
    assert violating(store, model(0.7), judged) == set()
    assert violating(store, model(0.69), judged) == {1, 2}


def test_a_class_like_the_table_is_not_far_at_all(store: Store) -> None:
    judged = classes(store, "aab", "aabaab", column="aab" * 7)
    assert achieved(store, model(), judged) == [0, 0]


def test_a_value_that_a_class_lacks_is_infinitely_far_unless_it_is_ignored(store: Store) -> None:
    judged = classes(store, "ab", "aabb", "abc", column="aabbc")
    ignored = achieved(store, model(absent="ignored"), judged)
    # 1/2 over 2/5; 1/3 over 1/5
    assert ignored == pytest.approx([math.log(5 / 4), math.log(5 / 4), math.log(5 / 3)], rel=1e-14)
    assert achieved(store, model(), judged) == [math.inf, math.inf, pytest.approx(math.log(5 / 3))]
    assert violating(store, model(9), judged) == {1, 2}
    assert worst(store, model(), judged) == math.inf


def test_delta_itself_is_too_far(store: Store) -> None:
    judged = classes(store, "aaab", "abbb")
    (reached, _) = achieved(store, model(), judged)
    assert violating(store, model(reached), judged) == {1, 2}
    assert violating(store, model(math.nextafter(reached, 1)), judged) == set()


@RUNS
@given(given_classes=st.lists(VALUES, min_size=1, max_size=6), rest=st.lists(st.sampled_from("abcd"), max_size=6))
def test_it_measures_what_a_plain_program_measures(
    store: Store, given_classes: list[list[str]], rest: list[str]
) -> None:
    column = [value for one in given_classes for value in one] + rest
    judged = classes(store, *given_classes, column=column)
    for absent in ("infinite", "ignored"):
        expected = [brute.disclosure(one, column, ignored=absent == "ignored") for one in given_classes]
        assert achieved(store, model(absent=absent), judged) == pytest.approx(expected, abs=1e-13)


@pytest.mark.slow
@RUNS
@given(left=VALUES, right=VALUES, rest=VALUES, delta=DELTAS)
@example(left=list("aab"), right=list("ab"), rest=[], delta=0.3)
def test_merging_classes_that_satisfy_it_gives_one_that_does(
    store: Store, left: list[str], right: list[str], rest: list[str], delta: float
) -> None:
    column = left + right + rest
    apart, together = classes(store, left, right, column=column), classes(store, left + right, column=column)
    assert violating(store, model(delta), apart) or not violating(store, model(delta), together)
    assert model().monotone and not model().suppression_helps


def test_with_absent_values_ignored_merging_may_spoil_it(store: Store) -> None:
    """a is absent, or as frequent as in the table; together there is little of it."""
    left, right, column = "b" * 18, "ab", "ab" * 10 + "a" * 9 + "b" * 9
    near = model(1, absent="ignored")
    assert violating(store, near, classes(store, left, right, column=column)) == set()
    assert violating(store, near, classes(store, left + right, column=column)) == {1}
    assert not near.monotone


def test_no_method_enforces_what_is_not_monotone() -> None:
    given_models = [model(1, absent="ignored")]
    with pytest.raises(UsageError, match="Mondrian cannot honour delta-disclosure"):
        toolbox.anonymize(
            {"age": [1, 2], "illness": ["a", "b"]},
            quasi_identifiers=["age"],
            sensitive=["illness"],
            models=given_models,
        )


@pytest.mark.parametrize("delta", [0, -1, math.nan, math.inf, "1", None, True])
def test_delta_is_a_positive_number(delta: object) -> None:
    with pytest.raises(SettingError, match=r"^delta is .*above 0"):
        model(delta)


def test_absent_values_count_in_one_of_two_ways() -> None:
    with pytest.raises(SettingError, match=r"^absent is .*infinite, ignored"):
        model(absent="zero")
