"""What coarser columns would do for the records in too small classes, counted with a pencil."""

from __future__ import annotations

from helpers.comparisons import unpaired, with_hierarchy

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
