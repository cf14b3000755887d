"""Every person is accounted for: screens say who would be left out, by which column, and have both choices beside it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from helpers.asgi import Asking
from helpers.screens import serve

if TYPE_CHECKING:
    from toolbox.app.project.open_project import OpenProject

_CONFIG = """<config method='Mondrian' k='2' undeclared='drop'>
  <input filename='people.csv' separator=',' header='true'/>
  <output filename='release.csv'/>
  <qid><att name='town'/><att name='age' type='number'><vgh build='intervals' width='10'/></att></qid>
  <sens><att name='illness'/></sens>
</config>
"""
_PEOPLE = "town,age,illness,note\n" + "Graz,17,flu,\n" * 3 + "Graz,,flu,x\nWien,,cold,x\n,21,gout,x\nWien,22,,x\n"
"""Of seven records, four lack a value; nobody declares the note."""
_BOTH = (">Leave out 4 records<", ">Keep them: missing as a category of its own<")


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asking]:
    pytest.importorskip("starlette", reason="the extra app is not installed")
    folder = tmp_path_factory.mktemp("survey")
    (folder / "people.csv").write_text(_PEOPLE, encoding="utf-8")
    (folder / "project.xml").write_text(_CONFIG, encoding="utf-8")
    with serve(folder) as asking:
        yield asking


@pytest.mark.sampled(1)
@pytest.mark.parametrize("page", ["/columns", "/risk", "/protect", "/judge"])
def test_a_screen_says_how_many_lack_a_value_of_which_column_and_has_both_choices(asking: Asking, page: str) -> None:
    shown = asking.get(page).text
    assert '<strong class="risk">4 of 7</strong> records lack a value' in shown
    assert "A release waits until you say what becomes of them" in shown
    for count in ("<bdi>age</bdi> 2", "<bdi>town</bdi> 1", "<bdi>illness</bdi> 1", *_BOTH):
        assert count in shown
    assert "<bdi>note</bdi>" not in shown.partition('id="missing"')[2].partition("</section>")[0]
    assert "Kept, age is taken for words with a hierarchy of their values" in shown


@pytest.mark.slow
def test_the_panel_counts_those_that_are_left_of_all(asking: Asking) -> None:
    shown = asking.fragment("/now", "now").text
    assert "of 7" in shown and "left out of each figure here" in shown
    assert 'id="missing-skip-now"' in shown and 'id="missing-keep-now"' in shown


@pytest.mark.slow
def test_the_risk_names_who_is_not_in_its_figures(asking: Asking) -> None:
    assert "4 of 7 are left out, as they lack a value." in asking.get("/risk").text


@pytest.mark.slow
def test_each_choice_is_taken_can_be_changed_and_be_undone(asking: Asking, current: OpenProject) -> None:
    before = current.project.xml()
    kept = asking.post("/missing", ("on_missing", "keep"), ("back", "/risk")).text
    assert "lack a value, and missing is a category of its own" in kept and 'aria-pressed="true">✓ Keep' in kept
    assert current.project.input["on_missing"] == "keep"
    assert current.project.hierarchy("age") == "auto:3"
    left = asking.post("/missing", ("on_missing", "skip"), ("back", "/risk")).text
    assert "lack a value, and are left out" in left and 'aria-pressed="true">✓ Leave out 4 records' in left
    assert current.project.input["on_missing"] == "skip"
    assert current.undoes == "Leave out records that lack a value"
    for _ in range(2):
        asking.post("/undo", ("back", "/columns"))
    assert current.project.xml() == before
    asking.post("/missing", ("on_missing", "burn"))
    assert current.project.xml() == before


@pytest.mark.slow
def test_nothing_is_released_before_somebody_has_chosen(asking: Asking, current: OpenProject) -> None:
    answer = asking.post("/judge/release", ("file", "release.csv"), ("kind", ""))
    assert "Say what becomes of the records that lack a value" in answer.text
    assert current.runs.work is None
    assert 'disabled aria-describedby="missing"' in asking.get("/judge").text


@pytest.mark.slow
def test_a_table_without_missing_values_says_nothing(asking: Asking, current: OpenProject) -> None:
    asking.runner.run(current.change("One column", lambda project: project.set_roles({
        "town": "other", "age": "other", "illness": "quasi-identifier",
    })))  # fmt: skip
    assert '<strong class="risk">1 of 7</strong> record lacks a value' in asking.get("/risk").text
    asking.runner.run(current.change("Identifiers", lambda project: project.set_role("illness", "identifier")))
    assert "lacks a value" not in asking.get("/columns").text
