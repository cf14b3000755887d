"""p-sensitive k-anonymity as a judge of classes: different values, in classes that are large enough."""

from __future__ import annotations

import pytest
from helpers import brute_models as brute
from helpers.amounts import times
from helpers.model_classes import achieved, classes, violating, worst
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from toolbox.errors import SettingError
from toolbox.privacy.models.k_with_values import PSensitiveKAnonymity
from toolbox.store.engine.store import Store

RUNS = settings(
    max_examples=times(7, slow=40), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
VALUES = st.lists(st.sampled_from("abcd"), min_size=1, max_size=8)


def model(p: int = 2, k: int = 1) -> PSensitiveKAnonymity:
    return PSensitiveKAnonymity(p=p, k=k, attribute="illness")


def test_a_class_achieves_its_different_values(store: Store) -> None:
    judged = classes(store, "aab", "abcd", "ccc")
    assert achieved(store, model(), judged) == [2, 4, 1]
    assert violating(store, model(2), judged) == {3}
    assert violating(store, model(3), judged) == {1, 3}
    assert worst(store, model(), judged) == 1


def test_a_class_of_fewer_than_k_records_achieves_nothing(store: Store) -> None:
    judged = classes(store, "ab", "aab")
    assert achieved(store, model(k=3), judged) == [0, 2]
    assert violating(store, model(1, k=3), judged) == {1}


def test_a_class_that_is_large_but_of_one_illness_is_1_sensitive(store: Store) -> None:
    judged = classes(store, ["colon"] * 3, ["colon", "breast", "colon", "hiv"])
    assert worst(store, model(k=3), judged) == 1
    assert violating(store, model(2, k=3), judged) == {1}


@RUNS
@given(given_classes=st.lists(VALUES, min_size=1, max_size=6), p=st.integers(1, 4), k=st.integers(1, 4))
def test_it_violates_where_a_plain_program_says_so(
    store: Store, given_classes: list[list[str]], p: int, k: int
) -> None:
    judge = brute.p_sensitive(p, k)
    expected = {number for number, one in enumerate(given_classes, start=1) if not judge(one)}
    assert violating(store, model(p, k), classes(store, *given_classes)) == expected


@RUNS
@given(satisfying=VALUES, any_other=VALUES, p=st.integers(1, 3), k=st.integers(1, 4))
def test_a_class_that_satisfies_it_does_so_with_any_other(
    store: Store, satisfying: list[str], any_other: list[str], p: int, k: int
) -> None:
    """So it is monotone, and leaving classes out helps."""
    apart, together = classes(store, satisfying), classes(store, satisfying + any_other)
    assert violating(store, model(p, k), apart) or not violating(store, model(p, k), together)
    assert model().monotone and model().suppression_helps


def test_a_class_has_as_many_records_as_either_asks() -> None:
    assert (model(4, 2).least_records, model(2, 4).least_records) == (4, 4)


@pytest.mark.parametrize("wrong", [0, -1, 1.5, "2", None])
def test_p_and_k_are_whole_numbers(wrong: object) -> None:
    for name in ("p", "k"):
        with pytest.raises(SettingError, match=rf"^{name} is .*whole number of at least 1"):
            model(**{name: wrong})
