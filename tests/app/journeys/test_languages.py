"""The application in the language of the browser: nothing is too long for the screen, and nothing is in anybody's way."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers.application import Application

pytestmark = pytest.mark.slow

_PAGES = ("data", "columns?suggest=1", "risk?table=on", "hierarchies", "hierarchies/3/tree", "protect", "look", "judge")
_WIDE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.mark.parametrize("locale", ["de-AT", "fr-FR", "it-IT"])
def test_no_screen_is_too_wide_for_the_words_of_another_language(
    census: Application, enter: Callable[..., Any], assert_accessible: Callable[[Any], None], locale: str
) -> None:
    page = enter(census, locale=locale)
    origin = page.url.rpartition("/")[0]
    too_wide: dict[str, float] = {}
    for width in (1280, 400):
        page.set_viewport_size({"width": width, "height": 900})
        for name in _PAGES:
            page.goto(f"{origin}/{name}")
            page.wait_for_load_state("networkidle")
            assert page.locator("html").get_attribute("lang") == locale[:2]
            assert_accessible(page)
            if (more := page.evaluate(_WIDE)) > 0:
                too_wide[f"{name} at {width}"] = more
            if folder := os.environ.get("TOOLBOX_PICTURES"):
                page.screenshot(path=Path(folder, f"{locale}-{width}-{name.partition('?')[0].replace('/', '-')}.png"))
    assert too_wide == {}


def test_the_language_is_chosen_in_the_frame_without_a_script(visit: Callable[..., Any]) -> None:
    page = visit(None, locale="ja")
    assert page.get_by_role("heading", level=1).inner_text() == "Data"
    page.locator("#languages summary").click()
    page.get_by_role("button", name="Français").click()
    assert page.get_by_role("heading", level=1).inner_text() == "Données"
    page.reload()
    assert page.locator("html").get_attribute("lang") == "fr"
