"""The journeys of hands, by keyboard alone: no test here points at anything, nor gives it the focus.

The first release is in `test_first_release.py`. What no hand does, a killed process or an attack, has no keys.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers.application import CONFIGS, Application
from helpers.keyboard import Keyboard

pytestmark = pytest.mark.slow

PEOPLE = "age,town\n17,Graz\n18,Graz\n19,Leoben\n21,Wien\n22,Wien\n23,Linz\n"
TOWNS = "Graz;Styria;Austria\nLeoben;Styria;Austria\nLinz;Upper Austria;Austria\nWien;Vienna;Austria\n"
PROJECT = """<config method='Datafly' k='2'>
  <input filename='people.csv' separator=',' header='true'/>
  <output filename='release.csv'/>
  <qid><att name='age'/><att name='town'/></qid>
</config>
"""


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """Write a project with six people, and hierarchies that it does not have yet."""
    for name, text in (("people.csv", PEOPLE), ("towns.csv", TOWNS), ("ages.csv", "17;teen;*\n"), ("p.xml", PROJECT)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path / "p.xml"


@pytest.mark.slow
def test_the_slider_the_chart_and_its_table(visit: Callable[..., Any]) -> None:
    page = visit("census_mondrian.xml")
    keyboard = Keyboard(page)
    keyboard.follow("Risk now")
    slider = page.get_by_role("slider", name="k, the smallest class that is safe")
    keyboard.go_to(slider)
    keyboard.press(*["ArrowRight"] * 25)
    page.get_by_text("are in classes below k = 30.").wait_for()
    assert keyboard.is_at(slider) and slider.input_value() == "30"
    keyboard.press("Home")
    page.get_by_text("are in classes below k = 2.").wait_for()
    keyboard.go_to(page.get_by_label("Column", exact=True))
    page.keyboard.type("race")
    page.get_by_text("Records by race, safe and at risk below k = 2").first.wait_for()
    for name in ("Turn the chart", "Also as a table"):
        keyboard.go_to(page.get_by_label(name))
        keyboard.press("Space")
    page.locator("#values tr", has_text="European").wait_for()
    # A bar says its figures aloud, and beside itself.
    keyboard.go_to(page.locator("#found svg .c-mark").first)
    assert page.locator("#found svg .c-mark:focus .c-value").first.is_visible()


def test_previews_are_made_cancelled_compared_and_taken_up(visit: Callable[..., Any]) -> None:
    page = visit("census_mondrian.xml")
    keyboard = Keyboard(page)
    keyboard.follow("Protect to do")
    keyboard.go_to(page.get_by_label("k", exact=True))
    keyboard.write("10")
    keyboard.push("Preview", exact=True)
    page.get_by_role("row", name="Mondrian, k = 10").wait_for()
    assert keyboard.is_at(page.get_by_role("button", name="Preview", exact=True)), "the focus stays"
    # Enter in a field previews as well: it neither removes a model nor does nothing.
    page.keyboard.press("Shift+Tab")
    page.reload()
    keyboard.go_to(page.get_by_label("k", exact=True))
    keyboard.write("20")
    keyboard.press("Enter")
    page.get_by_role("row", name="Mondrian, k = 20").wait_for()
    assert page.get_by_label("k", exact=True).input_value() == "20"
    for number in (1, 2):
        keyboard.go_to(page.get_by_label(f"Compare variant {number}"))
        keyboard.press("Space")
    keyboard.push("Compare the two chosen")
    page.get_by_role("heading", level=1, name="Two variants compared").wait_for()
    keyboard.follow("Back to all variants")
    page.get_by_role("heading", level=1, name="Protect").wait_for()
    keyboard.push("Take up variant 1")
    page.get_by_text("The project is again that of variant 1").wait_for()
    assert keyboard.is_at(page.locator("#variant-1")), "the button is gone, and what took its place has the focus"
    assert page.get_by_label("k", exact=True).input_value() == "10"
    keyboard.go_to(page.get_by_role("radio", name="Mondrian"))
    for _ in range(12):
        keyboard.press("ArrowDown")
        if page.get_by_role("radio", name="PrioPrivacy").is_checked():
            break
    keyboard.push("Preview", exact=True)
    keyboard.push("Cancel: Preview PrioPrivacy")
    page.get_by_text("Cancelled. Nothing of it is left").wait_for()


@pytest.mark.slow
def test_a_model_is_added_corrected_and_removed(visit: Callable[..., Any]) -> None:
    page = visit("census_mondrian.xml")
    keyboard = Keyboard(page)
    keyboard.follow("Protect to do")
    keyboard.go_to(page.get_by_label("Another model"))
    page.keyboard.type("t-clo")
    keyboard.push("Add it")
    page.get_by_label("t", exact=True).wait_for()
    assert keyboard.is_at(page.get_by_role("button", name="Add it"))
    keyboard.go_to(page.get_by_label("t", exact=True))
    keyboard.write("often")
    keyboard.push("Keep without a preview")
    # What is wrong has the focus, and leads to its field.
    wrong = page.get_by_role("alert")
    wrong.wait_for()
    assert keyboard.is_at(wrong)
    keyboard.follow("t is not a number.")
    assert keyboard.is_at(page.get_by_label("t", exact=True))
    keyboard.write("0.3")
    keyboard.go_to(page.get_by_label("Sensitive attribute of t-closeness"))
    page.keyboard.type("diag")
    keyboard.push("Keep without a preview")
    page.get_by_role("button", name="Undo: Protection").wait_for()
    keyboard.push("Remove t-closeness")
    page.get_by_label("Sensitive attribute of t-closeness").wait_for(state="detached")
    assert keyboard.is_at(page.get_by_label("Another model"))
    keyboard.press("Control+z")
    page.get_by_text("Undone: Protection.").wait_for()
    assert page.get_by_label("t", exact=True).input_value() == "0.3"


@pytest.mark.slow
def test_the_focus_is_where_it_was_after_a_page_has_come_again(visit: Callable[..., Any]) -> None:
    page = visit("census_mondrian.xml")
    keyboard = Keyboard(page)
    keyboard.follow("Columns")
    for name in ("race", "sex"):
        keyboard.go_to(page.get_by_label(f"Role of {name}"))
        keyboard.press("o")
        page.get_by_role("button", name=f"Undo: Role of {name}").wait_for()
    undo = page.locator("#undo")
    page.keyboard.press("Control+Home")
    page.reload()
    keyboard.go_to(undo)
    keyboard.press("Enter")
    page.get_by_text("Undone: Role of sex.").wait_for()
    assert keyboard.is_at(undo)
    keyboard.press("Enter")
    page.get_by_text("Undone: Role of race.").wait_for()


def test_a_hierarchy_is_imported_edited_undone_and_a_wrong_one_discarded(
    small: Path, visit: Callable[..., Any]
) -> None:
    page = visit(small)
    # Who listens only when a file is asked for may come too late.
    page.on("filechooser", lambda _: None)
    keyboard = Keyboard(page)

    def choose(name: str) -> None:
        keyboard.follow("Import")
        keyboard.go_to(page.get_by_label("A file with a hierarchy"))
        with page.expect_file_chooser() as chooser:
            keyboard.press("Enter")
        chooser.value.set_files(small.parent / name)
        keyboard.push("Look at it")

    keyboard.follow("Hierarchies")
    keyboard.follow("town")
    choose("towns.csv")
    keyboard.push("Accept")
    styria = page.get_by_role("treeitem", name="Styria, 2 values")
    styria.wait_for()
    choose("ages.csv")
    page.get_by_text("Not one of the 4 values of town has a path in this file.").wait_for()
    keyboard.push("Discard it")
    keyboard.go_to(page.locator("[role=treeitem][tabindex='0']"))
    keyboard.press("ArrowDown")
    assert keyboard.is_at(styria)
    keyboard.press("F2")
    page.keyboard.type("The south")
    keyboard.press("Enter")
    renamed = page.get_by_role("treeitem", name="The south, 2 values")
    renamed.wait_for()
    assert keyboard.is_at(renamed)
    keyboard.press("Control+z")
    styria.wait_for()
    keyboard.follow("Rules")
    first = page.get_by_label("Level 1", exact=True)
    keyboard.go_to(first)
    assert first.input_value().startswith("Graz,Leoben => Styria\n")
    keyboard.press("Control+Home")
    page.keyboard.type("nonsense\n")
    keyboard.push("Use these rules")
    page.locator("#level-1-fault").wait_for()


def test_records_are_sorted_filtered_and_paged_and_a_class_is_seen(visit: Callable[..., Any]) -> None:
    page = visit("census_mondrian.xml")
    keyboard = Keyboard(page)
    keyboard.follow("Protect to do")
    keyboard.push("Preview", exact=True)
    page.get_by_role("row", name="Mondrian, k = 5").wait_for()
    keyboard.follow("Next: look at the records")
    page.get_by_role("heading", level=1, name="Look").wait_for()
    keyboard.go_to(page.get_by_label("Class of record 3", exact=True))
    page.locator("#class", has_text="Record 3 cannot be told from").wait_for()
    keyboard.go_to(page.get_by_label("Page, of 100"))
    keyboard.write("100")
    keyboard.press("Enter")
    page.locator("#showing", has_text="4,951 to 5,000 of 5,000").wait_for()
    keyboard.go_to(page.get_by_label("In classes smaller than"))
    keyboard.write("6")
    keyboard.press("Enter")
    page.get_by_label("Class of record 4,951").wait_for(state="detached")
    keyboard.follow("age")
    page.locator("#showing", has_text="sorted by age").wait_for()
    keyboard.follow("Columns before and after")
    page.get_by_role("img", name="age, as it is released").wait_for()


def test_a_release_is_made_its_report_read_and_another_file_judged(
    application: Callable[..., Application], enter: Callable[..., Any]
) -> None:
    running = application("census_mondrian.xml")
    lines = (CONFIGS / "census_5000.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    (running.folder / "foreign.csv").write_text("".join(lines[:300]), encoding="utf-8")
    page = enter(running)
    keyboard = Keyboard(page)
    keyboard.follow("Judge and release")
    keyboard.go_to(page.get_by_label("File of the release"))
    keyboard.write("out/first.csv")
    keyboard.go_to(page.get_by_label("Report beside it"))
    page.keyboard.type("public")
    keyboard.push("Release")
    page.get_by_role("heading", name="Released and proved: 5,000 records").wait_for(timeout=60_000)
    keyboard.go_to(page.get_by_label("File to judge"))
    keyboard.write("foreign.csv")
    keyboard.press("Enter")
    page.get_by_role("heading", name="foreign.csv: something that is required does not hold").wait_for(timeout=60_000)
    keyboard.follow("Read the report, and print it")
    page.get_by_role("heading", level=1, name="Release report: first.csv").wait_for()
    assert page.get_by_text("Public report").first.is_visible()


@pytest.mark.slow
def test_the_focus_stays_with_a_choice_whose_page_counts_anew_and_goes_on_from_what_is_gone(
    tmp_path: Path, visit: Callable[..., Any]
) -> None:
    people = "age,town,mood\n" + "".join(f"{17 + row % 9},{'Graz' if row % 3 else ''},good\n" for row in range(60))
    for name, text in (("people.csv", people), ("p.xml", PROJECT)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    page = visit(tmp_path / "p.xml")
    keyboard = Keyboard(page)
    keyboard.follow("Columns")
    keyboard.push("Keep them: missing as a category of its own")
    page.locator("#missing-keep:focus", has_text="✓ Keep them").wait_for()
    keyboard.push("Suggest", exact=True)
    page.locator("#take-all:focus").wait_for()
    # What is taken is no button any more: its column has the focus.
    keyboard.go_to(page.locator("button[form=take-2]"))
    keyboard.press("Enter")
    page.locator("#role-2:focus").wait_for()
    # What was undone to the last leaves the other button.
    undo = page.locator("#undo")
    for words in ("Suggestion for mood", "Keep records that lack a value"):
        keyboard.go_to(undo)
        keyboard.press("Enter")
        page.get_by_text(f"Undone: {words}.").wait_for()
    page.locator("#redo:focus").wait_for()
    keyboard.go_to(page.locator("#language"))
    keyboard.press("Enter")
    keyboard.push("Français")
    page.locator("html[lang=fr] #language:focus").wait_for()
