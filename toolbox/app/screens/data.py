"""The screen *Data*: which table it is, how it is read, and its first records."""

from __future__ import annotations

from pathlib import Path

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from toolbox import Project, Sniffed
from toolbox.app.children.profile_cache import Looks, reading_of
from toolbox.app.pages.editing import edits
from toolbox.app.pages.rendering import Error, current_of, moved, opened_of, render, workplace_of
from toolbox.app.project.files import Entry, below, completions, entries, example, source_below
from toolbox.app.server.uploading import discard, received
from toolbox.errors import ToolboxError

SEPARATORS = {",": "a comma", ";": "a semicolon", "\\t": "a tab", "|": "a vertical bar"}
COLUMNS_SHOWN = 100
ENCODINGS = ("utf-8", "utf-16", "windows-1252", "latin-1", "iso-8859-15", "cp850", "macroman", "shift_jis", "gb18030")
DECIMALS = {".": "a point, 1.5", ",": "a comma, 1,5"}
THOUSANDS = {"": "nothing", ",": "a comma", ".": "a point", " ": "a blank", "'": "an apostrophe"}
ON_MISSING = {
    "skip": "are left out",
    "keep": "are kept: missing is a category of its own",
    "fail": "stop the release",
}


_SETTINGS = ("header", "encoding", "missing", "on_missing", "table", "decimal", "thousands")


async def page(request: Request) -> Response:
    """Show the screen."""
    return await _shown(request)


async def open_source(request: Request) -> Response:
    """Open a table or a project below the root."""
    workplace, named = workplace_of(request), str((await request.form()).get("path", ""))
    try:
        await workplace.open(source_below(workplace.root, named))
    except ToolboxError as error:
        return await _shown(request, errors=[("path", str(error))], named=named)
    return moved("/data")


async def upload(request: Request) -> Response:
    """Take a table that the browser sends, and open it."""
    workplace = workplace_of(request)
    try:
        path = await received(request, workplace.root)
        try:
            await workplace.open_file(path, path.parent)
        except ToolboxError:
            discard(path)
            raise
    except ToolboxError as error:
        return await _shown(request, errors=[("file", str(error))])
    return moved("/data")


async def open_example(request: Request) -> Response:
    """Open the table of made-up people."""
    workplace = workplace_of(request)
    try:
        await workplace.open(example(workplace.root))
    except (ToolboxError, OSError) as error:
        return await _shown(request, errors=[("", str(error))])
    return moved("/data")


async def read_so(request: Request) -> Response:
    """Say how the table is read."""
    current, form = opened_of(request), await request.form()
    try:
        await current.change("How the table is read", lambda project: _set_reading(project, form))
    except ToolboxError as error:
        return await _shown(request, errors=[("separator", str(error))])
    return moved("/data")


async def paths(request: Request) -> Response:
    """Complete the path in a field, which the query may name."""
    text = request.query_params.get(request.query_params.get("field", "path"), "")
    return render(request, "paths.html", paths=completions(workplace_of(request).root, text))


async def _shown(request: Request, *, errors: list[Error] | None = None, named: str = "") -> Response:
    workplace, current, told = workplace_of(request), current_of(request), list(errors or ())
    looked, is_looking = None, False
    if current is not None:
        try:
            looked = await _sniffed(workplace.looks, current.project)
            is_looking = looked is None and bool(current.project.source)
        except ToolboxError as error:
            told.append(("separator", str(error)))
    folder, listed, has_more = _listed(workplace.root, request.query_params.get("folder", "."))
    return render(
        request,
        "data.html",
        errors=told,
        named=named,
        looked=looked,
        is_looking=is_looking,
        reading={} if current is None else dict(current.project.input),
        separators=SEPARATORS,
        encodings=ENCODINGS,
        on_missing=ON_MISSING,
        decimals=DECIMALS,
        thousands=THOUSANDS,
        columns_shown=COLUMNS_SHOWN,
        folder=folder,
        listed=listed,
        has_more=has_more,
    )


async def _sniffed(looks: Looks, project: Project) -> Sniffed | None:
    """Return what is known of the table; None as long as that takes, and for a table that no file holds."""
    if not project.source:
        return None
    found = await looks.ask("sniff", project.source[0].resolve(), reading_of(project.input))
    assert found is None or isinstance(found, Sniffed)
    return found


def _listed(root: Path, text: str) -> tuple[str, list[Entry], bool]:
    """List a folder below the root; the root itself where there is no such folder."""
    try:
        folder = below(root, text)
    except ToolboxError:
        folder = root.resolve()
    listed, has_more = entries(root, folder)
    name = folder.relative_to(root.resolve()).as_posix()
    return ("" if name == "." else name), listed, has_more


def _set_reading(project: Project, form: FormData) -> None:
    said = {name: str(form[name]) for name in _SETTINGS if name in form}
    separator = str(form.get("other_separator") or form.get("separator") or "")
    settings: dict[str, str | None] = {"separator": separator or None} if "separator" in form else {}
    for name, text in said.items():
        # The mark of missing values may be nothing at all.
        is_usual = text == "?" if name == "missing" else text in ("", "skip", "utf-8", ".")
        settings[name] = None if is_usual else text
    project.set_input(**settings)


ROUTES = [
    Route("/data", page),
    Route("/data/open", open_source, methods=["POST"]),
    Route("/data/upload", upload, methods=["POST"]),
    Route("/data/example", open_example, methods=["POST"]),
    edits("/data/reading", read_so),
    Route("/data/paths", paths),
]
