"""A browser for the journeys: offline but for the application, and every console error is a failure.

``visit(source)`` starts ``toolbox app`` in a folder of its own, and returns the page of a browser that has opened it.
Without Debian's chromium (``apt install chromium``), or without playwright, journeys are skipped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from helpers import browser
from helpers.application import Application, start

_PATIENCE = 45_000
"""Milliseconds that a page waits for what it expects: the machine may be busy."""


@pytest.fixture
def application(tmp_path: Path) -> Iterator[Callable[..., Application]]:
    """Start the application in a folder of its own."""
    started: list[Application] = []

    def begin(source: str | Path | None = None, *options: str, folder: Path = tmp_path) -> Application:
        started.append(start(folder, source, "--debug", *options))
        return started[-1]

    yield begin
    for one in started:
        one.end()


@pytest.fixture(scope="session")
def census(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Application]:
    """An application with the census, for journeys that change nothing of its project."""
    running = start(tmp_path_factory.mktemp("census"), "census_datafly.xml", lasting=True)
    yield running
    running.end()


@pytest.fixture
def enter(chromium: Any) -> Iterator[Callable[..., Any]]:
    """Open a running application in a browser that knows nothing yet; the page is told what went wrong in it."""
    contexts: list[Any] = []
    entered: list[Application] = []

    def open_page(
        application: Application, *, width: int = 1280, height: int = 900, dark: bool = False, locale: str = "en"
    ) -> Any:
        scheme = "dark" if dark else "light"
        context = chromium.new_context(viewport={"width": width, "height": height}, color_scheme=scheme, locale=locale)
        context.set_default_timeout(_PATIENCE)
        contexts.append(context)
        entered.append(application)
        context.on(
            "console", lambda said: said.type == "error" and application.errors.append(f"{said.text} {said.location}")
        )
        context.on("weberror", lambda error: application.errors.append(str(error.error)))
        context.on("request", lambda request: application.hosts.add(urlsplit(request.url).netloc))
        page = context.new_page()
        page.goto(application.link())
        return page

    yield open_page
    for context in contexts:
        context.close()
    for one in entered:
        assert one.errors == []
        assert one.hosts <= {urlsplit(one.address).netloc}, "nothing leaves this machine"


@pytest.fixture
def visit(application: Callable[..., Application], enter: Callable[..., Any]) -> Callable[..., Any]:
    """Start the application, and open it: what most journeys begin with."""

    def begin(source: str | Path | None = None, *options: str, **looks: Any) -> Any:
        return enter(application(source, *options), **looks)

    return begin


@pytest.fixture
def assert_accessible() -> Callable[..., None]:
    """Require that nothing on a page is in anybody's way."""

    def look(page: Any) -> None:
        assert browser.barriers(page) == [], page.url

    return look
