"""Distances and precision of releases whose columns have each been generalised to one level."""

import pytest
from helpers.comparisons import comparison, measured, reasons, unpaired
from helpers.small_tables import quasi_identifier

from toolbox.loss.distances import (
    AbsoluteDistance,
    FullDomainPrecision,
    RelativeDistance,
    SquaredError,
    find_common_level,
)
from toolbox.store.engine.store import Store

pytestmark = pytest.mark.sampled(2)

SEX = quasi_identifier("sex", kind="category")
JOB = quasi_identifier(
    "job", hierarchy="cook kitchen indoors *\nbaker kitchen indoors *\nclerk office indoors *\npilot sky outdoors *"
)
ORIGINAL = "cook\nbaker\nclerk\npilot"


@pytest.mark.slow
def test_levels_are_summed_up_by_themselves_and_over_the_heights(store: Store) -> None:
    beside = unpaired(store, "cook f\npilot m", "kitchen *\nsky *", [JOB, SEX])
    assert measured(AbsoluteDistance(), beside) == {"job": 1, "sex": 1, None: 2}
    assert measured(RelativeDistance(), beside) == {"job": 1 / 3, "sex": 1, None: pytest.approx(4 / 3)}
    assert measured(FullDomainPrecision(), beside) == {
        "job": pytest.approx(2 / 3),
        "sex": 0,
        None: pytest.approx(1 / 3),
    }


@pytest.mark.slow
def test_suppressed_records_do_not_change_the_level_but_cost_the_height(store: Store) -> None:
    beside = unpaired(store, "cook f\nbaker f\npilot m\nclerk m", "kitchen f\nkitchen f\n* *\noffice m", [JOB, SEX])
    assert measured(AbsoluteDistance(), beside) == {"job": 1, "sex": 0, None: 1}
    wanted = {"job": 1 - (3 * 1 / 3 + 1) / 4, "sex": 1 - 1 / 4, None: (0.5 + 0.75) / 2}
    assert measured(FullDomainPrecision(), beside) == pytest.approx(wanted)


def test_records_that_the_release_lacks_cost_the_height(store: Store) -> None:
    beside = unpaired(store, "cook\nbaker\npilot\nclerk", "kitchen\nkitchen\noffice", [JOB])
    assert measured(FullDomainPrecision(), beside)["job"] == pytest.approx(1 - (3 * 1 / 3 + 1) / 4)


def test_a_release_of_suppressed_records_was_taken_to_the_top(store: Store) -> None:
    beside = unpaired(store, ORIGINAL, "*\n*\n*\n*", [JOB])
    assert measured(AbsoluteDistance(), beside) == {"job": 3, None: 3}
    assert measured(FullDomainPrecision(), beside) == {"job": 0, None: 0}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("released", "level"),
    [
        ("cook\nbaker\nclerk\npilot", 0),
        ("kitchen\nkitchen\noffice\nsky", 1),
        # A set may stand for its node, and a value for the node that it is alone in.
        ("{cook,baker}\nkitchen\nclerk\npilot", 1),
        ("indoors\nindoors\nindoors\npilot", 2),
        ("kitchen\nkitchen\nindoors\nsky", "not generalised to one level"),
        ("cook\nkitchen\noffice\nsky", "not generalised to one level"),
        ("{cook,pilot}\nbaker\nclerk\npilot", "not generalised to one level"),
    ],
)
def test_the_level_of_a_column(store: Store, released: str, level: int | str) -> None:
    assert find_common_level(unpaired(store, ORIGINAL, released, [JOB]), 0) == level


def test_a_missing_value_has_no_level_but_the_root(store: Store) -> None:
    beside = unpaired(store, "cook\nbaker\n-", "kitchen\nkitchen\n-", [JOB])
    assert find_common_level(beside, 0) == 1


@pytest.mark.slow
def test_a_cell_suppressed_by_itself_is_of_another_level(store: Store) -> None:
    beside = unpaired(store, "cook f\npilot m", "kitchen f\n* m", [JOB, SEX])
    assert measured(AbsoluteDistance(), beside) == {"sex": 0}
    assert reasons(AbsoluteDistance(), beside) == ["job: not generalised to one level"]


def test_without_a_hierarchy_intervals_have_no_level(store: Store) -> None:
    age = quasi_identifier("age", kind="number")
    beside = unpaired(store, "1\n2\n3", "[1:2]\n[1:2]\n3", [age])
    assert reasons(RelativeDistance(), beside) == ["age: no hierarchy says how far the values are generalised"]


AGE = quasi_identifier("age", kind="number")


@pytest.mark.slow
def test_squares_of_errors_are_a_share_of_those_around_the_mean(store: Store) -> None:
    # Around the mean 30 they are 200 + 200 and 0; the middle of both ranges is 5 away from each end.
    beside = comparison(store, "20\n30\n30\n40", "[20:30]\n[20:30]\n[30:40]\n[30:40]", [AGE])
    assert measured(SquaredError(), beside) == {"age": pytest.approx(100 / 200), None: pytest.approx(100 / 200)}


def test_the_root_stands_for_the_mean_and_a_value_for_itself(store: Store) -> None:
    beside = comparison(store, "20\n30\n70\n80", "20\n30\n*\n*", [AGE])
    assert measured(SquaredError(), beside)["age"] == pytest.approx((20**2 + 30**2) / (30**2 + 20**2 + 20**2 + 30**2))


@pytest.mark.slow
def test_categories_have_no_distance_and_the_table_has_the_average_of_its_numbers(store: Store) -> None:
    beside = comparison(store, "20 f\n30 m", "[20:30] f\n[20:30] m", [AGE, SEX])
    assert measured(SquaredError(), beside) == {"age": 1, None: 1}
    assert reasons(SquaredError(), beside) == ["sex: categories have no distance"]


def test_a_column_of_one_number_loses_nothing(store: Store) -> None:
    assert measured(SquaredError(), comparison(store, "20\n20", "*\n*", [AGE])) == {"age": 0, None: 0}


@pytest.mark.slow
@pytest.mark.parametrize("highest", ["1e300", "1.7e308"])
def test_numbers_whose_squares_are_none_are_measured(store: Store, highest: str) -> None:
    beside = comparison(store, f"-{highest}\n0\n{highest}", "*\n0\n*", [AGE])
    assert measured(SquaredError(), beside)["age"] == pytest.approx(1)
