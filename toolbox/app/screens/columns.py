"""The screen *Columns*: what each column is, what it holds, and how important it is."""

from __future__ import annotations

import asyncio
import csv
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeVar
from urllib.parse import parse_qs, urlencode

from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from toolbox import Project, ProjectColumn
from toolbox.app.addresses import parse_address, parse_small_number
from toolbox.app.children.profile_cache import ColumnProfile, Looks, find_column_profiles
from toolbox.app.children.project_session import BusyError
from toolbox.app.pages.editing import find_previous_page, make_edit_route
from toolbox.app.pages.rendering import (
    ROLE_NAMES,
    Error,
    find_current_project,
    find_workplace,
    is_fragment,
    redirect_to_page,
    render,
    require_current_project,
)
from toolbox.app.project.files import find_path_below, format_path
from toolbox.app.project.open_project import OpenProject
from toolbox.errors import SettingError, ToolboxError
from toolbox.messages import mark, say

_WHAT_BECOMES: Final = {
    "drop": mark("is left out of the release"),
    "pass": mark("is released as it is, with a note"),
    "fail": mark("stops the release until you say what it is"),
}
"""Of a column that is `other`, by what the project says of undeclared ones."""
_OTHER: Final = {
    "drop": mark("Other (left out)"),
    "pass": mark("Other (released as it is)"),
    "fail": mark("Other (stops the release)"),
}
_DETAIL_OF: Final = {
    "role": mark("Role of %(name)s"),
    "kind": mark("Kind of %(name)s"),
    "priority": mark("Priority of %(name)s"),
    "weight": mark("Weight of %(name)s"),
}
_KINDS: Final = ("number", "category", "date", "timestamp")
_DATES: Final = ("date %d.%m.%Y", "date %d/%m/%Y", "date %m/%d/%Y", "date %Y%m%d")
_SHOWN: Final = 100
"""Columns of one page."""
_DETAILS: Final = ("role", "kind", "priority", "weight")
T = TypeVar("T", int, float)


@dataclass(frozen=True)
class ColumnRow:
    """A column on the screen."""

    number: int
    column: ProjectColumn
    looked: ColumnProfile | None
    """None as long as nobody knows."""

    @property
    def kinds(self) -> list[str]:
        """The kinds to choose from, that of the column among them."""
        known = [kind for kind in (self.column.kind, self.column.looks) if kind]
        return list(dict.fromkeys([*_KINDS, *known, *_DATES]))

    @property
    def is_treated(self) -> bool:
        """Whether it is released, with something done to its values."""
        return self.column.treatment not in (None, "drop")

    @property
    def waits(self) -> bool:
        """Whether somebody must decide what it is: nothing sure is suggested, and nobody has given it a role."""
        return (
            self.looked is not None
            and self.looked.sureness == "unsure"
            and (self.column.role, self.is_treated) == ("other", False)
        )

    @property
    def differs(self) -> bool:
        """Whether something else is suggested than what the column is."""
        return self.looked is not None and self.looked.role != self.column.role


async def render_columns_page(request: Request) -> Response:
    """Show the screen."""
    return await _render_screen(request)


async def change(request: Request) -> Response:
    """Change what columns are: all fields of the form that say something else than the project."""
    current, form = require_current_project(request), await request.form()
    try:
        columns = current.project.columns()
    except ToolboxError as error:
        return await _render_screen(request, errors=[("", str(error))])
    asked = request.headers.get("hx-trigger-name", "")
    edits, errors = _list_edits(columns, form), list[Error]()
    if form.get("version", current.version) != current.version:
        # What a page shows of a kind that we have completed since, nobody has said.
        edits = [(at, detail, text) for at, detail, text in edits if detail != "kind" or f"kind-{at}" == asked]
    looked = (await _find_profiles(request))[0] if any(detail == "role" for _, detail, _ in edits) else None
    profiles = {row.column.name: row.looked for row in _make_rows(current.project, looked) if row.looked}
    for number, detail, text in edits:
        name = columns[number].name
        words = say(_DETAIL_OF[detail], name=name)
        try:
            await current.change(words, partial(_edit, name=name, detail=detail, text=text, profiles=profiles))
        except ToolboxError as error:
            errors.append((f"{detail}-{number}", str(error)))
    if looked is None and (generalised := [columns[at].name for at, _, text in edits if text == "quasi-identifier"]):
        saying = asyncio.create_task(_say_later(current, find_workplace(request).looks, generalised))
        current.of_screens[asyncio.Task] = saying
    if is_fragment(request):
        return await _render_changed_fields(request, {number for number, _, _ in edits}, errors)
    return await _render_screen(request, errors=errors) if errors else redirect_to_page(_find_columns_page(request))


