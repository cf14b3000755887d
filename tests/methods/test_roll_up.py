"""Datafly rolls classes up, and counts the records of small ones."""

from collections import Counter
from collections.abc import Sequence

import pytest
from helpers.small_tables import load
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Table, select

from toolbox.methods.datafly import _count_records_below, _roll_up
from toolbox.store.engine.store import Store
from toolbox.store.tables import Tables

TREES = {"age": {"21": "2x", "25": "2x", "31": "3x", "38": "3x"}, "sex": {"F": "any", "M": "any"}}
"""The generalised value of each value; above stands the root."""
TABLE = "age sex\n21 F\n21 F\n25 F\n31 M\n38 M\n38 F"


def loaded(store: Store, table: str = TABLE) -> Tables:
    trees = {name: "\n".join(f"{value} {upper} *" for value, upper in tree.items()) for name, tree in TREES.items()}
    return load(store, table, "age sex", hierarchies=trees).tables


def counted(tables: Tables, frequencies: Table) -> dict[tuple[str, ...], int]:
    """Return the records of each row by the texts of its values."""
    labels = [
        {number: str(label) for number, label in tables.store.rows(select(i.c.interval_id, i.c.label))}
        for i in (column.intervals for column in tables.quasi_identifiers)
    ]
    rows = tables.store.rows(select(*(frequencies.c[name] for name in tables.interval_names), frequencies.c.size))
    found = [(tuple(texts[one] for texts, one in zip(labels, row, strict=False)), size) for *row, size in rows]
    assert len(dict(found)) == len(found)
    return dict(found)


def rolled(tables: Tables, frequencies: Table, levels: Sequence[int], higher: Sequence[int]) -> Table:
    return tables.store.create("rolled", _roll_up(tables, frequencies, levels, higher))


def test_a_size_keeps_its_type(store: Store) -> None:
    """The engine would widen it with every roll-up."""
    tables = loaded(store)
    once = rolled(tables, tables.combinations, (0, 0), (1, 0))
    assert str(once.c.size.type) == str(tables.combinations.c.size.type)


@pytest.mark.parametrize(
    ("higher", "expected"),
    [
        ((0, 0), {("21", "F"): 2, ("25", "F"): 1, ("31", "M"): 1, ("38", "M"): 1, ("38", "F"): 1}),
        ((1, 0), {("2x", "F"): 3, ("3x", "M"): 2, ("3x", "F"): 1}),
        ((1, 1), {("2x", "any"): 3, ("3x", "any"): 3}),
        ((2, 1), {("*", "any"): 6}),
    ],
    ids=["no step", "one column", "both columns", "two steps at once"],
)
def test_a_roll_up_generalises_columns_and_merges_what_becomes_equal(
    higher: tuple[int, int], expected: dict[tuple[str, str], int], store: Store
) -> None:
    tables = loaded(store)
    assert counted(tables, rolled(tables, tables.combinations, (0, 0), higher)) == expected


_ROWS = st.lists(st.tuples(st.sampled_from([*TREES["age"]]), st.sampled_from("FM")), min_size=1, max_size=12)


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(_ROWS)
def test_rolling_up_a_frequency_set_counts_as_counting_the_records_anew(
    store: Store, rows: list[tuple[str, str]]
) -> None:
    tables = loaded(store, "\n".join(["age sex", *map(" ".join, rows)]))
    below = rolled(tables, tables.combinations, (0, 0), (1, 0))
    expected = Counter((TREES["age"][age], TREES["sex"][sex]) for age, sex in rows)
    assert counted(tables, rolled(tables, below, (1, 0), (1, 1))) == expected


def frequencies(store: Store, *sizes: int) -> Table:
    return store.create_constant("frequencies", {"age": (int, range(len(sizes))), "size": (int, sizes)})


def test_records_below_counts_records_not_classes(store: Store) -> None:
    table = frequencies(store, 2, 3, 1, 9)
    assert [store.scalar(_count_records_below(table, size)) for size in (1, 2, 3, 4, 100)] == [0, 1, 3, 6, 15]


def test_an_empty_frequency_set_has_no_records_below(store: Store) -> None:
    table = store.create("none", select(frequencies(store, 2)).limit(0))
    assert store.scalar(_count_records_below(table, 5)) == 0
