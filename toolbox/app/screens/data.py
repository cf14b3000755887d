"""The screen *Data*: which table it is, how it is read, and its first records."""

from __future__ import annotations

import csv
import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Final

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from toolbox import Project, Sniffed
from toolbox.app.children.profile_cache import Looks, find_reading_arguments
from toolbox.app.pages import sentences
from toolbox.app.pages.editing import make_edit_route
from toolbox.app.pages.rendering import (
    Error,
    find_current_project,
    find_workplace,
    redirect_to_page,
    render,
    require_current_project,
)
from toolbox.app.project.files import NAME, RECORDS, find_path_below, find_source_below, format_path
from toolbox.app.server.uploading import discard_upload, receive_file
from toolbox.errors import InputError, ToolboxError, UsageError
from toolbox.messages import mark, say

SEPARATORS = {",": mark("a comma"), ";": mark("a semicolon"), "\\t": mark("a tab"), "|": mark("a vertical bar")}
COLUMNS_SHOWN = 100
ENCODINGS = ("utf-8", "utf-16", "windows-1252", "latin-1", "iso-8859-15", "cp850", "macroman", "shift_jis", "gb18030")
DECIMALS = {".": mark("a point, 1.5"), ",": mark("a comma, 1,5")}
THOUSANDS = {
    "": mark("nothing"),
    ",": mark("a comma"),
    ".": mark("a point"),
    " ": mark("a blank"),
    "'": mark("an apostrophe"),
}
ON_MISSING = {
    "": mark("are left out where they are few; otherwise you are asked"),
    "skip": mark("are left out"),
    "keep": mark("are kept: missing is a category of its own"),
    "fail": mark("stop the release"),
}


_SETTINGS = ("header", "header_line", "encoding", "missing", "on_missing", "table", "decimal", "thousands")
_USUAL: Final = {"encoding": ("", "utf-8"), "decimal": ("", "."), "header_line": ("", "1")}
"""What a configuration need not say."""
_PACKED: Final = (".gz", ".zst")
_PROJECT: Final = ".xml"
_MOST_SHOWN: Final = 200
_NAMES: Final = ("Ada", "Bo", "Cleo", "Dan", "Eva", "Finn", "Gina", "Hugo", "Ida", "Jan", "Kim", "Lou", "Mia", "Noa")
_SURNAMES: Final = (
    "Adler",
    "Berg",
    "Costa",
    "Dahl",
    "Egger",
    "Fox",
    "Gruber",
    "Hahn",
    "Ivers",
    "Jung",
    "Klein",
    "Lang",
)
_TOWNS: Final = {"8010": "Graz", "8020": "Graz", "4020": "Linz", "4030": "Linz", "1010": "Wien", "1220": "Wien"}
_ILLNESSES: Final = ("asthma", "broken arm", "diabetes", "flu", "migraine", "pneumonia")


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
        await workplace.open(_write_example(workplace.root))
    except (ToolboxError, OSError) as error:
        return await _render_screen(request, errors=[("", str(error))])
    return redirect_to_page("/data")


async def read_so(request: Request) -> Response:
    """Say how the table is read."""
    current, form = require_current_project(request), await request.form()
    try:
        await current.change(say("How the table is read"), lambda project: _set_reading(project, form))
    except ToolboxError as error:
        return await _render_screen(request, errors=[("separator", str(error))])
    return redirect_to_page("/data")


async def complete_paths(request: Request) -> Response:
    """Complete the path in a field, which the query may name."""
    text = request.query_params.get(request.query_params.get("field", "path"), "")
    return render(request, "paths.html", paths=_list_completions(find_workplace(request).root, text))


