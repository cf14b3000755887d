"""One level more, one less."""

from __future__ import annotations

import pytest

from toolbox.errors import UsageError
from toolbox.hierarchy.editing import add_level, remove_level

ROWS = [("Graz", "Styria", "*"), ("Wien", "Vienna", "*")]


def test_a_level_is_added_as_a_copy_of_the_one_below_and_removed_again() -> None:
    more = add_level(ROWS, 2)
    assert more == [("Graz", "Styria", "Styria", "*"), ("Wien", "Vienna", "Vienna", "*")]
    assert remove_level(more, 2) == remove_level(more, 1) == ROWS
    assert remove_level(ROWS, 1) == [("Graz", "*"), ("Wien", "*")]


def test_values_and_root_are_no_levels_that_can_go() -> None:
    for level in (0, 2, -1):
        with pytest.raises(UsageError, match=rf"Level {level} cannot be chosen: the root is level 2. Choose level 1."):
            remove_level(ROWS, level)
    with pytest.raises(UsageError, match=r"Add a level first\."):
        remove_level([("Graz", "*")], 1)
    with pytest.raises(UsageError, match=r"Choose a level from 1 to 2\."):
        add_level(ROWS, 3)


def test_there_are_at_most_63_levels() -> None:
    most = [("Graz", *["Styria"] * 62, "*"), ("Wien", *["Vienna"] * 62, "*")]
    with pytest.raises(UsageError, match="63 levels, which is the most"):
        add_level(most, 1)