async def _say_later(current: OpenProject, looks: Looks, names: Sequence[str]) -> None:
    """Say what columns hold that were made quasi-identifiers before anybody had looked at the table."""
    # If the table cannot be read, or another project is open by then, the screens say so.
    with suppress(ToolboxError):
        while (looked := await find_column_profiles(looks, current.project)) is None:
            pass  # each answer has waited for some time
        profiles = {row.column.name: row.looked for row in _make_rows(current.project, looked) if row.looked}

        def put(project: Project) -> None:
            for name in set(names) & profiles.keys():
                column = _find_column(project, name)
                if (column.role, column.hierarchy) == ("quasi-identifier", "none"):
                    _say_what_is_known(project, name, profiles[name])

        await current.change(say("Hierarchy of %(name)s", name=", ".join(names)), put, is_ours=True)


async def _render_changed_fields(request: Request, numbers: Collection[int], errors: Sequence[Error]) -> Response:
    """Show all changes outside the field that has the focus."""
    current = require_current_project(request)
    looked, _ = await _find_profiles(request)
    rows = _make_rows(current.project, looked)
    response = render(
        request,
        "columns_changed.html",
        rows=[row for row in rows if row.number in numbers],
        counts=_count_roles(rows),
        **_find_role_words(current),
        suggests=_has_suggestions(request.headers.get("hx-current-url", "")),
        asked=request.headers.get("hx-trigger-name", ""),
        errors=errors,
    )
    response.headers["HX-Trigger"] = "changed"
    return response


async def take(request: Request) -> Response:
    """Take what is suggested for one column, or for all of them."""
    current, form = require_current_project(request), await request.form()
    wanted = str(form.get("column", ""))
    try:
        looked, _ = await _find_profiles(request)
        rows = [row for row in _make_rows(current.project, looked) if row.looked and wanted in ("", str(row.number))]
        words = say("Suggestion for %(name)s", name=rows[0].column.name) if len(rows) == 1 else say("All suggestions")
        await current.change(words, partial(_take, rows=rows) if wanted else partial(_take_all, rows=rows))
    except ToolboxError as error:
        return await _render_screen(request, errors=[("", str(error))])
    return redirect_to_page(_find_columns_page(request, suggest="1"))


async def set_other_columns(request: Request) -> Response:
    """Set how columns without a role are released."""
    current, wanted = require_current_project(request), str((await request.form()).get("undeclared", ""))
    if wanted in _WHAT_BECOMES:
        await current.change(say("Columns that are Other"), lambda project: project.set_option("undeclared", wanted))
    return redirect_to_page(_find_columns_page(request))


async def set_person(request: Request) -> Response:
    """Say which columns tell persons apart."""
    current, form = require_current_project(request), await request.form()
    names = [str(name) for name in form.getlist("person") if name]
    try:
        await current.change(say("Who the records are about"), lambda project: project.set_person(names))
    except ToolboxError as error:
        return await _render_screen(request, errors=[("person-0", str(error))])
    return redirect_to_page(_find_columns_page(request))


# What is done to the values of a column that is released record by record.


async def render_treatment_page(request: Request) -> Response:
    """Show what can be done to the values of a column, and what that makes of ten of them."""
    query = request.query_params
    return await _render_treatment(request, {name: query[name] for name in query} if "treatment" in query else None)


async def set_treatment(request: Request) -> Response:
    """Say what is done to the values of a column; nothing takes it back."""
    current, form = require_current_project(request), await request.form()
    said = {name: str(text) for name, text in form.items()}
    column = _find_numbered_column(request, current.project)
    try:
        text = _format_treatment(current.project, column, said)
        await current.change(
            say("Treatment of %(name)s", name=column.name), lambda project: project.set_treatment(column.name, text)
        )
    except ToolboxError as error:
        return await _render_treatment(request, said, [("treatment", str(error))])
    return redirect_to_page("/columns")


