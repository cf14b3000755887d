"""What the form of the screen *Data* says becomes a setting of the input, and what is usual is not said."""

from __future__ import annotations

from pathlib import Path

from starlette.datastructures import FormData

from toolbox import Project
from toolbox.app.screens.data import _set_reading


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
    assert project.input == {"separator": ",", "header": "true"}
