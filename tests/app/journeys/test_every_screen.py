"""What a screen reader is told of every screen, as recorded in ``screens/``; and axe finds nothing on any of them.

Axe alone passes a control whose focusable part has no role. To record a screen anew, delete its file, run this, and look
at what has changed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from helpers.application import Application

pytestmark = pytest.mark.slow

RECORDED = Path(__file__).parent / "screens"
_CUT_PATH = re.compile(r"'(?:FOLDER)?/[^'\n]*\.\.\.'")
_SECONDS = re.compile(r"\b\d+\.\d s\b")
_PEOPLE = [
    ("Graz", 17, "flu"),
    ("Graz", 18, "cold"),
    ("Leoben", 19, "flu"),
    ("Leoben", 21, "asthma"),
    ("Wien", 22, "gout"),
    ("Wien", 23, "flu"),
    ("Linz", 24, "cold"),
    ("Linz", 24, "flu"),
]
_TOWNS = "Graz;Styria;Austria\nLeoben;Styria;Austria\nLinz;Upper Austria;Austria\nWien;Vienna;Austria\n"
_PROJECT = """<config method='Incognito_k' k='2' suppThreshold='0'>
  <input filename='people.csv' separator=',' header='true'/>
  <output filename='release.csv' order='sorted'/>
  <id><att name='name'/></id>
  <qid>
    <att name='town'><vgh file='towns.csv'/></att>
    <att name='age' type='number'><vgh build='intervals' width='5,10'/></att>
  </qid>
  <sens><att name='illness'/></sens>
</config>
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rows = [f"Person {number},{town},{age},{illness}" for number, (town, age, illness) in enumerate(_PEOPLE)]
    (tmp_path / "people.csv").write_text(
        "\n".join(["name,town,age,illness", *rows, "Too,few"]) + "\n", encoding="utf-8"
    )
    (tmp_path / "towns.csv").write_text(_TOWNS, encoding="utf-8")
    (tmp_path / "other.csv").write_text("Paris;France;*\nGraz;Styria;*\n", encoding="utf-8")
    (tmp_path / "project.xml").write_text(_PROJECT, encoding="utf-8")
    return tmp_path


def test_screens_without_a_project(
    application: Callable[..., Application],
    enter: Callable[..., Any],
    assert_accessible: Callable[[Any], None],
    folder: Path,
) -> None:
    running = application(folder=folder)
    page = enter(running)
    look = Looking(page, folder, assert_accessible)
    look.at("empty-data")
    page.get_by_label("Path of a table").fill("../people.csv")
    page.get_by_role("button", name="Open", exact=True).click()
    page.get_by_role("alert").wait_for()
    look.at("empty-data-wrong-path")
    for name in ("columns", "risk", "hierarchies", "protect", "look", "judge", "no-such-page"):
        look.go_to(f"/{name}")
        look.at(f"empty-{name}")
    forgive(running, "/no-such-page")
    look.is_done()


def test_screens_of_a_project(
    application: Callable[..., Application],
    enter: Callable[..., Any],
    assert_accessible: Callable[[Any], None],
    folder: Path,
) -> None:
    running = application(folder / "project.xml", folder=folder)
    page = enter(running)
    look = Looking(page, folder, assert_accessible)
    page.get_by_role("complementary").get_by_text("At risk").wait_for()
    for walk in (_data_and_columns, _risk_and_hierarchies, _protect, _look_and_judge, _around):
        for name in walk(page, look):
            look.at(name)
    forgive(running, "/no-such-page")
    look.is_done()


def forgive(application: Application, path: str) -> None:
    """Let a page be missing, which the console of a browser calls an error."""
    application.errors[:] = [error for error in application.errors if path not in error]


class Looking:
    """Compares screens with what was recorded of them."""

    def __init__(self, page: Any, folder: Path, assert_accessible: Callable[[Any], None]) -> None:
        self._page, self._folder, self._assert_accessible = page, folder, assert_accessible
        self._origin = page.url.rpartition("/")[0]
        self._others: list[str] = []

    def go_to(self, path: str) -> None:
        """Open a page."""
        self._page.goto(self._origin + path)
        self._page.get_by_role("heading", level=1).wait_for()

    def at(self, name: str) -> None:
        """Compare what the page says now."""
        self._page.wait_for_load_state("networkidle")
        self._assert_accessible(self._page)
        whole = self._page.locator("body" if name.startswith("frame") else "main").aria_snapshot()
        # A long path is cut, wherever that is in a folder of a test.
        placed = _CUT_PATH.sub("'FOLDER/....'", whole.replace(str(self._folder), "FOLDER"))
        said = _SECONDS.sub("N s", placed) + "\n"
        recorded = RECORDED / f"{name}.yaml"
        if not recorded.exists():
            recorded.parent.mkdir(exist_ok=True)
            recorded.write_text(said, encoding="utf-8")
            self._others.append(f"{recorded.name} was recorded; look at it")
        elif said != (expected := recorded.read_text(encoding="utf-8")):
            new = [line for line in said.splitlines() if line not in expected.splitlines()]
            old = [line for line in expected.splitlines() if line not in said.splitlines()]
            self._others.append(
                "\n".join([recorded.name, *(f"- {line}" for line in old), *(f"+ {line}" for line in new)])
            )

    def is_done(self) -> None:
        """Say of all screens at once what has changed."""
        assert not self._others, "\n".join(self._others)


