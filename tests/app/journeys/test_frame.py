"""The frame of all screens, in a browser: axe finds nothing, everything is offline, keys do what they say.

By default axe looks at each screen in `test_first_release.py`, where it has something to show.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers.application import Application
from helpers.previews import FACTS, document

import toolbox
from toolbox.app.pages.rendering import STEPS
from toolbox.app.project.variants import Variants


@pytest.mark.slow
def test_axe_finds_nothing_on_any_screen_without_a_project(
    visit: Callable[..., Any], assert_accessible: Callable[[Any], None]
) -> None:
    page = visit()
    for name, title in STEPS:
        page.goto(page.url.rpartition("/")[0] + f"/{name}")
        page.get_by_role("heading", level=1, name=title).wait_for()
        assert_accessible(page)


@pytest.mark.slow
@pytest.mark.parametrize("looks", [{"dark": True, "width": 400}, {}])
def test_axe_finds_nothing_on_any_screen_of_a_project_and_none_scrolls_sideways(
    looks: dict[str, Any], census: Application, enter: Callable[..., Any], assert_accessible: Callable[[Any], None]
) -> None:
    page = enter(census, **looks)
    # Until the table is read, a page shows how far that is.
    page.get_by_role("complementary").get_by_text("At risk").wait_for()
    for path in (*(f"/{name}" for name, _ in STEPS), "/as/xml", "/as/python", "/as/command"):
        page.goto(census.origin + path)
        page.get_by_role("heading", level=1).wait_for()
        assert_accessible(page)
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide == 0, path


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("width", [400, 320])
def test_charts_and_buttons_of_a_preview_fit_a_narrow_window(width: int, visit: Callable[..., Any]) -> None:
    page = visit("census_mondrian.xml", width=width)
    origin = page.url.rpartition("/")[0]
    page.goto(f"{origin}/protect")
    page.get_by_role("button", name="Preview", exact=True).click()
    page.get_by_role("row", name="k = 5").wait_for()
    for path in ("/risk", "/judge", "/columns", "/columns/0/treatment"):
        page.goto(origin + path)
        page.get_by_role("heading", level=1).wait_for()
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide == 0, path


@pytest.mark.slow
def test_all_figures_of_previews_are_seen_on_a_laptop(
    application: Callable[..., Application], enter: Callable[..., Any], tmp_path: Path
) -> None:
    large = {"records_skipped": 312_345, "records_suppressed": 123_456, "smallest_class": 12_345}
    (tmp_path / ".toolbox-app").mkdir(mode=0o700)
    kept = Variants(tmp_path / ".toolbox-app" / "variants.json")
    for words in ("Incognito_k, k = 5", "LocalRecoding, k = 100, a sample"):
        kept.add(document=document(146_716, **large), **{**FACTS, "words": words})
    page = enter(application("census_mondrian.xml"))
    page.goto(f"{page.url.rpartition('/')[0]}/protect")
    page.get_by_role("row", name="LocalRecoding, k = 100, a sample").wait_for()
    hidden = "one => one.parentElement.scrollWidth - one.parentElement.clientWidth"
    assert page.get_by_role("table", name="Variants").evaluate(hidden) == 0
    chart = page.get_by_role("group", name="Risk against loss")
    assert chart.locator("svg text", has_text=re.compile("^2: LocalRecoding, k = 100, a sample$")).is_visible()


@pytest.mark.slow
def test_undo_and_save_have_keys_and_quit_ends_the_application(
    application: Callable[..., Any], enter: Callable[..., Any]
) -> None:
    running = application("census_mondrian.xml")
    page = enter(running)
    page.goto(f"{running.origin}/protect")
    page.get_by_label("k", exact=True).fill("9")
    page.get_by_role("button", name="Keep without a preview").click()
    page.get_by_role("button", name="Undo: Protection").wait_for()
    page.wait_for_load_state()
    page.keyboard.press("Control+z")
    page.get_by_text("Undone: Protection.").wait_for()
    assert page.get_by_label("k", exact=True).input_value() == "5"
    page.wait_for_load_state()
    page.keyboard.press("Control+y")
    page.get_by_text("Done again: Protection.").wait_for()
    page.wait_for_load_state()
    page.keyboard.press("Control+s")
    page.get_by_text("Saved ").wait_for()
    assert toolbox.load_config(running.folder / "census_mondrian.xml").k == 9
    page.get_by_role("button", name="Quit").click()
    page.get_by_role("heading", name="The application has ended").wait_for()
    assert running.process.wait(timeout=20) == 0
