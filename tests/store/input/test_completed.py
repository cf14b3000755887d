"""Quasi-identifiers, completed by what the configuration and the input say of them."""

from dataclasses import replace
from types import SimpleNamespace

import pytest
from helpers.small_tables import declared, quasi_identifier

from toolbox.store.input.layout import complete_quasi_identifiers

SIZES = ("small", "middle", "large")


def complete(attribute, *orders, position=0, periods=()):
    config = replace(declared([attribute]), periods=periods)
    (finished,) = complete_quasi_identifiers(config, SimpleNamespace(orders=orders), [position])
    return finished


def test_ordered_categories_of_the_input_are_coded_in_their_order():
    size = complete(quasi_identifier("size"), None, SIZES, position=1)
    assert (size.kind, size.ordered) == ("category", True)
    assert dict(size.categories) == {"small": 0, "middle": 1, "large": 2}


@pytest.mark.parametrize(
    "attribute",
    [
        quasi_identifier("size", kind="number"),
        quasi_identifier("size", hierarchy="small s\nlarge l"),
        replace(quasi_identifier("size"), categories={"large": 0, "small": 1}),
    ],
    ids=["kind", "hierarchy", "map"],
)
def test_what_the_configuration_says_of_a_column_comes_before_its_order(attribute):
    assert complete(attribute, SIZES) == attribute


def test_a_column_without_an_order_stays_as_it_is_declared():
    assert complete(quasi_identifier("size"), None) == quasi_identifier("size")


def test_periods_of_a_column_come_before_those_of_the_configuration():
    day = replace(quasi_identifier("day"), periods=("day", "year"))
    assert complete(quasi_identifier("day"), None, periods=("month", "year")).date_periods == ("month", "year")
    assert complete(day, None, periods=("month", "year")).date_periods == ("day", "year")
