"""`measure` of tables in memory."""

from __future__ import annotations

import pandas as pd
import pytest

import toolbox

PEOPLE = pd.DataFrame({"age": [21, 23, 38, 39], "town": ["a", "b", "a", "c"], "illness": ["x", "y", "x", "x"]})
AGES = pd.DataFrame({"age": [21, 25, 33, 38, 64]})


@pytest.mark.slow
def test_a_table_released_as_it_is_has_lost_nothing() -> None:
    cost = toolbox.measure(PEOPLE, PEOPLE, quasi_identifiers=["age", "town"], sensitive=["illness"])
    for name in ("normalised certainty penalty", "conditional entropy", "loss metric (LM)"):
        assert cost.value(name) == 0
    for name in ("non-uniform entropy", "granularity"):
        assert cost.value(name) == 1


@pytest.mark.slow
def test_an_interval_without_an_end_goes_as_far_as_the_column() -> None:
    people = pd.DataFrame({"age": [17, 20, 50, 50]})
    release = pd.DataFrame({"age": [17, "<=20", ">=50", "<=10"]})
    cost = toolbox.measure(people, release, quasi_identifiers=["age"])
    assert cost.value("normalised certainty penalty") == pytest.approx(3 / 33 / 4)


@pytest.mark.slow
def test_a_shuffled_release_is_measured_where_classes_tell_who_became_what() -> None:
    """Non-uniform entropy compares each record with its own; classes that do not overlap say which that is."""
    people = pd.DataFrame({"age": [21, 22, 21, 35, 36, 36, 35, 80]})
    ages = [(21, "20s", "*"), (22, "20s", "*"), (35, "30s", "*"), (36, "30s", "*"), (80, "80s", "*")]
    release = people["age"].map({21: "20s", 22: "20s", 35: "30s", 36: "30s", 80: "*"}).to_frame()
    asked = {"quasi_identifiers": ["age"], "hierarchies": {"age": ages}}
    in_order, shuffled = (
        toolbox.measure(people, one, **asked) for one in (release, release.sample(frac=1, random_state=1))
    )
    assert shuffled.value("non-uniform entropy") == in_order.value("non-uniform entropy")
    assert {one.name for one in shuffled.left_out} == {one.name for one in in_order.left_out}


def test_where_people_fit_several_classes_a_shuffled_release_says_how_it_can_be_measured() -> None:
    people = pd.DataFrame({"age": [21, 22, 21, 22]})
    ages = [(21, "20s", "*"), (22, "20s", "*"), (35, "30s", "*")]
    release = pd.DataFrame({"age": ["22", "20s", "21", "20s"]})
    report = toolbox.measure(people, release, quasi_identifiers=["age"], hierarchies={"age": ages})
    (reason,) = [one.reason for one in report.left_out if one.name == "non-uniform entropy"]
    assert reason.endswith(
        "People fit several classes, too. A release with order='input' can be measured; it loses the same"
    )


@pytest.mark.slow
def test_intervals_of_pandas_are_intervals() -> None:
    release = AGES.assign(age=pd.cut(AGES["age"], [20, 30, 40, 70], right=False))
    assert toolbox.check(release, quasi_identifiers=["age"]).classes == 3
    cost = toolbox.measure(AGES, release, quasi_identifiers=["age"])
    # Of 43 years: 21 to 30 twice, 30 to 40 twice, and 40 to 64.
    assert cost.value("normalised certainty penalty") == pytest.approx((2 * 9 + 2 * 10 + 24) / 5 / 43)
    alone = AGES.assign(age=pd.array(release["age"]).astype(pd.IntervalDtype("int64", "left")))
    assert toolbox.measure(AGES, alone, quasi_identifiers=["age"]).measures == cost.measures


@pytest.mark.slow
def test_a_column_may_hold_numbers_and_what_hides_them() -> None:
    release = AGES.assign(age=[21, "*", 33.0, None, "[60:64]"])
    before = release.copy()
    cost = toolbox.measure(AGES, release, quasi_identifiers=["age"])
    assert cost.value("normalised certainty penalty") == pytest.approx((43 + 43 + 4) / 5 / 43)
    assert toolbox.check(release, quasi_identifiers=["age"]).suppressed == 1
    pd.testing.assert_frame_equal(release, before)
