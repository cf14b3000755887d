"""What coarser columns would do for the records in too small classes, counted with a pencil."""

from __future__ import annotations

import pandas as pd
import pytest
from helpers.comparisons import unpaired, with_hierarchy
from hypothesis import given
from hypothesis import strategies as st

import toolbox
from toolbox import KAnonymity
from toolbox.config.model import Column, QuasiIdentifier
from toolbox.risks.coarser import BelowK, Coarser, count_below_k
from toolbox.store.engine.store import Store

TOWN = with_hierarchy(
    "town",
    [
        ("graz", "styria", "south", "*"),
        ("leoben", "styria", "south", "*"),
        ("villach", "carinthia", "south", "*"),
        ("linz", "upper", "north", "*"),
    ],
)
SEX = QuasiIdentifier(column=Column(index=None, name="sex"), kind="category")
PEOPLE = """
graz    f
leoben  f
villach f
villach m
linz    m
linz    m
"""


@pytest.mark.slow
def test_each_column_is_raised_by_one_level_or_left_out_and_the_small_classes_are_counted_anew(store: Store) -> None:
    """With regions of south and upper Austria villach f joins the two of styria; without sex, villach m does not."""
    released = """
    styria    f
    styria    f
    carinthia f
    carinthia m
    linz      m
    linz      m
    """
    beside = unpaired(store, PEOPLE, released, [TOWN, SEX])
    found = count_below_k(beside.release, 2, beside)
    assert found == BelowK(k=2, records=2, of=6, coarser=(Coarser("town", False, 1), Coarser("sex", True, 0)))
    assert found.best == Coarser("town", False, 1)


def test_a_column_at_its_root_can_rise_no_further(store: Store) -> None:
    released = "\n".join(f"* {sex}" for sex in "fffmmm")
    beside = unpaired(store, PEOPLE, released, [TOWN, SEX])
    found = count_below_k(beside.release, 4, beside)
    assert found == BelowK(k=4, records=6, of=6, coarser=(Coarser("town", False, 6), Coarser("sex", True, 0)))
    assert found.best == Coarser("sex", True, 0)


def test_sets_and_values_rise_to_the_narrowest_node_that_holds_more(store: Store) -> None:
    """{graz,villach} is no node: south holds it. Suppressed records are in no class."""
    released = """
    {graz,villach} *
    leoben         *
    {graz,villach} *
    villach        *
    linz           *
    *              *
    """
    beside = unpaired(store, PEOPLE, released, [TOWN, SEX])
    found = count_below_k(beside.release, 3, beside)
    # villach skips carinthia, which is no wider, and joins the set at south; leoben becomes styria, linz the root.
    assert found == BelowK(k=3, records=5, of=6, coarser=(Coarser("town", False, 2), Coarser("sex", True, 5)))
    assert found.best == Coarser("town", False, 2)


def test_without_people_there_are_no_levels_and_a_column_can_be_left_out_alone(store: Store) -> None:
    released = "styria f\nstyria m\nlinz m\nlinz m"
    release = unpaired(store, PEOPLE, released, [TOWN, SEX]).release
    found = count_below_k(release, 2)
    assert found == BelowK(k=2, records=2, of=4, coarser=(Coarser("town", True, 1), Coarser("sex", True, 0)))


def test_where_all_classes_are_large_enough_nothing_is_counted(store: Store) -> None:
    release = unpaired(store, PEOPLE, "* *\nlinz m\nlinz m", [TOWN, SEX]).release
    assert count_below_k(release, 2) is None
    assert count_below_k(release, 3) is not None


@pytest.mark.slow
def test_a_person_who_is_in_several_classes_counts_once_also_where_these_become_one() -> None:
    """Ada is alone in graz f and in linz f: left out, the town leaves one class with Ada and Bo, of three records."""
    visits = pd.DataFrame(
        [("Ada", "graz", "f"), ("Ada", "linz", "f"), ("Bo", "wien", "f"), ("Cy", "wien", "m"), ("Di", "wien", "m")],
        columns=["person", "town", "sex"],
    )
    found = toolbox.check(visits, quasi_identifiers=["town", "sex"], person="person", models=[KAnonymity(3)])
    assert found.below == BelowK(
        k=3, records=4, of=4, coarser=(Coarser("town", True, 4), Coarser("sex", True, 1)), noun="person"
    )
    assert found.advice[-1].finding == "4 people are in classes of fewer than k = 3."
    assert found.advice[-1].effect == "With sex left out, 1 person is left in such classes."


@pytest.mark.slow
@given(st.lists(st.tuples(*(st.integers(0, most) for most in (5, 2, 2))), min_size=1, max_size=14), st.integers(2, 4))
def test_persons_are_counted_as_with_a_pencil(rows: list[tuple[int, int, int]], k: int) -> None:
    def below(place: int | None) -> int:
        classes: dict[tuple[int, ...], set[int]] = {}
        for person, *values in rows:
            key = tuple(value for at, value in enumerate(values) if at != place)
            classes.setdefault(key, set()).add(person)
        return len(set().union(*(members for members in classes.values() if len(members) < k)))

    texts = pd.DataFrame(rows, columns=["person", "a", "b"]).astype(str)
    found = toolbox.check(texts, quasi_identifiers=["a", "b"], person="person", models=[KAnonymity(k)]).below
    if not below(None):
        assert found is None
        return
    everybody = len({person for person, *_ in rows})
    coarser = (Coarser("a", True, below(0)), Coarser("b", True, below(1)))
    assert found == BelowK(k=k, records=below(None), of=everybody, coarser=coarser, noun="person")
