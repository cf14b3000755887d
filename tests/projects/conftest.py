"""A small table, and a project that begins with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from toolbox import Project

PEOPLE = "name,age,town,illness\n" + "".join(
    f"p{row},{20 + row % 7},{'Graz' if row % 2 else 'Linz'},{'flu' if row % 3 else 'gout'}\n" for row in range(40)
)


@pytest.fixture
def people(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    path.write_text(PEOPLE, encoding="utf-8")
    return path


@pytest.fixture
def project(people: Path) -> Project:
    """A project of which nobody has said anything yet."""
    return Project.of_file(people, people.parent)


@pytest.fixture
def declared(project: Project) -> Project:
    """A project that can be run."""
    project.set_role("name", "identifier")
    project.set_role("age", "quasi-identifier")
    project.set_role("town", "quasi-identifier")
    project.set_role("illness", "sensitive")
    return project
