"""The history of an open project: only states that it can still have come back."""

from __future__ import annotations

from pathlib import Path

import pytest

from toolbox import Project, Snapshot
from toolbox.app.project.documents import UnreadableError
from toolbox.app.project.files import Reach
from toolbox.app.project.past import Past
from toolbox.errors import UsageError

CONFIG = "<config><input filename='people.csv'/><output filename='r.csv'/>{}<qid><att index='0'/></qid></config>"


def test_a_project_goes_on_as_it_was_left_and_not_out_of_reach(tmp_path: Path) -> None:
    (tmp_path / "project.xml").write_text(CONFIG.format(""))
    project, kept = Project.open(tmp_path / "project.xml"), tmp_path / "kept"
    kept.mkdir()
    past = Past(kept, Reach(tmp_path))
    past.begin(project, "Opened")
    for words, xml in {"A": CONFIG.format("<id/>"), "B": CONFIG.format("<population filename='../x.csv'/>")}.items():
        past.add(words, Snapshot(xml))
    past.undo(project)
    with pytest.raises(UsageError, match="is not below"):
        past.redo(project)
    assert (past.undoes, past.redoes, "<id" in project.xml()) == ("A", "B", True)
    again, later = Project.open(tmp_path / "project.xml"), Past(kept, Reach(tmp_path))
    later.begin(again, "Opened again")
    assert (later.undoes, later.redoes, again.xml()) == ("A", "B", project.xml())
    (kept / "position.json").write_text("{}")
    with pytest.raises(UnreadableError):
        later.begin(Project.open(tmp_path / "project.xml"), "Opened again")
    assert (later.undoes, later.redoes) == (None, None)


def test_a_hierarchy_that_was_corrected_in_its_file_begins_another_history(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("town\nGraz\nLinz\n")
    project, kept = Project.of_file(tmp_path / "people.csv", tmp_path), tmp_path / "kept"
    kept.mkdir()
    past = Past(kept, Reach(tmp_path))
    past.begin(project, "Opened")
    project.set_role("town", "quasi-identifier")
    project.set_rows("town", [("Graz", "A", "*"), ("Linz", "B", "*")])
    past.add("Hierarchy", project.snapshot())
    project.save()
    again, later = Project.open(project.path), Past(kept, Reach(tmp_path))
    later.begin(again, "Opened again")
    assert (later.undoes, again.is_saved) == ("Hierarchy", True)
    (tmp_path / "hierarchies/town.csv").write_text("Graz;C;*\nLinz;C;*\n")
    corrected = Project.open(project.path)
    later.begin(corrected, "Opened again")
    assert later.undoes is None
    assert corrected.hierarchy("town") == [("Graz", "C", "*"), ("Linz", "C", "*")]
