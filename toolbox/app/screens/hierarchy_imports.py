"""The import of a hierarchy: what it would change is shown first, and is accepted or discarded."""

from __future__ import annotations

import asyncio

from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from toolbox import hierarchies
from toolbox.app.editing import edits
from toolbox.app.hierarchy.desk import Desk, Looked, Pending
from toolbox.app.hierarchy.imports import ImportRefusedError, Upload, rows_of_uploads
from toolbox.app.hierarchy.pages import change, looked_at, show
from toolbox.app.rendering import Error, moved, opened_of, workplace_of
from toolbox.app.uploading import form_with_files
from toolbox.errors import UsageError

_MOST_SHOWN = 50
"""Values of each kind that a diff lists."""
_MOST_FILES = 64


async def page(request: Request) -> Response:
    """Show what an imported hierarchy would change, or ask for its file."""
    looked = await looked_at(request)
    return _page(request, looked)


def _page(request: Request, looked: Looked, errors: list[Error] | None = None) -> Response:
    pending = Desk.of(opened_of(request)).pending.get(looked.column.name)
    return show(request, looked, "hierarchy_import.html", errors=errors or [], pending=pending, most=_MOST_SHOWN)


async def upload(request: Request) -> Response:
    """Read a file, and set it beside the hierarchy that is there, which stays as it is."""
    looked = await looked_at(request)
    try:
        fields = await form_with_files(request, _MOST_FILES)
    except UsageError as error:
        return _page(request, looked, [("file", str(error))])
    files = [file for file in fields.getlist("file") if isinstance(file, UploadFile) and file.filename]
    uploads = [Upload(file.filename or "", await file.read()) for file in files]
    await fields.close()
    try:
        rows = await asyncio.to_thread(rows_of_uploads, uploads, looked.column.name)
    except ImportRefusedError as error:
        return _page(request, looked, [("file", sentence) for sentence in error.sentences[:_MOST_SHOWN]])
    diff = await asyncio.to_thread(hierarchies.diff, looked.rows, rows, looked.counts or None)
    name = ", ".join(one.name for one in uploads)
    Desk.of(opened_of(request)).pending[looked.column.name] = Pending(name, rows, diff)
    return moved(f"/hierarchies/{looked.number}/import")


async def accept(request: Request) -> Response:
    """Put the imported hierarchy in the place of the old one."""
    looked = await looked_at(request)
    pending = Desk.of(opened_of(request)).pending.get(looked.column.name)
    if pending is None:
        return moved(f"/hierarchies/{looked.number}/import")
    await change(request, looked, f"Import {pending.name}", lambda _: pending.rows)
    del Desk.of(opened_of(request)).pending[looked.column.name]
    return moved(f"/hierarchies/{looked.number}/tree")


async def discard(request: Request) -> Response:
    """Forget the imported hierarchy."""
    looked = await looked_at(request)
    pending = Desk.of(opened_of(request)).pending.pop(looked.column.name, None)
    if pending is not None:
        workplace_of(request).notice = f"Discarded {pending.name}. The hierarchy of {looked.column.name} is as it was."
    return moved(f"/hierarchies/{looked.number}/{'tree' if looked.rows else 'builder'}")


ROUTES = [
    Route("/hierarchies/{number}/import", page),
    Route("/hierarchies/{number}/import", upload, methods=["POST"]),
    edits("/hierarchies/{number}/import/accept", accept),
    Route("/hierarchies/{number}/import/discard", discard, methods=["POST"]),
]
