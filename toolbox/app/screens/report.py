"""The page for people that the last release has beside it, shown as it is, so that it can be read and printed."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from toolbox.app.pages.rendering import find_workplace, require_current_project
from toolbox.app.project.documents import open_file_safely
from toolbox.app.project.files import is_below
from toolbox.errors import UsageError

_MOST = 20_000_000
"""Bytes that are shown; a report of ours is far smaller. The file may be anybody's by now, of any size."""
_POLICY = "; ".join(
    (
        "default-src 'none'",
        # Its style is within it, and its own policy names that by a checksum.
        "style-src 'unsafe-inline'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "sandbox",
    )
)
"""The file may be anybody's by now: it is shown, can neither run nor load anything, and is no page of ours."""


async def render_report_page(request: Request) -> Response:
    """Show the report."""
    released = require_current_project(request).runs.released
    if released is None or not released.report:
        raise HTTPException(404)
    path = Path(released.report)
    if path.suffix != ".html" or not is_below(find_workplace(request).root, path):
        raise HTTPException(404)
    try:
        text = await asyncio.to_thread(_read_report_text, path.resolve())
    except (OSError, UnicodeDecodeError):
        raise UsageError(f"The report is no longer at {path}. Release again, and it is made again.") from None
    return HTMLResponse(text, headers={"Content-Security-Policy": _POLICY})


def _read_report_text(path: Path) -> str:
    with os.fdopen(open_file_safely(path, os.O_RDONLY), "rb") as stream:
        if len(content := stream.read(_MOST + 1)) > _MOST:
            raise UsageError(f"{path} is larger than any report of ours. Open it by itself, or release again.")
        return content.decode()


ROUTES = [Route("/judge/report", render_report_page)]
