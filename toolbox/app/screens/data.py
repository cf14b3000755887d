"""The screen *Data*: which table it is, how it is read, and its first records."""

from __future__ import annotations

from pathlib import Path

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from toolbox import Project, Sniffed
from toolbox.app.children.profile_cache import Looks, find_reading_arguments
from toolbox.app.pages.editing import make_edit_route
from toolbox.app.pages.rendering import (
    Error,
    find_current_project,
    find_workplace,
    redirect_to_page,
    render,
    require_current_project,
)
from toolbox.app.project.files import (
    FileEntry,
    find_path_below,
    find_source_below,
    list_completions,
    list_entries,
    write_example,
)
from toolbox.app.server.uploading import discard_upload, receive_file
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


async def render_data_page(request: Request) -> Response:
    """Show the screen."""
    return await _render_screen(request)


async def open_source(request: Request) -> Response:
    """Open a table or a project below the root."""
    workplace, named = find_workplace(request), str((await request.form()).get("path", ""))
    try:
        await workplace.open(find_source_below(workplace.root, named))
    except ToolboxError as error:
        return await _render_screen(request, errors=[("path", str(error))], named=named)
    return redirect_to_page("/data")


async def upload(request: Request) -> Response:
    """Take a table that the browser sends, and open it."""
    workplace = find_workplace(request)
    try:
        path = await receive_file(request, workplace.root)
        try:
            await workplace.open_file(path, path.parent)
        except ToolboxError:
            discard_upload(path)
            raise
    except ToolboxError as error:
        return await _render_screen(request, errors=[("file", str(error))])
    return redirect_to_page("/data")


async def open_example(request: Request) -> Response:
    """Open the table of made-up people."""
    workplace = find_workplace(request)
    try:
        await workplace.open(write_example(workplace.root))
    except (ToolboxError, OSError) as error:
        return await _render_screen(request, errors=[("", str(error))])
    return redirect_to_page("/data")


async def read_so(request: Request) -> Response:
    """Say how the table is read."""
    current, form = require_current_project(request), await request.form()
    try:
        await current.change("How the table is read", lambda project: _set_reading(project, form))
    except ToolboxError as error:
        return await _render_screen(request, errors=[("separator", str(error))])
    return redirect_to_page("/data")


async def complete_paths(request: Request) -> Response:
    """Complete the path in a field, which the query may name."""
    text = request.query_params.get(request.query_params.get("field", "path"), "")
    return render(request, "paths.html", paths=list_completions(find_workplace(request).root, text))


async def _render_screen(request: Request, *, errors: list[Error] | None = None, named: str = "") -> Response:
    workplace, current, told = find_workplace(request), find_current_project(request), list(errors or ())
    looked, is_looking = None, False
    if current is not None:
        try:
            looked = await _find_sniffed_table(workplace.looks, current.project)
            is_looking = looked is None and bool(current.project.source)
        except ToolboxError as error:
            told.append(("separator", str(error)))
    folder, listed, has_more = _list_folder(workplace.root, request.query_params.get("folder", "."))
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


async def _find_sniffed_table(looks: Looks, project: Project) -> Sniffed | None:
    """Return what is known of the table; None as long as that takes, and for a table that no file holds."""
    if not project.source:
        return None
    found = await looks.ask("sniff", project.source[0].resolve(), find_reading_arguments(project.input))
    assert found is None or isinstance(found, Sniffed)
    return found


def _list_folder(root: Path, text: str) -> tuple[str, list[FileEntry], bool]:
    """List a folder below the root; the root itself where there is no such folder."""
    try:
        folder = find_path_below(root, text)
    except ToolboxError:
        folder = root.resolve()
    listed, has_more = list_entries(root, folder)
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
    Route("/data", render_data_page),
    Route("/data/open", open_source, methods=["POST"]),
    Route("/data/upload", upload, methods=["POST"]),
    Route("/data/example", open_example, methods=["POST"]),
    make_edit_route("/data/reading", read_so),
    Route("/data/paths", complete_paths),
]
