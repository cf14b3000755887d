"""What a form of the screen *Columns* says otherwise than the project is found, role first."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from helpers.asgi import Asking
from starlette.datastructures import FormData

from toolbox import ProjectColumn
from toolbox.app.children.profile_cache import ColumnProfile
from toolbox.app.pages.rendering import make_environment
from toolbox.app.screens.columns import (
    ROLE_NAMES as ROLES,
)
from toolbox.app.screens.columns import (
    ColumnRow,
    _count_roles,
    _has_suggestions,
    _list_edits,
    _parse_treatment,
    _take_all,
    format_detail,
)
from toolbox.projects.edited_columns import TreatmentChoice

if TYPE_CHECKING:
    from toolbox.app.project.open_project import OpenProject

COLUMNS = (
    ProjectColumn(name="age", header="age", position=0, role="quasi-identifier", kind="number", weight=2.5),
    ProjectColumn(name="town", header="town", position=1, role="other"),
)


def test_only_what_differs_is_an_edit() -> None:
    form = FormData({
        **{"weight-0": "2.5", "priority-0": " 2 ", "kind-0": "number", "role-0": "sensitive"},
        **{"role-1": "other", "kind-1": "", "role-9": "other", "role-x": "other", "secret-0": "x", "role--1": "other"},
    })  # fmt: skip
    assert _list_edits(COLUMNS, form) == [(0, "role", "sensitive"), (0, "priority", "2")]


def test_details_are_texts() -> None:
    assert [format_detail(COLUMNS[0], detail) for detail in ("role", "kind", "priority", "weight")] == [
        *("quasi-identifier", "number", "", "2.5"),
    ]


@pytest.mark.slow
def test_a_field_that_changes_shows_what_else_has_changed_and_stays_itself(
    asking: Asking, current: OpenProject
) -> None:
    answer = asking.post("/columns", ("role-0", "sensitive"), ("role-1", "quasi-identifier"), of="role-0")
    assert current.project.columns()[0].role == "sensitive"
    assert 'id="kind-cell-0" hx-swap-oob="true"' in answer.text and "kind-cell-1" not in answer.text
    assert "role-0" not in answer.text, "the control that has the focus is never replaced"
    assert answer.headers["hx-trigger"] == "changed"
    assert "0 columns left out, 2 generalised, 2 released as they are." in answer.text


@pytest.mark.slow
def test_what_is_wrong_is_said_and_all_else_is_done(asking: Asking, current: OpenProject) -> None:
    wrong = (("weight-0", "much"), ("priority-0", "-1"), ("role-2", "secret"))
    answer = asking.post("/columns", *wrong, ("priority-1", "3"))
    assert "weight is &#39;much&#39;; write a number above 0" in answer.text
    assert "priority is -1; write a whole number of at least 1." in answer.text
    assert "role is &#39;secret&#39;; write one of identifier" in answer.text
    assert [column.priority for column in current.project.columns()][:2] == [None, 3]


@pytest.mark.slow
def test_a_role_that_is_set_by_hand_gets_the_hierarchy_that_a_suggestion_has(
    asking: Asking, current: OpenProject
) -> None:
    asking.post("/columns", ("role-1", "other"), ("role-3", "other"))
    while "Counting the values" in asking.get("/columns").text:
        pass
    for number, role in ((1, "quasi-identifier"), (3, "quasi-identifier"), (0, "sensitive")):
        asking.post("/columns", (f"role-{number}", role))
    found = {column.name: (column.kind, current.project.hierarchy(column.name)) for column in current.project.columns()}
    assert found["age"] == ("number", "intervals:5,10,20")
    # Neighbours in the alphabet, as cold..flu, have nothing in common: a value, or nothing.
    assert found["illness"] == ("category", "auto:0")
    assert found["town"] == ("category", None)


@pytest.mark.slow
def test_columns_are_found_by_a_part_of_their_name_which_is_no_markup(asking: Asking) -> None:
    assert 'id="role-0"' in asking.get("/columns", find="OW").text
    answer = asking.get("/columns", find='"><script>', first="-1").text
    assert "No column is called so." in answer and "<script>" not in answer.partition("</head>")[2]


@pytest.mark.slow
def test_what_becomes_of_other_columns_is_said_counted_and_chosen(asking: Asking, current: OpenProject) -> None:
    asking.post("/columns", ("role-0", "other"))
    said = {
        "drop": ("1 column left out (1 of them Other), ", "Other (left out)"),
        "pass": ("2 released as they are (1 of them Other).", "Other (released as it is)"),
        "fail": ("0 columns left out", ", and 1 of which something must be said before", "Other (stops the release)"),
    }
    for undeclared, sentences in said.items():
        page = asking.post("/columns/others", ("undeclared", undeclared)).text
        assert [sentence for sentence in sentences if sentence not in page] == [], undeclared
    asking.post("/columns/others", ("undeclared", "<b>"))
    assert current.project.option("undeclared") == "fail"


def test_a_suggestion_follows_the_role_that_is_chosen_meanwhile() -> None:
    looked = ColumnProfile("quasi-identifier", "known by many", "90 values", "likely", "number", "", 90, 0, 3)
    changed = make_environment().get_template("columns_changed.html")
    known = {
        "counts": _count_roles([]),
        "undeclared": "pass",
        "roles": ROLES,
        "asked": "role-0",
        "faults": {},
        "errors": [],
    }
    for column, words in (
        (COLUMNS[0], "✓ Quasi-identifier"),
        (replace(COLUMNS[0], role="other"), "Take: Quasi-identifier"),
    ):
        rows = [ColumnRow(0, column, looked)]
        shown = changed.render(rows=rows, suggests=True, **known)
        assert 'id="suggestion-0" hx-swap-oob="true"' in shown and words in shown
        assert ("✓" in shown) is (column is COLUMNS[0])
        assert "suggestion-0" not in changed.render(rows=rows, suggests=False, **known)
    assert _has_suggestions("http://127.0.0.1:1/columns?find=a&suggest=1")
    assert not _has_suggestions("http://127.0.0.1:1/columns?find=suggest") and not _has_suggestions("")


def test_a_sensitive_column_with_a_value_for_each_record_has_the_note_of_a_run() -> None:
    own = ColumnProfile(
        "identifier", "differs", "20 values", "likely", "number", "", values=20, missing=0, alone=20, there=20
    )
    changed = make_environment().get_template("columns_changed.html")
    known = {
        "counts": _count_roles([]),
        "undeclared": "pass",
        "roles": ROLES,
        "asked": "role-0",
        "faults": {},
        "errors": [],
    }
    for role, looked, is_noted in (
        ("sensitive", own, True),
        ("sensitive", replace(own, values=12, alone=8), False),
        ("sensitive", replace(own, values=9, there=9), False),
        ("identifier", own, False),
    ):
        shown = changed.render(rows=[ColumnRow(0, replace(COLUMNS[0], role=role), looked)], suggests=False, **known)
        assert ("has a different value" in shown) is is_noted
        assert 'id="own-0" hx-swap-oob="true"' in shown


@pytest.mark.slow
def test_persons_are_told_apart_by_one_column_or_by_several(asking: Asking, current: OpenProject) -> None:
    page = asking.post("/columns/person", ("person", "illness"), ("person", "")).text
    assert current.project.person == ("illness",)
    assert "Persons are told apart by" in page and '<option value="illness" selected>' in page
    assert "Classes count persons, and who has several records counts once." in page
    asking.post("/columns/person", ("person", "illness"), ("person", "town"))
    assert current.project.person == ("town", "illness")
    assert "Each record is about" in asking.post("/columns/person", ("person", "")).text
    assert current.project.person == ()
    assert "The project has no column &#39;nobody&#39;" in asking.post("/columns/person", ("person", "nobody")).text


@pytest.mark.slow
def test_a_treatment_is_tried_on_values_and_used(asking: Asking, current: OpenProject) -> None:
    asking.post("/columns", ("role-3", "other"))
    page = asking.get("/columns").text
    assert 'href="/columns/3/treatment" aria-label="Treat: illness"' in page
    shown = asking.get("/columns/3/treatment", treatment="prefix", **{"prefix-length": "2"}).text
    for before, after in (("flu", "fl"), ("cold", "co"), ("gout", "go")):
        assert f"<td><bdi>{before}</bdi></td><td><bdi>{after}</bdi></td>" in shown
    assert current.project.columns()[3].treatment is None, "a preview changes nothing"
    used = asking.post("/columns/3/treatment", ("treatment", "prefix"), ("prefix-length", "2")).text
    assert current.project.columns()[3].treatment == "prefix:length=2"
    assert ">prefix:length=2</a>" in used and "1 treated" in used and "Other (treated)" in used
    again = asking.get("/columns/3/treatment").text
    assert 'name="prefix-length" value="2"' in again
    asking.post("/columns/3/treatment", ("treatment", ""))
    assert current.project.columns()[3].treatment is None
    assert asking.get("/columns/99/treatment").status == 404


@pytest.mark.slow
def test_what_cannot_be_chosen_says_why_and_what_is_wrong_is_said(asking: Asking, current: OpenProject) -> None:
    asking.post("/columns", ("role-3", "other"))
    page = asking.get("/columns/3/treatment").text
    assert 'value="pseudonym" disabled' in page and "Not here: it needs a key file" in page
    assert 'value="shift" disabled' in page
    wrong = asking.post("/columns/3/treatment", ("treatment", "prefix"), ("prefix-length", "much")).text
    assert "length is &#39;much&#39;" in wrong and 'aria-invalid="true"' in wrong
    assert (
        "cannot be read: the release would stop"
        in asking.get("/columns/3/treatment", treatment="round", **{"round-base": "10"}).text
    )
    assert (
        "only a release shows it" in asking.get("/columns/3/treatment", treatment="swap", **{"swap-percent": "5"}).text
    )
    assert current.project.columns()[3].treatment is None


@pytest.mark.slow
def test_a_key_file_is_made_and_chosen_and_no_page_and_no_project_shows_it(
    asking: Asking, current: OpenProject
) -> None:
    asking.post("/columns", ("role-3", "other"))
    refused = asking.post("/columns/3/key", ("key-file", "none.key")).text
    assert "none.key cannot be read" in refused and current.project.key_file is None
    made = asking.post("/columns/3/key", ("key-file", "people.key"), ("make", "1")).text
    key = (current.folder / "people.key").read_text().split("\n")[1]
    assert (current.folder / "people.key").stat().st_mode & 0o777 == 0o600
    assert 'value="pseudonym" disabled' not in made and 'name="key-file" value="people.key"' in made
    assert (
        "exists, and a key is never replaced"
        in asking.post("/columns/3/key", ("key-file", "people.key"), ("make", "1")).text
    )
    asking.post("/columns/3/treatment", ("treatment", "pseudonym"))
    assert current.project.columns()[3].treatment == "pseudonym"
    shown = asking.get("/columns/3/treatment").text + asking.get("/judge").text
    assert key not in shown and "people.key" not in current.project.xml()
    assert "load_config('project.xml', key='people.key')" in current.project.as_python()
    asking.post("/columns/3/key", ("key-file", ""))
    assert current.project.key_file is None and 'value="pseudonym" disabled' not in made


def test_settings_are_read_by_place_or_by_name_whatever_they_hold() -> None:
    choices = [TreatmentChoice("truncate", "", "", "", (("to", "", True), ("format", "", False)), "")]
    for text in ("truncate:hour:%d.%m", "truncate:to=hour:format=%d.%m", "truncate:format=%d.%m:hour"):
        assert _parse_treatment(choices, text) == {
            "treatment": "truncate", "truncate-to": "hour", "truncate-format": "%d.%m",
        }  # fmt: skip
    assert _parse_treatment(choices, 'truncate:hour:"format=%H:%M"')["truncate-format"] == "%H:%M"
    assert _parse_treatment(choices, None) == {"treatment": ""}


def test_take_all_leaves_what_is_unsure_to_somebody(asking: Asking, current: OpenProject) -> None:
    sure = ColumnProfile("sensitive", "an illness", "3 values", "sure", "category", "", 3, 0, 0)
    unsure = replace(sure, sureness="unsure", role="quasi-identifier")
    project = current.project.copy()
    project.set_roles({"town": "other", "illness": "other"})
    project.set_option("undeclared", "pass")
    columns = project.columns()
    _take_all(project, [ColumnRow(0, columns[0], unsure), ColumnRow(3, columns[3], sure)])
    roles = {column.name: column.role for column in project.columns()}
    assert (roles["town"], roles["illness"]) == ("other", "sensitive")
    assert project.option("undeclared") == "drop", "otherwise it would be released as it is"


@pytest.mark.slow
def test_a_role_that_is_set_before_anybody_has_looked_at_the_table_gets_its_hierarchy_afterwards(
    asking: Asking, current: OpenProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A page does not wait at all for what is known of the columns.
    monkeypatch.setattr("toolbox.app.children.profile_cache._PATIENCE", 0.0)
    asking.runner.run(asking.app.state.workplace.looks.close())
    asking.post("/columns", ("role-1", "other"))
    page = asking.post("/columns", ("role-1", "quasi-identifier"))
    assert page.status == 200 and current.project.columns()[1].hierarchy == "none"
    asking.runner.run(asyncio.wait_for(current.of_screens[asyncio.Task], 60))
    assert current.project.columns()[1].hierarchy == "builder" and current.undoes == "Hierarchy of age"
    asking.runner.run(current.undo())
    assert (current.project.columns()[1].role, current.project.columns()[1].hierarchy) == ("quasi-identifier", "none")
