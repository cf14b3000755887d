"""Normalised certainty penalty of numbers, categories, sets, labels and suppressed cells."""

from dataclasses import replace

import pytest
from helpers.comparisons import measured, unpaired
from helpers.small_tables import quasi_identifier

from toolbox.errors import SettingError
from toolbox.loss.cells import NormalisedCertaintyPenalty
from toolbox.store.engine.store import Store

NCP = NormalisedCertaintyPenalty()
AGE = quasi_identifier("age", kind="number")
JOB = quasi_identifier("job", kind="category")
BY_TENS = quasi_identifier("age", hierarchy="20 20s *\n21 20s *\n22 20s *\n30 30s *\n31 30s *\n50 50s *")
AGES = "20\n22\n30\n50"


def test_numbers_without_a_hierarchy_cost_their_width(store: Store) -> None:
    """The ages span 30 years; an open end costs as a closed one, and a range is cut off at the ends of the column."""
    beside = unpaired(store, AGES, "20\n[20:26)\n[30:99]\n*", [AGE])
    assert measured(NCP, beside) == pytest.approx({"age": (0 + 6 / 30 + 20 / 30 + 1) / 4, None: (6 + 20 + 30) / 120})


def test_numbers_with_a_hierarchy_cost_the_values_that_somebody_has(store: Store) -> None:
    """Of 20, 22, 30 and 50, two are in the twenties and one in the thirties; nobody is 21 or 31."""
    beside = unpaired(store, AGES, "20s\n20s\n30s\n*", [BY_TENS])
    assert measured(NCP, beside)["age"] == (2 / 4 + 2 / 4 + 0 + 1) / 4
    assert measured(NormalisedCertaintyPenalty(numbers="count"), beside)["age"] == (2 / 4 + 2 / 4 + 0 + 1) / 4
    # from 20 to 22, from 30 to 31
    by_width = measured(NormalisedCertaintyPenalty(numbers="width"), beside)["age"]
    assert by_width == pytest.approx((2 / 30 + 2 / 30 + 1 / 30 + 1) / 4)


def test_the_width_is_that_of_numbers_that_somebody_has(store: Store) -> None:
    """From 20 to 22: the thirties begin above, and of the twenties nothing lies below."""
    beside = unpaired(store, "20\n21\n22", "[0:21]\n20s\n*", [BY_TENS])
    assert measured(NormalisedCertaintyPenalty(numbers="width"), beside)["age"] == (1 / 2 + 1 + 1) / 3


@pytest.mark.slow
def test_an_interval_beside_a_hierarchy_counts_what_it_covers(store: Store) -> None:
    beside = unpaired(store, AGES, "[20:30]\n[22:30]\n[29:33]\n50", [BY_TENS])
    assert measured(NCP, beside)["age"] == (3 / 4 + 2 / 4 + 0 + 0) / 4


def test_numbers_without_a_hierarchy_can_be_counted_as_well(store: Store) -> None:
    beside = unpaired(store, AGES, "[20:25]\n[20:25]\n30\n*", [AGE])
    assert measured(NormalisedCertaintyPenalty(numbers="count"), beside)["age"] == (2 / 4 + 2 / 4 + 0 + 1) / 4


def test_a_set_costs_its_values_and_one_value_nothing(store: Store) -> None:
    beside = unpaired(store, "cook\nbaker\npilot\nnurse", "{cook,nurse}\n{baker}\n{nurse,pilot,cook}\nnurse", [JOB])
    assert measured(NCP, beside)["job"] == (2 / 4 + 0 + 3 / 4 + 0) / 4


@pytest.mark.slow
def test_a_column_of_one_value_loses_nothing_even_where_it_is_suppressed(store: Store) -> None:
    beside = unpaired(store, "7 cook\n7 cook", "* *\n[5:9] *", [AGE, JOB])
    assert measured(NCP, beside) == {"age": 0, "job": 0, None: 0}


def test_columns_count_by_their_weights(store: Store) -> None:
    """Of ages that cost 1 and weigh 3, and jobs that cost 0 and weigh 1, three quarters are lost."""
    heavy = replace(AGE, weight=3.0)
    beside = unpaired(store, "1 cook\n9 cook\n1 pilot", "* cook\n* cook\n* pilot", [heavy, JOB])
    assert measured(NCP, beside) == {"age": 1, "job": 0, None: 0.75}


@pytest.mark.slow
def test_each_cell_and_each_class_has_its_penalty(store: Store) -> None:
    heavy = replace(AGE, weight=3.0)
    beside = unpaired(store, "1 a\n9 b\n5 c", "[1:5] {a,b}\n* b\n[1:5] {a,b,c}", [heavy, JOB])
    texts = dict(
        map(tuple, store.rows(beside.release.cells[0].select().with_only_columns(*list(beside.release.cells[0].c)[:2])))
    )
    assert {texts[cell]: cost for cell, cost in store.rows(NCP.costs(beside, 0))} == {"[1:5]": 0.5, "*": 1}
    found = sorted(cost for _, cost in store.rows(NCP.of_classes(beside)))
    assert found == pytest.approx(sorted([(3 * 0.5 + 2 / 3) / 4, (3 * 1 + 0) / 4, (3 * 0.5 + 1) / 4]))


def test_a_missing_value_is_one_of_the_values(store: Store) -> None:
    """It has no width; among jobs it is one of three."""
    beside = unpaired(store, "1 cook\n- -\n5 pilot", "[1:5] cook\n- *\n* pilot", [AGE, JOB])
    assert measured(NCP, beside) == pytest.approx({"age": 2 / 3, "job": 1 / 3, None: 1 / 2})
    counted = measured(NormalisedCertaintyPenalty(numbers="count"), beside)
    assert counted["age"] == pytest.approx((2 / 3 + 0 + 1) / 3)


def test_an_empty_cell_is_suppressed_where_nobody_lacks_a_value(store: Store) -> None:
    beside = unpaired(store, "1 cook\n5 pilot", "- cook\n5 -", [AGE, JOB])
    assert measured(NCP, beside) == {"age": 0.5, "job": 0.5, None: 0.5}


@pytest.mark.slow
def test_records_that_the_release_lacks_cost_as_suppressed_ones(store: Store) -> None:
    kept = unpaired(store, "1 a\n9 b\n5 c\n5 d", "[1:5] a\n* *\n5 {c,d}\n* *", [AGE, JOB])
    dropped = unpaired(store, "1 a\n9 b\n5 c\n5 d", "[1:5] a\n5 {c,d}", [AGE, JOB])
    assert measured(NCP, kept) == measured(NCP, dropped) == {"age": 2.5 / 4, "job": 2.5 / 4, None: 2.5 / 4}


def test_the_widest_numbers_do_not_overflow(store: Store) -> None:
    beside = unpaired(store, "-1.7e308\n0\n1.7e308", "*\n[-1.7e308:0]\n1.7e308", [AGE])
    assert measured(NCP, beside)["age"] == pytest.approx(0.5)


def test_numbers_are_measured_in_one_of_three_ways() -> None:
    with pytest.raises(SettingError) as caught:
        NormalisedCertaintyPenalty(numbers="range")  # type: ignore[arg-type]
    assert str(caught.value) == "numbers is 'range'; write one of 'auto', 'width', 'count'."
