"""An open project for tests of screens, which share the process that computes for it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from helpers.asgi import Asking
from helpers.screens import serve

if TYPE_CHECKING:
    from toolbox.app.project.open_project import OpenProject

_CONFIG = """<config method='Datafly' k='2'>
  <input filename='people.csv' separator=',' header='true'/>
  <output filename='release.csv'/>
  <qid><att name='town'/><att name='age' type='number'/><att name='born' type='date'/></qid>
  <sens><att name='illness'/></sens>
</config>
"""
_PEOPLE = """town,age,born,illness
Graz,17,1971-03-05,flu
Graz,18,1980-01-31,cold
Leoben,19,1980-02-01,flu
Wien,21,1990-12-24,gout
"""


@pytest.fixture(scope="package")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asking]:
    """Ask the screens about a project with the columns town, age and born."""
    pytest.importorskip("starlette", reason="the extra app is not installed")
    folder = tmp_path_factory.mktemp("project")
    (folder / "people.csv").write_text(_PEOPLE, encoding="utf-8")
    (folder / "project.xml").write_text(_CONFIG, encoding="utf-8")
    with serve(folder) as asking:
        yield asking


@pytest.fixture
def asking(served: Asking) -> Iterator[Asking]:
    """Ask the screens about that project; after the test it is as it was before."""
    found: OpenProject = served.app.state.workplace.opened()
    before = found.project.snapshot()
    yield served
    # A change like any other: what the next test takes back is its own.
    served.runner.run(found.change("As it was", lambda project: project.restore(before)))
    found.variants.kept.clear()
    found.of_screens.clear()


@pytest.fixture
def current(asking: Asking) -> OpenProject:
    """Return that project."""
    found: OpenProject = asking.app.state.workplace.opened()
    return found
