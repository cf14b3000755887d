"""The screen *Look*: records beside their release, and where its links lead."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
from helpers.asgi import Asking

from toolbox.app.children import project_session
from toolbox.app.children.project_session import BusyError
from toolbox.app.screens.look import _build_sort_link, _list_page_links

if TYPE_CHECKING:
    from toolbox.app.project.open_project import OpenProject

_TEXT = re.compile(r"<bdi>(.*?)</bdi>")
ASKED = {"variant": 2, "where": "changed", "below": None, "sort": "", "order": "", "page": 1, "record": 7}


def test_the_head_of_a_column_sorts_by_it_and_then_the_other_way_round() -> None:
    assert _build_sort_link(ASKED, "a&b") == ("/look?variant=2&where=changed&sort=a%26b&page=1", "")
    once = {**ASKED, "sort": "a&b"}
    assert _build_sort_link(once, "a&b") == (
        "/look?variant=2&where=changed&sort=a%26b&order=descending&page=1",
        "ascending",
    )
    twice = {**once, "order": "descending"}
    assert _build_sort_link(twice, "a&b") == ("/look?variant=2&where=changed&sort=a%26b&page=1", "descending")
    assert _build_sort_link(twice, "c")[1] == ""


def test_pages_lead_to_all_records_and_not_beyond() -> None:
    assert _list_page_links(ASKED, 50) == []
    assert dict(_list_page_links({**ASKED, "page": 2}, 101)) == {
        words: f"/look?variant=2&where=changed&page={page}"
        for words, page in (("First", 1), ("Previous", 1), ("Next", 3), ("Last", 3))
    }
    assert list(dict(_list_page_links({**ASKED, "page": 99}, 101))) == ["First", "Last"]


async def _previewed(current: OpenProject) -> None:
    """Run a preview to its end."""
    before = len(current.variants)
    await current.preview()
    while len(current.variants) == before:
        with suppress(BusyError):
            await current.ask("columns")


def test_without_a_variant_the_records_are_shown_as_they_are(asking: Asking) -> None:
    page = asking.get("/look", variant="none", sort="age", order="descending").text
    assert "Records 1 to 4 of 4, sorted by age, the largest first." in page
    assert _TEXT.findall(page)[:4] == ["Wien", "21", "1990-12-24", "gout"]
    assert "Records 1 to 4 of 4." in asking.get("/look", variant="9", sort="gone", order="?", page="-1", below="x").text
    assert "There is no such record" in asking.get("/look", variant="none", below="1").text
    assert "this page is beyond the last" in asking.get("/look", variant="none", page="9").text
    assert "is alone in its class" in asking.get("/look", variant="none", record="2").text


def test_a_variant_stands_beside_the_records_and_each_column_before_and_after(
    asking: Asking, current: OpenProject
) -> None:
    current.project.set_method("Mondrian")
    asking.runner.run(_previewed(current))
    page = asking.get("/look", record="1").text
    first, released = _TEXT.findall(page)[:6:2], _TEXT.findall(page)[1:6:2]
    assert first == ["Graz", "17", "1971-03-05"]
    assert released == ["Graz", "[17:18]", "[1971-03-05:1980-01-31]"]
    assert "cannot be told from" in page
    assert "There is no such record" in asking.get("/look", where="suppressed").text
    charts = asking.get("/look/columns").text
    assert charts.count("<figure") == 3
    assert "age, as it is released" in charts and "[17:18]" in charts
    assert "age: all 4 cells show a wider value" in charts
    moved = asking.get("/look/class", record="1")
    assert (moved.status, moved.headers["location"]) == (303, "/look?variant=1&page=1&record=1")


def test_figures_before_and_after_and_the_two_way_table_of_a_pair(asking: Asking, current: OpenProject) -> None:
    assert "There is nothing to compare the columns with" in asking.get("/look/figures", variant="none").text
    current.project.set_method("Mondrian")
    asking.runner.run(_previewed(current))
    page = asking.get("/look/figures").text
    # Ages 17, 18 become [17:18], and 19, 21 become [19:21].
    rows = {
        words: [float(figure) if figure != "–" else None for figure in re.findall(r'<td class="n">(.*?)</td>', row)]
        for words, row in re.findall(r'<th scope="row">([a-z ]+)</th>((?:<td class="n">[^<]*</td>)+)', page)
    }
    assert rows["median"] == [18.5, None, 18, 19.5]
    assert rows["mean"][0] == 18.75 and rows["mean"][2:] == [18, 19.5]
    assert list(rows) == ["smallest", "median", "largest", "mean", "standard deviation"], "not of the dates of birth"
    assert '<h2 id="pair">town with age</h2>' in page
    other = asking.get("/look/figures", one="born", other="age").text
    assert '<h2 id="pair">age with born</h2>' in other
    same = asking.get("/look/figures", one="age", other="age").text
    assert '<h2 id="pair">town with age</h2>' in same, "a column with itself is no pair"


@pytest.mark.slow
def test_figures_are_computed_once_and_again_for_another_pair_or_preview(asking: Asking, current: OpenProject) -> None:
    current.project.set_method("Mondrian")
    asking.runner.run(_previewed(current))
    first = asking.get("/look/figures").text
    computed = current.work
    assert computed is not None and str(computed.words) == "Figures and pairs of variant 1"
    assert asking.get("/look/figures").text == first
    assert current.work is computed, "nothing was at work"
    asking.get("/look/figures", one="born", other="age")
    assert current.work is not computed
    again = current.work
    assert asking.get("/look/figures").text == first and current.work is again, "the first answer is still kept"
    asking.runner.run(_previewed(current))
    assert current.work is not None and current.work.name == "run"
    asking.get("/look/figures")
    assert current.work.name == "compute"


@pytest.mark.slow
def test_figures_that_take_long_show_how_far_they_are_and_stay_cancelled_until_somebody_wants_them(
    asking: Asking, current: OpenProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    current.project.set_method("Mondrian")
    asking.runner.run(_previewed(current))
    monkeypatch.setattr(project_session, "_PATIENCE", 0.0)
    with suppress(BusyError):
        asking.get("/look/figures")
    work = current.work
    assert work is not None and (work.name, work.slot, work.is_over) == ("compute", "session", False)
    left = asking.post("/work/session/cancel", ("back", "/look/figures"))
    assert work.is_cancelled and "Compute them after all" in left.text
    assert asking.get("/look", variant="1").text.count("Class of record") > 0, "the session has lost nothing"
    monkeypatch.setattr(project_session, "_PATIENCE", 60.0)
    assert "Compute them after all" in asking.get("/look/figures").text
    assert '<h2 id="pair">town with age</h2>' in asking.get("/look/figures", again="1").text
