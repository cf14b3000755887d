"""Iyengar's loss metric, and ARX's granularity."""

import pytest
from helpers.comparisons import measured, unpaired
from helpers.small_tables import quasi_identifier

from toolbox.loss.cells import Granularity, IyengarLoss
from toolbox.store.engine.store import Store

AGE = quasi_identifier("age", kind="number")
JOB = quasi_identifier("job", kind="category")
BY_TENS = quasi_identifier("age", hierarchy="20 20s *\n21 20s *\n22 20s *\n30 30s *\n31 30s *")


def test_values_that_only_the_hierarchy_lists_count(store: Store) -> None:
    """The twenties are two others of four, the thirties one."""
    beside = unpaired(store, "20\n20\n30\n30", "20s\n20\n30s\n*", [BY_TENS])
    assert measured(IyengarLoss(), beside) == {"age": (2 / 4 + 0 + 1 / 4 + 1) / 4, None: (2 / 4 + 0 + 1 / 4 + 1) / 4}


def test_numbers_without_a_hierarchy_lose_their_width(store: Store) -> None:
    beside = unpaired(store, "20\n30\n60", "[20:30]\n30\n*", [AGE])
    assert measured(IyengarLoss(), beside)["age"] == pytest.approx((10 / 40 + 0 + 1) / 3)


def test_sets_lose_their_other_values(store: Store) -> None:
    beside = unpaired(store, "a\nb\nc", "{a,b}\nb\n{a,b,c}", [JOB])
    assert measured(IyengarLoss(), beside)["job"] == pytest.approx((1 / 2 + 0 + 1) / 3)


def test_the_loss_of_a_table_is_the_average_and_its_granularity_weighs_by_the_number_of_values(store: Store) -> None:
    """Two ages lose all, four jobs nothing: half is lost, or (1 - 1/2) of (1 - 1/2) + (1 - 1/4)."""
    beside = unpaired(store, "1 a\n2 b\n1 c\n2 d", "* a\n* b\n* c\n* d", [AGE, JOB])
    assert measured(IyengarLoss(), beside) == {"age": 1, "job": 0, None: 0.5}
    assert measured(Granularity(), beside) == {"age": 0, "job": 1, None: pytest.approx(1 - 0.5 / 1.25)}


def test_one_value_has_nothing_to_lose(store: Store) -> None:
    beside = unpaired(store, "a\na", "*\na", [JOB])
    assert measured(IyengarLoss(), beside) == {"job": 0, None: 0}
    assert measured(Granularity(), beside) == {"job": 1, None: 1}


def test_records_that_the_release_lacks_have_lost_all(store: Store) -> None:
    beside = unpaired(store, "a\nb\nc\nc", "a\nb", [JOB])
    assert measured(Granularity(), beside)["job"] == 0.5
