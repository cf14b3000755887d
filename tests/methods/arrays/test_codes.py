"""What values become at each level, where the leaves of a hierarchy have one depth and where they do not."""

from __future__ import annotations

import pyarrow as pa
from helpers.small_tables import declared, load
from sqlalchemy import select

from toolbox.config.model import Column, QuasiIdentifier
from toolbox.hierarchy.hierarchy import Hierarchy, Interval, Node
from toolbox.methods.arrays.combinations import list_level_codes
from toolbox.store.engine.store import Store
from toolbox.store.tables import Tables

TOWNS = "town\ngraz\nlinz\nwien"


def names_at_each_level(tables: Tables) -> list[list[str]]:
    (column,) = tables.quasi_identifiers
    interval = column.intervals.c
    names = dict(tables.store.rows(select(interval.interval_id, interval.label)))
    return [[names[code] for code in codes.tolist()] for codes in list_level_codes(tables, column)]


def test_every_value_has_a_code_at_each_level(store: Store) -> None:
    hierarchy = "graz south *\nlinz north *\nwien north *"
    assert names_at_each_level(load(store, TOWNS, "town", hierarchies={"town": hierarchy}).tables) == [
        ["graz", "linz", "wien"],
        ["south", "north", "north"],
        ["*", "*", "*"],
    ]


def test_without_a_hierarchy_there_are_the_value_and_the_root(store: Store) -> None:
    assert names_at_each_level(load(store, TOWNS, "town").tables) == [["graz", "linz", "wien"], ["*", "*", "*"]]


def test_below_its_leaf_a_value_stays_as_it_is(store: Store) -> None:
    """The young have two leaves a level below; those of 50 and more have one, at their depth."""
    leaves = (Node(Interval(0, 25, high_closed=False), "child"), Node(Interval(25, 50, high_closed=False), "adult"))
    young = Node(Interval(0, 50, high_closed=False), "young", leaves)
    root = Node(Interval(0, 100), "*", (young, Node(Interval(50, 100), "old")))
    age = QuasiIdentifier(column=Column(index=None, name="age"), kind="number", hierarchy=Hierarchy(root))
    assert names_at_each_level(load(store, pa.table({"age": [3, 30, 50]}), declared([age])).tables) == [
        ["3", "30", "50"],
        ["child", "adult", "50"],
        ["young", "young", "old"],
        ["*", "*", "*"],
    ]
