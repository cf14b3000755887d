"""l-diversity as a judge of classes: distinct, entropy and recursive."""

import math
from dataclasses import replace
from functools import partial
from itertools import pairwise

import pytest
from helpers import brute_models as brute
from helpers.amounts import times
from helpers.model_classes import achieved, classes, violating, worst
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from toolbox.errors import SettingError
from toolbox.privacy.models.l_diversity import DistinctLDiversity, EntropyLDiversity, RecursiveLDiversity
from toolbox.privacy.registry import list_installed_models
from toolbox.store.engine.store import Store

RUNS = settings(
    max_examples=times(6, slow=25), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
CLASSES = st.lists(st.lists(st.sampled_from("abcdef"), min_size=1, max_size=12), min_size=1, max_size=8)

# The inpatients of Machanavajjhala et al. (2006): twelve people, four to a class.
FOUR_ANONYMOUS = [
    ["heart", "heart", "virus", "virus"],
    ["cancer", "heart", "virus", "virus"],
    ["cancer", "cancer", "cancer", "cancer"],
]
THREE_DIVERSE = [
    ["heart", "virus", "cancer", "cancer"],
    ["cancer", "heart", "virus", "virus"],
    ["heart", "virus", "cancer", "cancer"],
]


def distinct(l: float) -> DistinctLDiversity:  # noqa: E741
    return DistinctLDiversity(l=l, attribute="illness")


def entropy(l: float) -> EntropyLDiversity:  # noqa: E741
    return EntropyLDiversity(l=l, attribute="illness")


def recursive(c: float, l: float) -> RecursiveLDiversity:  # noqa: E741
    return RecursiveLDiversity(c=c, l=l, attribute="illness")


# Distinct


def test_distinct_counts_the_values_that_a_class_is_known_to_hold(store: Store) -> None:
    """The bits stand for what the histogram says; where both are there, the bits alone are looked at."""
    bits = store.create_constant("bits", {"equivalence_id": (int, [1, 2, 3]), "held": (int, [0b101, 0b1, 2**61 + 6])})
    known = replace(classes(store, *FOUR_ANONYMOUS), held=bits)
    assert achieved(store, distinct(2), known) == [2, 1, 3]
    assert violating(store, distinct(2), known) == {2}
    assert achieved(store, entropy(2), known) == achieved(store, entropy(2), classes(store, *FOUR_ANONYMOUS))


def test_distinct_counts_the_different_values_of_a_class(store: Store) -> None:
    anonymous, diverse = classes(store, *FOUR_ANONYMOUS), classes(store, *THREE_DIVERSE)
    assert achieved(store, distinct(3), anonymous) == [2, 3, 1]
    assert violating(store, distinct(3), anonymous) == {1, 3}
    assert violating(store, distinct(2), anonymous) == {3}
    assert achieved(store, distinct(3), diverse) == [3, 3, 3]
    assert violating(store, distinct(3), diverse) == set()
    assert violating(store, distinct(4), diverse) == {1, 2, 3}


def test_a_fractional_l_asks_for_the_next_whole_number_of_values(store: Store) -> None:
    judged = classes(store, "ab", "abc")
    assert violating(store, distinct(2.5), judged) == {1}
    assert violating(store, distinct(2), judged) == set()


# Entropy


def test_entropy_is_told_as_a_number_of_equally_frequent_values(store: Store) -> None:
    """Shares of 1/2, 1/4 and 1/4 have an entropy of 1.5 ln 2, which is that of 2.83 equally frequent values."""
    found = achieved(store, entropy(3), classes(store, *THREE_DIVERSE))
    assert found == pytest.approx([2 * math.sqrt(2)] * 3, rel=1e-14)
    found = achieved(store, entropy(3), classes(store, *FOUR_ANONYMOUS))
    assert found == pytest.approx([2, 2 * math.sqrt(2), 1], rel=1e-14)


@pytest.mark.parametrize(("l", "expected"), [(2.82, set()), (2.83, {1, 2, 3}), (3, {1, 2, 3})])
def test_three_values_that_are_not_equally_frequent_are_not_3_diverse(store: Store, l: float, expected: set) -> None:  # noqa: E741
    assert violating(store, entropy(l), classes(store, *THREE_DIVERSE)) == expected


def test_as_many_equally_frequent_values_as_l_are_enough_whatever_the_rounding(store: Store) -> None:
    """The original compared without tolerance, so that three equal values failed l = 3."""
    for l in (1, 2, 3, 4, 5, 6, 7, 10, 13, 50):  # noqa: E741
        judged = classes(
            store, *([f"v{number}" for number in range(l)] * often for often in (1, 2, 3, 7, 11, 100, 999))
        )
        assert violating(store, entropy(l), judged) == set(), l
        assert violating(store, entropy(l + 1e-9), judged) == set(range(1, 8)), l


def test_a_class_of_one_value_has_entropy_0_and_is_1_diverse_whatever_its_size(store: Store) -> None:
    judged = classes(store, *("a" * size for size in range(1, 400)))
    assert achieved(store, entropy(1), judged) == pytest.approx([1] * 399, rel=1e-12)
    assert violating(store, entropy(1), judged) == set()
    assert violating(store, entropy(0.5), judged) == set()
    assert violating(store, entropy(1.000001), judged) == set(range(1, 400))


def test_one_rare_value_more_raises_the_entropy_a_little(store: Store) -> None:
    """Ninety-nine of a hundred with the same illness: two values, hardly more diverse than one."""
    assert achieved(store, entropy(2), classes(store, "a" * 99 + "b")) == pytest.approx([1.0576], abs=1e-4)


@RUNS
@given(CLASSES, st.sampled_from([1, 1.2, 1.5, 2, 2.5, 2.99, 3, 4, 6]))
def test_entropy_and_distinct_agree_with_the_formulas(store: Store, given_classes: list[list[str]], l: float) -> None:  # noqa: E741
    judged = classes(store, *given_classes)
    assert achieved(store, entropy(l), judged) == pytest.approx([brute.entropy_l(one) for one in given_classes])
    assert achieved(store, distinct(l), judged) == [brute.distinct_l(one) for one in given_classes]
    for model, satisfies in ((entropy(l), brute.entropy_l_diverse(l)), (distinct(l), brute.distinct_l_diverse(l))):
        expected = {number for number, one in enumerate(given_classes, start=1) if not satisfies(one)}
        assert violating(store, model, judged) == expected, model


# Recursive


@pytest.mark.sampled(5)
@pytest.mark.parametrize(
    ("counts", "l", "expected"),
    [
        # r_1 / (r_l + .. + r_m), counts descending
        ([2, 1, 1], 1, 2 / 4),
        ([2, 1, 1], 2, 2 / 2),
        ([2, 1, 1], 3, 2 / 1),
        ([2, 1, 1], 4, math.inf),
        ([5, 3, 2, 2], 2, 5 / 7),
        ([5, 3, 2, 2], 3, 5 / 4),
        ([4], 1, 1),
        ([4], 2, math.inf),
        ([1, 1, 1], 3, 1),
    ],
)
def test_recursive_divides_the_largest_count_by_the_rare_ones(
    store: Store,
    counts: list[int],
    l: float,  # noqa: E741
    expected: float,
) -> None:
    values = "".join(letter * count for letter, count in zip("badc", counts, strict=False))
    assert achieved(store, recursive(1, l), classes(store, values)) == [expected]


def test_the_largest_count_must_be_truly_less_than_c_times_the_rare_ones(store: Store) -> None:
    """Recorded runs of the original on these two classes: (1,2) and (2,3) fail, (2,2), (2.01,3) and (3,3) hold."""
    judged = classes(store, ["flu", "flu", "cold", "hiv"], ["flu", "cold", "hiv", "hep"])
    assert violating(store, recursive(1, 2), judged) == {1}
    assert violating(store, recursive(2, 3), judged) == {1}
    for c, l in ((2, 2), (2.01, 3), (3, 3)):  # noqa: E741
        assert violating(store, recursive(c, l), judged) == set()


def test_a_fractional_l_begins_the_sum_at_the_whole_number_below(store: Store) -> None:
    """A recorded run of the original: (2,2.5) holds, as 2 < 2 (1 + 1); from rank 3 on it would be 2 < 2 * 1."""
    judged = classes(store, ["flu", "flu", "cold", "hiv"], ["flu", "cold", "hiv", "hep"])
    assert violating(store, recursive(2, 2.5), judged) == set()


def test_fewer_values_than_l_are_never_recursively_diverse(store: Store) -> None:
    judged = classes(store, "aabb", "aaab", "abc")
    assert violating(store, recursive(1000, 3), judged) == {1, 2}
    assert violating(store, recursive(1000, 2.5), judged) == {1, 2}


@pytest.mark.slow
@RUNS
@given(
    CLASSES,
    st.sampled_from([0.1, 0.2, 0.3, 0.5, 1, 1.5, 2, 2.01, 3, 7]),
    st.sampled_from([0.5, 1, 1.5, 2, 2.5, 2.99, 3, 3.5, 4, 6]),
)
def test_recursive_agrees_with_the_formula(
    store: Store,
    given_classes: list[list[str]],
    c: float,
    l: float,  # noqa: E741
) -> None:
    judged, model, satisfies = classes(store, *given_classes), recursive(c, l), brute.recursively_diverse(c, l)
    expected = [float(brute.recursive_ratio(one, l)) for one in given_classes]
    assert achieved(store, model, judged) == pytest.approx(expected, rel=1e-15)
    assert violating(store, model, judged) == {
        number for number, one in enumerate(given_classes, start=1) if not satisfies(one)
    }


# All three


@pytest.mark.slow
@RUNS
@given(CLASSES.filter(lambda given_classes: len(given_classes) > 1), st.sampled_from([1.5, 2, 3, 4]))
def test_merging_classes_that_satisfy_gives_one_that_satisfies(
    store: Store,
    given_classes: list[list[str]],
    l: float,  # noqa: E741
) -> None:
    """Pruning a lattice rests on it."""
    apart = classes(store, *given_classes)
    together = classes(store, *(left + right for left, right in pairwise(given_classes)))
    for model in (distinct(l), entropy(l), recursive(1.5, l)):
        wrong = violating(store, model, apart)
        merged = {number for number in range(1, len(given_classes)) if not {number, number + 1} & wrong}
        assert not merged & violating(store, model, together), model
        assert model.monotone


def test_a_table_achieves_what_its_worst_class_does(store: Store) -> None:
    judged = classes(store, "aabc", "aaab", "abcd")
    assert worst(store, distinct(2), judged) == 2
    assert worst(store, entropy(2), judged) == pytest.approx(math.exp(brute.entropy("aaab")))
    assert worst(store, recursive(2, 2), judged) == 3
    assert worst(store, recursive(2, 3), judged) == math.inf


def test_a_table_needs_at_least_l_records() -> None:
    assert (distinct(3).least_records, entropy(2.5).least_records, recursive(2, 4).least_records) == (3, 3, 4)


@pytest.mark.parametrize("model", [distinct, entropy, partial(recursive, 2)])
@pytest.mark.parametrize("l", [0, -1, math.nan, math.inf, "3", None, True])
def test_l_is_a_number_above_0(model, l: object) -> None:  # noqa: E741
    with pytest.raises(SettingError, match=r"^l is .*number above 0"):
        model(l=l)


@pytest.mark.parametrize("c", [0, -1, math.nan, math.inf, "3", None])
def test_c_is_a_number_above_0(c: object) -> None:
    with pytest.raises(SettingError, match=r"^c is .*number above 0"):
        recursive(c, 2)


@pytest.mark.parametrize(
    ("model", "parameters"),
    [(DistinctLDiversity, {"l": 2}), (EntropyLDiversity, {"l": 2}), (RecursiveLDiversity, {"c": 2, "l": 2})],
)
def test_it_protects_a_sensitive_attribute(model: type, parameters: dict[str, float]) -> None:
    with pytest.raises(SettingError, match="sensitive attribute"):
        model(**parameters)
    made = model(attribute="illness", **parameters)
    assert made.attribute == "illness"
    assert not made.suppression_helps
    assert model in list_installed_models()


def test_the_names_and_requirements_are_those_of_the_summary() -> None:
    made = (distinct(3), entropy(2.5), recursive(2, 3))
    assert [(one.name, one.required) for one in made] == [
        ("distinct l-diversity", 3),
        ("entropy l-diversity", 2.5),
        ("recursive (c,l)-diversity", 2),
    ]
