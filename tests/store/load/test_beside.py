"""A population is read as its table is, and becomes combinations of the same values."""

from __future__ import annotations

import pytest
from helpers.built import built
from helpers.population_tables import HIERARCHIES, load_among
from helpers.small_tables import declared, quasi_identifier
from sqlalchemy import select

from toolbox.config.built_columns import declare_builder
from toolbox.errors import ConfigurationError, InputError
from toolbox.store.engine.store import Store
from toolbox.store.tables import Tables


def people(tables: Tables) -> list[tuple[object, ...]]:
    """List the labels of each combination, with the people who have it."""
    assert tables.population is not None
    combination = tables.population.combinations
    rows = tables.store.rows(select(combination.c.size, *(combination.c[name] for name in tables.interval_names)))
    labels = [
        dict(map(tuple, tables.store.rows(select(column.ground.c.level_0, column.ground.c.label))))
        for column in tables.quasi_identifiers
    ]
    return sorted((*(names[code] for names, code in zip(labels, codes, strict=True)), size) for size, *codes in rows)


def test_people_are_counted_by_their_combinations_in_the_order_of_the_declared_columns(store: Store) -> None:
    tables = load_among(store).tables
    assert people(tables) == [
        ("21", "Graz", 2),
        ("22", "Linz", 1),
        ("22", "Wien", 1),
        ("34", "Linz", 1),
        ("35", "Linz", 1),
    ]
    assert tables.population is not None
    assert tables.population.figures.document() == {
        "name": "the register",
        "people": 6,
        "left_out": 0,
        "records_outside": 0,
    }


def test_values_that_only_the_population_has_are_values_and_no_records(store: Store) -> None:
    tables = load_among(store).tables
    age, town = tables.quasi_identifiers
    assert (age.values, town.values) == (4, 3)
    assert (tables.record_count, store.count(tables.combinations)) == (3, 3)


@pytest.mark.parametrize(
    ("words", "table", "register", "shown"),
    [
        (
            "auto:1", "a\nGraz\nGraz\nLinz\nWien", "a\nGraz\nLinz\nWien\nYbbs",
            {"Graz": "Graz", "Linz": "Linz..Ybbs", "Wien": "Linz..Ybbs", "Ybbs": "Linz..Ybbs"},
        ),
        (
            "quantiles:2", "a\n20\n30\n40\n50", "a\n12\n60",
            {"12": "<40", "20": "<40", "30": "<40", "40": ">=40", "50": ">=40", "60": ">=40"},
        ),
    ],
)  # fmt: skip
def test_a_hierarchy_that_counts_records_takes_values_that_only_the_population_has(
    store: Store, words: str, table: str, register: str, shown: dict[str, str]
) -> None:
    (column,) = load_among(
        store, table, register, declared([declare_builder(quasi_identifier("a"), built(words))])
    ).tables.quasi_identifiers
    interval, ground = column.intervals.c, column.ground.c
    rows = select(ground.label, interval.label).where(interval.interval_id == ground.level_1)
    assert dict(map(tuple, store.rows(rows))) == shown


@pytest.mark.slow
def test_without_a_population_there_is_none(store: Store) -> None:
    tables = load_among(store).tables
    assert tables.population is not None
    assert tables.at((1, 1)) is not None
    assert store.rows(select(tables.count_people_at((1, 1)).subquery().c.size).order_by("size")) == [
        (1,),
        (1,),
        (2,),
        (2,),
    ]


def test_who_lacks_a_value_is_left_out_and_told(store: Store) -> None:
    loaded = load_among(store, register="age town\n21 Graz\n21 ?\n22 ?")
    assert loaded.tables.population is not None
    assert (loaded.tables.population.figures.people, loaded.tables.population.figures.left_out) == (1, 2)
    assert "the register: 2 people lack a value, and nobody who does is counted." in loaded.notes


def test_missing_values_that_are_kept_are_a_category_of_both(store: Store) -> None:
    config = declared("town", on_missing="keep")
    tables = load_among(store, "town\nGraz\nLinz", "town\nGraz\n?", config).tables
    assert people(tables) == [("?", 1), ("Graz", 1)]


def test_records_of_nobody_in_the_population_are_told(store: Store) -> None:
    loaded = load_among(store, register="age town\n21 Graz\n22 Wien")
    assert loaded.tables.population is not None
    assert loaded.tables.population.figures.records_outside == 2
    assert any(note.startswith("2 records have values that nobody in the register has") for note in loaded.notes)


def test_all_values_that_fit_no_column_are_said_at_once(store: Store) -> None:
    with pytest.raises(InputError) as error:
        load_among(store, register="age town\nx Rome\ny Graz\n21 Oslo")
    assert str(error.value).splitlines() == [
        "the register: values of the population that do not fit their column",
        "  age: 2 values, no number. Correct them.",
        "  town: 2 values, no declared category. Add them to the hierarchy, or take these people out of the population.",
    ]


def test_a_register_without_a_quasi_identifier_is_told(store: Store) -> None:
    with pytest.raises(ConfigurationError, match="the register has no column 'town'"):
        load_among(store, register="age city\n21 Graz")


@pytest.mark.parametrize(
    ("register", "why"), [("age town\n21 ?", "everybody in it lacks a value"), ("age town", "nobody is in it")]
)
def test_a_population_of_nobody_is_none(store: Store, register: str, why: str) -> None:
    with pytest.raises(InputError, match=why):
        load_among(store, register=register)


def test_a_built_hierarchy_has_the_values_of_both(store: Store) -> None:
    assert set(HIERARCHIES) == {"age", "town"}
    tables = load_among(store, "age\n21", "age\n64\n21", declared("age")).tables
    assert people(tables) == [("21", 1), ("64", 1)]
