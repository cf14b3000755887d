"""What pages load besides themselves: style sheets and scripts, under addresses that say their bytes.

So a browser asks for each once. They are the same for everybody; nothing of anybody's data is among them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from toolbox.charts import style

_STATIC = Path(__file__).parent / "static"
_KINDS = {".css": "text/css", ".js": "text/javascript"}
_FOR_GOOD = "private, max-age=31536000, immutable"


class Asset(NamedTuple):
    """One file."""

    address: str
    content: bytes
    kind: str


@cache
def assets() -> Mapping[str, Asset]:
    """Return all of them, by their names; the style sheet has that of the charts at its end."""
    contents = {path.name: path.read_bytes() for path in _STATIC.iterdir() if path.suffix in _KINDS}
    contents["style.css"] += style().encode()
    return {name: _asset(name, content) for name, content in contents.items()}


def address(name: str) -> str:
    """Return where a page finds a file."""
    return assets()[name].address


@cache
def icon() -> str:
    """Return the icon as an address that holds it."""
    return f"data:image/svg+xml,{quote((_STATIC / 'icon.svg').read_text(encoding='utf-8').strip())}"


def _asset(name: str, content: bytes) -> Asset:
    digest = hashlib.sha256(content).hexdigest()[:16]
    return Asset(f"/static/{digest}/{name}", content, _KINDS[Path(name).suffix])


async def asset(request: Request) -> Response:
    """Return a file; under the name of other bytes there is none."""
    found = assets().get(request.path_params["name"])
    if found is None or found.address != request.url.path:
        raise HTTPException(404)
    return Response(found.content, media_type=found.kind, headers={"Cache-Control": _FOR_GOOD})


ROUTES = [Route("/static/{digest}/{name}", asset)]
