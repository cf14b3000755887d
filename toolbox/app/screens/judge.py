"""The screen *Judge and release*."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from toolbox.app.rendering import render


async def page(request: Request) -> Response:
    """Show the screen."""
    return render(request, "judge.html")


ROUTES = [Route("/judge", page)]
