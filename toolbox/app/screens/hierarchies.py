"""The screen *Hierarchies*: all columns, and of one its tree and its table, which are edited."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from toolbox import hierarchies
from toolbox.app.addresses import parse_small_number
from toolbox.app.pages.editing import make_edit_route
from toolbox.app.pages.rendering import (
    Error,
    find_current_project,
    make_environment,
    redirect_to_page,
    render,
    require_current_project,
)
from toolbox.app.project.desk import ColumnHierarchy, Desk, TreeBranch, View, parse_branch_key
from toolbox.app.screens import hierarchy_edits
from toolbox.app.screens.hierarchy_edits import change, find_column_hierarchy, show
from toolbox.errors import ToolboxError, UsageError
from toolbox.messages import say, say_count

_PAGE = 50
"""Rows of the table on one page."""
_MOST_NAMED = 500
"""Labels that the field of a move suggests."""
_FIELDS = {"rename": "name", "group": "group", "move": "parent"}
_MOST_LETTERS = 40


async def render_hierarchy_overview(request: Request) -> Response:
    """Show which columns have a hierarchy."""
    current = find_current_project(request)
    found = [] if current is None else Desk.of(current).columns()
    return render(request, "hierarchies.html", columns=found)


async def redirect_to_column(request: Request) -> Response:
    """Lead to the tree of a column, or to the builders that can make one."""
    looked = await find_column_hierarchy(request)
    return redirect_to_page(f"/hierarchies/{looked.number}/{'tree' if looked.rows else 'builder'}")


# The tree


async def render_tree_page(request: Request) -> Response:
    """Show the tree; without a script one branch, and what is directly below it."""
    return _render_tree(request, await find_column_hierarchy(request))


def _render_tree(
    request: Request, looked: ColumnHierarchy, *, form: _EditForm | None = None, errors: Sequence[Error] = ()
) -> Response:
    if not looked.rows:
        return show(request, looked, "hierarchy_none.html", errors=errors)
    view, found = Desk.of(require_current_project(request)).view(looked.column), looked.tree
    at = _find_branch(looked, request.query_params.get("at", "")) or found.root
    focus = _find_branch(looked, view.focus)
    opened = found.find_open_keys() if view.opened is None else view.opened
    is_edited, view.is_edited = view.is_edited, False
    if focus:
        opened |= {branch.key for branch in found.above(focus)}
    suggested = [label for level in range(1, found.height + 1) for label in found.labels(level)[:_MOST_NAMED]]
    return show(
        request,
        looked,
        "hierarchy_tree.html",
        errors=errors,
        shown=found.shown(at, opened, _parse_offset(request)),
        above=list(found.above(at)),
        focus=view.focus if focus else "",
        is_edited=is_edited,
        suggested=list(dict.fromkeys(suggested))[:_MOST_NAMED],
        form=form or _EditForm(""),
    )


def _find_branch(looked: ColumnHierarchy, key: str) -> TreeBranch | None:
    try:
        return looked.tree.branch(*parse_branch_key(key))
    except KeyError:
        return None


async def render_branch(request: Request) -> Response:
    """Show what is below a branch that somebody opens."""
    looked = await find_column_hierarchy(request)
    found = _find_branch(looked, request.query_params.get("at", "")) if looked.rows else None
    if found is None:
        raise HTTPException(404, say("There is no such branch."))
    offset = _parse_offset(request)
    template = make_environment().get_template("hierarchy_branches.html")
    return HTMLResponse(template.render(shown=looked.tree.shown(found, (), offset), looked=looked, offset=offset))


def _parse_offset(request: Request) -> int:
    return parse_small_number(request.query_params.get("offset", "")) or 0


async def edit(request: Request) -> Response:
    """Edit the rows of a column, as a button says."""
    looked = await find_column_hierarchy(request)
    fields = await request.form()
    form = _edit_form(fields)
    view = Desk.of(require_current_project(request)).views[looked.column.name] = _parse_view(fields)
    back = str(fields.get("view")) if fields.get("view") in ("table", "rules") else "tree"
    try:
        wanted = _find_mending_edit(form.action, looked) or form.edit()
        await change(request, looked, wanted.words, wanted.make)
    except ToolboxError as error:
        problem = [(_FIELDS.get(form.action, ""), str(error))]
        if back == "table":
            return _render_rows(request, looked, form=form, errors=problem)
        return _render_tree(request, looked, form=form, errors=problem)
    if form.action == "rename" and view.opened:
        view.opened = frozenset(wanted.focus if key == form.chosen[0] else key for key in view.opened)
    view.focus, view.is_edited = wanted.focus or view.focus, True
    query = f"?{request.url.query}" if back == "table" and request.url.query else ""
    return redirect_to_page(f"/hierarchies/{looked.number}/{back}{query}")


def _edit_form(fields: FormData) -> _EditForm:
    action, _, level = str(fields.get("action", "")).partition(" ")
    return _EditForm(
        action,
        tuple(map(str, fields.getlist("chosen"))),
        str(fields.get("name", "")),
        str(fields.get("group", "")),
        str(fields.get("parent", "")),
        int(level) if level.isascii() and level.isdigit() and len(level) < 3 else 0,
    )


def _parse_view(fields: FormData) -> View:
    try:
        opened = json.loads(str(fields.get("opened", "")))
    except (ValueError, RecursionError):
        opened = None
    keys = frozenset(key for key in opened if isinstance(key, str)) if isinstance(opened, list) else None
    return View(keys, str(fields.get("focus", "")))


def _find_mending_edit(action: str, looked: ColumnHierarchy) -> _Edit | None:
    """Return the edit that mends a fault of the whole hierarchy."""
    faults = looked.faults
    if action == "cover" and looked.rows:
        root = looked.tree.root
        mend = partial(hierarchies.add_values, values=faults.uncovered, level=root.level, label=root.label)
        return _Edit(say_count("Add %(count)s value", "Add %(count)s values", len(faults.uncovered)), mend)
    if action == "forget":
        words = say_count("Remove %(count)s value", "Remove %(count)s values", len(faults.unused))
        return _Edit(words, partial(hierarchies.remove_values, values=faults.unused))
    return None


# The table


async def render_table_page(request: Request) -> Response:
    """Show a page of the rows."""
    return _render_rows(request, await find_column_hierarchy(request))


def _render_rows(
    request: Request, looked: ColumnHierarchy, *, form: _EditForm | None = None, errors: Sequence[Error] = ()
) -> Response:
    if not looked.rows:
        return show(request, looked, "hierarchy_none.html", errors=errors)
    wanted = request.query_params.get("find", "").casefold()
    found = [row for row in looked.rows if any(wanted in text.casefold() for text in row)] if wanted else looked.rows
    offset = min(_parse_offset(request), max(0, len(found) - 1)) // _PAGE * _PAGE
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
        form=form or _EditForm(""),
    )


# Without one


async def start(request: Request) -> Response:
    """Begin a hierarchy by hand: all values below the root."""
    looked = await find_column_hierarchy(request)
    if not looked.counts:
        return show(request, looked, "hierarchy_none.html", errors=[("", looked.unknown)])
    rows = [(value, "*") for value in looked.counts]
    await change(request, looked, say("Begin a hierarchy"), lambda _: rows)
    return redirect_to_page(f"/hierarchies/{looked.number}/tree")


async def remove(request: Request) -> Response:
    """Take the hierarchy of a column away."""
    looked = await find_column_hierarchy(request)
    name = looked.column.name
    await require_current_project(request).change(
        say("Remove the hierarchy (%(name)s)", name=name), lambda project: project.remove_hierarchy(name)
    )
    return redirect_to_page("/hierarchies")


ROUTES = [
    Route("/hierarchies", render_hierarchy_overview),
    Route("/hierarchies/{number}", redirect_to_column),
    Route("/hierarchies/{number}/tree", render_tree_page),
    Route("/hierarchies/{number}/branch", render_branch),
    make_edit_route("/hierarchies/{number}/edit", edit),
    Route("/hierarchies/{number}/table", render_table_page),
    make_edit_route("/hierarchies/{number}/start", start),
    make_edit_route("/hierarchies/{number}/remove", remove),
    *hierarchy_edits.RULE_ROUTES,
    *hierarchy_edits.ROUTES,
    *hierarchy_edits.IMPORT_ROUTES,
]


@dataclass(frozen=True)
class _Edit:
    """One edit."""

    words: str
    """What it is called: "Rename Styria"."""
    make: Callable[[Sequence[Sequence[str]]], list[tuple[str, ...]]]
    """Returns other rows; raises a `ToolboxError` if there is no such edit of these."""
    focus: str = ""
    """The key of the branch that has the focus afterwards."""


@dataclass(frozen=True)
class _EditForm:
    """What a form says."""

    action: str
    """What its button says; empty where it was sent without one, by Enter."""
    chosen: tuple[str, ...] = ()
    """Keys of branches."""
    name: str = ""
    """A new name."""
    group: str = ""
    """The name of a new label."""
    parent: str = ""
    """A label to put something below."""
    level: int = 0

    def edit(self) -> _Edit:
        """Return the edit.

        Raises
        ------
        UsageError
            If it says none.
        """
        action = self.action or self._filled()
        makers: Mapping[str, Callable[[], _Edit]] = {
            "rename": self._rename,
            "group": self._group,
            "move": self._move,
            "remove": self._remove,
            "add_level": lambda: _Edit(
                say("Add level %(level)s", level=self.level), partial(hierarchies.add_level, level=self.level)
            ),
            "remove_level": lambda: _Edit(
                say("Remove level %(level)s", level=self.level), partial(hierarchies.remove_level, level=self.level)
            ),
        }
        if action not in makers:
            raise UsageError(say("Nothing says what to do. Fill in one of the fields, or press one of the buttons."))
        return makers[action]()

    def _filled(self) -> str:
        texts = {"rename": self.name, "group": self.group, "move": self.parent}
        filled = [action for action, text in texts.items() if text.strip()]
        return filled[0] if len(filled) == 1 else ""

    def _rename(self) -> _Edit:
        level, labels = self._labels()
        if len(labels) > 1:
            raise UsageError(
                say("%(count)s are chosen. Choose the one that gets another name, or group them.", count=len(labels))
            )
        edit = partial(hierarchies.rename, level=level, label=labels[0], name=self.name)
        return _Edit(say("Rename %(label)s", label=_shorten_label(labels[0])), edit, f"{level}:{self.name}")

    def _group(self) -> _Edit:
        level, labels = self._labels()
        edit = partial(hierarchies.group, level=level, labels=labels, name=self.group)
        return _Edit(say("Group as %(label)s", label=_shorten_label(self.group)), edit, f"{level + 1}:{self.group}")

    def _move(self) -> _Edit:
        level, labels = self._labels()
        edit = partial(hierarchies.move, level=level, labels=labels, parent=self.parent)
        words = say("Move %(labels)s below %(label)s", labels=_format_labels(labels), label=_shorten_label(self.parent))
        return _Edit(words, edit, f"{level}:{labels[0]}")

    def _remove(self) -> _Edit:
        level, labels = self._labels()
        if level:
            raise UsageError(
                say("Labels are chosen. Choose values to remove; a label goes with the last of its values.")
            )
        return _Edit(
            say("Remove %(labels)s", labels=_format_labels(labels)), partial(hierarchies.remove_values, values=labels)
        )

    def _labels(self) -> tuple[int, list[str]]:
        """Return what is chosen, and on which level it stands."""
        pairs = [parse_branch_key(key) for key in dict.fromkeys(self.chosen)]
        if not pairs:
            raise UsageError(say("Nothing is chosen. Choose a value or a label first."))
        levels = {level for level, _ in pairs}
        if len(levels) > 1:
            raise UsageError(say("What is chosen stands on several levels. Choose values, or labels of one level."))
        return levels.pop(), [label for _, label in pairs]


def _shorten_label(text: str) -> str:
    """Cut a text that is too long for a button."""
    return text if len(text) <= _MOST_LETTERS else f"{text[:_MOST_LETTERS]}…"


def _format_labels(labels: Sequence[str]) -> str:
    """Name one, or count several.

    Examples
    --------
    >>> _format_labels(["Graz"]), _format_labels(["Graz", "Linz"])
    ('Graz', '2 together')
    """
    return _shorten_label(labels[0]) if len(labels) == 1 else say("%(count)s together", count=len(labels))
