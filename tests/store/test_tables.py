"""AnonRecordTable and EquivalenceTable as a method rewrites them."""

from helpers.small_tables import load, released
from sqlalchemy import Integer, Select, cast, false, literal, select, true

from toolbox.store.engine.store import Store
from toolbox.store.tables import Tables

AGES = """
age  illness
31   flu
28   cold
31   gout
45   flu
"""
HIERARCHY = {"age": "28 young *\n31 young *\n45 old *"}


def at_level(tables: Tables, level: int) -> Select:
    """Assign to each combination the interval of its only column at a level."""
    (one,), combination = tables.quasi_identifiers, tables.combinations
    interval = one.level(level).label("interval_1")
    columns = (combination.c.combination_id, combination.c.size, false().label("suppressed"), interval)
    return select(*columns).join_from(combination, one.ground, one.ground.c.level_0 == combination.c.interval_1)


def classes(tables: Tables) -> list[tuple[object, ...]]:
    found = tables.equivalence
    return sorted(tables.store.rows(select(found.c.size, found.c.suppressed, found.c.interval_1)))


def test_combinations_that_agree_in_all_generalised_values_form_one_class(store: Store) -> None:
    loaded = load(store, AGES, "age", hierarchies=HIERARCHY)
    recoded = loaded.tables.recoded(at_level(loaded.tables, 1), levels=[1])
    assert released(recoded, loaded) == [("young", "flu"), ("young", "cold"), ("young", "gout"), ("old", "flu")]
    assert sorted(size for size, _, _ in classes(recoded)) == [1, 3]
    assert recoded.levels == (1,)


def test_suppressed_and_other_records_of_the_same_values_are_two_classes(store: Store) -> None:
    tables = load(store, AGES, "age").tables
    root = literal(tables.quasi_identifiers[0].root, Integer)
    combination = tables.combinations.c
    columns = (combination.combination_id, combination.size, (combination.size < 2).label("suppressed"))
    recoded = tables.recoded(select(*columns, root.label("interval_1")))
    assert [(size, suppressed) for size, suppressed, _ in classes(recoded)] == [(2, False), (2, True)]


def test_classes_are_numbered_from_1_and_every_record_knows_its_own(store: Store) -> None:
    tables = load(store, AGES, "age", hierarchies=HIERARCHY).tables
    recoded = tables.recoded(at_level(tables, 1))
    ids = store.rows(select(recoded.equivalence.c.equivalence_id).order_by("equivalence_id"))
    assert ids == [(1,), (2,)]
    record, found = recoded.anon_record, recoded.equivalence
    joined = select(record.c.record_id, found.c.size).join_from(
        record, found, found.c.equivalence_id == record.c.equivalence_id
    )
    assert sorted(store.rows(joined)) == [(0, 3), (1, 3), (2, 3), (3, 1)]


def test_at_levels_every_combination_has_its_generalised_values_and_a_class(store: Store) -> None:
    hierarchies = {**HIERARCHY, "sex": "f *\nm *"}
    tables = load(store, "age sex\n28 f\n31 f\n45 f\n45 m", "age sex", hierarchies=hierarchies).tables
    age, sex = (column.root for column in tables.quasi_identifiers)
    # The nodes below a root are numbered behind it.
    young, old = age + 1, age + 2

    def rows(*levels: int) -> list[tuple[int, ...]]:
        return sorted(tuple(row) for row in store.rows(tables.at(levels)))

    assert rows(0, 0) == [(0, 1, 0, 0, 0), (1, 1, 1, 1, 0), (2, 1, 2, 2, 0), (3, 1, 3, 2, 1)]
    assert rows(1, 0) == [(0, 1, 0, young, 0), (1, 1, 0, young, 0), (2, 1, 2, old, 0), (3, 1, 3, old, 1)]
    assert rows(2, 1) == [(number, 1, 0, age, sex) for number in range(4)]


def test_several_anonymisations_live_side_by_side(store: Store) -> None:
    loaded = load(store, AGES, "age", hierarchies=HIERARCHY)
    ground, young, root = (loaded.tables.recoded(at_level(loaded.tables, level)) for level in (0, 1, 2))
    again = young.recoded(at_level(young, 2))
    assert [age for age, _ in released(ground, loaded)] == ["31", "28", "31", "45"]
    assert [age for age, _ in released(young, loaded)] == ["young", "young", "young", "old"]
    assert released(again, loaded) == released(root, loaded)
    assert [age for age, _ in released(loaded.tables, loaded)] == ["31", "28", "31", "45"]


def test_a_record_keeps_the_combination_that_it_was_read_as(store: Store) -> None:
    tables = load(store, AGES, "age", hierarchies=HIERARCHY).tables
    recoded = tables.recoded(at_level(tables, 2))
    for given in (tables, recoded):
        record = given.anon_record.c
        assert store.rows(select(record.record_id, record.combination_id).order_by(record.record_id)) == [
            (0, 1),
            (1, 0),
            (2, 1),
            (3, 2),
        ]


def test_sizes_keep_the_type_of_a_size_and_suppressed_stays_a_truth(store: Store) -> None:
    tables = load(store, AGES, "age").tables
    everything = select(
        tables.combinations.c.combination_id,
        tables.combinations.c.size,
        true().label("suppressed"),
        cast(literal(tables.quasi_identifiers[0].root), Integer).label("interval_1"),
    )
    (row,) = classes(tables.recoded(everything))
    assert row[:2] == (4, True)
    assert isinstance(row[0], int)
