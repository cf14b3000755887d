"""What the buttons do."""

from __future__ import annotations

import pytest

from toolbox.app.screens.hierarchies import _EditForm
from toolbox.errors import UsageError

TOWNS = [("Graz", "Styria", "*"), ("Leoben", "Styria", "*"), ("Wien", "Vienna", "*")]


def edited(form: _EditForm) -> tuple[str, str, list[tuple[str, ...]]]:
    edit = form.edit()
    return edit.words, edit.focus, edit.make(TOWNS)


def test_each_button_has_words_for_undo_and_says_where_the_focus_goes() -> None:
    assert edited(_EditForm("rename", ("1:Styria",), name="South"))[:2] == ("Rename Styria", "1:South")
    assert edited(_EditForm("move", ("0:Graz",), parent="Vienna")) == (
        "Move Graz below Vienna",
        "0:Graz",
        [("Graz", "Vienna", "*"), TOWNS[1], TOWNS[2]],
    )
    words, focus, rows = edited(_EditForm("group", ("0:Graz", "0:Wien", "0:Graz"), group="cities"))
    assert (words, focus, rows[0]) == ("Group as cities", "1:cities", ("Graz", "cities", "*"))
    assert edited(_EditForm("remove", ("0:Graz", "0:Wien")))[::2] == ("Remove 2 together", [TOWNS[1]])
    assert edited(_EditForm("add_level", level=2))[2][0] == ("Graz", "Styria", "Styria", "*")
    assert edited(_EditForm("remove_level", level=1))[2][0] == ("Graz", "*")


def test_enter_in_the_only_field_that_is_filled_means_its_button() -> None:
    assert _EditForm("", ("1:Styria",), name="South").edit().words == "Rename Styria"
    assert _EditForm("", ("1:Styria",), group="South").edit().words == "Group as South"
    for form in (_EditForm("", ("1:Styria",)), _EditForm("", ("1:Styria",), name="a", group="b"), _EditForm("drop")):
        with pytest.raises(UsageError, match="Nothing says what to do"):
            form.edit()


def test_a_choice_that_cannot_be_meant_is_refused() -> None:
    for form, said in [
        (_EditForm("rename", (), name="South"), "Nothing is chosen. Choose a value or a label first."),
        (_EditForm("rename", ("0:Graz", "0:Wien"), name="a"), "2 are chosen. Choose the one that gets another name"),
        (_EditForm("move", ("0:Graz", "1:Vienna"), parent="*"), "What is chosen stands on several levels."),
        (_EditForm("remove", ("1:Styria",)), "Labels are chosen. Choose values to remove"),
    ]:
        with pytest.raises(UsageError) as error:
            form.edit()
        assert said in str(error.value)


def test_a_long_name_is_cut_on_a_button() -> None:
    assert _EditForm("group", ("0:Graz",), group="x" * 50).edit().words == f"Group as {'x' * 40}…"
