"""Forms that change the project: taken only from a page that shows the project as it is.

Another tab may have changed it since the page was made. Then the form does nothing, and its page says what has changed.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from toolbox.app.addresses import build_address, parse_address
from toolbox.app.pages.rendering import STEPS, is_fragment, render, require_current_project

_VIEWS: Final = ("/risk/columns", "/risk/population", "/look/columns", "/look/figures")
_PAGES: Final = frozenset((*(f"/{name}" for name, _ in STEPS), *_VIEWS))

_VERSION: Final = "Toolbox-Version"
"""The header with which an answer tells the page that has sent a form what it shows now."""


def make_edit_route(path: str, endpoint: Callable[[Request], Awaitable[Response]]) -> Route:
    """Return the route of a form that changes the project."""

    async def edit(request: Request) -> Response:
        current, shown = require_current_project(request), str((await request.form()).get("version", ""))
        # Of two that are sent at once, the second is compared with what the first has done.
        async with current.forms:
            # A form without one comes from no page of ours, and so from nobody who has seen another state.
            if shown and not current.has_shown(shown):
                return _refuse_stale_form(request, shown)
            response = await endpoint(request)
            response.headers[_VERSION] = current.version
            return response

    return Route(path, edit, methods=["POST"])


async def find_previous_page(request: Request) -> str:
    """Return the page from which a form was sent, if it is one of ours."""
    wanted = str((await request.form()).get("back", "/"))
    return (
        wanted
        if wanted.partition("?")[0].partition("/hierarchies/")[0] in {"", *_PAGES} and "//" not in wanted
        else "/"
    )


def _refuse_stale_form(request: Request, shown: str) -> Response:
    back = _find_sending_page(request)
    if not is_fragment(request):
        return _render_changes(request, shown, back, 409)
    # What htmx has asked for is a part of the page, and the page as a whole is old.
    return Response(status_code=409, headers={"HX-Redirect": build_address("/stale", shown=shown, back=back)})


async def render_stale_page(request: Request) -> Response:
    """Return what has changed since a page was made."""
    query = request.query_params
    return _render_changes(request, query.get("shown", ""), query.get("back", "/"))


def _render_changes(request: Request, shown: str, back: str, status: int = 200) -> Response:
    changes = require_current_project(request).list_changes_since(shown)
    return render(request, "stale.html", changes=changes, back=back if _is_ours(back) else "/", status=status)


def _is_ours(back: str) -> bool:
    """Return whether an address is a path of ours: browsers leave out tabs, and read a backslash as a slash."""
    is_plain = back.isascii() and back.isprintable() and "\\" not in back
    return is_plain and back.startswith("/") and "//" not in back.partition("?")[0]


def _find_sending_page(request: Request) -> str:
    """Return the address of the page that has sent a form; only our own can."""
    parts = parse_address(request.headers.get("hx-current-url") or request.headers.get("referer", ""))
    return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")


ROUTES = [Route("/stale", render_stale_page)]
