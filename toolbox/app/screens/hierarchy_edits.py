"""The pages about the hierarchy of one column: builders, imports and rules."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final, Literal

from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from toolbox import hierarchies
from toolbox.app.addresses import parse_small_number
from toolbox.app.pages.editing import make_edit_route
from toolbox.app.pages.rendering import (
    Error,
    find_current_project,
    find_workplace,
    redirect_to_page,
    render,
    require_current_project,
)
from toolbox.app.project.desk import MOST_BYTES, ColumnHierarchy, Desk, Pending, Rows
from toolbox.app.server.uploading import parse_small_form
from toolbox.errors import ConfigurationError, ToolboxError, UsageError
from toolbox.messages import say, say_count

if TYPE_CHECKING:
    from toolbox import Project

_KINDS: Final[Mapping[str, tuple[_Kind, ...]]] = {
    "numbers": ("number",),
    "texts": ("category",),
    "dates": ("date",),
    "anything": ("number", "category", "date"),
}
"""What a column holds for which a builder is meant, by what it takes."""
_Kind = Literal["number", "category", "date"]


# What all pages about the hierarchy of one column do: read it, show it, change it.


async def find_column_hierarchy(request: Request) -> ColumnHierarchy:
    """Return the column that an address names."""
    number = parse_small_number(request.path_params["number"])
    if find_current_project(request) is None or number is None:
        raise HTTPException(404)
    try:
        return await Desk.of(require_current_project(request)).look(number)
    except LookupError:
        raise HTTPException(404, say("No column with a role has this number.")) from None


def show(
    request: Request, looked: ColumnHierarchy, template: str, *, errors: Sequence[Error] = (), **values: Any
) -> Response:
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
        columns=Desk.of(require_current_project(request)).columns(),
        **values,
    )


async def change(
    request: Request,
    looked: ColumnHierarchy,
    words: str,
    make: Callable[[Sequence[Sequence[str]]], Sequence[Sequence[str]]],
) -> None:
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

    await require_current_project(request).change(say("%(edit)s (%(column)s)", edit=words, column=name), put)


# The wizards of builders: a form for each, and what it would make of the values of today before it is accepted.

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
    def level_words(self) -> str:
        """The same as words: how many labels there are, and how many above them."""
        first, *others = self.levels
        labels = say_count("%(count)s label", "%(count)s labels", first)
        return ", ".join([labels, *(say("then %(count)s", count=count) for count in others)])

    @property
    def examples(self) -> Rows:
        """Some of the rows, from the first to the last."""
        last = len(self.rows) - 1
        if last < _MOST_EXAMPLES:
            return self.rows
        return [self.rows[place * last // (_MOST_EXAMPLES - 1)] for place in range(_MOST_EXAMPLES)]


async def render_builder_page(request: Request) -> Response:
    """Show the builders, the form of one, and what it would make."""
    looked = await find_column_hierarchy(request)
    name, answers = _find_requested_builder(looked, dict(request.query_params))
    if name not in _list_wizards():
        return _render_builder_form(request, looked, None, {}, None)
    wizard = _list_wizards()[name]
    preview = await _build_preview(request, looked, wizard.words(answers))
    is_answered = len(request.query_params) >= _ANSWERED
    return _render_builder_form(
        request, looked, wizard, answers, preview if is_answered or not preview.problem else None
    )


async def use(request: Request) -> Response:
    """Give the column a builder for its hierarchy."""
    looked = await find_column_hierarchy(request)
    fields = {name: str(text) for name, text in (await request.form()).items()}
    wizard = _list_wizards().get(fields.get("build", ""))
    if wizard is None:
        return _render_builder_form(request, looked, None, {}, None)
    words = wizard.words(fields)
    # Of too many values nothing is shown, but a run builds the hierarchy of all.
    preview = await _build_preview(request, looked, words) if looked.counts else Preview(words)
    if preview.problem:
        return _render_builder_form(request, looked, wizard, fields, preview)
    name, kind = looked.column.name, wizard.find_needed_kind(looked.column.kind, looked.column.looks)

    def put(project: Project) -> None:
        before = project.faults()
        project.set_builder(name, words)
        if kind is not None:
            project.set_kind(name, kind)
        if wrong := [fault for fault in project.faults() if fault not in before]:
            raise UsageError(" ".join(wrong))

    try:
        await require_current_project(request).change(say("Build %(rule)s (%(column)s)", rule=words, column=name), put)
    except ToolboxError as error:
        return _render_builder_form(request, looked, wizard, fields, Preview(words, problem=str(error)))
    return redirect_to_page(f"/hierarchies/{looked.number}/tree")


def _find_requested_builder(looked: ColumnHierarchy, query: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    """Return the requested builder with its answers; at first the current ones, or the defaults."""
    name, current = _parse_answers(looked.words) if looked.words else ("", {})
    wanted = query.get("build", name)
    first = {one.name: one.first for one in _list_wizards()[wanted].questions} if wanted in _list_wizards() else {}
    if wanted == name:
        first |= dict.fromkeys(first, "") | current
    return wanted, {**first, **{setting: text for setting, text in query.items() if setting in first}}


async def _build_preview(request: Request, looked: ColumnHierarchy, words: str) -> Preview:
    if not looked.counts:
        return Preview(words, problem=looked.unknown)
    try:
        rows = await asyncio.to_thread(
            Desk.of(require_current_project(request)).build, words, looked.column, looked.counts
        )
    except ToolboxError as error:
        return Preview(words, problem=str(error))
    return Preview(words, rows)


def _render_builder_form(
    request: Request,
    looked: ColumnHierarchy,
    wizard: _Wizard | None,
    answers: Mapping[str, str],
    preview: Preview | None,
) -> Response:
    meant, others = _Wizard.fitting(looked.kind)
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
    Route("/hierarchies/{number}/builder", render_builder_page),
    make_edit_route("/hierarchies/{number}/builder/use", use),
]


# The import of a hierarchy: what it would change is shown first, and is accepted or discarded.

_MOST_SHOWN = 50
"""Values of each kind that a diff lists."""
_MOST_FILES = 64


async def render_import_page(request: Request) -> Response:
    """Show what an imported hierarchy would change, or ask for its file."""
    looked = await find_column_hierarchy(request)
    return _render_import_form(request, looked)


def _render_import_form(request: Request, looked: ColumnHierarchy, errors: list[Error] | None = None) -> Response:
    pending = Desk.of(require_current_project(request)).pending.get(looked.column.name)
    return show(request, looked, "hierarchy_import.html", errors=errors or [], pending=pending, most=_MOST_SHOWN)


async def upload(request: Request) -> Response:
    """Read a file, and set it beside the hierarchy that is there, which stays as it is."""
    looked = await find_column_hierarchy(request)
    try:
        fields = await parse_small_form(request, _MOST_FILES)
    except UsageError as error:
        return _render_import_form(request, looked, [("file", str(error))])
    files = [file for file in fields.getlist("file") if isinstance(file, UploadFile) and file.filename]
    uploads = [_Upload(file.filename or "", await file.read()) for file in files]
    await fields.close()
    try:
        rows = await asyncio.to_thread(_read_uploaded_hierarchy, uploads, looked.column.name)
    except _ImportRefusedError as error:
        return _render_import_form(request, looked, [("file", sentence) for sentence in error.sentences[:_MOST_SHOWN]])
    diff = await asyncio.to_thread(hierarchies.diff, looked.rows, rows, looked.counts or None)
    name = ", ".join(one.name for one in uploads)
    Desk.of(require_current_project(request)).pending[looked.column.name] = Pending(name, rows, diff)
    return redirect_to_page(f"/hierarchies/{looked.number}/import")


async def accept(request: Request) -> Response:
    """Put the imported hierarchy in the place of the old one."""
    looked = await find_column_hierarchy(request)
    pending = Desk.of(require_current_project(request)).pending.get(looked.column.name)
    if pending is None:
        return redirect_to_page(f"/hierarchies/{looked.number}/import")
    await change(request, looked, say("Import %(name)s", name=pending.name), lambda _: pending.rows)
    del Desk.of(require_current_project(request)).pending[looked.column.name]
    return redirect_to_page(f"/hierarchies/{looked.number}/tree")


async def discard_import(request: Request) -> Response:
    """Forget the imported hierarchy."""
    looked = await find_column_hierarchy(request)
    pending = Desk.of(require_current_project(request)).pending.pop(looked.column.name, None)
    if pending is not None:
        find_workplace(request).notice = say(
            "Discarded %(file)s. The hierarchy of %(column)s is as it was.",
            file=pending.name,
            column=looked.column.name,
        )
    return redirect_to_page(f"/hierarchies/{looked.number}/{'tree' if looked.rows else 'builder'}")


IMPORT_ROUTES = [
    Route("/hierarchies/{number}/import", render_import_page),
    Route("/hierarchies/{number}/import", upload, methods=["POST"]),
    make_edit_route("/hierarchies/{number}/import/accept", accept),
    Route("/hierarchies/{number}/import/discard", discard_import, methods=["POST"]),
]


# The rules of a hierarchy, as text that is edited, a field for each level.

_MOST_FAULTS = 50


async def handle_rules(request: Request) -> Response:
    """Show the rules of each level, or take them."""
    looked = await find_column_hierarchy(request)
    if not looked.rows:
        return show(request, looked, "hierarchy_none.html")
    if request.method != "POST":
        try:
            texts = await asyncio.to_thread(hierarchies.rows_to_rules, looked.rows, of_labels=True)
        except ToolboxError as error:
            return show(request, looked, "hierarchy_rules.html", texts=[], unsayable=_list_fault_sentences(error))
        return show(request, looked, "hierarchy_rules.html", texts=texts, unsayable=[])
    texts = [str(text) for text in (await request.form()).getlist("rules")]
    try:
        rows = await asyncio.to_thread(hierarchies.rules_to_rows, texts)
        await change(request, looked, say("Edit the rules"), lambda _: rows)
    except ToolboxError as error:
        return show(
            request, looked, "hierarchy_rules.html", texts=texts, unsayable=[], errors=_group_faults_by_level(error)
        )
    return redirect_to_page(f"/hierarchies/{looked.number}/rules")


def _list_fault_sentences(error: ToolboxError) -> list[str]:
    # What it advises is for the command line.
    return [fault.found for fault in error.faults] if isinstance(error, ConfigurationError) else [str(error)]


def _group_faults_by_level(error: ToolboxError) -> list[Error]:
    """Return each fault beside the level that has it."""
    if not isinstance(error, ConfigurationError):
        return [("level-1", str(error))]
    faults = error.faults[:_MOST_FAULTS]
    return [((fault.file or "level 1").replace(" ", "-"), " ".join(str(fault).split())) for fault in faults]


RULE_ROUTES = [
    Route("/hierarchies/{number}/rules", handle_rules),
    make_edit_route("/hierarchies/{number}/rules", handle_rules),
]


@dataclass(frozen=True)
class _Upload:
    """A file as it came."""

    name: str
    """What its owner calls it; never a path of ours."""
    content: bytes


class _ImportRefusedError(UsageError):
    """The files are no hierarchy: all that is wrong with them."""

    @property
    def sentences(self) -> tuple[str, ...]:
        """What is wrong, one by one."""
        found: tuple[str, ...] = self.args
        return found

    def __str__(self) -> str:
        return " ".join(self.sentences)


def _read_uploaded_hierarchy(uploads: Sequence[_Upload], column: str) -> list[tuple[str, ...]]:
    """Read a hierarchy in any notation; several files are rules, with a level each.

    Raises
    ------
    ImportRefusedError
        With all that is wrong with them.
    """
    if not uploads:
        raise _ImportRefusedError(say("No file is chosen."))
    if sum(len(upload.content) for upload in uploads) > MOST_BYTES:
        raise _ImportRefusedError(
            say("The file is too large: more than %(megabytes)s MB.", megabytes=MOST_BYTES // 1_000_000)
        )
    try:
        if len(uploads) > 1:
            return hierarchies.rules_to_rows([_decode_upload(upload) for upload in uploads])
        return _read(uploads[0], column)
    except ConfigurationError as error:
        raise _ImportRefusedError(*(" ".join(str(fault).split()) for fault in error.faults)) from None
    except _ImportRefusedError:
        raise
    except ToolboxError as error:
        raise _ImportRefusedError(str(error)) from None


def _read(upload: _Upload, column: str) -> list[tuple[str, ...]]:
    # Only files are read in every notation; nobody else may see it, and its name is ours.
    with TemporaryDirectory(prefix="toolbox-app-") as folder:
        path = Path(folder, "imported")
        path.write_bytes(upload.content)
        return hierarchies.read(path, column=None if upload.content.lstrip()[:1] == b"<" else column)


def _decode_upload(upload: _Upload) -> str:
    try:
        return upload.content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise _ImportRefusedError(say("%(name)s is not UTF-8. Save it in that encoding.", name=upload.name)) from None


@dataclass(frozen=True)
class _Wizard:
    """A builder that people can choose."""

    name: str
    """Of the builder."""
    title: str
    sentence: str
    kinds: tuple[_Kind, ...]
    """What a column holds for which it is meant."""
    questions: tuple[_WizardField, ...] = ()

    @classmethod
    def of(cls, builder: type[hierarchies.Builder]) -> _Wizard:
        """Return the form of a builder, as it describes itself."""
        first_line = (builder.__doc__ or "").strip().partition("\n")[0]
        return cls(
            builder.name,
            builder.title or builder.name,
            builder.sentence or first_line,
            _KINDS[builder.takes],
            tuple(_WizardField(name, *one, is_main=name == builder.main) for name, one in builder.asked().items()),
        )

    def words(self, answers: Mapping[str, str]) -> str:
        """Write the answers as the command line does.

        Examples
        --------
        >>> _list_wizards()["intervals"].words({"width": "5,10", "top": "90", "bottom": ""})
        'intervals:5,10:top=90'
        """
        given = {one: answers.get(one.name, "").strip() for one in self.questions}
        main = [text for one, text in given.items() if one.is_main and text]
        others = [f"{one.name}={text}" for one, text in given.items() if not one.is_main and text]
        return ":".join([self.name, *main, *others])

    @staticmethod
    def fitting(kind: str | None) -> tuple[list[_Wizard], list[_Wizard]]:
        """Return the forms that are meant for what a column holds, and all others.

        Examples
        --------
        >>> [wizard.name for wizard in _Wizard.fitting("date %d.%m.%Y")[0]]
        ['dates', 'ages', 'auto']
        """
        every = _list_wizards().values()
        meant = [wizard for wizard in every if _find_plain_kind(kind or "category") in wizard.kinds]
        return meant, [wizard for wizard in every if wizard not in meant]

    def find_needed_kind(self, kind: str | None, looks: str | None) -> str | None:
        """Return what a column must be declared to hold for the builder; None: that may stay as it is.

        Examples
        --------
        >>> prefix, dates = _list_wizards()["prefix"], _list_wizards()["dates"]
        >>> prefix.find_needed_kind("number", "number"), dates.find_needed_kind("category", "date %d.%m.%Y")
        ('category', 'date %d.%m.%Y')
        """
        if kind is None or _find_plain_kind(kind) in self.kinds:
            return None
        return looks if looks is not None and _find_plain_kind(looks) in self.kinds else self.kinds[0]


def _list_wizards() -> Mapping[str, _Wizard]:
    """Return the forms of all builders that are installed and have one, those of other people behind ours."""
    offered = [builder for builder in hierarchies.builders().values() if builder.has_form]
    return _list_forms(tuple(sorted(offered, key=lambda builder: (builder.rank, builder.name))))


@cache
def _list_forms(builders: tuple[type[hierarchies.Builder], ...]) -> Mapping[str, _Wizard]:
    return {builder.name: _Wizard.of(builder) for builder in builders}


def _find_plain_kind(kind: str) -> str:
    found = kind.partition(" ")[0]
    return {"timestamp": "date"}.get(found, found)


def _parse_answers(words: str) -> tuple[str, dict[str, str]]:
    """Read the words of a builder back into the answers of its form.

    Examples
    --------
    >>> _parse_answers("intervals:5,10:top=90")
    ('intervals', {'width': '5,10', 'top': '90'})
    """
    name, *parts = words.split(":")
    questions = _list_wizards()[name].questions if name in _list_wizards() else ()
    known = {one.name for one in questions}
    main = next((one.name for one in questions if one.is_main), "")
    answers: dict[str, str] = {}
    last = main
    for part in parts:
        option, is_option, text = part.partition("=")
        if is_option and option in known:
            answers[option], last = text, option
        elif last:
            answers[last] = f"{answers[last]}:{part}" if last in answers else part
    return name, answers


@dataclass(frozen=True)
class _WizardField:
    """One field of a form."""

    name: str
    """Of the setting."""
    label: str
    hint: str
    first: str
    """What stands in the field at first."""
    wants: str
    is_main: bool
    """Whether the words have it without its name."""
