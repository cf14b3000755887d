"""Precision, cell by cell."""

import pytest
from helpers.comparisons import measured, reasons, unpaired
from helpers.small_tables import quasi_identifier

from toolbox.loss.cells import GeneralisationIntensity, Precision
from toolbox.store.engine.store import Store

AGE = quasi_identifier("age", kind="number")
JOB = quasi_identifier(
    "job", hierarchy="cook kitchen indoors *\nbaker kitchen indoors *\nclerk clerk indoors *\npilot sky outdoors *"
)
ORIGINAL = "cook\nbaker\nclerk\npilot"


@pytest.mark.slow
def test_each_cell_counts_the_level_of_its_label(store: Store) -> None:
    beside = unpaired(store, ORIGINAL, "kitchen\nindoors\nclerk\n*", [JOB])
    assert measured(Precision(), beside) == {"job": 1 - (1 + 2 + 0 + 3) / 12, None: 0.5}
    assert measured(GeneralisationIntensity(), beside) == {"job": 0.5, None: 0.5}


def test_a_label_counts_its_level_even_if_one_value_lies_below_it(store: Store) -> None:
    beside = unpaired(store, ORIGINAL, "cook\nbaker\nclerk\noutdoors", [JOB])
    assert measured(Precision(), beside)["job"] == 1 - 2 / 12


def test_a_set_that_is_no_node_counts_as_the_lowest_level_with_a_node_as_wide(store: Store) -> None:
    """Nodes of level 1 have up to two values, those of level 2 three."""
    beside = unpaired(store, ORIGINAL, "{cook,pilot}\n{cook,baker}\n{cook,clerk,pilot}\npilot", [JOB])
    assert measured(Precision(), beside)["job"] == 1 - (1 + 1 + 2 + 0) / 12


def test_without_a_hierarchy_there_are_two_levels(store: Store) -> None:
    beside = unpaired(store, "1\n2\n3\n4", "*\n2\n3\n*", [AGE])
    assert measured(Precision(), beside) == {"age": 0.5, None: 0.5}


def test_without_a_hierarchy_intervals_have_no_level(store: Store) -> None:
    beside = unpaired(store, "1 cook\n2 pilot\n3 pilot", "[1:2] cook\n[1:2] *\n3 pilot", [AGE, JOB])
    assert measured(Precision(), beside) == {"job": 1 - 1 / 3}
    assert reasons(Precision(), beside) == ["age: no hierarchy says how far the values are generalised"]


def test_an_interval_of_all_values_is_the_root(store: Store) -> None:
    assert measured(Precision(), unpaired(store, "1\n3", "[1:3]\n3", [AGE]))["age"] == 0.5


def test_records_that_the_release_lacks_were_taken_to_the_root(store: Store) -> None:
    assert measured(Precision(), unpaired(store, ORIGINAL, "cook\nkitchen", [JOB]))["job"] == 1 - (1 / 3 + 2) / 4
