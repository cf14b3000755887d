"""What stands around the screens: undo, redo and save; what is at work; the project as text; the end."""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from toolbox.app.addresses import parse_address
from toolbox.app.children.project_session import BusyError
from toolbox.app.pages.editing import find_previous_page, make_edit_route
from toolbox.app.pages.rendering import (
    find_current_project,
    find_next_step,
    find_workplace,
    is_fragment,
    redirect_to_page,
    render,
    require_current_project,
)
from toolbox.errors import ToolboxError
from toolbox.messages import LANGUAGES, mark, say

_STOP_POLLING = 286
_TITLES = {
    "xml": mark("The project as XML"),
    "python": mark("The project as Python"),
    "command": mark("The project as a command"),
}


async def start(request: Request) -> Response:
    """Lead to the step that is to be done next."""
    return redirect_to_page(find_next_step(find_current_project(request)))


async def undo(request: Request) -> Response:
    """Take back the last change."""
    return await _note_step(
        request,
        await require_current_project(request).undo(),
        mark("Undone: %(words)s."),
        say("There is nothing to undo."),
    )


async def redo(request: Request) -> Response:
    """Make the last change that was taken back again."""
    return await _note_step(
        request,
        await require_current_project(request).redo(),
        mark("Done again: %(words)s."),
        say("There is nothing to do again."),
    )


async def _note_step(request: Request, words: str | None, done: str, nothing: str) -> Response:
    find_workplace(request).notice = nothing if words is None else say(done, words=words)
    return redirect_to_page(await find_previous_page(request))


async def save(request: Request) -> Response:
    """Write the project to its folder."""
    workplace = find_workplace(request)
    try:
        path = await require_current_project(request).save()
    except ToolboxError as error:
        workplace.notice = str(error)
    else:
        workplace.notice = say(
            "Saved %(path)s. It also runs without this application: toolbox -config %(name)s",
            path=path,
            name=path.name,
        )
    return redirect_to_page(await find_previous_page(request))


async def render_frame_part(request: Request) -> Response:
    """Show a part of the frame anew: its tools, or the rail of the steps."""
    at = request.query_params.get("at", "/")
    return render(request, "frame.html", path=at) if is_fragment(request) else redirect_to_page("/")


async def render_current_release(request: Request) -> Response:
    """Show "a release now", beside the screens."""
    current = find_current_project(request)
    figures, problem, busy, missing = None, "", None, None
    if current is not None:
        try:
            chosen = [column for column in current.project.columns() if column.role == "quasi-identifier"]
            problem = (
                ""
                if chosen
                else say("Step 2, Columns, says which columns others may know. Then this counts who stands out.")
            )
            if chosen:
                figures, missing = await current.ask("at_risk", k=current.k), await current.ask("count_missing")
        except BusyError as error:
            busy = error.work
        except ToolboxError as error:
            problem = str(error)
    page = _find_part_page(request)
    return render(request, "now.html", figures=figures, problem=problem, busy=busy, lacking=missing, page=page)


def _find_part_page(request: Request) -> str:
    """Return the path of the page that shows a part."""
    return parse_address(request.headers.get("hx-current-url", "")).path or "/"


async def work(request: Request) -> Response:
    """Show how far a work is; htmx asks again until it is over."""
    current = find_current_project(request)
    found = None if current is None else current.work_of(request.path_params["slot"])
    response = render(request, "work.html", work=found)
    if found is None or found.is_over:
        response.status_code = _STOP_POLLING if is_fragment(request) else 200
        response.headers["HX-Trigger"] = "worked"
    return response


async def cancel(request: Request) -> Response:
    """End what is at work."""
    current = require_current_project(request)
    await (current.cancel() if request.path_params["slot"] == "session" else current.runs.cancel())
    find_workplace(request).notice = say("Cancelled. Nothing of it is left, and the project is as it was.")
    return redirect_to_page(await find_previous_page(request))


async def read(request: Request) -> Response:
    """Read the table after all, where somebody had cancelled that."""
    require_current_project(request).read()
    return redirect_to_page(await find_previous_page(request))


async def render_project_text(request: Request) -> Response:
    """Show the project as XML, as Python, or as a command."""
    language = request.path_params["language"]
    if language not in _TITLES:
        raise HTTPException(404)
    text, problem = "", ""
    try:
        project = require_current_project(request).project
        text = {"xml": project.xml, "python": project.as_python, "command": project.as_command}[language]()
    except ToolboxError as error:
        problem = str(error)
    return render(request, "as.html", title=_TITLES[language], text=text, problem=problem)


async def choose_language(request: Request) -> Response:
    """Show everything in another language from now on."""
    wanted = str((await request.form()).get("language", ""))
    if wanted in LANGUAGES:
        find_workplace(request).language = wanted
    return redirect_to_page(await find_previous_page(request))


async def leave(request: Request) -> Response:
    """End the application."""
    workplace = find_workplace(request)
    response = render(request, "ended.html")
    workplace.is_ending = True
    return response


ROUTES = [
    Route("/", start),
    make_edit_route("/undo", undo),
    make_edit_route("/redo", redo),
    make_edit_route("/save", save),
    Route("/frame", render_frame_part),
    Route("/now", render_current_release),
    Route("/work/{slot}", work),
    Route("/work/{slot}/cancel", cancel, methods=["POST"]),
    Route("/read", read, methods=["POST"]),
    Route("/as/{language}", render_project_text),
    Route("/language", choose_language, methods=["POST"]),
    Route("/quit", leave, methods=["POST"]),
]
