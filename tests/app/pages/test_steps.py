"""How far each of the seven steps is."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import toolbox.app
from toolbox.app.pages.rendering import STEPS, _list_steps, find_next_step
from toolbox.app.project.open_project import OpenProject
from toolbox.app.server.application import SCREENS


@dataclass
class Asked:
    """The shared project, and its states by the names of the steps."""

    current: OpenProject

    def states(self) -> dict[str, str]:
        return {name: step.state for (name, _), step in zip(STEPS, _list_steps(self.current), strict=True)}


def test_without_a_project_everything_is_to_do() -> None:
    assert {step.state for step in _list_steps(None)} == {"to do"}
    assert find_next_step(None) == "/data"


def test_each_step_follows_what_the_project_says(current: OpenProject) -> None:
    asked, project = Asked(current), current.project
    # Datafly needs hierarchies, and there are none.
    assert [asked.states()[name] for name in ("data", "columns", "risk", "hierarchies", "protect", "judge")] == [
        "ready",
        "ready",
        "ready",
        "to do",
        "to do",
        "to do",
    ]
    assert find_next_step(current) == "/hierarchies"
    project.set_method("Mondrian")
    assert asked.states()["hierarchies"] == "ready"
    assert find_next_step(current) == "/protect"
    for column in ("town", "age", "born"):
        project.set_role(column, "other")
    assert asked.states()["columns"] == "to do"


def test_each_step_has_its_screen_and_the_number_that_sentences_give_it() -> None:
    pages = {route.path for screen in SCREENS for route in screen.ROUTES}
    assert [name for name, _ in STEPS if f"/{name}" not in pages] == []
    (folder,) = map(Path, toolbox.app.__path__)
    texts = [path.read_text(encoding="utf-8") for kind in ("*.py", "*.html") for path in folder.rglob(kind)]
    said = {found for text in texts for found in re.findall(r"[Ss]tep (\d), ([A-Z]\w+)", re.sub(r"<[^>]*>", "", text))}
    assert said == {("1", "Data"), ("2", "Columns"), ("5", "Protect")}
    assert {(number, STEPS[int(number) - 1][1]) for number, _ in said} == said
