"""A release beside its people, without a record: who became what is known by keys."""

from __future__ import annotations

from sqlalchemy import select

from toolbox.config.model import Column, QuasiIdentifier
from toolbox.published.comparing import ShownClasses, compare_with_people, find_known_people
from toolbox.published.domains import build_people
from toolbox.published.tables import Comparison
from toolbox.store.engine.store import Store


def compared(
    store: Store,
    people: dict[int, tuple[str | None, int]],
    classes: dict[int, tuple[str, int]],
    placed: dict[int, int],
    *,
    needs_pairs: bool = True,
) -> Comparison:
    """Compare people, by their keys, with the classes in which they are placed."""
    counted = store.create_constant(
        "counted",
        {
            "key": (int, list(people)),
            "text_1": (str, [text for text, _ in people.values()]),
            "size": (int, [size for _, size in people.values()]),
        },
    )
    shown = store.create_constant(
        "shown",
        {
            "key": (int, list(classes)),
            "text_1": (str, [text for text, _ in classes.values()]),
            "size": (int, [size for _, size in classes.values()]),
            "suppressed": (bool, [text == "*" for text, _ in classes.values()]),
        },
    )
    keys = store.create_constant("keys", {"key": (int, list(placed)), "class_id": (int, list(placed.values()))})
    age = QuasiIdentifier(column=Column(index=None, name="age"), kind=None)
    known = find_known_people(store, build_people(store, counted, [age], ["number"], "people"), counted)
    return compare_with_people(
        store, known, ShownClasses(keys, shown), quasi_identifiers=["age"], roots={}, needs_pairs=needs_pairs
    )


PEOPLE = {11: ("20", 2), 12: ("25", 1), 13: ("25.0", 1), 14: ("61", 3)}


def test_people_are_paired_with_their_classes_by_keys(store: Store) -> None:
    classes = {0: ("[20:25]", 4), 1: ("*", 3)}
    found = compared(store, PEOPLE, classes, {11: 0, 12: 0, 13: 0, 14: 1})
    assert found.pairs is not None
    # 25 and 25.0 are one value; classes are numbered in the order of their texts.
    assert sorted(store.rows(select(found.pairs))) == [(0, 1, 2), (1, 1, 2), (2, 0, 3)]
    assert [bool(suppressed) for (suppressed,) in store.rows(select(found.release.classes.c.suppressed))] == [
        True,
        False,
    ]


def test_nobody_is_paired_where_no_metric_needs_it(store: Store) -> None:
    assert compared(store, PEOPLE, {0: ("[20:61]", 7)}, dict.fromkeys(PEOPLE, 0), needs_pairs=False).pairs is None


def test_a_text_of_several_meanings_is_read_as_narrowly_as_the_people_allow(store: Store) -> None:
    """Somebody's town is called ``*``, and so is what is suppressed, which here is somebody else's town."""
    town = QuasiIdentifier(column=Column(index=None, name="town"), kind="category")
    counted = store.create_constant(
        "counted", {"key": (int, [1, 2]), "text_1": (str, ["*", "Graz"]), "size": (int, [1, 1])}
    )
    known = find_known_people(store, build_people(store, counted, [town], ["category"], "people"), counted)
    shown = store.create_constant(
        "shown",
        {
            "key": (int, [0, 1]),
            "text_1": (str, ["*", "{*,Graz}"]),
            "size": (int, [1, 1]),
            "suppressed": (bool, [True, False]),
        },
    )
    read = {}
    for called_so in (1, 2):
        keys = store.create_constant("keys", {"key": (int, [called_so, 3 - called_so]), "class_id": (int, [0, 1])})
        found = compare_with_people(
            store, known, ShownClasses(keys, shown), quasi_identifiers=["town"], roots={}, needs_pairs=False
        )
        assert found.pairs is not None
        read[called_so] = found.read_widely
    assert read == {1: False, 2: True}
