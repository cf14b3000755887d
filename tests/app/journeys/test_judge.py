"""J9: the release with its report, and the judgement of a file that somebody else has made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from helpers.application import Application

import toolbox


def alone(application: Application) -> None:
    """Write a release by nobody knows whom, in which one record stands alone."""
    lines = (application.folder / "census_5000.csv").read_text().splitlines(keepends=True)
    (application.folder / "foreign.csv").write_text("".join(lines[:300]))


@pytest.mark.slow
def test_a_release_with_its_report_and_the_judgement_of_a_foreign_one(
    application: Callable[..., Application], enter: Callable[..., Any], assert_accessible: Callable[[Any], None]
) -> None:
    running = application("census_mondrian.xml")
    alone(running)
    page = enter(running)
    page.goto(f"{running.origin}/judge")
    page.get_by_label("File of the release").fill("out/first.csv")
    page.get_by_label("Report beside it").select_option("public")
    release = page.get_by_role("button", name="Release", exact=True)
    release.click(trial=True)  # waits until the table is read; a key does not
    release.press("Enter")
    page.get_by_role("heading", name="Released and proved: 5,000 records").wait_for(timeout=60_000)
    assert_accessible(page)
    assert {path.name for path in (running.folder / "out").iterdir()} == {"first.csv", "first.html"}
    assert toolbox.load_config(running.folder / "census_mondrian.xml").output.path == running.folder / "out/first.csv"
    page.get_by_label("File to judge").fill("foreign.csv")
    page.get_by_role("button", name="Judge it").press("Enter")
    page.get_by_role("heading", name="foreign.csv: something that is required does not hold").wait_for(timeout=60_000)
    assert page.get_by_text("Somebody is alone in a class, and can be told from all others.").is_visible()
    assert_accessible(page)