async def choose_key_file(request: Request) -> Response:
    """Say by which key file pseudonyms and shifts are made, or make one; no page shows what is in it."""
    current, form = require_current_project(request), await request.form()
    text, is_new = str(form.get("key-file", "")).strip(), "make" in form
    try:
        path = find_path_below(find_workplace(request).root, text) if text or is_new else None
        await asyncio.to_thread(current.project.set_key_file, path, is_new=is_new)
    except ToolboxError as error:
        return await _render_treatment(request, None, [("key-file", str(error))])
    return redirect_to_page(f"/columns/{request.path_params['number']}/treatment")


async def _render_treatment(request: Request, said: Mapping[str, str] | None, errors: Sequence[Error] = ()) -> Response:
    current = require_current_project(request)
    column, told = _find_numbered_column(request, current.project), list(errors)
    # What cannot be chosen comes last, with the reason.
    choices = sorted(current.project.list_treatments(column.name), key=lambda choice: bool(choice.refusal))
    said = _parse_treatment(choices, column.treatment) if said is None else said
    shown: Sequence[tuple[str, str | None]] = ()
    try:
        if not told and (text := _format_treatment(current.project, column, said)):
            copied = current.project.copy()
            await asyncio.to_thread(copied.set_treatment, column.name, text)
            shown = await asyncio.to_thread(copied.preview_treatment, column.name, text)
    except ToolboxError as error:
        told.append(("treatment", str(error)))
    words = _find_role_words(current)
    return render(
        request,
        "treatment.html",
        errors=told,
        column=column,
        number=request.path_params["number"],
        choices=choices,
        said=said,
        chosen=next((choice for choice in choices if choice.name == said.get("treatment")), None),
        shown=shown,
        key_file=format_path(find_workplace(request).root, current.project.key_file),
        becomes=words["what_becomes"].get(words["undeclared"], say("is left to the configuration")),
    )


def _find_numbered_column(request: Request, project: Project) -> ProjectColumn:
    columns, number = project.columns(), int(request.path_params["number"])
    if number >= len(columns):
        raise HTTPException(404)
    return columns[number]


def _format_treatment(project: Project, column: ProjectColumn, said: Mapping[str, str]) -> str | None:
    """Return the treatment that a form says, as a configuration writes it; None for none."""
    name = said.get("treatment", "")
    chosen = next((choice for choice in project.list_treatments(column.name) if choice.name == name), None)
    if chosen is None:
        return None
    pairs = [(setting, said.get(f"{name}-{setting}", "").strip()) for setting, _, _ in chosen.settings]
    words = [f"{setting}={text}" for setting, text in pairs if text]
    quoted = ('"' + word.replace('"', '""') + '"' if ":" in word or '"' in word else word for word in words)
    return ":".join([name, *quoted])


def _parse_treatment(choices: Sequence[Any], text: str | None) -> dict[str, str]:
    """Return what a form says of a treatment that a configuration writes: its settings by place or by name."""
    name, *words = next(csv.reader([text or ""], delimiter=":"), [""]) or [""]
    settings = next((choice.settings for choice in choices if choice.name == name.strip()), ())
    waiting, said = [setting for setting, _, _ in settings], {"treatment": name.strip()}
    for word in words:
        setting, equals, value = word.strip().partition("=")
        if not equals or setting not in waiting:
            setting, value = (waiting[0] if waiting else ""), word.strip()
        if setting:
            waiting.remove(setting)
            said[f"{name.strip()}-{setting}"] = value
    return said


# The records that lack a value: every screen that counts records says how many, and has both choices.


async def find_missing_records(current: OpenProject | None) -> dict[str, Any]:
    """Return what a screen shows of the records that lack a value; nothing as long as no classes can be counted."""
    told: dict[str, Any] = {"missing": None, "to_words": [], "is_counting": False}
    if current is None:
        return told
    try:
        if any(column.role == "quasi-identifier" for column in current.project.columns()):
            told["missing"] = await current.ask("count_missing")
            told["to_words"] = current.project.list_words_for_missing(dict(told["missing"].columns))
    except BusyError:
        told["is_counting"] = True
    except ToolboxError:
        return told  # The screens say what is wrong with the table.
    return told


