"""The screens *Data* and *Columns*, in a browser."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

CONFIGS = Path(__file__).parents[3] / "configs"


@pytest.mark.slow
def test_a_table_is_opened_by_path_by_upload_and_as_an_example(
    application: Callable[..., Any], enter: Callable[..., Any], assert_accessible: Callable[[Any], None], tmp_path: Path
) -> None:
    (tmp_path / "people.csv").write_text("name;age\n" + "Ada;23\nBo;31\n" * 20 + "Cy\n", encoding="utf-8")
    page = enter(application())
    page.get_by_label("Path of a table").press_sequentially("pe")
    page.locator("#paths option").wait_for(state="attached")
    assert page.locator("#paths option").get_attribute("value") == "people.csv"
    page.get_by_label("Path of a table").fill("../people.csv")
    page.get_by_role("button", name="Open", exact=True).click()
    page.get_by_role("alert").get_by_role("link", name="is not below").click()
    assert page.get_by_label("Path of a table").get_attribute("aria-invalid") == "true"
    assert_accessible(page)
    page.get_by_label("Path of a table").fill("people.csv")
    page.get_by_label("Path of a table").press("Enter")
    page.get_by_text("holds 40 records in 2 columns").wait_for()
    page.get_by_text("Line 42: It has 1 value, and the table has 2 columns.").wait_for()
    assert_accessible(page)
    page.get_by_text("How it is read").click()
    page.get_by_label("Values stand between").select_option("|")
    page.get_by_role("button", name="Read it so").click()
    page.get_by_text("holds 41 records in 1 column").wait_for()
    page.get_by_role("button", name="Undo").click()
    page.get_by_text("holds 40 records in 2 columns").wait_for()
    page.get_by_text("Open another").click()
    page.get_by_label("Or a file of this computer").set_input_files(CONFIGS / "clinic_20.csv")
    page.get_by_role("button", name="Copy and open").click()
    page.get_by_text("holds 20 records").wait_for()
    assert (tmp_path / "table-project/table.csv").read_bytes() == (CONFIGS / "clinic_20.csv").read_bytes()
    page.get_by_text("Open another").click()
    page.get_by_role("button", name="Open example.csv").wait_for(state="detached")


@pytest.mark.slow
def test_roles_are_set_by_keyboard_and_suggestions_only_by_a_click(
    visit: Callable[..., Any], assert_accessible: Callable[[Any], None], tmp_path: Path
) -> None:
    page = visit()
    page.get_by_role("button", name="Open the example").press("Enter")
    page.get_by_role("link", name="Next: say what each column is").press("Enter")
    page.get_by_role("heading", level=1, name="Columns").wait_for()
    page.wait_for_load_state("load")
    role = page.get_by_label("Role of born")
    role.focus()
    page.keyboard.type("Q")
    page.get_by_label("What born holds").wait_for()
    assert page.get_by_label("What born holds").input_value() == "date"
    assert role.evaluate("element => element === document.activeElement"), "the control that has the focus stays"
    page.keyboard.press("Alt+ArrowDown")
    page.get_by_role("button", name="Undo: Priority of born").wait_for()
    page.keyboard.press("Alt+ArrowDown")
    page.locator("#announce", has_text="Priority of born: 2").wait_for(state="attached")
    assert page.get_by_label("Priority of born").input_value() == "2"
    page.get_by_text("1 generalised").wait_for()
    page.get_by_label("Weight of born").fill("-1")
    page.get_by_label("Weight of born").press("Tab")
    page.get_by_role("alert").get_by_text("weight is -1.0; write a number above 0.").wait_for()
    page.get_by_role("button", name="Suggest").click()
    page.get_by_role("button", name="Take: Identifier, for name").wait_for()
    assert_accessible(page)
    assert page.get_by_label("Role of name").input_value() == "other", "nothing is set without a click"
    page.get_by_role("button", name="Take: Identifier, for name").click()
    page.get_by_role("button", name="Undo: Suggestion for name").wait_for()
    assert page.get_by_label("Role of name").input_value() == "identifier"
    page.get_by_role("button", name="Take all suggestions").click()
    page.get_by_role("button", name="Undo: All suggestions").wait_for()
    page.wait_for_load_state("load")
    page.get_by_label("Role of name").focus()
    page.keyboard.press("Control+z")
    page.get_by_role("button", name="Redo: All suggestions").wait_for()
    assert page.get_by_label("Role of illness").input_value() == "other"
    page.get_by_role("button", name="Save").click()
    page.get_by_text("Saved ").wait_for()
    assert (
        "<att name='born' type='date' hierarchy='month,year,decade' priority='2'/>"
        in (tmp_path / "example-project/project.xml").read_text()
    )
    assert_accessible(page)
