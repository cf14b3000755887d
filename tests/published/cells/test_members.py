"""The values that sets, masks and ranges of ordered categories stand for."""

from __future__ import annotations

from dataclasses import replace

import pytest
from helpers.judged import domain
from helpers.small_tables import quasi_identifier
from sqlalchemy import select

from toolbox.published.cells.meanings import Members
from toolbox.published.tables import Domain
from toolbox.store.engine.store import Store

JOB = quasi_identifier("job", hierarchy="cook kitchen *\nbaker kitchen *\npilot sky *\nsteward sky *")
ZIP = quasi_identifier("zip", kind="category")
AGE = quasi_identifier("age", kind="number")


def covered(store: Store, of: Domain, text: str) -> list[str | None]:
    """Return what the values of a text are called, in their order."""
    labels = dict(store.rows(select(of.values.c.value_id, of.values.c.label)))
    return [labels[value] for first, last in Members(store, of).of(text) for value in range(first, last + 1)]


def test_a_set_stands_for_its_values_and_for_those_of_its_nodes(store: Store) -> None:
    jobs = domain(store, JOB, ["cook", "pilot"])
    assert covered(store, jobs, "{pilot,cook}") == ["cook", "pilot"]
    assert covered(store, jobs, "{kitchen,steward}") == ["cook", "baker", "steward"]
    assert Members(store, jobs).of("{kitchen,pilot}") == [(0, 2)]


def test_a_value_comes_before_a_node_of_its_name_and_a_low_node_before_a_higher_one(store: Store) -> None:
    same = quasi_identifier("n", hierarchy="a a b *\nc a b *\nd b b *")
    found = domain(store, same, ["a"])
    assert covered(store, found, "{a,d}") == ["a", "d"]
    assert covered(store, found, "{b,a}") == ["a", "d"]


@pytest.mark.parametrize("text", ["{cook,nobody}", "cook", "{}", "", "kitchen"])
def test_what_is_no_set_or_has_an_unknown_member_stands_for_nothing(store: Store, text: str) -> None:
    assert covered(store, domain(store, JOB, ["cook"]), text) == []


def test_a_member_may_be_a_number_in_another_notation(store: Store) -> None:
    ages = domain(store, AGE, ["20", "22", "30"])
    assert covered(store, ages, "{2e1,30.0}") == ["20", "30"]
    assert covered(store, ages, "{20,x}") == []
    # A category is no number.
    assert covered(store, domain(store, ZIP, ["20", "22"]), "{2e1,22}") == []


def test_an_empty_member_stands_for_a_missing_value(store: Store) -> None:
    assert covered(store, domain(store, ZIP, ["a", None]), '{a,""}') == ["a", None]


def test_a_mask_stands_for_the_values_of_its_length_that_begin_so(store: Store) -> None:
    codes = domain(store, ZIP, ["130", "13053", "13068", "1306", "14850", None])
    assert covered(store, codes, "130**") == ["13053", "13068"]
    assert covered(store, codes, "13*") == ["130"]
    assert covered(store, codes, "2**") == []


def test_a_range_names_ordered_categories_by_themselves_or_by_their_bounds(store: Store) -> None:
    levels = quasi_identifier("n", hierarchy="low *\nmid *\nhigh *")
    ordered = replace(domain(store, levels, ["low", "high"]), is_ordered=True)
    found = Members(store, ordered)
    assert (found.between("low..mid"), found.between("mid..high")) == ((0, 1), (1, 2))
    assert (found.between("high..low"), found.between("low..top"), found.between("low")) == (None, None, None)
    bands = domain(store, ZIP, ["[0, 18)", "[18, 65)", "[65, 99]"])
    found = Members(store, replace(bands, is_ordered=True))
    assert (found.between("[0, 65)"), found.between("[18, 99]"), found.between("[0, 70)")) == ((0, 1), (1, 2), None)


def test_categories_without_an_order_have_no_ranges(store: Store) -> None:
    assert Members(store, domain(store, JOB, ["cook"])).between("cook..pilot") is None
