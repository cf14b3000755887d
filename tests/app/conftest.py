"""An open project for tests of screens, which share the process that computes for it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from helpers import children
from helpers.asgi import Asking

if TYPE_CHECKING:
    from toolbox.app.project.open_project import OpenProject
    from toolbox.app.project.state import Workplace

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
    from starlette.applications import Starlette

    from toolbox.app.children import project_session
    from toolbox.app.project.state import Workplace
    from toolbox.app.server.application import SCREENS

    folder = tmp_path_factory.mktemp("project")
    (folder / "people.csv").write_text(_PEOPLE, encoding="utf-8")
    (folder / "project.xml").write_text(_CONFIG, encoding="utf-8")
    # Between two requests nothing goes on here, so that a page waits for what it asks.
    with asyncio.Runner() as runner, pytest.MonkeyPatch.context() as patched:
        patched.setattr(project_session, "_PATIENCE", 60.0)
        made = Starlette(routes=[route for screen in SCREENS for route in screen.ROUTES])
        made.state.workplace = Workplace(folder)
        with children.letting_last():
            runner.run(_read(made.state.workplace, Path(folder, "project.xml")))
        yield Asking(made, runner)
        runner.run(made.state.workplace.close())


async def _read(workplace: Workplace, config: Path) -> None:
    """Open a project, and wait until its table is read: between two requests nothing goes on here."""
    from toolbox.app.children.project_session import BusyError

    await workplace.open(config)
    while True:
        with suppress(BusyError):
            await workplace.opened().ask("columns")
            return


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
