"""Next month's table: a project and another table, what is new is looked at, and released like last month's."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers.application import Application

_PROJECT = """<config method='Flash' k='3' suppThreshold='1' undeclared='drop'>
  <input filename='january.csv' separator=',' header='true'/>
  <output filename='january_release.csv' order='sorted'/>
  <qid>
    <att name='town'><vgh build='auto'/></att>
    <att name='born' type='number'><vgh build='intervals' width='10,20'/></att>
  </qid>
  <sens><att name='illness'/></sens>
</config>
"""


def write_months(folder: Path) -> None:
    """January has each town three times; in February a town is new, one has too few, a column is new and one is gone."""
    towns = [town for town in ("Graz", "Linz", "Wels") for _ in range(3)]
    january = [f"{town},{1971 + place % 3},flu,a" for place, town in enumerate(towns)]
    february = [f"{1971 + place % 3},{town},cold,x" for place, town in enumerate([*towns[:7], "Enns"])]
    (folder / "january.csv").write_text("\n".join(["town,born,illness,ward", *january]) + "\n", encoding="utf-8")
    (folder / "february.csv").write_text("\n".join(["born,town,illness,insurer", *february]) + "\n", encoding="utf-8")
    (folder / "project.xml").write_text(_PROJECT, encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("width", [1280, 400])
def test_next_months_table_is_looked_at_and_released_by_keyboard_alone(
    application: Callable[..., Application],
    enter: Callable[..., Any],
    assert_accessible: Callable[[Any], None],
    tmp_path: Path,
    width: int,
) -> None:
    write_months(tmp_path)
    running = application()
    page = enter(running, width=width)
    page.get_by_role("link", name="Or the same for next month's table").press("Enter")
    assert_accessible(page)
    page.get_by_label("What last month's release was made with").fill("project.xml")
    page.get_by_label("Next month's table").fill("nothing.csv")
    page.get_by_role("button", name="Look what is new").press("Enter")
    page.get_by_role("link", name="no file that there is").wait_for()
    assert_accessible(page)
    page.get_by_label("Next month's table").fill("february.csv")
    page.get_by_role("button", name="Look what is new").press("Enter")
    page.get_by_role("heading", name="What is new in february.csv").wait_for(timeout=60_000)
    shoot(page, f"found-{width}")
    assert_accessible(page)
    said = page.get_by_role("main").inner_text()
    assert "2 of 4 classes are too small now, with 2 of 8 records." in said
    assert "Enns (1)" in said
    assert [page.locator("dd").nth(place).inner_text() for place in (0, 1)] == ["insurer", "ward"]
    assert not (tmp_path / "february_release.csv").exists(), "looking releases nothing"
    assert (tmp_path / "project-recoding.json").exists()
    page.get_by_label("Their values become wider").focus()
    page.keyboard.press("Space")
    page.get_by_role("button", name="Release 8 records").press("Enter")
    page.get_by_role("heading", name="Released and proved: 8 records").wait_for(timeout=60_000)
    shoot(page, f"released-{width}")
    assert_accessible(page)
    lines = (tmp_path / "february_release.csv").read_text(encoding="utf-8").splitlines()
    assert (lines[0], len(lines)) == ("born,town,illness", 9)
    assert not (tmp_path / "january_release.csv").exists()


def shoot(page: Any, name: str) -> None:
    """Keep a picture, where somebody wants to look at it."""
    if folder := os.environ.get("TOOLBOX_PICTURES"):
        page.screenshot(path=str(Path(folder) / f"{name}.png"), full_page=True)