def _data_and_columns(page: Any, look: Looking) -> Iterator[str]:
    look.go_to("/data")
    page.get_by_text("How it is read").click()
    page.get_by_text("Open another table or project").click()
    yield "data"
    look.go_to("/columns")
    page.get_by_text("What the roles mean").click()
    yield "columns"
    look.go_to("/columns?suggest=1")
    page.get_by_text("Every column is as suggested.").or_(
        page.get_by_role("button", name="Take all suggestions")
    ).wait_for()
    yield "columns-suggested"
    page.get_by_label("Priority of age").fill("0")
    page.get_by_label("Priority of age").press("Tab")
    page.get_by_role("alert").wait_for()
    yield "columns-wrong-priority"


def _risk_and_hierarchies(page: Any, look: Looking) -> Iterator[str]:
    look.go_to("/risk?table=on")
    yield "risk"
    look.go_to("/risk/columns")
    yield "risk-columns-ranked"
    look.go_to("/risk/population?share=50")
    yield "risk-among-a-population"
    look.go_to("/hierarchies")
    yield "hierarchies"
    page.get_by_role("link", name="town", exact=True).click()
    page.get_by_role("tree").wait_for()
    for summary in ("Levels", "By keyboard"):
        page.get_by_text(summary, exact=True).click()
    yield "hierarchy-tree"
    for name in ("Rules", "Table", "Build from the values", "Import"):
        page.get_by_role("link", name=name, exact=True).click()
        page.wait_for_load_state("load")
        yield f"hierarchy-{name.partition(' ')[0].lower()}"
    page.get_by_label("A file with a hierarchy").set_input_files(Path(look._folder, "other.csv"))
    page.get_by_role("button", name="Look at it").click()
    page.get_by_role("button", name="Discard it").wait_for()
    yield "hierarchy-import-difference"
    page.get_by_role("button", name="Discard it").click()
    page.get_by_role("link", name="Rules", exact=True).click()
    page.get_by_label("Level 1", exact=True).fill("Graz =>")
    page.get_by_role("button", name="Use these rules").click()
    page.locator("#level-1-fault").wait_for()
    yield "hierarchy-wrong-rule"


def _protect(page: Any, look: Looking) -> Iterator[str]:
    look.go_to("/protect")
    yield "protect"
    page.get_by_label("k", exact=True).fill("0")
    page.get_by_role("button", name="Preview", exact=True).click()
    page.get_by_role("alert").wait_for()
    yield "protect-wrong-k"
    for k in (2, 4):
        page.get_by_label("k", exact=True).fill(str(k))
        page.get_by_role("button", name="Preview", exact=True).click()
        page.get_by_role("row", name=f"k = {k}").first.wait_for()
    page.get_by_role("progressbar").wait_for(state="detached")
    look.go_to("/protect")
    # Where the first preview was quick, the field that was changed has begun one more.
    if page.get_by_role("button", name="Forget variant 3").count():
        page.get_by_role("button", name="Forget variant 3").click()
        page.get_by_role("button", name="Forget variant 3").wait_for(state="detached")
    page.get_by_text("As a table").click()
    yield "protect-previewed"
    look.go_to("/protect/compare?variant=1&variant=2")
    yield "protect-compared"
    look.go_to("/protect/variants/1/nodes")
    yield "protect-minimal-choices"


def _look_and_judge(page: Any, look: Looking) -> Iterator[str]:
    look.go_to("/look")
    page.get_by_label("Class of record 3", exact=True).focus()
    page.locator("#class", has_text="Record 3").wait_for()
    yield "look"
    look.go_to("/look/columns")
    yield "look-columns"
    look.go_to("/look/figures")
    yield "look-figures"
    look.go_to("/judge")
    yield "judge"
    page.get_by_label("File of the release").fill("../release.csv")
    page.get_by_role("button", name="release").first.click()
    page.get_by_role("alert").wait_for()
    yield "judge-wrong-file"
    page.get_by_label("File of the release").fill("release.csv")
    page.get_by_role("button", name="release").first.click()
    page.get_by_role("heading", name="Released and proved").wait_for(timeout=60_000)
    page.get_by_label("File to judge").fill("release.csv")
    page.get_by_role("button", name="Judge it").click()
    page.get_by_role("heading", name="release.csv: what is required holds").wait_for(timeout=60_000)
    look.go_to("/judge")
    page.get_by_text("Release it again").click()
    yield "judge-released"


def _around(page: Any, look: Looking) -> Iterator[str]:
    for name in ("xml", "python", "command"):
        look.go_to(f"/as/{name}")
        yield f"as-{name}"
    page.get_by_text("The project as text").click()
    yield "frame-with-its-menu"
    look.go_to("/stale?back=/protect")
    yield "older-page"
    look.go_to("/no-such-page")
    yield "no-such-page"
    page.get_by_role("button", name="Quit").click()
    page.get_by_role("heading", name="The application has ended").wait_for()
    yield "ended"
