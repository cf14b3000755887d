"""The wizards of builders: a form for each, and what it would make of the values of today before it is accepted."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from toolbox.app.editing import edits
from toolbox.app.hierarchy.desk import Desk, Looked, Rows
from toolbox.app.hierarchy.pages import looked_at, show
from toolbox.app.hierarchy.wizards import WIZARDS, Wizard, answered, fitting, kind_for
from toolbox.app.rendering import moved, opened_of
from toolbox.errors import ToolboxError, UsageError

if TYPE_CHECKING:
    from toolbox import Project

_MOST_EXAMPLES = 12
_ANSWERED = 2
"""Settings of a query that names a builder and has answers; whoever has not answered is not told what is wrong."""


@dataclass(frozen=True)
class Preview:
    """What a builder makes of the values of today."""

    words: str
    rows: Rows = ()
    problem: str = ""

    @property
    def levels(self) -> list[int]:
        """How many labels stand on each level."""
        return [len(set(column)) for column in list(zip(*self.rows, strict=True))[1:]]

    @property
    def examples(self) -> Rows:
        """Some of the rows, from the first to the last."""
        last = len(self.rows) - 1
        if last < _MOST_EXAMPLES:
            return self.rows
        return [self.rows[place * last // (_MOST_EXAMPLES - 1)] for place in range(_MOST_EXAMPLES)]


async def builder(request: Request) -> Response:
    """Show the builders, the form of one, and what it would make."""
    looked = await looked_at(request)
    name, answers = _asked(looked, dict(request.query_params))
    if name not in WIZARDS:
        return _page(request, looked, None, {}, None)
    wizard = WIZARDS[name]
    preview = await _preview(request, looked, wizard.words(answers))
    is_answered = len(request.query_params) >= _ANSWERED
    return _page(request, looked, wizard, answers, preview if is_answered or not preview.problem else None)


async def use(request: Request) -> Response:
    """Give the column a builder for its hierarchy."""
    looked = await looked_at(request)
    fields = {name: str(text) for name, text in (await request.form()).items()}
    wizard = WIZARDS.get(fields.get("build", ""))
    if wizard is None:
        return _page(request, looked, None, {}, None)
    words = wizard.words(fields)
    # Of too many values nothing is shown, but a run builds the hierarchy of all.
    preview = await _preview(request, looked, words) if looked.counts else Preview(words)
    if preview.problem:
        return _page(request, looked, wizard, fields, preview)
    name, kind = looked.column.name, kind_for(wizard, looked.column.kind, looked.column.looks)

    def put(project: Project) -> None:
        before = project.faults()
        project.set_builder(name, words)
        if kind is not None:
            project.set_kind(name, kind)
        if wrong := [fault for fault in project.faults() if fault not in before]:
            raise UsageError(" ".join(wrong))

    try:
        await opened_of(request).change(f"Build {words} ({name})", put)
    except ToolboxError as error:
        return _page(request, looked, wizard, fields, Preview(words, problem=str(error)))
    return moved(f"/hierarchies/{looked.number}/tree")


def _asked(looked: Looked, query: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    """Return the requested builder with its answers; at first the current ones, or the defaults."""
    name, current = answered(looked.words) if looked.words else ("", {})
    wanted = query.get("build", name)
    first = {one.name: one.first for one in WIZARDS[wanted].questions} if wanted in WIZARDS else {}
    if wanted == name:
        first |= dict.fromkeys(first, "") | current
    return wanted, {**first, **{setting: text for setting, text in query.items() if setting in first}}


async def _preview(request: Request, looked: Looked, words: str) -> Preview:
    if not looked.counts:
        return Preview(words, problem=looked.unknown)
    try:
        rows = await asyncio.to_thread(Desk.of(opened_of(request)).build, words, looked.column, looked.counts)
    except ToolboxError as error:
        return Preview(words, problem=str(error))
    return Preview(words, rows)


def _page(
    request: Request, looked: Looked, wizard: Wizard | None, answers: Mapping[str, str], preview: Preview | None
) -> Response:
    meant, others = fitting(looked.kind)
    main = "" if wizard is None else next((one.name for one in wizard.questions if one.is_main), "")
    errors = [(main, preview.problem)] if preview is not None and preview.problem else []
    return show(
        request,
        looked,
        "hierarchy_builder.html",
        errors=errors,
        wizard=wizard,
        answers=answers,
        preview=preview,
        meant=meant,
        others=others,
    )


ROUTES = [
    Route("/hierarchies/{number}/builder", builder),
    edits("/hierarchies/{number}/builder/use", use),
]
