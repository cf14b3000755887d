"""The first release, from a table to a proof without XML: with the mouse, and again with the keyboard alone (J1)."""

from __future__ import annotations

import csv
import shutil
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from helpers.amounts import is_thorough
from helpers.census import CENSUS
from helpers.keyboard import Keyboard

from toolbox.cli.main import main

KNOWN = ("age", "sex", "race", "education")
SUGGESTED = (*KNOWN, "marital-status", "native-country", "workclass", "occupation")

UNSURE = ("salary-class", "visits")
"""Nobody is sure what these are: they are left out until somebody decides."""


def released_is_what_the_configuration_releases(
    folder: Path, records: int, known: Sequence[str], sensitive: Sequence[str]
) -> None:
    """The command line makes the same bytes of the saved project, and a count of our own finds every class large enough."""
    release = folder / "census_5000_release.csv"
    by_the_application = release.read_bytes()
    release.unlink()
    assert main(["-config", str(folder / "project.xml"), "--quiet"]) == 0
    assert release.read_bytes() == by_the_application
    with release.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == records and set(rows[0]) == {*known, *sensitive}
    assert min(Counter(tuple(row[name] for name in known) for row in rows).values()) >= 5


@pytest.mark.parametrize(
    ("known", "records", "risky", "looks"),
    [
        (KNOWN, 1000, "924 of 1,000 records (92.4 %)", {"dark": True, "width": 400}),
        pytest.param(SUGGESTED, 5000, "4,122 of 5,000 records (82.4 %)", {}, marks=pytest.mark.slow),
    ],
    ids=["a part on a small screen in the dark", "all"],
)
def test_with_ten_clicks_on_screens_that_keep_nobody_out(
    known: Sequence[str],
    records: int,
    risky: str,
    looks: dict[str, Any],
    visit: Callable[..., Any],
    assert_accessible: Callable[[Any], None],
    tmp_path: Path,
) -> None:
    people = pd.read_csv(CENSUS, dtype=str)[["person_id", *known, *UNSURE, "diagnosis"]].head(records)
    people.to_csv(tmp_path / CENSUS.name, index=False)
    page = visit(tmp_path / CENSUS.name, **looks)
    clicks = 0

    def click(role: str, name: str) -> None:
        nonlocal clicks
        page.get_by_role(role, name=name, exact=True).click()
        clicks += 1

    def see(what: Any) -> None:
        (page.get_by_role("heading", level=1, name=what) if isinstance(what, str) else what).wait_for()
        if is_thorough():
            assert_accessible(page)
        assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0

    see("Columns")
    click("button", "Suggest")
    click("button", "Take all suggestions")
    click("link", "Next: who is at risk now")
    see(page.get_by_text(f"{risky} are in classes below k = 5."))
    click("link", "Next: how values are generalised")
    see("Hierarchies")
    click("link", "Next: choose the protection")
    click("button", "Preview")
    see(page.get_by_role("link", name="Next: look at the records"))
    click("link", "Next: look at the records")
    see("Look")
    click("link", "Next: judge and release")
    click("button", f"Save the project and release {records:,} records")
    see(page.get_by_text(f"Released and proved: {records:,} records"))
    click("link", "Read the report, and print it")
    page.get_by_text("each record looks the same as at least 4 others").first.wait_for()
    assert clicks == 10
    page.go_back()
    page.get_by_role("link", name="Data").click()
    see("Data")
    released_is_what_the_configuration_releases(tmp_path / "census_5000-project", records, known, ("diagnosis",))


@pytest.mark.slow
def test_with_the_keyboard_alone(application: Callable[..., Any], enter: Callable[..., Any], tmp_path: Path) -> None:
    shutil.copy(CENSUS, tmp_path)
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
    released_is_what_the_configuration_releases(tmp_path / "census_5000-project", 5000, KNOWN, ("diagnosis",))