async def _render_screen(request: Request, *, errors: list[Error] | None = None, named: str = "") -> Response:
    workplace, current, told = find_workplace(request), find_current_project(request), list(errors or ())
    looked, is_looking, tables = None, False, list[str]()
    if current is not None:
        try:
            looked = await _find_sniffed_table(workplace.looks, current.project)
            is_looking = looked is None and bool(current.project.source)
        except ToolboxError as error:
            tables = list(error.tables) if isinstance(error, InputError) else []
            field = "encoding" if error.setting == "encoding" else "separator"
            told += [] if tables else [(field, str(error))]
    folder, listed, has_more = _list_folder(workplace.root, request.query_params.get("folder", "."))
    return render(
        request,
        "data.html",
        errors=told,
        named=named,
        looked=looked,
        is_looking=is_looking,
        tables=tables,
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


def _list_folder(root: Path, text: str) -> tuple[str, list[_FileEntry], bool]:
    """List a folder below the root; the root itself where there is no such folder."""
    try:
        folder = find_path_below(root, text)
    except ToolboxError:
        folder = root.resolve()
    listed, has_more = _list_entries(root, folder)
    name = folder.relative_to(root.resolve()).as_posix()
    return ("" if name == "." else name), listed, has_more


def _set_reading(project: Project, form: FormData) -> None:
    said = {name: str(form[name]) for name in _SETTINGS if name in form}
    separator = str(form.get("other_separator") or form.get("separator") or "")
    settings: dict[str, str | None] = {"separator": separator or None} if "separator" in form else {}
    for name, text in said.items():
        # The mark of missing values may be nothing at all.
        is_usual = text == "?" if name == "missing" else text in _USUAL.get(name, ("",))
        settings[name] = None if is_usual else text
    project.set_input(**settings)


# The same for next month's table: another way to begin, beside whatever project is open.

_NEW_COLUMNS: Final = {
    "drop": mark("left out, with all other columns that nobody declared"),
    "pass": mark("released as they are, with all other columns that nobody declared"),
}


_NEXT_FIELDS: Final = {
    "key": "key_file",
    "same-domain-as": "same_domain",
    "earlier": "earlier",
    "earlier-key": "earlier_key",
}
"""The field that says each setting of a release."""


async def render_next_page(request: Request) -> Response:
    """Show next month's table beside what last month's was made with."""
    return _render_next(request)


def _render_next(
    request: Request, errors: list[Error] | None = None, said: Mapping[str, str] | None = None
) -> Response:
    workplace, current = find_workplace(request), find_current_project(request)
    now, given = workplace.next, dict(said or {})
    wrong = None if errors or now.work is None else now.work.error
    failed = [] if wrong is None else [(_NEXT_FIELDS.get(wrong.setting, ""), str(wrong))]
    last = now.named or (None if current is None else current.project.path)
    usual = {
        "named": format_path(workplace.root, last),
        "table": format_path(workplace.root, now.table),
        "file": "" if now.table is None else format_path(workplace.root, _name_next_release(now.table)),
        **dict.fromkeys(("earlier", "earlier_key", "repair", "same_domain", "small_classes", "undeclared"), ""),
        "key_file": format_path(workplace.root, _find_own_key(None if current is None else current.project, now.named)),
        **now.said,
    }
    return render(
        request,
        "next.html",
        errors=[*(errors or ()), *failed],
        said={**usual, **given},
        next=now,
        found=now.found,
        released=now.released,
        proved=[] if now.released is None else sentences.describe_proof(now.released.document),
        new_columns=_NEW_COLUMNS,
        is_at_work=now.work is not None and not now.work.is_over,
    )


def _find_own_key(project: Project | None, named: Path | None) -> Path | None:
    """Return the key file of the project that is open, if next month's table is released by it."""
    return None if project is None or named not in (None, project.path) else project.key_file


def _name_next_release(table: Path) -> Path:
    return table.with_name(f"{table.stem}_release.csv")


async def look_at_next(request: Request) -> Response:
    """Begin to look at next month's table."""
    workplace, errors = find_workplace(request), list[Error]()
    said = {name: str(text).strip() for name, text in (await request.form()).items()}
    paths = []
    for field in ("named", "table"):
        try:
            paths.append(find_source_below(workplace.root, said.get(field, "")))
        except ToolboxError as error:
            errors.append((field, str(error)))
    if not errors:
        try:
            await workplace.look_at_next(paths[0], paths[1])
        except ToolboxError as error:
            errors = [("named", str(error))]
    return _render_next(request, errors, said) if errors else redirect_to_page("/next")


async def release_next(request: Request) -> Response:
    """Begin the release of next month's table."""
    workplace = find_workplace(request)
    said = {name: str(text).strip() for name, text in (await request.form()).items()}
    found = workplace.next.found
    if found is None:
        return redirect_to_page("/next")
    workplace.next.said = said
    paths, errors = dict[str, list[Path]](), list[Error]()
    for field in ("earlier", "key_file", "same_domain", "file"):
        lines = said.get(field, "").splitlines() or ([""] if field == "file" else [])
        try:
            paths[field] = [find_path_below(workplace.root, line) for line in lines if line.strip() or field == "file"]
        except ToolboxError as error:
            errors.append((field, str(error)))
    ways = [way["small_classes"] for way in found.get("ways", ()) if not way["problem"]]
    if said.get("small_classes") not in ways:
        errors.append(("small_classes", say("Choose what becomes of small classes.")))
    if errors:
        return _render_next(request, errors, said)
    try:
        workplace.next.release(
            paths["file"][0],
            said["small_classes"],
            said.get("undeclared", "") if said.get("undeclared", "") in _NEW_COLUMNS else "drop",
            paths["earlier"],
            persons=said.get("earlier_key", ""),
            repairs="repair" in said,
            key=next(iter(paths["key_file"]), None),
            same_domain=next(iter(paths["same_domain"]), None),
        )
    except ToolboxError as error:
        return _render_next(request, [("file", str(error))], said)
    return redirect_to_page("/next")


async def show_next_progress(request: Request) -> Response:
    """Show how far it is; when it is over, the page is shown anew."""
    work = find_workplace(request).next.work
    response = render(request, "work.html", work=work)
    if work is None or work.is_over:
        response.headers["HX-Redirect"] = "/next"
    return response


async def cancel_next(request: Request) -> Response:
    """End what is at work."""
    await find_workplace(request).next.cancel()
    find_workplace(request).notice = say("Cancelled. Nothing of it is left.")
    return redirect_to_page("/next")


ROUTES = [
    Route("/next", render_next_page),
    Route("/next/look", look_at_next, methods=["POST"]),
    Route("/next/release", release_next, methods=["POST"]),
    Route("/next/progress", show_next_progress),
    Route("/next/cancel", cancel_next, methods=["POST"]),
    Route("/data", render_data_page),
    Route("/data/open", open_source, methods=["POST"]),
    Route("/data/upload", upload, methods=["POST"]),
    Route("/data/example", open_example, methods=["POST"]),
    make_edit_route("/data/reading", read_so),
    Route("/data/paths", complete_paths),
]


@dataclass(frozen=True)
class _FileEntry:
    """A folder or a file that could be opened."""

    name: str
    path: str
    """Relative to the root."""
    is_folder: bool
    is_project: bool
    size: int


def _list_entries(root: Path, folder: Path) -> tuple[list[_FileEntry], bool]:
    """List the folders, tables and projects of a folder, and tell whether there are more."""
    found = sorted(_read_entries(root, folder), key=lambda entry: (not entry.is_folder, entry.name.casefold()))
    return found[:_MOST_SHOWN], len(found) > _MOST_SHOWN


def _list_completions(root: Path, text: str) -> list[str]:
    """Return paths that begin with a text."""
    start, _, begin = text.rpartition("/")
    try:
        folder = find_path_below(root, start or ".")
    except UsageError:
        return []
    found, _ = _list_entries(root, folder)
    return [
        f"{entry.path}{'/' if entry.is_folder else ''}"
        for entry in found
        if entry.name.casefold().startswith(begin.casefold())
    ][:20]


def _read_entries(root: Path, folder: Path) -> list[_FileEntry]:
    """List what could be opened, by the endings of the names; any other file can be named as well."""
    wanted = frozenset((*Project.table_extensions(), *_PACKED, _PROJECT))
    try:
        with os.scandir(folder) as listed:
            found = [_read_entry(root, folder, one, wanted) for one in listed if not one.name.startswith(".")]
    except OSError:
        return []
    return [entry for entry in found if entry is not None]


def _read_entry(root: Path, folder: Path, one: os.DirEntry[str], wanted: Collection[str]) -> _FileEntry | None:
    suffix = Path(one.name).suffix.lower()
    try:
        is_folder = one.is_dir(follow_symlinks=False)
        is_wanted = is_folder or (one.is_file(follow_symlinks=False) and suffix in wanted)
        size = 0 if is_folder else one.stat(follow_symlinks=False).st_size
        path = (folder / one.name).relative_to(root.resolve()).as_posix()
        path.encode()
    except (OSError, ValueError):
        return None
    return _FileEntry(one.name, path, is_folder, suffix == _PROJECT, size) if is_wanted else None


def _write_example(folder: Path) -> Path:
    """Write the table to a folder, unless it is there, and return its path."""
    path = folder / NAME
    if not path.exists():
        with path.open("x", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(("name", "born", "sex", "postcode", "town", "illness", "nights"))
            writer.writerows(_make_example_records())
    return path


def _make_example_records() -> list[tuple[str, ...]]:
    # The same people for everybody.
    chance = Random(20)
    found: list[tuple[str, ...]] = []
    for _ in range(RECORDS):
        postcode = chance.choice(list(_TOWNS))
        born = f"{chance.randint(1935, 2005)}-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}"
        person = f"{chance.choice(_NAMES)} {chance.choice(_SURNAMES)}"
        nights = str(min(chance.randint(1, 9), chance.randint(1, 30)))
        found.append((person, born, chance.choice("FM"), postcode, _TOWNS[postcode], chance.choice(_ILLNESSES), nights))
    return found