async def render_missing_records(request: Request) -> Response:
    """Show how many records lack a value, as a part of any page."""
    if not is_fragment(request):
        return redirect_to_page("/columns")
    page = parse_address(request.headers.get("hx-current-url", "")).path or "/columns"
    return render(
        request, "missing.html", missing_page=page, **await find_missing_records(find_current_project(request))
    )


async def choose_missing(request: Request) -> Response:
    """Leave out the records that lack a value, or keep them."""
    current, wanted = require_current_project(request), str((await request.form()).get("on_missing", ""))
    back = await find_previous_page(request)
    try:
        if wanted == "keep":
            lacking = [name for name, _ in (await current.ask("count_missing")).columns]
            await current.change(say("Keep records that lack a value"), lambda project: project.keep_missing(lacking))
        elif wanted == "skip":
            looked, _ = await _find_profiles(request)
            rows = [row for row in _make_rows(current.project, looked) if row.looked is not None]
            known = {row.column.name: (row.looked.kind, row.looked.hierarchy) for row in rows if row.looked}
            await current.change(
                say("Leave out records that lack a value"), lambda project: project.skip_missing(known)
            )
    except ToolboxError as error:
        find_workplace(request).notice = str(error)
    return redirect_to_page(back)


async def _render_screen(request: Request, *, errors: Sequence[Error] = ()) -> Response:
    current, told = find_current_project(request), list(errors)
    rows, looked = list[ColumnRow](), None
    if current is not None:
        looked, wrong = await _find_profiles(request)
        told += wrong
        try:
            rows = _make_rows(current.project, looked)
        except ToolboxError as error:
            told.append(("", str(error)))
    query = request.query_params
    wanted = query.get("find", "").strip()
    found = [row for row in rows if wanted.casefold() in row.column.name.casefold()]
    first = parse_small_number(query.get("first", "")) or 0
    if first >= len(found):
        first = 0
    is_looking = looked is None and bool(rows)
    response = render(
        request,
        "columns.html",
        errors=told,
        rows=found[first : first + _SHOWN],
        first=first,
        shown=_SHOWN,
        found=len(found),
        total=len(rows),
        find=wanted,
        suggests="suggest" in query,
        is_looking=is_looking,
        counts=_count_roles(rows),
        **_find_role_words(current),
        missing_page="/columns",
        names=[row.column.name for row in rows],
        person=[row.column.name for row in rows if row.column.is_person],
        seems_person=next((row.column.name for row in rows if row.looked and row.looked.tells_persons), ""),
        **await find_missing_records(current),
    )
    if "suggest" in query and not is_looking and request.headers.get("hx-target") == "figures":
        response.headers["HX-Refresh"] = "true"  # rows come between those that are there
    return response


def _has_suggestions(address: str) -> bool:
    """Return whether a page of columns shows what is suggested."""
    return "suggest" in parse_qs(parse_address(address).query)


def _find_role_words(current: OpenProject | None) -> dict[str, Any]:
    """Return the words of the roles, and what becomes of columns without one."""
    undeclared = (current and current.project.option("undeclared")) or "pass"
    roles = ROLE_NAMES | ({"other": _OTHER[undeclared]} if undeclared in _OTHER else {})
    return {"roles": roles, "undeclared": undeclared, "what_becomes": _WHAT_BECOMES}


def _count_roles(rows: Sequence[ColumnRow]) -> dict[str, int]:
    """Count the columns of each role, and apart from them those whose values are treated, whatever their role."""
    treated = [row for row in rows if row.is_treated]
    counts = {role: sum(row.column.role == role and not row.is_treated for row in rows) for role in ROLE_NAMES}
    return {**counts, "treated": len(treated)}


def _find_columns_page(request: Request, **more: str) -> str:
    """Return the page of columns from which a form was sent."""
    query = {name: request.query_params[name] for name in ("first", "find", "suggest") if name in request.query_params}
    return f"/columns?{urlencode({**query, **more})}".rstrip("?")


async def _find_profiles(request: Request) -> tuple[Sequence[ColumnProfile] | None, list[Error]]:
    """Return what is known of each column of the table, None as long as that takes; and what is wrong with it."""
    try:
        return await find_column_profiles(find_workplace(request).looks, require_current_project(request).project), []
    except ToolboxError as error:
        return (), [("", str(error))]


