"""All that a column can be: its values in their order, and the nodes of its hierarchy."""

from dataclasses import replace

import pytest
from helpers.built import built
from helpers.judged import domain
from helpers.small_tables import quasi_identifier
from sqlalchemy import select

from toolbox.config.built_columns import declare_builder
from toolbox.config.model import QuasiIdentifier
from toolbox.errors import InputError
from toolbox.published.tables import Domain
from toolbox.store.engine.store import Store

JOB = quasi_identifier("job", hierarchy="pilot sky *\ncook kitchen *\nbaker kitchen *\nsteward sky *")
BY_TENS = quasi_identifier("age", hierarchy="20 20s *\n21 20s *\n30 30s *")


def values(store: Store, of: Domain) -> list[tuple[object, ...]]:
    """Return label, number, records and records before, in the order of the ids."""
    table = of.values
    rows = store.rows(select(table.c.label, table.c.number, table.c.records, table.c.before).order_by(table.c.value_id))
    assert [number for (number,) in store.rows(select(table.c.value_id).order_by(table.c.value_id))] == list(
        range(of.size)
    )
    return [tuple(row) for row in rows]


def nodes(store: Store, of: Domain) -> list[tuple[object, ...]]:
    columns = [of.nodes.c[name] for name in ("label", "level", "first", "last")]
    return [tuple(row) for row in store.rows(select(*columns).order_by(of.nodes.c.node_id))]


def test_numbers_come_in_their_order_however_they_are_written(store: Store) -> None:
    found = domain(store, quasi_identifier("n"), ["10", "1e1", "-2.50", "9", "10.00", "-2.5", "10"])
    assert values(store, found) == [("-2.5", -2.5, 2, 0), ("9", 9, 1, 2), ("10", 10, 4, 3)]
    assert (found.kind, found.size, found.low, found.high) == ("number", 3, -2.5, 10)


def test_zero_has_no_sign(store: Store) -> None:
    assert values(store, domain(store, quasi_identifier("n"), ["0", "-0", "-0.0"])) == [("0", 0, 3, 0)]


def test_huge_numbers_keep_their_order(store: Store) -> None:
    found = domain(store, quasi_identifier("n"), ["1e308", "-1e308", "5e-324", "123456789012345678"])
    assert [number for _, number, *_ in values(store, found)] == [-1e308, 5e-324, 123456789012345678.0, 1e308]


def test_a_missing_value_comes_last(store: Store) -> None:
    assert values(store, domain(store, quasi_identifier("n"), [None, "3", None])) == [
        ("3", 3, 1, 0),
        (None, None, 2, 1),
    ]


def test_one_word_makes_a_column_of_categories_unless_it_is_declared(store: Store) -> None:
    found = domain(store, quasi_identifier("n"), ["10", "9", "x"])
    assert (found.kind, found.low, found.high) == ("category", None, None)
    assert [label for label, *_ in values(store, found)] == ["10", "9", "x"]
    for text in ("x", "1_000", "inf", "nan"):
        with pytest.raises(InputError, match="the original: n has 1 value that is no number"):
            domain(store, quasi_identifier("n", kind="number"), ["10", text])


def test_numbers_may_be_declared_as_categories(store: Store) -> None:
    found = domain(store, quasi_identifier("zip", kind="category"), ["10", "9", "010"])
    assert [label for label, *_ in values(store, found)] == ["010", "10", "9"]


def test_categories_come_in_the_order_of_their_hierarchy_with_those_that_nobody_has(store: Store) -> None:
    found = domain(store, JOB, ["cook", "steward", None, "cook"])
    assert values(store, found) == [
        ("pilot", 0, 0, 0),
        ("steward", 1, 1, 0),
        ("cook", 2, 2, 1),
        ("baker", 3, 0, 3),
        (None, None, 1, 3),
    ]
    assert (found.height, found.has_hierarchy, found.kind) == (2, True, "category")
    assert nodes(store, found) == [("*", 2, 0, 4), ("sky", 1, 0, 1), ("kitchen", 1, 2, 3)]


