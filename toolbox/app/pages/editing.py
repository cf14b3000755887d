"""Forms that change the project: taken only from a page that shows the project as it is.

Another tab may have changed it since the page was made. Then the form does nothing, and its page says what has changed.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from toolbox.app.addresses import address, parts_of
from toolbox.app.pages.rendering import is_fragment, opened_of, render

_VERSION: Final = "Toolbox-Version"
"""The header with which an answer tells the page that has sent a form what it shows now."""


def edits(path: str, endpoint: Callable[[Request], Awaitable[Response]]) -> Route:
    """Return the route of a form that changes the project."""

    async def edit(request: Request) -> Response:
        current, shown = opened_of(request), str((await request.form()).get("version", ""))
        # Of two that are sent at once, the second is compared with what the first has done.
        async with current.forms:
            # A form without one comes from no page of ours, and so from nobody who has seen another state.
            if shown and shown != current.version:
                return _refused(request, shown)
            response = await endpoint(request)
            response.headers[_VERSION] = current.version
            return response

    return Route(path, edit, methods=["POST"])


def _refused(request: Request, shown: str) -> Response:
    back = _page_of(request)
    if not is_fragment(request):
        return _stale(request, shown, back, 409)
    # What htmx has asked for is a part of the page, and the page as a whole is old.
    return Response(status_code=409, headers={"HX-Redirect": address("/stale", shown=shown, back=back)})


async def stale(request: Request) -> Response:
    """Return what has changed since a page was made."""
    query = request.query_params
    return _stale(request, query.get("shown", ""), query.get("back", "/"))


def _stale(request: Request, shown: str, back: str, status: int = 200) -> Response:
    changes = opened_of(request).changes_since(shown)
    return render(request, "stale.html", changes=changes, back=back if _is_ours(back) else "/", status=status)


def _is_ours(back: str) -> bool:
    """Return whether an address is a path of ours: browsers leave out tabs, and read a backslash as a slash."""
    is_plain = back.isascii() and back.isprintable() and "\\" not in back
    return is_plain and back.startswith("/") and "//" not in back.partition("?")[0]


def _page_of(request: Request) -> str:
    """Return the address of the page that has sent a form; only our own can."""
    parts = parts_of(request.headers.get("hx-current-url") or request.headers.get("referer", ""))
    return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")


ROUTES = [Route("/stale", stale)]
