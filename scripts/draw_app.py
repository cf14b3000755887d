"""Draw the pictures of the application that its documentation shows, from the census in ``configs``.

    python scripts/draw_app.py

Needs playwright, Pillow and Debian's chromium.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

from bench_app import ARGUMENTS, CHROMIUM, ROOT, started
from PIL import Image

_WIDTH, _HEIGHT = 1500, 860
_COLOURS = 128
"""Of a picture, so that its file is small."""
_QUIET = ("--disable-component-update", "--disable-sync")
_PATIENCE = 60_000
"""Milliseconds that a page waits for what it expects."""


@contextmanager
def browser() -> Iterator[Any]:
    """Yield a page of a browser without a window, in the light theme."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=CHROMIUM, args=[*ARGUMENTS, *_QUIET])
        context = chromium.new_context(viewport={"width": _WIDTH, "height": _HEIGHT}, color_scheme="light")
        context.set_default_timeout(_PATIENCE)
        yield context.new_page()
        chromium.close()


def draw(page: Any, folder: Path) -> None:
    """Go the way of a first release, and draw five screens of it."""
    _open_step(page, "Columns")
    page.get_by_role("button", name="Suggest").click()
    page.get_by_role("button", name="Take all suggestions").wait_for()
    page.get_by_text("Counting the values").wait_for(state="detached")
    _draw(page, folder / "app_columns.png")
    page.get_by_role("button", name="Take all suggestions").click()
    page.get_by_role("button", name="Undo: All suggestions").wait_for()
    _open_step(page, "Risk now")
    page.locator("#found .lead").wait_for()
    _draw(page, folder / "app_risk.png")
    _open_step(page, "Hierarchies")
    page.get_by_role("link", name="age", exact=True).first.click()
    page.get_by_role("tree").wait_for()
    _draw(page, folder / "app_hierarchies.png")
    _open_step(page, "Protect")
    for k in (5, 10, 20):
        page.get_by_label("k", exact=True).fill(str(k))
        page.get_by_role("button", name="Preview", exact=True).click()
        page.get_by_role("row", name=f"Mondrian, k = {k}").wait_for()
    _draw(page, folder / "app_protect.png", page.locator("#tried"))
    _open_step(page, "Judge and release")
    page.get_by_role("button", name="Save the project and release").click()
    page.get_by_role("heading", name="Released and proved").wait_for()
    page.reload()
    page.get_by_role("heading", name="The release", exact=True).wait_for()
    _draw(page, folder / "app_judge.png", page.locator("#promised-title"))


def _open_step(page: Any, name: str) -> None:
    page.get_by_role("link", name=name).first.click()
    page.get_by_role("heading", level=1, name=name).wait_for()


def _draw(page: Any, picture: Path, top: Any = None) -> None:
    """Draw what is in sight, from an element on if one is named."""
    page.wait_for_load_state("networkidle")
    if top is not None:
        top.evaluate("element => element.scrollIntoView()")
    with Image.open(BytesIO(page.screenshot())) as taken:
        taken.convert("RGB").quantize(_COLOURS).save(picture, optimize=True)


def main() -> None:
    """Draw the pictures into ``docs``."""
    with tempfile.TemporaryDirectory() as name:
        table = Path(name, "census_5000.csv")
        shutil.copy(ROOT / "configs/census_5000.csv", table)
        with started(table) as (_, address), browser() as page:
            page.goto(address)
            draw(page, ROOT / "docs")


if __name__ == "__main__":
    main()
