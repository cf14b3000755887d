"""What an attacker may know of people: combinations of values, not of texts."""

from helpers.built import built
from helpers.comparisons import with_hierarchy
from sqlalchemy import select

from toolbox.config.built_columns import declare_builder
from toolbox.config.model import Column, QuasiIdentifier
from toolbox.published.domains import build_people
from toolbox.store.engine.store import Store

AGE = QuasiIdentifier(column=Column(index=None, name="age"), kind="number")
TOWN = QuasiIdentifier(column=Column(index=None, name="town"), kind="category")


def counted(store: Store, *rows: tuple[str | None, str | None, int]):
    ages, towns, sizes = zip(*rows, strict=True)
    columns = {"text_1": (str, list(ages)), "text_2": (str, list(towns)), "size": (int, list(sizes))}
    return store.create_constant("counted", columns)


def combinations(store: Store, people) -> list[tuple[str | None, str | None, int]]:
    """Return the combinations in their order, each by what its values are called."""
    assert people.combinations.columns.keys() == ["combination_id", "size", "value_1", "value_2"]
    rows = store.rows(select(people.combinations).order_by(people.combinations.c.combination_id))
    assert [number for number, *_ in rows] == list(range(len(rows)))
    labels = [dict(store.rows(select(one.values.c.value_id, one.values.c.label))) for one in people.domains]
    return [(labels[0][age], labels[1][town], size) for _, size, age, town in rows]


def test_texts_of_one_number_are_one_person_s_value(store: Store) -> None:
    table = counted(store, ("10", "Graz", 2), ("9", "Wien", 1), ("10.0", "Graz", 3), ("1e1", "Wien", 4))
    people = build_people(store, table, [AGE, TOWN], [None, None], "the people")
    assert combinations(store, people) == [("9", "Wien", 1), ("10", "Graz", 5), ("10", "Wien", 4)]
    assert people.records == 10
    assert people.name == "the people"


def test_a_hierarchy_that_counts_records_takes_values_that_only_other_people_have(store: Store) -> None:
    ages = declare_builder(QuasiIdentifier(column=Column(index=None, name="age"), kind=None), built("quantiles:2"))
    theirs = build_people(store, counted(store, ("12", None, 9), ("60", None, 9)), [AGE], ["number"], "the register")
    mine = counted(store, ("20", None, 1), ("30", None, 1), ("40", None, 1), ("50", None, 1))
    (found,) = build_people(store, mine, [ages], ["number"], "the people", others=theirs).domains
    node = found.nodes.c
    rows = store.rows(select(node.label, node.first, node.last).order_by(node.first, node.level))
    assert [tuple(row) for row in rows] == [("<40", 0, 2), ("*", 0, 5), (">=40", 3, 5)]


def test_a_missing_value_is_a_value_behind_all_others(store: Store) -> None:
    table = counted(store, (None, "Graz", 2), ("9", "Graz", 1), ("9", None, 3))
    people = build_people(store, table, [AGE, TOWN], [None, None], "the people")
    assert combinations(store, people) == [("9", "Graz", 1), ("9", None, 3), (None, "Graz", 2)]


def test_the_input_says_what_a_column_is_where_nobody_declares_it(store: Store) -> None:
    open_age = QuasiIdentifier(column=Column(index=None, name="age"), kind=None)
    table = counted(store, ("10", "Graz", 1), ("9", "Graz", 1))
    as_text = build_people(store, table, [open_age, TOWN], ["category", None], "the people")
    as_number = build_people(store, table, [open_age, TOWN], ["number", None], "the people")
    assert [as_text.domains[0].kind, as_number.domains[0].kind] == ["category", "number"]
    assert [age for age, *_ in combinations(store, as_text)] == ["10", "9"]
    assert [age for age, *_ in combinations(store, as_number)] == ["9", "10"]


def test_values_are_in_the_order_of_their_hierarchy(store: Store) -> None:
    town = with_hierarchy("town", [("Wien", "Austria"), ("Rom", "Italy"), ("Graz", "Austria")])
    table = counted(store, ("1", "Rom", 1), ("1", "Graz", 1), ("1", "Wien", 1))
    people = build_people(store, table, [AGE, town], [None, None], "the people")
    assert [town for _, town, _ in combinations(store, people)] == ["Wien", "Graz", "Rom"]
