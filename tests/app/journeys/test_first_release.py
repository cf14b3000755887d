"""The first release, from a table to a proof without XML: with the mouse, and again with the keyboard alone (J1)."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers.keyboard import Keyboard

from toolbox.cli.main import main

KNOWN = ("age", "sex", "race", "education")


def released_is_what_the_configuration_releases(folder: Path) -> None:
    """The command line makes the same bytes of the saved project, and a count of our own finds every class large enough."""
    release = folder / "census_5000_release.csv"
    by_the_application = release.read_bytes()
    release.unlink()
    assert main(["-config", str(folder / "project.xml"), "--quiet"]) == 0
    assert release.read_bytes() == by_the_application
    with release.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 5000 and set(rows[0]) == {*KNOWN, "diagnosis"}
    assert min(Counter(tuple(row[name] for name in KNOWN) for row in rows).values()) >= 5


def test_with_the_mouse(visit: Callable[..., Any], assert_accessible: Callable[[Any], None], tmp_path: Path) -> None:
    page = visit("census_5000.csv")
    page.get_by_role("link", name="Data").click()
    page.get_by_text("holds 5,000 records in 12 columns").wait_for()
    page.get_by_role("link", name="Next: say what each column is").click()
    page.get_by_role("heading", level=1, name="Columns").wait_for()
    page.wait_for_load_state("load")
    roles = {"person_id": "identifier", **dict.fromkeys(KNOWN, "quasi-identifier"), "diagnosis": "sensitive"}
    for name, role in roles.items():
        page.get_by_label(f"Role of {name}").select_option(role)
        page.get_by_role("button", name=f"Undo: Role of {name}").wait_for()
    page.get_by_role("link", name="Protect").first.click()
    page.get_by_role("button", name="Preview", exact=True).click()
    page.get_by_role("row", name="Mondrian, k = 5").wait_for()
    page.get_by_role("link", name="Judge and release").click()
    page.get_by_role("button", name="Save the project and release 5,000 records").click()
    page.get_by_text("Released and proved: 5,000 records").wait_for()
    assert_accessible(page)
    released_is_what_the_configuration_releases(tmp_path / "census_5000-project")


@pytest.mark.slow
def test_with_the_keyboard_alone(application: Callable[..., Any], enter: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "census_5000.csv").write_bytes((Path(__file__).parents[3] / "configs/census_5000.csv").read_bytes())
    page = enter(application())

    keyboard = Keyboard(page)
    keyboard.go_to(page.get_by_label("Path of a table"))
    page.keyboard.type("census_5000.csv")
    page.keyboard.press("Enter")
    keyboard.go_to(page.get_by_role("link", name="Next: say what each column is"))
    page.keyboard.press("Enter")
    page.get_by_role("heading", level=1, name="Columns").wait_for()
    roles = {"person_id": "I", **dict.fromkeys(KNOWN, "Q"), "diagnosis": "S"}
    for name, letter in roles.items():
        keyboard.go_to(page.get_by_label(f"Role of {name}"))
        page.keyboard.type(letter)
        page.get_by_role("button", name=f"Undo: Role of {name}").wait_for()
    keyboard.go_to(page.get_by_role("link", name="Judge and release"))
    page.keyboard.press("Enter")
    keyboard.go_to(page.get_by_role("button", name="Save the project and release"))
    page.keyboard.press("Enter")
    page.get_by_text("Released and proved: 5,000 records").wait_for()
    released_is_what_the_configuration_releases(tmp_path / "census_5000-project")
