"""The screen *Protect*, in a browser: previews that stay, compared two by two."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers.application import CONFIGS


@pytest.mark.slow
def test_previews_are_kept_and_two_are_compared(
    visit: Callable[..., Any], assert_accessible: Callable[[Any], None]
) -> None:
    page = visit("census_mondrian.xml")
    page.get_by_role("link", name="Protect").first.click()
    page.get_by_role("button", name="Preview", exact=True).click()
    page.get_by_role("row", name="Mondrian, k = 5").wait_for()
    page.get_by_label("k", exact=True).fill("20")
    page.get_by_role("button", name="Preview", exact=True).click()
    page.get_by_role("row", name="Mondrian, k = 20").wait_for()
    assert_accessible(page)
    # By keyboard from here on.
    for number in (1, 2):
        page.get_by_label(f"Compare variant {number}").press("Space")
    page.get_by_role("button", name="Compare the two chosen").press("Enter")
    page.get_by_role("heading", level=1, name="Two variants compared").wait_for()
    smallest = page.get_by_role("row", name="Smallest class").get_by_role("cell").all_inner_texts()
    assert smallest == ["5", "20"]
    assert_accessible(page)
    page.goto(page.url.partition("/protect")[0] + "/protect")
    page.get_by_role("button", name="Take up variant 1").press("Enter")
    assert page.get_by_label("k", exact=True).input_value() == "5"


@pytest.mark.slow
def test_what_is_wrong_is_said_beside_the_field_and_on_top(
    visit: Callable[..., Any], assert_accessible: Callable[[Any], None]
) -> None:
    page = visit("census_mondrian.xml")
    page.get_by_role("link", name="Protect").first.click()
    page.get_by_label("Another model").select_option("t-closeness")
    page.get_by_role("button", name="Add it").click()
    page.get_by_label("t", exact=True).fill("often")
    page.get_by_role("button", name="Keep without a preview").click()
    page.get_by_role("alert").get_by_role("link", name="t is not a number. Write one, such as 0.2.").click()
    assert page.get_by_label("t", exact=True).get_attribute("aria-invalid") == "true"
    assert page.get_by_role("link", name="Say which sensitive attribute t-closeness protects.").is_visible()
    assert_accessible(page)
    page.get_by_label("t", exact=True).fill("0.3")
    page.get_by_label("Sensitive attribute of t-closeness").select_option("diagnosis")
    page.get_by_role("button", name="Keep without a preview").click()
    page.get_by_role("button", name="Undo: Protection").wait_for()
    assert page.get_by_label("t", exact=True).input_value() == "0.3"
    page.get_by_label("k", exact=True).fill("0")
    page.get_by_label("Most records that may be suppressed").fill("abc%")
    page.get_by_role("button", name="Preview", exact=True).click()
    page.get_by_role("alert").get_by_role("link", name="'abc%' is no percentage").click()
    assert page.get_by_label("k", exact=True).get_attribute("aria-invalid") == "true"
    assert_accessible(page)
    page.get_by_label("k", exact=True).fill("5")
    page.get_by_label("Most records that may be suppressed").fill("")
    page.get_by_role("button", name="Preview", exact=True).click()
    page.get_by_role("row", name="Mondrian, k = 5").wait_for()
    assert page.get_by_role("alert").count() == 0


_THREE = """<config method='Flash' k='5' suppThreshold='2%'>
  <input filename='census_5000.csv' separator=',' header='true'/>
  <output filename='release.csv'/>
  <id><att name='person_id'/></id>
  <qid>
    <att name='age'><vgh file='hierarchies/age.csv'/></att>
    <att name='sex'><vgh file='hierarchies/sex.csv'/></att>
  </qid>
</config>
"""


@pytest.mark.slow
def test_a_node_of_the_lattice_is_clicked_looked_at_and_tried(
    visit: Callable[..., Any], assert_accessible: Callable[[Any], None], tmp_path: Path
) -> None:
    shutil.copytree(CONFIGS / "hierarchies", tmp_path / "hierarchies")
    shutil.copy(CONFIGS / "census_5000.csv", tmp_path)
    (tmp_path / "project.xml").write_text(_THREE, encoding="utf-8")
    page = visit(tmp_path / "project.xml", width=400)
    page.get_by_role("link", name="Protect").first.click()
    page.get_by_role("button", name="Preview", exact=True).click()
    page.get_by_role("link", name="Choices of levels of variant 1").click()
    page.get_by_role("heading", level=1, name="Choices of levels").wait_for()
    picture = page.get_by_role("group", name="Picture of the choices")
    assert picture.get_by_role("link").count() == page.get_by_role("row").count() - 1 == 10
    picture.get_by_role("link", name="age 2, sex 1.").click()
    chosen = page.get_by_role("region", name="The chosen one")
    chosen.get_by_text("It satisfies what is required").wait_for()
    assert chosen.get_by_role("definition").all_inner_texts()[0].endswith("→ 50-59")
    assert picture.get_by_role("link", name="age 2, sex 1.").get_attribute("aria-current") == "true"
    assert_accessible(page)
    wide, room = page.locator("html").evaluate("page => [page.scrollWidth, page.clientWidth]")
    assert wide <= room
    # By keyboard from here on.
    chosen.get_by_role("button", name="Preview it").press("Enter")
    page.get_by_role("rowheader", name="2", exact=True).wait_for()
    page.go_back()
    page.reload()
    chosen.get_by_text("It is variant 2.").wait_for()
    chosen.get_by_role("button", name="Set these levels in the project").press("Enter")
    page.get_by_text("The project now has these levels: age 2, sex 1.").wait_for()
