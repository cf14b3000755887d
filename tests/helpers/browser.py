"""One chromium for all tests of a worker that stand together: to start one takes as long as many of them."""

from __future__ import annotations

import shutil
from functools import cache
from os import environ
from typing import Any

import pytest
from helpers import children

CHROMIUM = environ.get("TOOLBOX_CHROMIUM") or next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
_ARGUMENTS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync", "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"),
)
_LOOK = """axe.run({resultTypes: ["violations"], selectors: false}).then(
    ({violations}) => violations.flatMap(({id, help, nodes}) => nodes.map(({html}) => `${id}: ${help}: ${html}`))
)"""


@cache
def opened() -> tuple[Any, Any]:
    """Return a browser without a window, and its driver; skip the test where there is none.

    While there is one, no other test can run a loop of asyncio: the driver runs its own.
    """
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("no chromium is installed: apt install chromium; TOOLBOX_CHROMIUM names another")
    with children.letting_last():
        driver = playwright.sync_playwright().start()
        return driver.chromium.launch(executable_path=CHROMIUM, args=list(_ARGUMENTS)), driver


def close() -> None:
    """End the browser, if there is one."""
    if opened.cache_info().currsize:
        browser, driver = opened()
        opened.cache_clear()
        browser.close()
        driver.stop()


def barriers(page: Any) -> list[str]:
    """Let axe look at a page, by the rules of WCAG 2.2 AA and its own good practice; return what it finds."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed")
    page.evaluate(axe.Axe().axe_script)
    found: list[str] = page.evaluate(_LOOK)
    return found
