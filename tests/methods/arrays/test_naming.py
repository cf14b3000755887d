"""New intervals of a quasi-identifier: their numbers, their rows, and what they leave as it was."""

from __future__ import annotations

import pytest
from helpers.small_tables import load
from sqlalchemy import ARRAY, Integer, cast, literal, select

from toolbox.methods.arrays.recoding import add_intervals, find_next_interval, find_range_ends, select_interval_rows
from toolbox.store.engine.store import Store
from toolbox.store.tables import Tables

TABLE = "age\n21\n30\n35\n48"
OLD = [(0, 0, "21"), (1, 0, "30"), (2, 0, "35"), (3, 0, "48"), (4, 1, "*")]


@pytest.fixture(scope="module")
def tables(store: Store) -> Tables:
    return load(store, TABLE, "age").tables


def test_new_intervals_are_numbered_behind_all_others(tables: Tables) -> None:
    assert find_next_interval(tables, tables.quasi_identifiers[0]) == 5


def test_ranges_are_listed_with_the_values_at_their_ends(tables: Tables) -> None:
    (age,), store = tables.quasi_identifiers, tables.store
    ranges = store.create_constant(
        "ranges", {"interval_id": (int, [5, 6]), "lowest": (int, [0, 1]), "highest": (int, [1, 3])}
    )
    low, high, joined = find_range_ends(ranges, age)
    label = low.c.label.concat("-").concat(high.c.label)
    extended = add_intervals(
        tables, age, select_interval_rows(ranges, label, low.c.value, high.c.value).select_from(joined)
    )
    interval = extended.intervals.c
    listed = store.rows(select(interval.interval_id, interval.level, interval.label).order_by(interval.interval_id))
    assert [tuple(row) for row in listed] == [*OLD, (5, None, "21-30"), (6, None, "30-48")]
    new = select(*list(interval)[3:]).where(interval.interval_id >= 5).order_by(interval.interval_id)
    assert [tuple(row) for row in store.rows(new)] == [
        (21.0, 30.0, True, True, None),
        (30.0, 48.0, True, True, None),
    ]
    assert store.count(age.intervals) == len(OLD)


def test_bounds_may_be_open_and_members_listed(tables: Tables) -> None:
    (age,), store = tables.quasi_identifiers, tables.store
    one = store.create_constant("one", {"interval_id": (int, [5])})
    rows = select_interval_rows(
        one,
        literal("{21,48}"),
        literal(21.0),
        literal(48.0),
        low_closed=literal(False),
        high_closed=literal(False),
        members=cast([0, 3], ARRAY(Integer)),
    )
    interval = add_intervals(tables, age, rows).intervals.c
    (row,) = store.rows(select(*interval).where(interval.interval_id == 5))
    assert tuple(row) == (5, None, "{21,48}", 21.0, 48.0, False, False, [0, 3])
