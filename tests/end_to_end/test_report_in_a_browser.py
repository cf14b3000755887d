"""The report in a real browser: opened from the disk without a network, read by machines that help, and printed."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from helpers import children
from helpers.amounts import some
from helpers.census import configuration
from helpers.running import run_in_process

playwright = pytest.importorskip(
    "playwright.sync_api", reason="Playwright is not installed: pip install playwright axe-playwright-python"
)
CHROMIUM = os.environ.get("TOOLBOX_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed; TOOLBOX_CHROMIUM names it")
_PAGES_OF_PDF = re.compile(rb"/Type\s*/Page\b")
_QUIET = ("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with both reports of a release of the census."""
    made = tmp_path_factory.mktemp("report")
    source = f"<input filename='{Path(__file__).parents[2] / 'configs' / 'census_5000.csv'}' header='true'/>"
    path = configuration(made, source, "<output filename='out.csv'/>")
    run_in_process("-config", path, "--html", made / "internal.html", "--quiet").succeeded()
    judged = ("report", "-config", path, "--report-kind", "public", "--html", made / "public.html", "--quiet")
    run_in_process(*judged).succeeded()
    return made


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A browser for all tests of this module."""
    with children.letting_last():
        starting = playwright.sync_playwright().start()
        opened = starting.chromium.launch(executable_path=CHROMIUM, args=list(_QUIET))
    yield opened
    opened.close()
    starting.stop()


class Opened:
    """A page that was opened from the disk, and what it asked for and complained of."""

    def __init__(self, browser: Any, path: Path) -> None:
        self.page = browser.new_context(offline=True, viewport={"width": 1280, "height": 900}).new_page()
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


def test_it_asks_for_nothing_and_is_printed_with_its_kind_on_each_page(browser: Any, folder: Path) -> None:
    looks = {"internal": [(1280, "light"), (320, "dark")], "public": [(320, "light")]}
    for kind, looked in looks.items():
        path = folder / f"{kind}.html"
        assert path.stat().st_size < 300_000
        opened = Opened(browser, path)
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


def test_everybody_can_read_it_also_by_keyboard(browser: Any, folder: Path) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed")
    opened = Opened(browser, folder / "internal.html")
    page = opened.page
    # By default where colours are hardest to tell apart.
    for scheme in some(("dark", "light"), every=2):
        opened.look(1280, scheme)
        found = axe.Axe().run(page).response["violations"]
        assert [(rule["id"], node["html"]) for rule in found for node in rule["nodes"]] == []
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "Findings, and what would lower them"
    first = page.locator("details").first
    first.locator("summary").focus()
    page.keyboard.press("Enter")
    assert first.locator("table").is_visible()
