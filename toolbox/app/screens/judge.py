"""The screen *Judge and release*: what a release protects and costs, and the release itself."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from toolbox.app.children.project_session import Work, copy_without_output
from toolbox.app.children.protocol import list_fault_sentences
from toolbox.app.children.runs import CommandError, Report
from toolbox.app.pages import sentences
from toolbox.app.pages.editing import make_edit_route
from toolbox.app.pages.rendering import (
    Error,
    find_current_project,
    find_workplace,
    redirect_to_page,
    render,
    require_current_project,
    tell_on_screen,
)
from toolbox.app.project.documents import FinishedRelease, open_file_safely
from toolbox.app.project.files import find_path_below, find_source_below, format_path, is_below
from toolbox.app.project.open_project import OpenProject
from toolbox.app.project.variants import PreviewVariant
from toolbox.app.screens.columns import find_missing_records
from toolbox.charts import group_class_sizes, render_sizes_figure
from toolbox.errors import ToolboxError, UsageError
from toolbox.messages import mark, retell, say, say_count

if TYPE_CHECKING:
    from toolbox import Project

_UNDECIDED: Final = mark("Say what becomes of the records that lack a value: leave them out, or keep them.")
_KINDS = {
    "": mark("no report"),
    "internal": mark("internal: for your own files"),
    "public": mark("public: to give away with it"),
}
_OF_REPORT: Final = {
    "organisation": mark("Organisation"),
    "purpose": mark("Purpose"),
    "decided_by": mark("Who decides"),
}
"""What a report says of those who make the release, by the settings of the project."""


async def render_judge_page(request: Request) -> Response:
    """Show the screen."""
    return await _render_screen(request)


async def _render_screen(
    request: Request, said: Mapping[str, str] | None = None, errors: list[Error] | None = None
) -> Response:
    current = find_current_project(request)
    if current is None:
        return render(request, "empty.html", title=mark("Judge and release"))
    # What ends while this waits is told.
    missing = await find_missing_records(current)
    runs, shown = current.runs, current.shown
    return render(
        request,
        "judge.html",
        # What was wrong with the file before is no answer to what is asked now.
        errors=errors or _find_failure(runs.work),
        said=_find_usual_answers(current, find_workplace(request).root) | dict(said or {}),
        # Where it goes is a field of this page, with a fault of its own.
        faults_of_project=[tell_on_screen(fault) for fault in copy_without_output(current.project).faults()],
        kinds=_KINDS,
        of_report=_OF_REPORT,
        shown=shown,
        is_tried=current.variant is not None,
        promised=[] if shown is None else _describe_promises(shown),
        charts=[] if shown is None else [_draw_class_sizes(shown)],
        released=runs.released,
        notes=[] if runs.released is None else _list_notes(runs.released),
        proved=[] if runs.released is None else sentences.describe_proof(runs.released.document),
        judged=runs.judged,
        judgement=[] if runs.judged is None else _describe_judgement(runs.judged),
        opens_folders=_find_file_opener() is not None,
        missing_page="/judge",
        **missing,
    )


def _find_failure(work: Work | None) -> list[Error]:
    """Return why the last release or judgement has failed, if it has."""
    if work is None or work.error is None or work.is_cancelled:
        return []
    first, *more = work.error.args if isinstance(work.error, CommandError) else [str(work.error)]
    said = [f"{work.words}: {first}", *more]
    return (
        [("judged", sentence) for sentence in said]
        if work.name == "judge"
        else [*(("", sentence) for sentence in said), ("", say("Nothing was written."))]
    )


# What answers a note, as a button: nobody has to know what an attribute of the configuration is called.


@dataclass(frozen=True)
class NoteAnswer:
    """A button, or a link to the page where somebody has to choose."""

    words: str
    page: str = ""
    action: str = "/judge/remedy"
    fields: tuple[tuple[str, str], ...] = ()


_PLACES: Final = {
    "role": NoteAnswer(mark("Say what they are"), "/columns"),
    "files": NoteAnswer(mark("Look at these lines"), "/data"),
    "method": NoteAnswer(mark("Choose another method or another k"), "/protect"),
    "models": NoteAnswer(mark("Change what is required"), "/protect"),
}
_KEEP_MISSING: Final = NoteAnswer(
    mark("Keep these records, with missing as a category"),
    action="/missing",
    fields=(("back", "/judge"), ("on_missing", "keep")),
)
_ANSWERS: Final = {
    ("undeclared", "drop"): mark("Leave them out"),
    ("suppressed", "drop"): mark("Leave suppressed records out"),
    ("order", "shuffled"): mark("Release in a random order"),
    ("order", "input"): mark("Keep the order of the input"),
    ("statistics", "rounded"): mark("Round the statistics"),
    ("escape_formulas", "true"): mark("Write an apostrophe before them"),
    ("seed", ""): mark("Take the seed out"),
    ("suppression", ""): mark("Take the limit out"),
    ("compatibility", ""): mark("Do not do as the toolbox of 2010"),
}
"""Settings of a project that answer a note, each with what its button says."""
_OF_RELEASE: Final = frozenset({"order", "statistics", "escape_formulas"})
_IDENTIFIER: Final = ("role", "identifier")


def _list_notes(released: FinishedRelease) -> list[tuple[str, list[NoteAnswer]]]:
    return [
        (retell(note), [answer for each in remedies if (answer := _find_answer(each)) is not None])
        for note, remedies in released.notes
    ]


def _find_answer(remedy: Mapping[str, Any]) -> NoteAnswer | None:
    setting, value, columns = remedy["setting"], remedy["value"], remedy["columns"]
    if value is None:
        return _PLACES.get(setting)
    fields = (("setting", setting), ("value", value), *(("column", name) for name in columns))
    if (setting, value) == _IDENTIFIER:
        leave = say_count(
            "Leave %(name)s out, as an identifier",
            "Leave these %(count)s columns out, as identifiers",
            len(columns),
            name=columns[0],
        )
        return NoteAnswer(leave, fields=fields)
    if (setting, value) == ("on_missing", "keep"):
        return _KEEP_MISSING
    words = _ANSWERS.get((setting, value))
    return None if words is None else NoteAnswer(words, fields=fields)


async def follow_note(request: Request) -> Response:
    """Do what the button of a note says; the release stays as it is until it is made again."""
    current, form = require_current_project(request), await request.form()
    asked = str(form.get("setting", "")), str(form.get("value", ""))
    columns = [str(name) for name in form.getlist("column")]
    words = say("Leave columns out") if asked == _IDENTIFIER else _ANSWERS.get(asked)
    if words is None:
        raise HTTPException(404)
    try:
        await current.change(words, lambda project: _follow_note(project, asked, columns))
        find_workplace(request).notice = say("%(words)s: the project says so now. Release it again.", words=words)
    except ToolboxError as error:
        find_workplace(request).notice = str(error)
    return redirect_to_page("/judge#release")


def _follow_note(project: Project, asked: tuple[str, str], columns: list[str]) -> None:
    setting, value = asked
    if asked == _IDENTIFIER:
        project.set_roles(dict.fromkeys(columns, "identifier"))
    elif setting in _OF_RELEASE:
        project.set_output(**{setting: value})
    else:
        project.set_option(setting, value or None)


def _describe_promises(variant: PreviewVariant) -> list[sentences.Sentence]:
    """Return what a preview promises: what it has proved, who is at risk, and the one figure of what is left."""
    document = variant.document
    found = sentences.describe_proof(document)
    if document["risk"] is not None:
        found += sentences.describe_attacker(document["risk"])
    return [*found, sentences.describe_detail(variant.detail)]


def _describe_judgement(judged: Any) -> list[tuple[str, list[sentences.Sentence]]]:
    found = [
        (say("Is it anonymous?"), sentences.describe_check(judged.check)),
        (say("Who is still at risk?"), sentences.describe_risk(judged.risk)),
        (say("What did it cost?"), sentences.describe_losses(judged.measure)),
        (say("Could it be better?"), sentences.describe_bounds(judged.measure)),
    ]
    return [(title, said) for title, said in found if said]


def _find_usual_answers(current: OpenProject, root: Path) -> dict[str, str]:
    project, released = current.project, current.runs.released
    made = "" if released is None or not released.files else str(released.files[0])
    judged = made if current.runs.asked is None else str(current.runs.asked)
    file = str(project.output.get("filename", ""))
    return {
        "file": file,
        "split": project.output.get("split_size", ""),
        "kind": "internal",
        **{name: project.output.get(name, "") for name in _OF_REPORT},
        "judged": format_path(root, judged),
        "bound": "",
    }


async def release(request: Request) -> Response:
    """Save the project, and begin its release."""
    current, root = require_current_project(request), find_workplace(request).root
    said = {name: str(text).strip() for name, text in (await request.form()).items()}
    try:
        file = _release_file(current, root, said.get("file", ""))
        page_beside = find_path_below(root, str(file.with_suffix(".html")))
    except ToolboxError as error:
        return await _render_screen(request, said, [("file", str(error))])
    missing = (await find_missing_records(current))["missing"]
    if missing is not None and missing.needs_choice:
        return await _render_screen(request, said, [("missing-skip", _UNDECIDED)])
    kind = said.get("kind", "")
    report = Report(page_beside, kind) if kind and kind in _KINDS else None
    try:
        await current.change(say("File of the release"), lambda edited: _set_output(edited, file, said))
        await current.release(report)
    except ToolboxError as error:
        return await _render_screen(request, said, [("", sentence) for sentence in list_fault_sentences(error)])
    return redirect_to_page("/judge#release")


def _release_file(current: OpenProject, root: Path, name: str) -> Path:
    """Return the file that is named, relative to the folder of the project."""
    return find_path_below(root, str(current.folder.resolve() / name) if name else "")


def _set_output(project: Project, file: Path, said: Mapping[str, str]) -> None:
    named = {name: said.get(name) or None for name in _OF_REPORT}
    project.set_output(filename=file, split_size=said.get("split") or None, **named)


async def judge(request: Request) -> Response:
    """Save the project, and begin to judge a file by its columns."""
    current, root = require_current_project(request), find_workplace(request).root
    said = {name: str(text).strip() for name, text in (await request.form()).items()}
    try:
        file = find_source_below(root, said.get("judged", ""))
        project, sources = await current.save(), current.project.source
        original, with_bound = sources[0] if len(sources) == 1 else None, "bound" in said
        current.runs.judge(project, file, original, with_bound=with_bound)
    except ToolboxError as error:
        return await _render_screen(request, said, [("judged", sentence) for sentence in list_fault_sentences(error)])
    return redirect_to_page("/judge#judgement")


async def open_folder(request: Request) -> Response:
    """Open the folder of the release in the file manager of this machine."""
    released, opener = require_current_project(request).runs.released, _find_file_opener()
    if opener is not None and released is not None and released.files:
        await asyncio.create_subprocess_exec(opener, str(released.files[0].resolve().parent), start_new_session=True)
    return redirect_to_page("/judge#release")


# The page for people that the last release has beside it, shown as it is, so that it can be read and printed.

_MOST_SHOWN = 20_000_000
"""Bytes that are shown; a report of ours is far smaller. The file may be anybody's by now, of any size."""
_REPORT_POLICY = "; ".join(
    (
        "default-src 'none'",
        # Its style is within it, and its own policy names that by a checksum.
        "style-src 'unsafe-inline'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "sandbox",
    )
)
"""The file may be anybody's by now: it is shown, can neither run nor load anything, and is no page of ours."""


