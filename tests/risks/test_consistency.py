"""How many released records could be a person's, and how many people a class could be."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pytest
from helpers.amounts import times
from helpers.comparisons import Row, comparison, unpaired
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from toolbox.config.model import Column, Limits, QuasiIdentifier
from toolbox.hierarchy.outline import read_hierarchy_rows
from toolbox.published.tables import Comparison
from toolbox.risks.risk import Matches, count_consistent_records
from toolbox.store.engine.store import Store

pytestmark = pytest.mark.sampled(2)

TREE = [
    ("graz", "styria", "south", "*"),
    ("leoben", "styria", "south", "*"),
    ("villach", "carinthia", "south", "*"),
    ("linz", "upper", "north", "*"),
    ("wels", "upper", "north", "*"),
]


def number(name: str) -> QuasiIdentifier:
    return QuasiIdentifier(column=Column(index=None, name=name), kind="number")


def category(name: str) -> QuasiIdentifier:
    return QuasiIdentifier(column=Column(index=None, name=name), kind="category")


def town() -> QuasiIdentifier:
    found = read_hierarchy_rows(TREE, "the hierarchy of 'town'")
    return QuasiIdentifier(
        column=Column(index=None, name="town"),
        kind="category",
        hierarchy=found.hierarchy,
        categories=found.categories,
    )


def counted(beside: Comparison) -> dict[Row, int]:
    """Return the number of consistent released records of each combination, by its texts."""
    people, found = beside.people, count_consistent_records(beside)
    combination = people.combinations
    rows = select(found.c.consistent, *(combination.c[name] for name in people.value_names)).join_from(
        found, combination, combination.c.combination_id == found.c.combination_id
    )
    labels = [
        dict(map(tuple, beside.store.rows(select(one.values.c.value_id, one.values.c.label)))) for one in people.domains
    ]
    return {
        tuple(names[value] for names, value in zip(labels, values, strict=True)): int(consistent)
        for consistent, *values in beside.store.rows(rows)
    }


@pytest.mark.slow
def test_classes_of_two_may_leave_somebody_with_one_consistent_record(store: Store) -> None:
    # By their strings all released records hide among two; but of those who are 21 in linz, the second class covers
    # nobody, and the first one only by its suppressed town.
    released = """
    21 *
    21 *
    [30:39] linz
    [30:39] linz
    """
    original = "21 linz \n 21 graz \n 30 linz \n 39 linz"
    beside = unpaired(store, original, released, [number("age"), town()])
    assert counted(beside) == {("21", "linz"): 2, ("21", "graz"): 2, ("30", "linz"): 2, ("39", "linz"): 2}


def test_a_suppressed_record_is_consistent_with_everybody(store: Store) -> None:
    beside = unpaired(store, "1 \n 2 \n 2", "* \n 2 \n 2", [number("age")])
    assert counted(beside) == {("1",): 1, ("2",): 3}


def test_levels_are_mixed_and_everybody_is_counted_with_all_that_cover_them(store: Store) -> None:
    original = "graz \n leoben \n villach \n linz \n wels"
    released = "styria \n south \n south \n north \n *"
    # graz: styria, south, south, *; villach: south, south, *; linz: north, *.
    assert counted(unpaired(store, original, released, [town()])) == {
        ("graz",): 4,
        ("leoben",): 4,
        ("villach",): 3,
        ("linz",): 2,
        ("wels",): 2,
    }


def test_somebody_whom_no_released_record_covers_has_none(store: Store) -> None:
    assert counted(unpaired(store, "1 a \n 2 b", "1 b \n 2 b", [number("age"), category("town")])) == {
        ("1", "a"): 0,
        ("2", "b"): 1,
    }


def test_a_missing_value_is_covered_by_itself_and_by_the_root_alone(store: Store) -> None:
    beside = unpaired(store, "1 \n 5 \n -", "[1:5] \n * \n -", [number("age")])
    assert counted(beside) == {("1",): 2, ("5",): 2, (None,): 2}


@pytest.mark.slow
def test_the_order_of_the_records_does_not_matter(store: Store) -> None:
    beside = comparison(store, "1 a \n 2 b \n 3 a", "3 * \n [1:2] * \n [1:2] *", [number("age"), category("town")])
    assert beside.pairs is None
    assert counted(beside) == {("1", "a"): 2, ("2", "b"): 2, ("3", "a"): 1}


@pytest.mark.slow
def test_a_class_covers_the_people_of_a_population_who_fit_all_its_cells(store: Store) -> None:
    population = "1 a \n 1 b \n 2 a \n 9 a \n 9 a"
    beside = unpaired(store, population, "[1:2] a \n [1:2] a \n 9 *", [number("age"), category("town")])
    found = Matches(beside).people_covered()
    assert sorted(map(tuple, beside.store.rows(select(found.c.size, found.c.people)))) == [(1, 2), (2, 2)]


@dataclass(frozen=True)
class Generalised:
    """A released text, and the test that it stands for."""

    text: str | None
    covers: Callable[[str], bool]


AGES = [str(age) for age in range(8)]
TOWNS = [row[0] for row in TREE]
COLOURS = ["red", "green", "blue"]


def intervals() -> st.SearchStrategy[Generalised]:
    def interval(low: int, width: int, low_closed: bool, high_closed: bool) -> Generalised:
        high = low + width
        text = f"{'[' if low_closed else '('}{low}:{high}{']' if high_closed else ')'}"
        return Generalised(
            text,
            lambda age: (
                (low < int(age) or (low_closed and low == int(age)))
                and (int(age) < high or (high_closed and int(age) == high))
            ),
        )

    return st.builds(interval, st.integers(-1, 7), st.integers(1, 4), st.booleans(), st.booleans())


def exactly(values: Sequence[str]) -> st.SearchStrategy[Generalised]:
    return st.sampled_from(values).map(lambda value: Generalised(value, lambda other: other == value))


def one_of(values: Sequence[str]) -> st.SearchStrategy[Generalised]:
    members = st.lists(st.sampled_from(values), min_size=1, max_size=len(values), unique=True)
    return members.map(lambda some: Generalised("{" + ",".join(some) + "}", lambda other: other in some))


def node() -> st.SearchStrategy[Generalised]:
    def above(row: tuple[str, ...], level: int) -> Generalised:
        return Generalised(row[level], lambda other: next(one for one in TREE if one[0] == other)[level] == row[level])

    return st.builds(above, st.sampled_from(TREE), st.integers(1, 2))


ANYTHING = st.just(Generalised("*", lambda value: True))
RELEASED = st.tuples(
    st.one_of(exactly(AGES), intervals(), ANYTHING),
    st.one_of(exactly(TOWNS), node(), one_of(TOWNS), ANYTHING),
    st.one_of(exactly(COLOURS), one_of(COLOURS), ANYTHING),
)
PEOPLE = st.tuples(st.sampled_from(AGES), st.sampled_from(TOWNS), st.sampled_from(COLOURS))
EVERY_VALUE = [(AGES[number], TOWNS[number % 5], COLOURS[number % 3]) for number in range(8)]


@pytest.mark.slow
@settings(deadline=None, max_examples=times(2, slow=30))
@given(people=st.lists(PEOPLE, max_size=12), released=st.lists(RELEASED, min_size=1, max_size=12))
@example(people=[], released=[(Generalised("(6:8)", lambda age: age == "7"), *(Generalised("*", bool),) * 2)])
def test_the_join_along_prefixes_counts_what_comparing_all_with_all_counts(
    people: list[tuple[str, str, str]], released: list[tuple[Generalised, Generalised, Generalised]]
) -> None:
    # Every value occurs, so that all sets can be told.
    everybody = [*EVERY_VALUE, *people]
    expected = {
        person: sum(all(cell.covers(value) for cell, value in zip(row, person, strict=True)) for row in released)
        for person in everybody
    }
    with Store(limits=Limits(threads=1)) as store:
        rows = [tuple(cell.text for cell in row) for row in released]
        beside = unpaired(store, everybody, rows, [number("age"), town(), category("colour")])
        assert counted(beside) == expected


@pytest.mark.slow
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_columns_are_taken_in_any_number(store: Store, depth: int) -> None:
    attributes = [category(f"c{place}") for place in range(depth)]
    people = [("a",) * depth, ("b",) * depth]
    assert counted(unpaired(store, people, [("a",) * depth, ("*",) * depth], attributes)) == {
        people[0]: 2,
        people[1]: 1,
    }
