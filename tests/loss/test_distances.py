"""Distances and precision of releases whose columns have each been generalised to one level."""

import pytest
from helpers.comparisons import measured, reasons, unpaired
from helpers.small_tables import quasi_identifier

from toolbox.loss.distances import AbsoluteDistance, FullDomainPrecision, RelativeDistance, find_common_level
from toolbox.store.engine.store import Store

pytestmark = pytest.mark.sampled(2)

SEX = quasi_identifier("sex", kind="category")
JOB = quasi_identifier(
    "job", hierarchy="cook kitchen indoors *\nbaker kitchen indoors *\nclerk office indoors *\npilot sky outdoors *"
)
ORIGINAL = "cook\nbaker\nclerk\npilot"


def test_levels_are_summed_up_by_themselves_and_over_the_heights(store: Store) -> None:
    beside = unpaired(store, "cook f\npilot m", "kitchen *\nsky *", [JOB, SEX])
    assert measured(AbsoluteDistance(), beside) == {"job": 1, "sex": 1, None: 2}
    assert measured(RelativeDistance(), beside) == {"job": 1 / 3, "sex": 1, None: pytest.approx(4 / 3)}
    assert measured(FullDomainPrecision(), beside) == {
        "job": pytest.approx(2 / 3),
        "sex": 0,
        None: pytest.approx(1 / 3),
    }


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


def test_a_cell_suppressed_by_itself_is_of_another_level(store: Store) -> None:
    beside = unpaired(store, "cook f\npilot m", "kitchen f\n* m", [JOB, SEX])
    assert measured(AbsoluteDistance(), beside) == {"sex": 0}
    assert reasons(AbsoluteDistance(), beside) == ["job: not generalised to one level"]


def test_without_a_hierarchy_intervals_have_no_level(store: Store) -> None:
    age = quasi_identifier("age", kind="number")
    beside = unpaired(store, "1\n2\n3", "[1:2]\n[1:2]\n3", [age])
    assert reasons(RelativeDistance(), beside) == ["age: no hierarchy says how far the values are generalised"]
