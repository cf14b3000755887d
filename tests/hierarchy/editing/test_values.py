"""More values, and less."""

from __future__ import annotations

import pytest

from toolbox.errors import UsageError
from toolbox.hierarchy.editing import add_values, remove_values

ROWS = [("Graz", "Styria", "Austria", "*"), ("Wien", "Vienna", "Austria", "*")]


def test_values_are_put_below_a_label_of_any_level() -> None:
    assert add_values(ROWS, ["Leoben", "Leoben"], 1, "Styria")[2:] == [("Leoben", "Styria", "Austria", "*")]
    assert add_values(ROWS, ["Linz"], 2, "Austria")[2:] == [("Linz", "Linz", "Austria", "*")]
    assert add_values(ROWS, ["Oslo"], 3, "*")[2:] == [("Oslo", "Oslo", "Oslo", "*")]


def test_values_that_are_there_and_labels_that_are_not_are_refused() -> None:
    for values, level, label, said in [
        (["Graz"], 1, "Styria", "The hierarchy has 'Graz' already. Move what is there."),
        (["Linz"], 1, "Styrie", "Level 1 has no 'Styrie'. Did you mean 'Styria'?"),
        (["Linz"], 0, "Graz", "Level 0 cannot be chosen: the root is level 3. Choose a level from 1 to 3."),
        (["Styria"], 2, "Austria", "'Styria' is a label already. Choose a label of level 1 to put it below."),
        (["Styria"], 1, "Vienna", "'Styria' would stand for different values on two levels"),
        ([" "], 1, "Styria", "' ' is no label. Write a text that is not blank."),
    ]:
        with pytest.raises(UsageError) as error:
            add_values(ROWS, values, level, label)
        assert said in str(error.value)


def test_values_are_removed_but_not_all() -> None:
    assert remove_values(ROWS, ["Wien"]) == ROWS[:1]
    with pytest.raises(UsageError, match="No value would be left"):
        remove_values(ROWS, ["Graz", "Wien"])
    with pytest.raises(UsageError, match="Level 0 has no 'Linz'"):
        remove_values(ROWS, ["Linz"])
