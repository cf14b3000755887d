"""The screen *Hierarchies*: all columns, and of one its tree and its table, which are edited."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial

from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from toolbox import hierarchies
from toolbox.app.addresses import small
from toolbox.app.hierarchy.desk import Desk, Looked, View
from toolbox.app.hierarchy.edits import Edit, EditForm
from toolbox.app.hierarchy.tree import Branch, parted
from toolbox.app.pages.editing import edits
from toolbox.app.pages.rendering import Error, current_of, environment, moved, opened_of, render
from toolbox.app.screens import hierarchy_edits
from toolbox.app.screens.hierarchy_edits import change, looked_at, show
from toolbox.errors import ToolboxError

_PAGE = 50
"""Rows of the table on one page."""
_MOST_NAMED = 500
"""Labels that the field of a move suggests."""
_FIELDS = {"rename": "name", "group": "group", "move": "parent"}


async def overview(request: Request) -> Response:
    """Show which columns have a hierarchy."""
    current = current_of(request)
    found = [] if current is None else Desk.of(current).columns()
    return render(request, "hierarchies.html", columns=found)


async def column(request: Request) -> Response:
    """Lead to the tree of a column, or to the builders that can make one."""
    looked = await looked_at(request)
    return moved(f"/hierarchies/{looked.number}/{'tree' if looked.rows else 'builder'}")


# The tree


async def tree(request: Request) -> Response:
    """Show the tree; without a script one branch, and what is directly below it."""
    return _tree(request, await looked_at(request))


def _tree(request: Request, looked: Looked, *, form: EditForm | None = None, errors: Sequence[Error] = ()) -> Response:
    if not looked.rows:
        return show(request, looked, "hierarchy_none.html", errors=errors)
    view, found = Desk.of(opened_of(request)).view(looked.column), looked.tree
    at = _branch(looked, request.query_params.get("at", "")) or found.root
    focus = _branch(looked, view.focus)
    opened = found.at_first() if view.opened is None else view.opened
    is_edited, view.is_edited = view.is_edited, False
    if focus:
        opened |= {branch.key for branch in found.above(focus)}
    suggested = [label for level in range(1, found.height + 1) for label in found.labels(level)[:_MOST_NAMED]]
    return show(
        request,
        looked,
        "hierarchy_tree.html",
        errors=errors,
        shown=found.shown(at, opened, _offset(request)),
        above=list(found.above(at)),
        focus=view.focus if focus else "",
        is_edited=is_edited,
        suggested=list(dict.fromkeys(suggested))[:_MOST_NAMED],
        form=form or EditForm(""),
    )


def _branch(looked: Looked, key: str) -> Branch | None:
    try:
        return looked.tree.branch(*parted(key))
    except KeyError:
        return None


async def branch(request: Request) -> Response:
    """Show what is below a branch that somebody opens."""
    looked = await looked_at(request)
    found = _branch(looked, request.query_params.get("at", "")) if looked.rows else None
    if found is None:
        raise HTTPException(404, "There is no such branch.")
    offset = _offset(request)
    template = environment().get_template("hierarchy_branches.html")
    return HTMLResponse(template.render(shown=looked.tree.shown(found, (), offset), looked=looked, offset=offset))


def _offset(request: Request) -> int:
    return small(request.query_params.get("offset", "")) or 0


async def edit(request: Request) -> Response:
    """Edit the rows of a column, as a button says."""
    looked = await looked_at(request)
    fields = await request.form()
    form = _edit_form(fields)
    view = Desk.of(opened_of(request)).views[looked.column.name] = _view(fields)
    back = str(fields.get("view")) if fields.get("view") in ("table", "rules") else "tree"
    try:
        wanted = _of_faults(form.action, looked) or form.edit()
        await change(request, looked, wanted.words, wanted.make)
    except ToolboxError as error:
        problem = [(_FIELDS.get(form.action, ""), str(error))]
        if back == "table":
            return _table(request, looked, form=form, errors=problem)
        return _tree(request, looked, form=form, errors=problem)
    if form.action == "rename" and view.opened:
        view.opened = frozenset(wanted.focus if key == form.chosen[0] else key for key in view.opened)
    view.focus, view.is_edited = wanted.focus or view.focus, True
    query = f"?{request.url.query}" if back == "table" and request.url.query else ""
    return moved(f"/hierarchies/{looked.number}/{back}{query}")


def _edit_form(fields: FormData) -> EditForm:
    action, _, level = str(fields.get("action", "")).partition(" ")
    return EditForm(
        action,
        tuple(map(str, fields.getlist("chosen"))),
        str(fields.get("name", "")),
        str(fields.get("group", "")),
        str(fields.get("parent", "")),
        int(level) if level.isascii() and level.isdigit() and len(level) < 3 else 0,
    )


def _view(fields: FormData) -> View:
    try:
        opened = json.loads(str(fields.get("opened", "")))
    except (ValueError, RecursionError):
        opened = None
    keys = frozenset(key for key in opened if isinstance(key, str)) if isinstance(opened, list) else None
    return View(keys, str(fields.get("focus", "")))


def _of_faults(action: str, looked: Looked) -> Edit | None:
    """Return the edit that mends a fault of the whole hierarchy."""
    faults = looked.faults
    if action == "cover" and looked.rows:
        root = looked.tree.root
        mend = partial(hierarchies.add_values, values=faults.uncovered, level=root.level, label=root.label)
        return Edit(f"Add {len(faults.uncovered):,} values", mend)
    if action == "forget":
        return Edit(f"Remove {len(faults.unused):,} values", partial(hierarchies.remove_values, values=faults.unused))
    return None


# The table


async def table(request: Request) -> Response:
    """Show a page of the rows."""
    return _table(request, await looked_at(request))


def _table(request: Request, looked: Looked, *, form: EditForm | None = None, errors: Sequence[Error] = ()) -> Response:
    if not looked.rows:
        return show(request, looked, "hierarchy_none.html", errors=errors)
    wanted = request.query_params.get("find", "").casefold()
    found = [row for row in looked.rows if any(wanted in text.casefold() for text in row)] if wanted else looked.rows
    offset = min(_offset(request), max(0, len(found) - 1)) // _PAGE * _PAGE
    return show(
        request,
        looked,
        "hierarchy_table.html",
        errors=errors,
        rows=found[offset : offset + _PAGE],
        found=len(found),
        offset=offset,
        page=_PAGE,
        find=request.query_params.get("find", ""),
        suggested=looked.tree.labels(1)[:_MOST_NAMED],
        form=form or EditForm(""),
    )


# Without one


async def start(request: Request) -> Response:
    """Begin a hierarchy by hand: all values below the root."""
    looked = await looked_at(request)
    if not looked.counts:
        return show(request, looked, "hierarchy_none.html", errors=[("", looked.unknown)])
    rows = [(value, "*") for value in looked.counts]
    await change(request, looked, "Begin a hierarchy", lambda _: rows)
    return moved(f"/hierarchies/{looked.number}/tree")


async def remove(request: Request) -> Response:
    """Take the hierarchy of a column away."""
    looked = await looked_at(request)
    name = looked.column.name
    await opened_of(request).change(f"Remove the hierarchy ({name})", lambda project: project.remove_hierarchy(name))
    return moved("/hierarchies")


ROUTES = [
    Route("/hierarchies", overview),
    Route("/hierarchies/{number}", column),
    Route("/hierarchies/{number}/tree", tree),
    Route("/hierarchies/{number}/branch", branch),
    edits("/hierarchies/{number}/edit", edit),
    Route("/hierarchies/{number}/table", table),
    edits("/hierarchies/{number}/start", start),
    edits("/hierarchies/{number}/remove", remove),
    *hierarchy_edits.RULE_ROUTES,
    *hierarchy_edits.ROUTES,
    *hierarchy_edits.IMPORT_ROUTES,
]
