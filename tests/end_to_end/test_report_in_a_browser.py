"""The report in a real browser: opened from the disk without a network, read by machines that help, and printed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from helpers.amounts import some
from helpers.browser import barriers
from helpers.census import CENSUS, configuration
from helpers.running import run_in_process

_PAGES_OF_PDF = re.compile(rb"/Type\s*/Page\b")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with both reports of a release of the census."""
    made = tmp_path_factory.mktemp("report")
    path = configuration(made, f"<input filename='{CENSUS}' header='true'/>", "<output filename='out.csv'/>")
    run_in_process("-config", path, "--html", made / "internal.html", "--quiet").succeeded()
    judged = ("report", "-config", path, "--report-kind", "public", "--html", made / "public.html", "--quiet")
    run_in_process(*judged).succeeded()
    return made


class Opened:
    """A page that was opened from the disk, and what it asked for and complained of."""

    def __init__(self, chromium: Any, path: Path) -> None:
        self.page = chromium.new_context(offline=True, viewport={"width": 1280, "height": 900}).new_page()
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.goto(path.as_uri())

    def look(self, width: int, scheme: str) -> None:
        """Make the window as wide as this, of a reader who prefers light or dark."""
        self.page.set_viewport_size({"width": width, "height": 900})
        self.page.emulate_media(color_scheme=scheme)


@pytest.mark.slow
def test_it_asks_for_nothing_and_is_printed_with_its_kind_on_each_page(chromium: Any, folder: Path) -> None:
    looks = {"internal": [(1280, "light"), (320, "dark")], "public": [(320, "light")]}
    for kind, looked in looks.items():
        path = folder / f"{kind}.html"
        assert path.stat().st_size < 300_000
        opened = Opened(chromium, path)
        page = opened.page
        for width, scheme in looked:
            opened.look(width, scheme)
            # Nothing but tables and charts scrolls sideways, within themselves.
            assert page.evaluate("document.documentElement.scrollWidth") == width
            assert page.evaluate("getComputedStyle(document.querySelector('.verdict')).borderLeftStyle") == "solid"
        assert page.locator("h1").inner_text().startswith("Release report: out.csv")
        assert page.locator("script").count() == 0
        opened.look(1280, "dark")
        printed = page.pdf(prefer_css_page_size=True)
        assert printed.startswith(b"%PDF")
        assert 5 <= len(_PAGES_OF_PDF.findall(printed)) <= 20
        assert (opened.requests, opened.complaints) == ([path.as_uri()], [])
        page.emulate_media(media="print")
        rules = page.evaluate("[...document.styleSheets[0].cssRules].map(rule => rule.cssText).join('')")
        assert f'content: "{kind.capitalize()} report' in rules
        # On paper the tables are open, and the ground is white.
        assert page.locator("details table").first.is_visible()
        assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") == "rgb(255, 255, 255)"
        # What somebody wrote into the page afterwards does not run.
        page.evaluate("document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"window.ran = 1\">')")
        assert page.evaluate("window.ran === undefined")


@pytest.mark.slow
def test_everybody_can_read_it_also_by_keyboard(chromium: Any, folder: Path) -> None:
    opened = Opened(chromium, folder / "internal.html")
    page = opened.page
    # By default where colours are hardest to tell apart.
    for scheme in some(("dark", "light"), every=2):
        opened.look(1280, scheme)
        assert barriers(page) == []
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "Findings and remedies"
    first = page.locator("details").first
    first.locator("summary").focus()
    page.keyboard.press("Enter")
    assert first.locator("table").is_visible()
