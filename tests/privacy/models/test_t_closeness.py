"""t-closeness as a judge of classes: how far their sensitive values are from those of the whole table."""

import math
from fractions import Fraction

import pytest
from helpers import brute_models as brute
from helpers.amounts import times
from helpers.model_classes import achieved, classes, violating, worst
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from toolbox.errors import SettingError
from toolbox.privacy.models.t_closeness import TCloseness
from toolbox.privacy.registry import list_installed_models
from toolbox.store.engine.store import Store

RUNS = settings(
    max_examples=times(7, slow=40), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
VALUES = st.sampled_from([-3, 0, 0.5, 1, 2, 7, 1e6])
CLASSES = st.lists(st.lists(VALUES, min_size=1, max_size=10), min_size=1, max_size=8)
THRESHOLDS = st.sampled_from([0.05, 0.1, 0.125, 0.2, 0.25, 0.3, 0.375, 0.4, 0.5, 0.6, 0.75, 0.9])


def t_closeness(t: float, distance: str = "auto") -> TCloseness:
    return TCloseness(t=t, attribute="salary", distance=distance)


# Numbers


def test_the_salaries_of_the_paper(store: Store) -> None:
    """Li et al. (2007): nine salaries of 3 to 11; the poor 3, 4, 5 are 0.375 away, the mixed 6, 8, 11 are 0.167."""
    judged = classes(store, [3, 4, 5], [6, 8, 11], [7, 9, 10], kind="number")
    assert achieved(store, t_closeness(0.2), judged) == pytest.approx([0.375, 1 / 6, 17 / 72], rel=1e-14)
    assert violating(store, t_closeness(0.375), judged) == set()
    assert violating(store, t_closeness(0.374), judged) == {1}
    assert violating(store, t_closeness(0.2), judged) == {1, 3}
    assert worst(store, t_closeness(0.2), judged) == pytest.approx(0.375, rel=1e-14)


def test_the_table_of_the_paper_is_0_167_close(store: Store) -> None:
    judged = classes(store, [3, 5, 9], [6, 11, 8], [4, 7, 10], kind="number")
    assert worst(store, t_closeness(0.2), judged) == pytest.approx(1 / 6, rel=1e-14)
    assert violating(store, t_closeness(0.1666), judged) == {1, 2}


def test_by_hand_with_repeated_values_and_gaps(store: Store) -> None:
    """Of 1, 1, 2, 10 the shares are 1/2, 1/4, 1/4. A class of 1 and 10 is ahead by 0, then behind by 1/4: 1/8.

    How far 2 is from 10 does not count: they are neighbours.
    """
    judged = classes(store, [1, 10], [1, 2], column=[1, 1, 2, 10], kind="number")
    assert achieved(store, t_closeness(0.5), judged) == [0.125, 0.125]


def test_one_value_in_the_whole_table_is_no_distance_away(store: Store) -> None:
    for kind in ("number", "category"):
        judged = classes(store, [4, 4], [4], kind=kind)
        assert achieved(store, t_closeness(0.1), judged) == [0, 0]


def test_the_ends_of_a_column_are_1_apart(store: Store) -> None:
    """All but one of many at one end, and a class of the one at the other."""
    judged = classes(store, [9], column=[0] * 999 + [9], kind="number")
    assert achieved(store, t_closeness(0.1), judged) == pytest.approx([0.999])
    judged = classes(store, [0], column=[0] + [9] * 999, kind="number")
    assert achieved(store, t_closeness(0.1), judged) == pytest.approx([0.999])


# Categories


def test_the_recorded_classes_of_the_original_are_an_eighth_away(store: Store) -> None:
    """Shares in all 3/8, 2/8, 2/8, 1/8. In flu, flu, cold, hiv: +1/8, 0, 0, -1/8; in one of each: -1/8, 0, 0, +1/8."""
    judged = classes(store, ["flu", "flu", "cold", "hiv"], ["flu", "cold", "hiv", "hep"])
    assert achieved(store, t_closeness(0.2), judged) == [0.125, 0.125]
    assert violating(store, t_closeness(0.125), judged) == set()
    assert violating(store, t_closeness(0.124), judged) == {1, 2}


def test_values_that_a_class_lacks_count_too(store: Store) -> None:
    """One of four equally frequent values alone: 3/4 more of it, and 1/4 less of each of the others."""
    judged = classes(store, "a", "b", "cd", column="abcd")
    assert achieved(store, t_closeness(0.5), judged) == [0.75, 0.75, 0.5]


def test_a_class_like_the_whole_table_is_0_away(store: Store) -> None:
    judged = classes(store, "aab", "aaaabb", "baa", column="aab" * 5)
    assert achieved(store, t_closeness(0.1), judged) == pytest.approx([0, 0, 0], abs=1e-15)


# Which distance


def test_numbers_have_an_order_and_categories_have_none_unless_told(store: Store) -> None:
    values = [[1, 2], [3, 4]]
    numbers, categories = classes(store, *values, kind="number"), classes(store, *values, kind="category")
    ordered, equal = pytest.approx([1 / 3, 1 / 3]), pytest.approx([0.5, 0.5])
    assert achieved(store, t_closeness(0.5), numbers) == ordered
    assert achieved(store, t_closeness(0.5), categories) == equal
    assert achieved(store, t_closeness(0.5, "ordered"), categories) == ordered
    assert achieved(store, t_closeness(0.5, "equal"), numbers) == equal


# Against the formulas, in exact fractions


@pytest.mark.slow
@pytest.mark.parametrize("distance", ["equal", "ordered"])
@RUNS
@given(given_classes=CLASSES, rest=st.lists(VALUES, max_size=12), t=THRESHOLDS)
def test_distances_are_the_exact_ones_and_a_distance_of_just_t_is_close_enough(
    store: Store, given_classes: list[list[float]], rest: list[float], t: float, distance: str
) -> None:
    column = [value for one in given_classes for value in one] + rest
    judged = classes(store, *given_classes, column=column, kind="number")
    measure = {"equal": brute.equal_distance, "ordered": brute.ordered_distance}[distance]
    exact = [measure(one, column) for one in given_classes]
    model = t_closeness(t, distance)
    assert achieved(store, model, judged) == pytest.approx([float(one) for one in exact], abs=1e-13)
    satisfies = brute.t_close(t, column, measure)
    assert violating(store, model, judged) == {
        number for number, one in enumerate(given_classes, start=1) if not satisfies(one)
    }


@pytest.mark.sampled(1)
@pytest.mark.parametrize("distance", ["equal", "ordered"])
@pytest.mark.parametrize(("t", "n"), [(0.1, 10), (0.2, 5), (0.3, 10), (0.6, 5), (0.7, 10), (0.9, 10)])
def test_a_distance_of_just_t_is_close_enough_where_t_is_no_binary_fraction(
    store: Store, t: float, n: int, distance: str
) -> None:
    """Of n zeros and ones, some zeros, a class of zeros alone is as far away as there are ones."""
    ones = int(Fraction(str(t)) * n)
    judged = classes(store, [0], column=[0] * (n - ones) + [1] * ones, kind="number")
    assert violating(store, t_closeness(t, distance), judged) == set()
    many = classes(store, [0] * 7, column=([0] * (n - ones) + [1] * ones) * 999, kind="number")
    assert violating(store, t_closeness(t, distance), many) == set()


@pytest.mark.slow
@pytest.mark.parametrize("distance", ["equal", "ordered"])
@RUNS
@given(
    left=st.lists(VALUES, min_size=1, max_size=8),
    right=st.lists(VALUES, min_size=1, max_size=8),
    rest=st.lists(VALUES, max_size=8),
    t=THRESHOLDS,
)
def test_merging_classes_that_are_close_gives_one_that_is_close(
    store: Store, left: list[float], right: list[float], rest: list[float], t: float, distance: str
) -> None:
    model, column = t_closeness(t, distance), left + right + rest
    apart = classes(store, left, right, column=column, kind="number")
    together = classes(store, left + right, column=column, kind="number")
    assert violating(store, model, apart) or not violating(store, model, together)
    assert model.monotone


def test_a_wide_column_of_many_values_is_measured_exactly(store: Store) -> None:
    """Two thousand salaries, and classes of five neighbours, of five spread out, and of one."""
    column = list(range(2000))
    given_classes = [column[:5], column[-5:], column[::400], [1000], [0], column[1:1999]]
    judged = classes(store, *given_classes, column=column, kind="number")
    exact = [float(brute.ordered_distance(one, column)) for one in given_classes]
    assert achieved(store, t_closeness(0.2), judged) == pytest.approx(exact, abs=1e-12)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("n", [2, 3, 7, 10, 101, 999, 5000])
def test_either_end_of_evenly_spread_numbers_is_a_half_away_whatever_the_rounding(store: Store, n: int) -> None:
    """Cumulative shares are 1/n, 2/n, .. apart: (n - 1) / 2 in all, over n - 1 steps."""
    judged = classes(store, [0], [n - 1], [0, n - 1], column=range(n), kind="number")
    assert violating(store, t_closeness(0.5), judged) == set()
    assert violating(store, t_closeness(0.499999), judged) == {1, 2}


# Settings


@pytest.mark.parametrize("t", [0, 1, -0.2, 1.5, math.nan, math.inf, "0.2", None, True])
def test_t_lies_between_0_and_1(t: object) -> None:
    with pytest.raises(SettingError, match=r"^t is .*above 0 and below 1"):
        t_closeness(t)


def test_a_distance_is_one_of_four() -> None:
    with pytest.raises(SettingError, match=r"distance is .*auto, equal, ordered, hierarchical"):
        t_closeness(0.2, "nominal")


def test_it_protects_a_sensitive_attribute_and_is_installed() -> None:
    with pytest.raises(SettingError, match="sensitive attribute"):
        TCloseness(t=0.2)
    model = t_closeness(0.2)
    assert (model.name, model.attribute, model.required, model.least_records) == ("t-closeness", "salary", 0.2, 1)
    assert not model.suppression_helps
    assert TCloseness in list_installed_models()
