"""J6: what is cancelled leaves nothing, and the next run works."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers.application import CONFIGS, Application

REPEATED = 60
"""Times that the records of the example are repeated, so that a release takes long enough to be cancelled."""


def many_people(folder: Path) -> Path:
    """Write a project with many records, and return its configuration."""
    header, *records = (CONFIGS / "census_5000.csv").read_text().splitlines(keepends=True)
    (folder / "census_5000.csv").write_text(header + "".join(records) * REPEATED)
    config = folder / "census.xml"
    config.write_text((CONFIGS / "census_mondrian.xml").read_text().replace("output/", ""))
    return config


def left(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} - {".toolbox-app"}


def commands(application: Application) -> list[str]:
    """What the application has started and what is still there, but for its session."""
    pids = Path(f"/proc/{application.process.pid}/task/{application.process.pid}/children").read_text().split()
    lines = [Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ") for pid in pids]
    return [line for line in lines if "children.worker" not in line]


@pytest.mark.slow
def test_a_cancelled_release_leaves_nothing_and_the_next_one_works(
    application: Callable[..., Application], enter: Callable[..., Any], tmp_path: Path
) -> None:
    running = application(many_people(tmp_path))
    before = left(tmp_path)
    page = enter(running)
    page.goto(f"{running.origin}/judge")
    page.get_by_label("Report beside it").select_option("no report")
    page.get_by_role("button", name="Release", exact=True).click()
    page.get_by_role("button", name="Cancel: Release").click()
    page.get_by_text("Cancelled. Nothing of it is left").wait_for()
    assert left(tmp_path) == before
    assert commands(running) == []
    page.get_by_label("Report beside it").select_option("no report")
    page.get_by_role("button", name="Release", exact=True).press("Enter")
    # Reload and a second tab show the run as well.
    page.reload()
    other = page.context.new_page()
    other.goto(f"{running.origin}/as/xml")
    other.get_by_role("progressbar", name="Release").wait_for()
    other.close()
    page.get_by_role("heading", name="Released and proved").wait_for(timeout=60_000)
    assert left(tmp_path) - before == {"census_mondrian_release.csv"}


@pytest.mark.slow
def test_a_cancelled_preview_leaves_the_session_as_it_was(visit: Callable[..., Any]) -> None:
    page = visit("census_datafly.xml")
    page.goto(page.url.rpartition("/")[0] + "/protect")
    page.get_by_label("PrioPrivacy").check()
    page.get_by_role("button", name="Preview", exact=True).click()
    page.get_by_role("button", name="Cancel: Preview").press("Enter")
    page.get_by_text("Cancelled. Nothing of it is left").wait_for()
    assert page.get_by_text("Nothing was tried yet").count() > 0
    page.get_by_label("Datafly").check()
    page.get_by_role("button", name="Preview", exact=True).click()
    page.get_by_role("row", name="Datafly, k = 5").wait_for()
