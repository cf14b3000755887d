"""The screens of the application, asked without a server."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from helpers import children
from helpers.asgi import Asking

if TYPE_CHECKING:
    from toolbox.app.project.state import Workplace


@contextmanager
def serve(folder: Path) -> Iterator[Asking]:
    """Ask the screens about the project of a folder."""
    from starlette.applications import Starlette
    from starlette.middleware import Middleware

    from toolbox.app.children import project_session
    from toolbox.app.project.state import Workplace
    from toolbox.app.server.application import SCREENS, SpokenLanguage

    # Between two requests nothing goes on here, so that a page waits for what it asks.
    with asyncio.Runner() as runner, pytest.MonkeyPatch.context() as patched:
        patched.setattr(project_session, "_PATIENCE", 60.0)
        workplace = Workplace(folder)
        made = Starlette(
            routes=[route for screen in SCREENS for route in screen.ROUTES],
            middleware=[Middleware(SpokenLanguage, workplace=workplace)],
        )
        made.state.workplace = workplace
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
