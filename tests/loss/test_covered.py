"""Amounts of the values that a cell covers."""

import pytest
from helpers.comparisons import comparison
from helpers.small_tables import quasi_identifier
from sqlalchemy import select

from toolbox.loss.cells import _find_number_ends, count_if_present, sum_column_amount, sum_covered_amounts
from toolbox.loss.entropy import _compute_self_information
from toolbox.store.engine.store import Store

BY_TENS = quasi_identifier("age", hierarchy="20 20s *\n21 20s *\n22 20s *\n30 30s *\n31 30s *")


def test_amounts_are_summed_over_ranges_with_gaps_between(store: Store) -> None:
    beside = comparison(store, "20\n20\n22\n30\n30\n30\n30", "{20,30}\n20s\n[21:30]\n31\n*\n[23:29]\n22", [BY_TENS])
    found = sum_covered_amounts(beside, 0, {"values": count_if_present, "information": _compute_self_information})
    cells = beside.release.cells[0]
    rows = select(cells.c.text, found.c["values"], found.c.information)
    joined = rows.join_from(cells, found, found.c.cell_id == cells.c.cell_id)
    assert {text: (values, bits) for text, values, bits in store.rows(joined)} == {
        "{20,30}": (2, pytest.approx(2 + 8)),
        "20s": (2, pytest.approx(2)),
        "[21:30]": (2, pytest.approx(8)),
        "31": (0, 0),
        "*": (3, pytest.approx(10)),
        "[23:29]": (0, 0),
        "22": (1, 0),
    }


def test_amounts_of_a_whole_column(store: Store) -> None:
    beside = comparison(store, "20\n20\n22", "*\n*\n*", [BY_TENS])
    assert sum_column_amount(beside, 0, count_if_present) == 2
    assert sum_column_amount(beside, 0, _compute_self_information) == 2


@pytest.mark.slow
def test_the_ends_of_a_column_are_numbers_that_somebody_has(store: Store) -> None:
    """30 and 31 are only listed."""
    beside = comparison(store, "20\n20\n22", "*\n*\n*", [BY_TENS])
    assert _find_number_ends(beside, beside.people.domains[0]) == (20, 22)


@pytest.mark.slow
@pytest.mark.sampled(3)
@pytest.mark.parametrize("original", ["a\nb", "7\n7", "7\n-", "-\n-"])
def test_categories_and_single_numbers_have_no_ends(store: Store, original: str) -> None:
    beside = comparison(store, original, "*\n*", [quasi_identifier("column")])
    assert _find_number_ends(beside, beside.people.domains[0]) is None
