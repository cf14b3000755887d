"""The rules of a hierarchy, as text that is edited, a field for each level."""

from __future__ import annotations

import asyncio

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from toolbox import hierarchies
from toolbox.app.editing import edits
from toolbox.app.hierarchy.pages import change, looked_at, show
from toolbox.app.rendering import Error, moved
from toolbox.errors import ConfigurationError, ToolboxError

_MOST_FAULTS = 50


async def rules(request: Request) -> Response:
    """Show the rules of each level, or take them."""
    looked = await looked_at(request)
    if not looked.rows:
        return show(request, looked, "hierarchy_none.html")
    if request.method != "POST":
        try:
            texts = await asyncio.to_thread(hierarchies.rows_to_rules, looked.rows, of_labels=True)
        except ToolboxError as error:
            return show(request, looked, "hierarchy_rules.html", texts=[], unsayable=_sentences(error))
        return show(request, looked, "hierarchy_rules.html", texts=texts, unsayable=[])
    texts = [str(text) for text in (await request.form()).getlist("rules")]
    try:
        rows = await asyncio.to_thread(hierarchies.rules_to_rows, texts)
        await change(request, looked, "Edit the rules", lambda _: rows)
    except ToolboxError as error:
        return show(request, looked, "hierarchy_rules.html", texts=texts, unsayable=[], errors=_by_level(error))
    return moved(f"/hierarchies/{looked.number}/rules")


def _sentences(error: ToolboxError) -> list[str]:
    # What it advises is for the command line.
    return [fault.found for fault in error.faults] if isinstance(error, ConfigurationError) else [str(error)]


def _by_level(error: ToolboxError) -> list[Error]:
    """Return each fault beside the level that has it."""
    if not isinstance(error, ConfigurationError):
        return [("level-1", str(error))]
    faults = error.faults[:_MOST_FAULTS]
    return [((fault.file or "level 1").replace(" ", "-"), " ".join(str(fault).split())) for fault in faults]


ROUTES = [
    Route("/hierarchies/{number}/rules", rules),
    edits("/hierarchies/{number}/rules", rules),
]
