"""What all pages about the hierarchy of one column do: read it, show it, change it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from toolbox.app.asked import small
from toolbox.app.hierarchy.desk import Desk, Looked
from toolbox.app.hierarchy.edits import Rows
from toolbox.app.rendering import Error, current_of, opened_of, render

if TYPE_CHECKING:
    from toolbox import Project


async def looked_at(request: Request) -> Looked:
    """Return the column that an address names."""
    number = small(request.path_params["number"])
    if current_of(request) is None or number is None:
        raise HTTPException(404)
    try:
        return await Desk.of(opened_of(request)).look(number)
    except LookupError:
        raise HTTPException(404, "No column with a role has this number.") from None


def show(request: Request, looked: Looked, template: str, *, errors: Sequence[Error] = (), **values: Any) -> Response:
    """Render a page about one column."""
    view = template.removeprefix("hierarchy_").removesuffix(".html")
    # Where to go back to: an answer to a form has the address of the form.
    path = request.url.path if view == "none" else f"/hierarchies/{looked.number}/{view}"
    # A page that says what is to correct is an answer like any other: browsers note all other states as errors.
    return render(
        request,
        template,
        errors=errors,
        path=path,
        looked=looked,
        columns=Desk.of(opened_of(request)).columns(),
        **values,
    )


async def change(request: Request, looked: Looked, words: str, make: Callable[[Rows], Rows]) -> None:
    """Give a column other rows, so that it can be undone.

    Raises
    ------
    ToolboxError
        If there is no such change.
    """
    name = looked.column.name

    def put(project: Project) -> None:
        project.set_rows(name, make(looked.rows))
        if looked.is_dates:
            project.set_kind(name, "category")

    await opened_of(request).change(f"{words} ({name})", put)
