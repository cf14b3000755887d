"""The application as a whole: the screens behind the guard, and what becomes of errors."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from types import ModuleType

from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from toolbox.app.children.project_session import BusyError
from toolbox.app.children.protocol import hide_foreign_words
from toolbox.app.pages import editing
from toolbox.app.pages import rendering as assets
from toolbox.app.pages.rendering import find_next_step, make_environment, render, tell_on_screen
from toolbox.app.project.state import Workplace
from toolbox.app.screens import columns, data, frame, hierarchies, judge, look, protect, risk
from toolbox.app.server.security import Keys, Security
from toolbox.errors import ToolboxError
from toolbox.messages import choose_language, find_language, say, speak

SCREENS: tuple[ModuleType, ...] = (frame, data, columns, risk, hierarchies, protect, look, judge)


def make_application(
    workplace: Workplace, *, port: int, keys: Keys, trace: Callable[[Exception], None] = lambda _: None
) -> Starlette:
    """Make the application.

    Parameters
    ----------
    workplace : Workplace
        Is closed when the application ends.
    port : int
        At which it is asked.
    keys : Keys
        What lets the browser in.
    trace : callable
        Is told each error that nobody foresaw.
    """

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        await workplace.close()

    made = Starlette(
        routes=[
            *(route for screen in SCREENS for route in screen.ROUTES),
            *editing.ROUTES,
            *assets.ROUTES,
        ],
        # Errors become pages within the guard, so that these have its headers.
        middleware=[
            Middleware(Security, port=port, keys=keys, lead=lambda: find_next_step(workplace.current)),
            Middleware(_Log, workplace=workplace),
            Middleware(SpokenLanguage, workplace=workplace),
            Middleware(_LastResort, trace=trace),
        ],
        exception_handlers={
            BusyError: _render_busy_page,
            ToolboxError: _render_error_page,
            HTTPException: _render_http_error,
        },
        lifespan=lifespan,
    )
    made.state.workplace = workplace
    return made


class _Log:
    """Notes when somebody last asked for something, and what; never a value: of a path only its template."""

    def __init__(self, app: ASGIApp, *, workplace: Workplace) -> None:
        self._app = app
        self._workplace = workplace

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        began = self._workplace.touched = time.monotonic()
        status = 0

        async def noted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, noted)
        finally:
            address = _ADDRESSES.get(scope.get("endpoint"), "other")
            opened = self._workplace.current
            if opened is not None and scope["type"] == "http" and address != "other":
                opened.log(f"{scope['method']} {address} {status} {(time.monotonic() - began) * 1000:.0f} ms")


class SpokenLanguage:
    """Answers in the language that somebody has chosen, or else in the first that the browser asks for."""

    def __init__(self, app: ASGIApp, *, workplace: Workplace) -> None:
        self._app = app
        self._workplace = workplace

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        wanted = Headers(scope=scope).get("accept-language", "") if scope["type"] == "http" else ""
        with speak(self._workplace.language or choose_language(wanted)):
            await self._app(scope, receive, send)


class _LastResort:
    """Makes a page of an error that nobody foresaw."""

    def __init__(self, app: ASGIApp, *, trace: Callable[[Exception], None]) -> None:
        self._app = app
        self._trace = trace

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        has_begun = False

        async def noted(message: Message) -> None:
            nonlocal has_begun
            has_begun = True
            await send(message)

        try:
            await self._app(scope, receive, noted)
        except ClientDisconnect:
            # Whoever has sent half of a form is gone: nothing was done, and nobody is there to be told.
            return
        except Exception as error:
            self._trace(error)
            if has_begun or scope["type"] != "http":
                raise
            await _render_fault_page(Request(scope, receive), tell_on_screen(str(hide_foreign_words(error))))(
                scope, receive, send
            )


_ADDRESSES = {route.endpoint: route.path for screen in SCREENS for route in screen.ROUTES}


async def _render_busy_page(request: Request, error: Exception) -> Response:
    assert isinstance(error, BusyError)
    return render(request, "busy.html", work=error.work, status=200)


async def _render_error_page(request: Request, error: Exception) -> Response:
    return render(request, "error.html", words=tell_on_screen(str(error)))


def _render_fault_page(request: Request, words: str) -> Response:
    try:
        return render(request, "error.html", words=words, status=500)
    except Exception:  # What fails may be in the frame of all pages.
        return HTMLResponse(
            make_environment().get_template("fault.html").render(words=words, language=find_language()), status_code=500
        )


async def _render_http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    words = say("There is no such page.") if error.status_code == 404 else str(error.detail)
    return render(request, "error.html", words=words, status=error.status_code)