def test_numbers_that_only_the_hierarchy_lists_are_values_of_nobody(store: Store) -> None:
    found = domain(store, BY_TENS, ["21.0", "30", "021"])
    assert values(store, found) == [("20", 20, 0, 0), ("021", 21, 2, 0), ("30", 30, 1, 2)]
    assert nodes(store, found) == [("*", 2, 0, 2), ("20s", 1, 0, 1), ("30s", 1, 2, 2)]


def test_without_a_hierarchy_there_is_a_root_alone(store: Store) -> None:
    found = domain(store, quasi_identifier("n"), ["1", "2", None])
    assert nodes(store, found) == [("*", 1, 0, 2)]
    assert (found.height, found.has_hierarchy, found.weight) == (1, False, 1)


@pytest.mark.parametrize(("attribute", "texts"), [(JOB, ["cook", "smith"]), (BY_TENS, ["20", "22"])])
def test_a_value_that_the_hierarchy_lacks_is_an_error(
    store: Store, attribute: QuasiIdentifier, texts: list[str]
) -> None:
    with pytest.raises(InputError) as caught:
        domain(store, attribute, texts)
    said = f"the original: {attribute.column} has 1 value that its hierarchy does not list. Add it to the hierarchy."
    assert str(caught.value) == said


def test_a_builder_makes_the_hierarchy_of_the_people(store: Store) -> None:
    towns = declare_builder(quasi_identifier("town"), built("prefix:1"))
    assert nodes(store, domain(store, towns, ["ba", "ab", None, "aa"])) == [
        ("*", 2, 0, 3),
        ("a*", 1, 0, 1),
        ("b*", 1, 2, 2),
    ]
    ages = declare_builder(quasi_identifier("age"), built("intervals:10"))
    assert nodes(store, domain(store, ages, ["21", "29", "30"])) == [
        ("*", 2, 0, 2),
        ("[20:30)", 1, 0, 1),
        ("[30:40)", 1, 2, 2),
    ]
    born = declare_builder(quasi_identifier("born"), built("ages:2026-01-01:width=10"))
    assert nodes(store, domain(store, born, ["2020-01-01", "2010-01-01"])) == [
        ("*", 2, 0, 1),
        ("[10:20)", 1, 0, 0),
        ("[0:10)", 1, 1, 1),
    ]


def test_a_value_that_a_hierarchy_does_not_know_may_be_below_the_root_only(store: Store) -> None:
    found = domain(store, replace(JOB, other="root"), ["cook", "smith"])
    assert values(store, found)[-1][:2] == ("smith", 4)
    assert nodes(store, found)[0] == ("*", 2, 0, 4)
    found = domain(store, replace(BY_TENS, other="root"), ["20", "22", "7"])
    assert [(label, number) for label, number, _, _ in values(store, found)] == [
        ("7", 7),
        ("20", 20),
        ("21", 21),
        ("22", 22),
        ("30", 30),
    ]
    assert nodes(store, found)[:2] == [("*", 2, 0, 4), ("20s", 1, 1, 2)]
    found = domain(store, replace(BY_TENS, other="root"), ["20", "20.5", "25"])
    assert nodes(store, found) == [("*", 2, 0, 4), ("20s", 1, 0, 0), ("20s", 1, 2, 2), ("30s", 1, 4, 4)]


@pytest.mark.parametrize(
    ("text", "texts", "said"),
    [
        (
            "ip",
            ["10.0.0.1", "x"],
            "a has 1 value outside the hierarchy that ip builds. Correct them: an address is four",
        ),
        (
            "ages:2020-01-01",
            ["2019-01-01", "2021-01-01"],
            "a has 1 value outside the hierarchy that ages builds. Nobody is",
        ),
    ],
)
def test_a_value_that_a_builder_has_no_place_for_is_an_error(
    store: Store, text: str, texts: list[str], said: str
) -> None:
    with pytest.raises(InputError) as caught:
        domain(store, declare_builder(quasi_identifier("a"), built(text)), texts)
    assert said in str(caught.value)
    assert str(caught.value).endswith("Or say other='root' beside the hierarchy.")
