"""A table at a lattice node, the records of violating classes suppressed."""

from __future__ import annotations

from helpers.small_tables import load, released
from sqlalchemy import select

from toolbox.methods.arrays.full_domain import at_node
from toolbox.privacy.models.k_anonymity import KAnonymity
from toolbox.store.engine.store import Store

TABLE = "age sex\n21 f\n22 f\n34 m\n35 f\n"
HIERARCHIES = {"age": "21 twenties *\n22 twenties *\n34 thirties *\n35 thirties *", "sex": "f any\nm any"}


def shown(store: Store, levels: tuple[int, ...], k: int) -> list[tuple[str, ...]]:
    loaded = load(store, TABLE, "age sex", hierarchies=HIERARCHIES)
    finished = at_node(loaded.tables, levels, (KAnonymity(k=k),))
    assert finished.levels == levels
    return released(finished, loaded)


def test_every_record_is_brought_to_the_levels_of_the_node(store: Store) -> None:
    assert shown(store, (0, 0), 1) == [("21", "f"), ("22", "f"), ("34", "m"), ("35", "f")]
    assert shown(store, (1, 1), 2) == [("twenties", "any")] * 2 + [("thirties", "any")] * 2
    assert shown(store, (2, 0), 1) == [("*", "f"), ("*", "f"), ("*", "m"), ("*", "f")]


def test_records_of_violating_classes_show_the_roots(store: Store) -> None:
    assert shown(store, (1, 0), 2) == [("twenties", "f")] * 2 + [("*", "any")] * 2


def test_suppressed_records_are_marked_and_form_one_class(store: Store) -> None:
    loaded = load(store, TABLE, "age sex", hierarchies=HIERARCHIES)
    finished = at_node(loaded.tables, (1, 0), (KAnonymity(k=2),))
    classes = finished.equivalence
    assert sorted(store.rows(select(classes.c.size, classes.c.suppressed))) == [(2, False), (2, True)]


def test_a_class_at_the_roots_that_satisfies_is_not_suppressed(store: Store) -> None:
    loaded = load(store, TABLE, "age sex", hierarchies=HIERARCHIES)
    finished = at_node(loaded.tables, (2, 1), (KAnonymity(k=4),))
    assert store.rows(select(finished.equivalence.c.size, finished.equivalence.c.suppressed)) == [(4, False)]
