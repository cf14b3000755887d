"""What the form of the screen *Data* says becomes a setting of the input, and what is usual is not said."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from helpers.asgi import Asking
from starlette.datastructures import FormData

from toolbox import Project
from toolbox.app.screens.data import _set_reading

if TYPE_CHECKING:
    from toolbox.app.project.open_project import OpenProject


def test_settings_are_said_and_taken_back(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("a,b\n1,2\n")
    project = Project.of_file(tmp_path / "a.csv", tmp_path)
    said = {"separator": ",", "other_separator": "::", "header": "false", "encoding": "latin-1", "missing": ""}
    _set_reading(project, FormData({**said, "on_missing": "keep"}))
    assert project.input == {
        **{"separator": "::", "header": "false", "encoding": "latin-1", "missing": "", "on_missing": "keep"},
    }
    usual = {"separator": ",", "other_separator": "", "header": "true", "encoding": "utf-8", "missing": "?"}
    _set_reading(project, FormData({**usual, "on_missing": "skip"}))
    assert project.input == {"separator": ",", "header": "true", "on_missing": "skip"}, "it is a choice like any other"
    _set_reading(project, FormData({**usual, "on_missing": ""}))
    assert project.input == {"separator": ",", "header": "true"}


@pytest.mark.slow
def test_what_cannot_be_opened_is_said_and_the_project_stays(asking: Asking, current: OpenProject) -> None:
    project, root = current.project, current.folder
    (root / "broken.xml").write_text("<config>")
    (root / "empty.csv").touch()
    outside = "<config><input filename='people.csv'/><output filename='../../out.csv'/></config>"
    (root / "outside.xml").write_text(outside)
    (root / "secret.xml").write_text(outside.replace("people", "../people"))
    (root / "people.xml").write_text("<config><population filename='../people.csv'/></config>")
    for path, told in (
        ("people.xml", "is not below"),
        ("../people.csv", "is not below"),
        ("outside.xml", "is not below"),
        ("secret.xml", "is not below"),
        ("broken.xml", "broken.xml: "),
        ("empty.csv", "is empty"),
    ):
        answer = asking.post("/data/open", ("path", path))
        assert answer.status == 200 and told in answer.text, path
        assert f'value="{path}"' in answer.text, "what was typed is there again"
    answer = asking.upload("/data/upload", [("people.csv", b"")])
    assert "The file that was sent is empty" in answer.text
    assert current.project is project and not list(root.glob("table*"))


def _see(asking: Asking, told: str) -> str:
    for _ in range(100):
        page = asking.get("/data").text
        if told in page:
            return page
        time.sleep(0.1)
    raise AssertionError(page)


def test_of_several_tables_in_a_file_one_is_chosen_from_a_list(asking: Asking, current: OpenProject) -> None:
    path = current.folder / "two.sqlite"
    with sqlite3.connect(path) as connection:
        connection.executescript("create table people (age, town); create table visits (day);")
        connection.executemany("insert into people values (?, 'Graz')", [(age,) for age in range(20, 30)])
    connection.close()
    current.project.set_input(files=path, separator=None, header=None)

    page = _see(asking, "holds 2 tables")
    assert 'name="table" value="people"' in page and 'class="faults"' not in page
    asking.post("/data/reading", ("table", "people"))
    assert current.project.input["table"] == "people"
    _see(asking, "holds 10 records in 2 columns")


@pytest.mark.slow
def test_an_encoding_that_does_not_exist_is_told_beside_its_field(asking: Asking, current: OpenProject) -> None:
    asking.post("/data/reading", ("encoding", "utf-seven"), ("separator", ","))
    assert 'value="utf-seven"' in _see(asking, 'id="encoding-fault"')


def test_paths_are_completed_in_the_field_that_asks(asking: Asking) -> None:
    assert '<option value="people.csv">' in asking.get("/data/paths", field="judged", judged="pe").text
    assert "<option" not in asking.get("/data/paths", field="judged", judged="../").text