def _make_rows(project: Project, looked: Sequence[ColumnProfile] | None) -> list[ColumnRow]:
    by_position = dict(enumerate(looked or ()))
    return [
        ColumnRow(number, column, None if column.position is None else by_position.get(column.position))
        for number, column in enumerate(project.columns())
    ]


def _list_edits(columns: Sequence[ProjectColumn], form: FormData) -> list[tuple[int, str, str]]:
    """List what a form says otherwise than the project: the number of the column, the detail and its text."""
    found = []
    for field, text in form.items():
        detail, _, number = field.partition("-")
        at = parse_small_number(number)
        if detail not in _DETAILS or at is None or at >= len(columns):
            continue
        if str(text).strip() != format_detail(columns[at], detail):
            found.append((at, detail, str(text).strip()))
    # A new role may forget details, so that it comes first.
    return sorted(found, key=lambda edit: (edit[0], _DETAILS.index(edit[1])))


def format_detail(column: ProjectColumn, detail: str) -> str:
    """Return a detail of a column as a field shows it."""
    value = getattr(column, detail)
    return "" if value is None else f"{value:.15g}" if isinstance(value, float) else str(value)


def _edit(project: Project, name: str, detail: str, text: str, profiles: Mapping[str, ColumnProfile]) -> None:
    match detail:
        case "role":
            was_open = _find_column(project, name).kind is None
            project.set_role(name, text)  # type: ignore[arg-type]
            # All values tell more than the first records.
            if was_open and name in profiles:
                _say_what_is_known(project, name, profiles[name])
        case "kind":
            project.set_kind(name, text or None)
        case "priority":
            project.set_priority(name, _number(text, int, "priority", "a whole number of at least 1, or nothing"))
        case "weight":
            project.set_weight(name, _number(text, float, "weight", "a number above 0, or nothing"))


def _say_what_is_known(project: Project, name: str, known: ColumnProfile) -> None:
    """Say of a column with a new role what it holds; a quasi-identifier gets the hierarchy that a suggestion has."""
    column = _find_column(project, name)
    is_generalised = column.role == "quasi-identifier"
    kind = (known.kind_generalised if is_generalised else "") or known.kind
    if column.kind not in (None, kind) or (is_generalised and column.kind is None):
        project.set_kind(name, kind)
    if is_generalised and known.hierarchy and _find_column(project, name).hierarchy == "none":
        project.set_builder(name, known.hierarchy)


def _find_column(project: Project, name: str) -> ProjectColumn:
    return next(column for column in project.columns() if column.name == name)


def _number(text: str, kind: type[T], detail: str, wanted: str) -> T | None:
    try:
        return kind(text) if text else None
    except ValueError:
        raise SettingError(detail, text, wanted) from None


def _take_all(project: Project, rows: Sequence[ColumnRow]) -> None:
    """Take what is suggested, but for the columns of which nobody is sure: these wait until somebody decides."""
    known = [row for row in rows if row.looked is not None]
    waiting = {row.number for row in known if row.waits}
    _take(project, [row for row in known if row.number not in waiting])
    if waiting and project.option("undeclared") in (None, "pass"):
        project.set_option("undeclared", "drop")


def _take(project: Project, rows: Sequence[ColumnRow]) -> None:
    """Give columns the roles, kinds and hierarchies that are suggested."""
    known = [(row.column, row.looked) for row in rows if row.looked is not None]
    project.set_roles({column.name: looked.role for column, looked in known})
    for column, looked in known:
        if looked.role == "quasi-identifier":
            if column.role != looked.role or column.kind is None:
                project.set_kind(column.name, looked.kind)
            if column.hierarchy == "none" and looked.hierarchy:
                project.set_builder(column.name, looked.hierarchy)


ROUTES = [
    Route("/columns", render_columns_page),
    make_edit_route("/columns", change),
    make_edit_route("/columns/take", take),
    make_edit_route("/columns/others", set_other_columns),
    make_edit_route("/columns/person", set_person),
    Route("/columns/{number:int}/treatment", render_treatment_page),
    make_edit_route("/columns/{number:int}/treatment", set_treatment),
    Route("/columns/{number:int}/key", choose_key_file, methods=["POST"]),
    Route("/missing", render_missing_records),
    make_edit_route("/missing", choose_missing),
]