async def render_report_page(request: Request) -> Response:
    """Show the report."""
    released = require_current_project(request).runs.released
    if released is None or not released.report:
        raise HTTPException(404)
    path = Path(released.report)
    if path.suffix != ".html" or not is_below(find_workplace(request).root, path):
        raise HTTPException(404)
    try:
        text = await asyncio.to_thread(_read_report_text, path.resolve())
    except (OSError, UnicodeDecodeError):
        raise UsageError(
            say("The report is no longer at %(path)s. Release again, and it is made again.", path=path)
        ) from None
    return HTMLResponse(text, headers={"Content-Security-Policy": _REPORT_POLICY})


def _read_report_text(path: Path) -> str:
    with os.fdopen(open_file_safely(path, os.O_RDONLY), "rb") as stream:
        if len(content := stream.read(_MOST_SHOWN + 1)) > _MOST_SHOWN:
            raise UsageError(
                say("%(path)s is larger than any report of ours. Open it by itself, or release again.", path=path)
            )
        return content.decode()


def _find_file_opener() -> str | None:
    return shutil.which("open" if sys.platform == "darwin" else "xdg-open")


ROUTES = [
    Route("/judge", render_judge_page),
    make_edit_route("/judge/release", release),
    make_edit_route("/judge/file", judge),
    make_edit_route("/judge/remedy", follow_note),
    Route("/judge/folder", open_folder, methods=["POST"]),
    Route("/judge/report", render_report_page),
]


def _draw_class_sizes(variant: PreviewVariant) -> str:
    """Draw how many records are in classes of each size, before and after."""
    k = variant.k or 1
    before, after = (group_class_sizes(variant.sizes(side), k) for side in ("before", "after"))
    caption = say("Records by the size of their class, before and after; those below k = %(k)s are at risk", k=k)
    return render_sizes_figure(before, after, key="sizes", caption=caption) if before else ""
