"""Other names, other parents, and a node for several."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from toolbox.errors import UsageError
from toolbox.hierarchy.editing import group, move, rename

TOWNS = [
    ("Graz", "Styria", "Austria", "*"),
    ("Leoben", "Styria", "Austria", "*"),
    ("Wien", "Vienna", "Austria", "*"),
    ("Bonn", "NRW", "Germany", "*"),
]


def refused(edit: Callable[[], object]) -> str:
    with pytest.raises(UsageError) as error:
        edit()
    return str(error.value)


def test_a_label_and_a_value_are_renamed_where_they_stand() -> None:
    assert rename(TOWNS, 1, "Styria", "South")[:2] == [
        ("Graz", "South", "Austria", "*"),
        ("Leoben", "South", "Austria", "*"),
    ]
    assert rename(TOWNS, 0, "Bonn", "Köln")[3] == ("Köln", "NRW", "Germany", "*")
    assert rename(TOWNS, 3, "*", "Europe")[0] == ("Graz", "Styria", "Austria", "Europe")
    assert rename(TOWNS, 1, "Styria", "Styria") == TOWNS


def test_a_name_that_stands_for_other_values_is_refused() -> None:
    assert refused(lambda: rename(TOWNS, 1, "Styria", "Vienna")) == (
        "Level 1 has 'Vienna' already. Choose another name, or move there what is below."
    )
    assert refused(lambda: rename(TOWNS, 1, "Styria", "Austria")) == (
        "'Austria' would stand for different values on two levels, so that a release does not tell which are meant. "
        "Give it another name on one of them."
    )
    assert "Write a text that is not blank." in refused(lambda: rename(TOWNS, 1, "Styria", " "))
    assert rename(TOWNS, 1, "NRW", "Germany")[3] == ("Bonn", "Germany", "Germany", "*"), "it stands for the same"
    assert rename(TOWNS, 1, "Vienna", "Wien")[2] == ("Wien", "Wien", "Austria", "*")


def test_values_and_labels_move_with_all_that_is_below_them() -> None:
    assert move(TOWNS, 0, ["Graz", "Wien"], "NRW") == [
        ("Graz", "NRW", "Germany", "*"),
        ("Leoben", "Styria", "Austria", "*"),
        ("Wien", "NRW", "Germany", "*"),
        ("Bonn", "NRW", "Germany", "*"),
    ]
    assert move(TOWNS, 1, ["Styria"], "Germany")[:2] == [
        ("Graz", "Styria", "Germany", "*"),
        ("Leoben", "Styria", "Germany", "*"),
    ]


def test_a_move_to_what_is_not_there_is_refused() -> None:
    assert refused(lambda: move(TOWNS, 0, ["Graz"], "Vienne")) == "Level 1 has no 'Vienne'. Did you mean 'Vienna'?"
    assert refused(lambda: move(TOWNS, 0, ["Linz", "Wels"], "NRW")) == "Level 0 has no 'Linz', 'Wels'."
    assert refused(lambda: move(TOWNS, 0, [], "NRW")) == "Nothing is chosen. Choose a value or a label."
    assert refused(lambda: move(TOWNS, 3, ["*"], "*")) == (
        "Level 3 cannot be chosen: the root is level 3. Choose a level from 0 to 2."
    )


def test_a_group_stands_below_the_narrowest_label_that_covers_it() -> None:
    assert group(TOWNS, 0, ["Graz", "Wien"], "cities") == [
        ("Graz", "cities", "Austria", "*"),
        ("Leoben", "Styria", "Austria", "*"),
        ("Wien", "cities", "Austria", "*"),
        ("Bonn", "NRW", "Germany", "*"),
    ]
    assert group(TOWNS, 0, ["Graz", "Bonn"], "far apart") == [
        ("Graz", "far apart", "far apart", "*"),
        ("Leoben", "Styria", "Austria", "*"),
        ("Wien", "Vienna", "Austria", "*"),
        ("Bonn", "far apart", "far apart", "*"),
    ]


def test_directly_below_the_root_a_group_makes_a_level() -> None:
    assert group(TOWNS, 2, ["Austria"], "south") == [
        ("Graz", "Styria", "Austria", "south", "*"),
        ("Leoben", "Styria", "Austria", "south", "*"),
        ("Wien", "Vienna", "Austria", "south", "*"),
        ("Bonn", "NRW", "Germany", "Germany", "*"),
    ]


def test_a_group_with_the_name_of_another_label_is_refused() -> None:
    assert refused(lambda: group(TOWNS, 0, ["Graz"], "Vienna")) == (
        "There is a label 'Vienna' already. Choose another name, or move them there."
    )
    assert "would stand for different values" in refused(lambda: group(TOWNS, 0, ["Graz"], "Bonn"))
