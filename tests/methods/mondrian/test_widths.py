"""How wide partitions are by each rule, as a share of the whole table."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.small_tables import declared, load, quasi_identifier

from toolbox.config.model import Column, QuasiIdentifier
from toolbox.hierarchy.hierarchy import Hierarchy, Interval, Node
from toolbox.methods.mondrian.partitions import Partitions, Regions
from toolbox.methods.mondrian.search import measure_of
from toolbox.store.engine.store import Store
from toolbox.store.tables import Tables

# Ages 20, 21, 30 and 60, at ranks 0 to 3, of a domain from 0 to 100; three towns, at ranks 0 to 2.
TABLE = "age town\n20 a\n21 b\n30 c\n60 c"


@pytest.fixture(scope="module")
def tables(store: Store) -> Tables:
    domain = Hierarchy(Node(Interval.parse("[0:100]"), "*"))
    age = QuasiIdentifier(column=Column(index=None, name="age"), kind="number", hierarchy=domain)
    return load(store, TABLE, declared([age, quasi_identifier("town", kind="category")])).tables


def widths(tables: Tables, dimension: str, parts: Partitions) -> list[list[float]]:
    """Return the width of each partition (axis 1) in each dimension (axis 0)."""
    return measure_of(dimension, tables)(parts, parts.lowest(), parts.highest()).tolist()


def partitions(ages: list[int], towns: list[int], starts: list[int], regions: Regions | None = None) -> Partitions:
    return Partitions(
        np.arange(len(ages)), np.ones(len(ages)), [np.array(ages), np.array(towns)], np.array(starts), regions
    )


def test_a_range_is_the_span_of_the_values_and_of_the_codes(tables: Tables) -> None:
    """The table spans 40 years and 2 codes; the first partition 20 to 30 and one town, the second 60 and a to c."""
    parts = partitions([0, 2, 3, 3], [1, 1, 0, 2], [0, 2])
    assert widths(tables, "range", parts) == [[10 / 40, 0], [0, 1]]


def test_distinct_values_are_counted_whatever_lies_between_them(tables: Tables) -> None:
    parts = partitions([0, 3, 0, 1, 1], [1, 1, 0, 1, 2], [0, 2])
    assert widths(tables, "distinct", parts) == [[2 / 4, 2 / 4], [1 / 3, 3 / 3]]


def test_an_interval_is_the_span_of_the_region_whatever_values_are_in_it(tables: Tables) -> None:
    """Uncut, of age 30 at most, and above 30."""
    lower, upper = np.array([[-1, -1, 4], [-1, -1, -1]]), np.array([[-1, 5, -1], [-1, -1, -1]])
    parts = partitions([0, 1, 3], [0, 0, 0], [0, 1, 2], Regions(lower, upper, np.zeros(lower.shape[1], np.int64)))
    assert widths(tables, "interval", parts) == [[1, 0.3, 0.7], [1, 1, 1]]


def test_numbers_whose_difference_is_beyond_the_largest_have_widths(store: Store) -> None:
    tables = load(store, "a\n-1.5e308\n0\n1.5e308", declared([quasi_identifier("a", kind="number")])).tables
    parts = Partitions(np.arange(4), np.ones(4), [np.array([0, 2, 0, 1])], np.array([0, 2]))
    assert widths(tables, "range", parts) == [[1, 0.5]]


def test_where_the_whole_is_too_narrow_for_a_number_any_width_is_the_widest(store: Store) -> None:
    """Half of the smallest number is none."""
    tables = load(store, "a\n0\n5e-324", declared([quasi_identifier("a", kind="number")])).tables
    parts = Partitions(np.arange(2), np.ones(2), [np.array([0, 1])], np.array([0]))
    assert widths(tables, "range", parts) == [[float("inf")]]
