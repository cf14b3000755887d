"""J4 and J5: a hierarchy is imported, edited, undone and released; a wrong file harms nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from toolbox.cli.main import main

PEOPLE = "age,town,illness\n" + "".join(
    f"{age},{town},{illness}\n"
    for age, town, illness in [
        (17, "Graz", "flu"),
        (18, "Graz", "cold"),
        (19, "Leoben", "flu"),
        (21, "Wien", "asthma"),
        (22, "Wien", "gout"),
        (23, "Linz", "flu"),
    ]
)
CONFIG = """<config method='Datafly' k='2' suppThreshold='0'>
  <input filename='people.csv' separator=',' header='true'/>
  <output filename='release.csv' order='sorted'/>
  <qid><att name='age'/><att name='town'/></qid>
  <sens><att name='illness'/></sens>
</config>
"""
AGES = ["17,18,19 => 15-19\n21,22,23 => 20-24\n", "15-19,20-24 => 15-24\n"]
TOWNS = "Graz;Styria;Austria\nLeoben;Styria;Austria\nLinz;Upper Austria;Austria\nWien;Vienna;Austria\n"

TREE = """
- tree "Hierarchy of age":
  - treeitem "15-24, 6 values, 6 records" [expanded] [level=1]:
    - text: 15-24 6 values, 6 records
    - group:
      - treeitem "15-19, 3 values, 3 records" [expanded] [level=2]:
        - text: 15-19 3 values, 3 records
        - group:
          - treeitem "17, 1 record" [level=3]: 17 1 record
          - treeitem "18, 1 record" [level=3]: 18 1 record
          - treeitem "19, 1 record" [level=3]: 19 1 record
      - treeitem "20-24, 3 values, 3 records" [level=2]: 20-24 3 values, 3 records
