"""From interval ids to the texts of a release, and from intervals to what they cover."""

import pytest
from helpers.amounts import times
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import ARRAY, Integer, Table, case, cast, func, null, select

from toolbox.hierarchy.hierarchy import Interval
from toolbox.hierarchy.hierarchy import format_category_set as label_in_python
from toolbox.queries.labels import build_class_labels, build_set_label, is_within_bounds, is_within_label, write_member
from toolbox.store.engine.store import Store

NUMBERS = [-1.0, 0.0, 0.5, 1.0, 2.0]


def ground(store: Store, values: list[float]) -> Table:
    return store.create_constant("ground", {"level_0": (int, list(range(len(values)))), "value": (float, values)})


def bounds(store: Store, *intervals: Interval) -> Table:
    return store.create_constant(
        "intervals",
        {
            "low": (float, [one.low for one in intervals]),
            "high": (float, [one.high for one in intervals]),
            "low_closed": (bool, [one.low_closed for one in intervals]),
            "high_closed": (bool, [one.high_closed for one in intervals]),
        },
    )


def test_class_labels_write_every_interval_as_a_reader_sees_it(store: Store) -> None:
    ages = store.create_constant("ages", {"interval_id": (int, [0, 1, 2]), "label": (str, ["31", "28", "*"])})
    sexes = store.create_constant("sexes", {"interval_id": (int, [0, 1]), "label": (str, ["M", "person"])})
    equivalence = store.create_constant(
        "equivalence",
        {
            "equivalence_id": (int, [1, 2, 3]),
            "size": (int, [4, 5, 6]),
            "suppressed": (bool, [False, False, True]),
            "interval_1": (int, [0, 1, 2]),
            "interval_2": (int, [1, 0, 1]),
        },
    )
    rows = store.rows(build_class_labels(equivalence, [ages, sexes]).order_by("equivalence_id"))
    assert rows == [(1, 4, False, "31", "person"), (2, 5, False, "28", "M"), (3, 6, True, "*", "person")]
    one_table_twice = store.rows(build_class_labels(equivalence, [ages, ages]).order_by("equivalence_id"))
    assert [row[3:] for row in one_table_twice] == [("31", "28"), ("28", "31"), ("*", "28")]


@pytest.mark.parametrize("text", ["[0:1]", "[0:1)", "(0:1]", "(0:1)", "[0.5]"])
def test_bounds_take_in_what_the_interval_contains(store: Store, text: str) -> None:
    interval, table, values = Interval.parse(text), bounds(store, Interval.parse(text)), ground(store, NUMBERS)
    found = store.rows(select(values.c.value).where(is_within_bounds(table, values.c.value)))
    assert [value for (value,) in found] == [value for value in NUMBERS if value in interval]


def test_members_decide_before_the_bounds(store: Store) -> None:
    values = ground(store, [0.0, 1.0, 2.0])
    members = store.create_constant("members", {"name": (str, ["ends", "all"]), "low": (float, [0.0] * 2)})
    ends = select(
        members.c.name,
        members.c.low,
        (members.c.low + 2).label("high"),
        (members.c.low == 0).label("low_closed"),
        (members.c.low == 0).label("high_closed"),
    ).subquery()
    listed = case((ends.c.name == "ends", func.list_value(0, 2)), else_=cast(null(), ARRAY(Integer)))
    interval = select(*ends.c, cast(listed, ARRAY(Integer)).label("members")).subquery()
    rows = store.rows(select(interval.c.name, values.c.level_0).where(is_within_label(interval, values)))
    assert sorted(rows) == [("all", 0), ("all", 1), ("all", 2), ("ends", 0), ("ends", 2)]


def set_label(store: Store, names: list[str]) -> str:
    table = store.create_constant("names", {"level_0": (int, list(range(len(names)))), "label": (str, names)})
    return str(store.scalar(select(build_set_label(table.c.level_0, write_member(table.c.label))[1])))


@pytest.mark.parametrize(
    ("names", "label"),
    [
        (["b", "a"], "{b,a}"),
        (["a,b", "c"], '{"a,b",c}'),
        (['5" pipe', "{", "}", "x y"], '{"5"" pipe","{","}",x y}'),
        (["50%", "", "it's"], "{50%,,it's}"),
        ([" a", "b\t", "c d"], '{" a","b\t",c d}'),
        (["a\r", "b\nc", "\u2028d", "e\x85"], '{"a\r","b\nc","\u2028d","e\x85"}'),
    ],
)
def test_a_set_of_categories_is_written_in_its_order_and_quoted_where_it_must_be(
    store: Store, names: list[str], label: str
) -> None:
    assert set_label(store, names) == label


@settings(max_examples=times(15, slow=80), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.text(st.characters(exclude_characters="\0", codec="utf-8")) | st.text(st.sampled_from("a,{}\"'%\\ ")),
        min_size=2,
        max_size=5,
        unique=True,
    )
)
def test_sets_are_written_in_sql_as_in_python(store: Store, names: list[str]) -> None:
    assert set_label(store, names) == label_in_python(names)
