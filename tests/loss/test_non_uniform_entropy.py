"""Non-uniform entropy of locally recoded columns, step by step."""

from dataclasses import replace
from math import log2

import pytest
from helpers.comparisons import comparison, measured, reasons
from helpers.small_tables import quasi_identifier

from toolbox.loss.entropy import NonUniformEntropy, WeightedNonUniformEntropy
from toolbox.loss.metric import LossMetric
from toolbox.store.engine.store import Store

JOB = quasi_identifier("job", hierarchy="cook kitchen *\nbaker kitchen *\npilot sky *\nsteward sky *")
SEX = quasi_identifier("sex", kind="category")
ORIGINAL = "cook\ncook\nbaker\npilot"
MOST = 2 * 1 + 2 * 2
"""Two of four cooks: 1 bit each; one baker, one pilot: 2 bits each."""


@pytest.mark.slow
def test_nothing_is_lost_or_all(store: Store) -> None:
    assert measured(NonUniformEntropy(), comparison(store, ORIGINAL, ORIGINAL, [JOB])) == {"job": 1, None: 1}
    hidden = measured(NonUniformEntropy(), comparison(store, ORIGINAL, "*\n*\n*\n*", [JOB]))
    assert hidden == pytest.approx({"job": 0, None: 0})


def test_a_full_domain_release_loses_what_tells_the_values_of_a_label_apart(store: Store) -> None:
    """Two of three in the kitchen are cooks: log2(3/2) for each cook, log2(3) for the baker, nothing for the pilot."""
    beside = comparison(store, ORIGINAL, "kitchen\nkitchen\nkitchen\nsky", [JOB])
    lost = 2 * log2(3 / 2) + log2(3)
    assert measured(NonUniformEntropy(), beside)["job"] == pytest.approx(1 - lost / MOST)


@pytest.mark.slow
def test_at_each_level_only_records_that_go_so_far_are_counted(store: Store) -> None:
    """Three leave level 0: a cook and a baker for the kitchen, the pilot for the root.

    To level 1 the cook and the baker, one of two in the kitchen each, lose a bit. From there the pilot alone goes on,
    and among those who go on he is the only one.
    """
    beside = comparison(store, ORIGINAL, "cook\nkitchen\nkitchen\n*", [JOB])
    assert measured(NonUniformEntropy(), beside)["job"] == pytest.approx(1 - (1 + 1 + 0) / MOST)


def test_a_level_that_does_not_occur_is_skipped(store: Store) -> None:
    """A cook and the pilot go from level 0 to the root: a bit each."""
    beside = comparison(store, ORIGINAL, "cook\n*\nbaker\n*", [JOB])
    assert measured(NonUniformEntropy(), beside)["job"] == pytest.approx(1 - 2 / MOST)


@pytest.mark.slow
def test_the_table_divides_what_all_columns_lose_by_what_they_could_lose(store: Store) -> None:
    """Sex could lose 4 bits and does, jobs could lose 6 and lose none."""
    beside = comparison(store, "cook f\ncook m\nbaker f\npilot m", "cook *\ncook *\nbaker *\npilot *", [JOB, SEX])
    assert measured(NonUniformEntropy(), beside) == pytest.approx({"job": 1, "sex": 0, None: 6 / 10})


@pytest.mark.slow
def test_the_weighted_average_of_the_columns(store: Store) -> None:
    heavy = replace(JOB, weight=4.0)
    beside = comparison(store, "cook f\ncook m\nbaker f\npilot m", "cook *\ncook *\nbaker *\npilot *", [heavy, SEX])
    assert measured(WeightedNonUniformEntropy(), beside) == pytest.approx({None: 4 / 5})


@pytest.mark.parametrize("metric", [NonUniformEntropy(), WeightedNonUniformEntropy()], ids=lambda metric: metric.name)
def test_of_means_nothing_is_measured(store: Store, metric: LossMetric) -> None:
    """2 and 8 are the means of three people each, and values of some of them."""
    beside = comparison(store, "1\n2\n3\n7\n8\n9", "2\n2\n2\n8\n8\n8", [quasi_identifier("age", kind="number")])
    assert reasons(metric, replace(beside, untrue=("age",))) == ["age: the values are not those of the records"]


def test_a_column_of_one_value_has_nothing_to_lose(store: Store) -> None:
    assert measured(NonUniformEntropy(), comparison(store, "f\nf", "*\nf", [SEX])) == {"sex": 1, None: 1}


@pytest.mark.slow
def test_cells_that_are_no_nodes_leave_a_column_out(store: Store) -> None:
    age = quasi_identifier("age", kind="number")
    beside = comparison(store, "1 cook f\n2 pilot m", "[1:2] {cook,pilot} f\n2 pilot m", [age, JOB, SEX])
    # The one age that goes to the root is alone there.
    assert measured(NonUniformEntropy(), beside) == {"sex": 1, "age": 1}
    assert reasons(NonUniformEntropy(), beside) == ["job: some values are no nodes of the hierarchy"]
    assert reasons(WeightedNonUniformEntropy(), beside) == ["job: some values are no nodes of the hierarchy"]
    apart = comparison(store, "1\n2\n3", "[1:2]\n2\n3", [age])
    assert reasons(NonUniformEntropy(), apart) == ["age: no hierarchy says how far the values are generalised"]


@pytest.mark.slow
def test_a_missing_value_stays_what_it_is_until_the_root(store: Store) -> None:
    """To level 1 nothing is lost: the cook is alone in the kitchen, and a missing value is alone; the pilot as well."""
    beside = comparison(store, "cook\n-\npilot\npilot", "kitchen\n*\nsky\n*", [JOB])
    # To the root go the missing one and a pilot: a bit each.
    most = 2 + 2 + 1 + 1
    assert measured(NonUniformEntropy(), beside)["job"] == pytest.approx(1 - 2 / most)
