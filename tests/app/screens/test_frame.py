"""What stands around the screens."""

from __future__ import annotations

import pytest
from helpers.asgi import Asking

from toolbox.app.project.open_project import OpenProject


@pytest.mark.slow
def test_undo_redo_and_the_way_back(asking: Asking, current: OpenProject) -> None:
    asking.runner.run(current.change("Role of age", lambda project: project.set_role("age", "other")))
    page = asking.post("/undo", ("back", "/columns"))
    assert "Undone: Role of age." in page.text and "<h1>Columns" in page.text.replace("\n", "")
    assert "Done again: Role of age." in asking.post("/redo", ("back", "/protect")).text
    assert asking.post("/redo", ("back", "//evil.example")).headers["location"] == "/hierarchies"
    assert "There is nothing to do again." in asking.get("/columns").text
    asking.runner.run(current.undo())


def test_the_project_as_text(asking: Asking) -> None:
    assert "&lt;att name=&#39;town&#39;" in asking.get("/as/xml").text
    assert "toolbox.anonymize(" in asking.get("/as/python").text or "Datafly" in asking.get("/as/python").text
    assert asking.get("/as/something").status == 404


def test_a_release_now_and_a_work_that_is_over(asking: Asking, current: OpenProject) -> None:
    text = asking.fragment("/now", "now").text
    assert "As the records are" in text and "below k" in text
    over = asking.fragment("/work/command", "work-command")
    assert (over.status, over.headers["hx-trigger"]) == (286, "worked")