""".strip()
"""What a screen reader is told."""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "people.csv").write_text(PEOPLE, encoding="utf-8")
    (tmp_path / "project.xml").write_text(CONFIG, encoding="utf-8")
    (tmp_path / "towns.csv").write_text(TOWNS, encoding="utf-8")
    for level, rules in enumerate(AGES, start=1):
        (tmp_path / f"age_level_{level}.txt").write_text(rules, encoding="utf-8")
    return tmp_path / "project.xml"


def upload(page: Any, column: str, *files: Path) -> None:
    page.get_by_role("link", name="Hierarchies").click()
    page.get_by_role("row", name=column).get_by_role("link").click()
    page.get_by_role("link", name="Import", exact=True).click()
    page.get_by_label("A file with a hierarchy").set_input_files([str(file) for file in files])
    page.get_by_role("button", name="Look at it").click()


def row_of(page: Any, words: str) -> list[str]:
    cells = page.get_by_role("row", name=words).get_by_role("cell")
    cells.first.wait_for()
    return [cell.strip() for cell in cells.all_inner_texts()]


def item(page: Any, name: str) -> Any:
    return page.get_by_role("treeitem", name=name)


@pytest.mark.slow
def test_rules_are_imported_edited_by_keyboard_undone_and_released(
    project: Path, visit: Callable[..., Any], assert_accessible: Callable[..., None]
) -> None:
    folder = project.parent
    page = visit(project)
    upload(page, "age", folder / "age_level_1.txt", folder / "age_level_2.txt")
    assert row_of(page, "Values that it has, and the old one lacks")[0] == "6"
    assert row_of(page, "Values of the column without a path")[0] == "0"
    assert_accessible(page)
    page.get_by_role("button", name="Accept").click()

    item(page, "20-24, 3 values").press("ArrowLeft")
    assert page.get_by_role("tree").aria_snapshot() == TREE
    item(page, "15-24, 6 values").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("F2")
    page.keyboard.type("teens")
    page.keyboard.press("Enter")
    item(page, "teens, 3 values").wait_for()
    assert item(page, "teens, 3 values").evaluate("one => one === document.activeElement")
    assert_accessible(page)

    page.keyboard.press("ArrowDown")  # from the label to 17, the first value
    page.keyboard.press("Control+x")
    item(page, "20-24").focus()
    page.keyboard.press("Control+v")
    item(page, "20-24, 4 values").wait_for()
    page.keyboard.press("Control+z")
    item(page, "20-24, 3 values").wait_for()

    upload(page, "town", folder / "towns.csv")
    page.get_by_role("button", name="Accept").click()
    page.get_by_role("button", name="Save").click()
    page.get_by_text("Saved").first.wait_for()
    assert main(["-config", str(project), "--quiet"]) == 0
    assert (folder / "release.csv").read_text(encoding="utf-8").splitlines()[1:] == [
        "20-24,Austria,asthma",
        "20-24,Austria,flu",
        "20-24,Austria,gout",
        "teens,Austria,cold",
        "teens,Austria,flu",
        "teens,Austria,flu",
    ]


@pytest.mark.slow
def test_rules_are_edited_as_text_and_what_is_wrong_stands_beside_its_level(
    project: Path, visit: Callable[..., Any], assert_accessible: Callable[..., None]
) -> None:
    folder = project.parent
    page = visit(project)
    upload(page, "age", folder / "age_level_1.txt", folder / "age_level_2.txt")
    page.get_by_role("button", name="Accept").click()
    page.get_by_role("link", name="Rules", exact=True).click()
    first, second = (page.get_by_label(f"Level {level}", exact=True) for level in (1, 2))
    assert (first.input_value(), second.input_value()) == tuple(AGES)
    first.fill("17,18,19 => 15-19\n21,22,23 => twens\n24 =>")
    page.get_by_role("button", name="Use these rules").click()
    assert "level 1, line 3: No label stands on the right of the arrow." in page.locator("#level-1-fault").inner_text()
    first.fill("17,18,19 => 15-19\n21,22,23 => twens\n")
    page.get_by_role("button", name="Use these rules").click()
    assert "'20-24' is neither a value" in page.locator("#level-2-fault").inner_text()
    second.fill("15-19,twens => 15-24")
    page.get_by_role("button", name="Use these rules").click()
    page.wait_for_load_state()
    assert page.locator("#faults").count() == 0
    assert (first.input_value(), second.input_value()) == (
        "17,18,19 => 15-19\n21,22,23 => twens\n",
        "15-19,twens => 15-24\n",
    )
    assert_accessible(page)


@pytest.mark.slow
def test_without_a_mouse_values_are_grouped_and_a_rule_is_tried_out(
    project: Path, visit: Callable[..., Any], assert_accessible: Callable[..., None]
) -> None:
    page = visit(project)
    page.goto(page.url.replace("/data", "/hierarchies"))
    page.get_by_role("row", name="town").get_by_role("link").press("Enter")
    page.get_by_role("link", name="Tree", exact=True).press("Enter")
    page.get_by_role("button", name="Begin by hand").press("Enter")
    item(page, "*, 4 values").focus()
    for key in ("ArrowDown", "Shift+ArrowDown", "Control+g"):
        page.keyboard.press(key)
    assert page.locator("#how-many").inner_text() == "2 chosen"
    page.keyboard.type("Styria")
    page.keyboard.press("Enter")
    item(page, "Styria, 2 values").wait_for()
    assert item(page, "Styria, 2 values").evaluate("one => one === document.activeElement")
    page.keyboard.press("w")
    assert item(page, "Wien").first.evaluate("one => one === document.activeElement")
    page.keyboard.press("F2")
    page.keyboard.type("Styria")
    page.keyboard.press("Enter")
    assert "Level 1 has 'Styria' already." in page.locator("#name-fault").inner_text()
    assert_accessible(page)
    page.keyboard.press("Control+z")
    page.get_by_text("Undone: Group as Styria (town).").wait_for()
    assert item(page, "Styria").count() == 0
    page.get_by_role("link", name="Table", exact=True).press("Enter")
    assert_accessible(page)

    page.get_by_role("link", name="age", exact=True).press("Enter")
    page.get_by_role("link", name="Intervals of equal width").press("Enter")
    page.wait_for_url("**build=intervals")
    page.get_by_label("Widths, the narrowest first").fill("2,4")
    page.get_by_text("intervals:2,4 makes of the 6 values of today 4 labels, then 2, then 1.").wait_for()
    page.get_by_label("Widths, the narrowest first").fill("2,5")
    page.get_by_text("width= has 5 after 2").wait_for()
    assert_accessible(page)


@pytest.mark.slow
def test_a_wrong_file_is_told_from_the_right_one_and_discarded(
    project: Path, visit: Callable[..., Any], assert_accessible: Callable[..., None]
) -> None:
    folder = project.parent
    page = visit(project)
    upload(page, "town", folder / "towns.csv")
    page.get_by_role("button", name="Accept").click()
    item(page, "Styria, 2 values").wait_for()

    upload(page, "town", folder / "age_level_1.txt")
    assert "Not one of the 4 values of town has a path in this file." in page.locator(".verdict").inner_text()
    assert row_of(page, "Values of the column without a path")[:2] == ["4", "Graz, Leoben, Linz, Wien"]
    assert row_of(page, "Paths without a value of the column")[0] == "6"
    assert_accessible(page)
    page.get_by_role("button", name="Discard it").click()
    item(page, "Styria, 2 values").wait_for()

    (folder / "two_parents.csv").write_text("Graz;Styria;Austria\nWien;Styria;Hungary\n", encoding="utf-8")
    upload(page, "town", folder / "two_parents.csv")
    assert "Lines 1 and 2 agree in column 2 ('Styria')" in page.locator("#file-fault").inner_text()
    page.get_by_role("link", name="Tree", exact=True).click()
    item(page, "Styria, 2 values").wait_for()
