"""A release without its records: the class of each key, and the texts of each class that readers can tell apart."""

from __future__ import annotations

from dataclasses import replace

from helpers.joined import near
from helpers.small_tables import declared, load
from sqlalchemy import Integer, case, cast, literal, select

from toolbox.config.model import Config
from toolbox.release.formats.gen_vals_dist import MappingTables, build_mapping
from toolbox.store.engine.store import Store
from toolbox.store.tables import Tables

AGES = "20 young *\n30 young *\n40 old *\n50 old *"
PEOPLE = "age sex\n20 F\n30 F\n20 F\n40 M\n50 M\n50 F\n"


def finished(store: Store, config: Config, *, below: int = 0, level: int = 1) -> Tables:
    """Take ages to a level; combinations of fewer records than ``below`` are suppressed."""
    tables = load(store, PEOPLE, config).tables
    combination, (age, sex) = tables.combinations, tables.quasi_identifiers
    small = combination.c.size < below
    joined = combination.join(age.ground, age.ground.c.level_0 == combination.c.interval_1)
    roots = [cast(literal(attribute.root), Integer) for attribute in (age, sex)]
    chosen = select(
        combination.c.combination_id,
        combination.c.size,
        small.label("suppressed"),
        case((small, roots[0]), else_=age.level(level)).label("interval_1"),
        case((small, roots[1]), else_=combination.c.interval_2).label("interval_2"),
    ).select_from(joined)
    return tables.recoded(chosen)


def config_of(**options: object) -> Config:
    config = declared(
        "age sex", hierarchies={"age": AGES, "sex": "F *\nM *"}, output_format=options.pop("format", "genVals")
    )
    return replace(config, output=replace(config.output, **options))


def classes(store: Store, made: MappingTables) -> list[tuple[object, ...]]:
    return store.rows(select(made.classes).order_by(made.classes.c.class_id))


def placed(store: Store, tables: Tables, made: MappingTables) -> dict[int | None, int]:
    """Count the records of each class on the records themselves; None: those that are in no class."""
    record, keys = tables.kept_records, made.keys
    joined = record.outerjoin(keys, keys.c.key == record.c.key)
    found = [number for (number,) in store.rows(select(keys.c.class_id).select_from(joined))]
    return {number: found.count(number) for number in found}


def test_classes_are_numbered_in_the_order_of_their_texts(store: Store) -> None:
    config = config_of()
    tables = finished(store, config)
    made = build_mapping(tables, config)
    assert classes(store, made) == [
        (0, 1, False, "old", "F"),
        (1, 2, False, "old", "M"),
        (2, 3, False, "young", "F"),
    ]
    assert placed(store, tables, made) == {0: 1, 1: 2, 2: 3}


def test_suppressed_records_are_a_class_behind_the_others(store: Store) -> None:
    config = config_of()
    tables = finished(store, config, below=2)
    made = build_mapping(tables, config)
    assert classes(store, made) == [(0, 2, False, "young", "F"), (1, 4, True, "*", "*")]
    assert placed(store, tables, made) == {0: 2, 1: 4}


def test_suppressed_records_are_in_none_where_they_are_dropped(store: Store) -> None:
    config = config_of(suppressed="drop")
    tables = finished(store, config, below=2)
    made = build_mapping(tables, config)
    assert classes(store, made) == [(0, 2, False, "young", "F")]
    assert placed(store, tables, made) == {0: 2, None: 4}


def test_classes_that_show_the_same_are_one(store: Store) -> None:
    """Numbered apart by the method, but nobody can tell them apart."""
    config = config_of()
    tables = finished(store, config)
    equivalence = tables.equivalence
    alike = [equivalence.c[name] for name in ("equivalence_id", "size", "suppressed")]
    ages, sexes = (attribute.root for attribute in tables.quasi_identifiers)
    roots = [literal(ages).label("interval_1"), literal(sexes).label("interval_2")]
    same = replace(tables, equivalence=store.create("equivalence", select(*alike, *roots)))
    made = build_mapping(same, config)
    assert classes(store, made) == [(0, 6, False, "*", "*")]
    assert placed(store, tables, made) == {0: 6}


def test_classes_that_show_other_statistics_are_told_apart(store: Store) -> None:
    config = config_of(format="genValsDist")
    tables = finished(store, config)
    made = build_mapping(tables, config)
    found = [(*row[:5], *map(near, row[5:])) for row in classes(store, made)]
    assert found == [
        (0, 1, False, "old", "F", "50:0", "1:0"),
        (1, 2, False, "old", "M", "45:25", "0:1"),
        (2, 3, False, "young", "F", "23.3333333:22.2222222", "1:0"),
    ]
    assert [solved.column for solved in made.solved] == ["age"]
