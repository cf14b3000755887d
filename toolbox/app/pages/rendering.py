"""Pages of templates, in the frame or in part, and what they load besides themselves."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from toolbox.app.pages.protection import find_method_called
from toolbox.app.project.open_project import OpenProject
from toolbox.app.project.state import Workplace, require_project
from toolbox.charts import read_style
from toolbox.errors import ToolboxError
from toolbox.messages import LANGUAGES, find_language, mark, retell, show, translate, write_figure, write_value

# What pages load besides themselves: style sheets and scripts, under addresses that say their bytes.
#
# So a browser asks for each once. They are the same for everybody; nothing of anybody's data is among them.

_STATIC = Path(__file__).parents[1] / "static"
_KINDS = {".css": "text/css", ".js": "text/javascript"}
_FOR_GOOD = "private, max-age=31536000, immutable"
STEPS = (
    ("data", mark("Data")),
    ("columns", mark("Columns")),
    ("risk", mark("Risk now")),
    ("hierarchies", mark("Hierarchies")),
    ("protect", mark("Protect")),
    ("look", mark("Look")),
    ("judge", mark("Judge and release")),
)


ROLE_NAMES = {
    "identifier": mark("Identifier"),
    "quasi-identifier": mark("Quasi-identifier"),
    "sensitive": mark("Sensitive"),
    "other": mark("Other"),
}
_KIND_NAMES = {
    "number": mark("number"),
    "category": mark("category"),
    "date": mark("date"),
    "timestamp": mark("timestamp"),
}
_STEPS_OF_WORK = {
    "read": mark("reading"),
    "look": mark("looking"),
    "prove": mark("proving"),
    "write": mark("writing"),
    "measure": mark("measuring"),
    "check": mark("checking"),
    "risk": mark("counting who is at risk"),
}
_STATES = {"to do": mark("to do"), "ready": mark("ready"), "out of date": mark("out of date")}


class Asset(NamedTuple):
    """One file."""

    address: str
    content: bytes
    kind: str


@cache
def load_assets() -> Mapping[str, Asset]:
    """Return all of them, by their names; the style sheet has that of the charts at its end."""
    contents = {path.name: path.read_bytes() for path in _STATIC.iterdir() if path.suffix in _KINDS}
    contents["style.css"] += read_style().encode()
    return {name: _make_asset(name, content) for name, content in contents.items()}


def find_asset_address(name: str) -> str:
    """Return where a page finds a file."""
    return load_assets()[name].address


@cache
def build_icon_address() -> str:
    """Return the icon as an address that holds it."""
    return f"data:image/svg+xml,{quote((_STATIC / 'icon.svg').read_text(encoding='utf-8').strip())}"


def _make_asset(name: str, content: bytes) -> Asset:
    digest = hashlib.sha256(content).hexdigest()[:16]
    return Asset(f"/static/{digest}/{name}", content, _KINDS[Path(name).suffix])


async def serve_asset(request: Request) -> Response:
    """Return a file; under the name of other bytes there is none."""
    found = load_assets().get(request.path_params["name"])
    if found is None or found.address != request.url.path:
        raise HTTPException(404)
    return Response(found.content, media_type=found.kind, headers={"Cache-Control": _FOR_GOOD})


ROUTES = [Route("/static/{digest}/{name}", serve_asset)]


# Pages of templates: in the frame, or of them what htmx asks for.

_TEMPLATES = Path(__file__).parents[1] / "templates"
_POSTING = re.compile(r'<form\b[^>]*\bmethod="post"[^>]*>')
_CURRENT = "toolbox.current"
"""Where a request keeps the project that it is about."""

# What messages of the toolbox say to people who write neither configurations nor calls: in the words of the screens.


class _ScreenText(str):
    """A message in the words of the screens, with the places where something can be done about it."""

    places: tuple[tuple[str, str], ...] = ()
    """What each link says, and its page."""


class _Rewording(NamedTuple):
    """How a part of a message is said on a screen."""

    found: re.Pattern[str]
    said: str
    """A marked sentence, with the groups of what was found as values."""
    places: tuple[tuple[str, str], ...] = ()


_HIERARCHIES = (mark("Make a hierarchy"), "/hierarchies")
_KINDS_OF_COLUMNS = (mark("Say what the columns hold"), "/columns")
_PROTECTION = (mark("Choose another method"), "/protect")
_REWORDINGS = (
    _Rewording(
        re.compile(
            r"(?:(?<=\. )|^)(?P<column>[^.]+|.+?) has no hierarchy, which (?P<method>\S+) needs to generalise it\. "
            r"(?:Add a <vgh>|Write --hierarchy .+?), or use \w+, which needs none\. "
            r"Dates have one with (?:type='date'|--kind .+?=date)\."
        ),
        mark(
            "%(column)s has no hierarchy, which %(method)s needs to generalise it. Dates have one if you say that they "
            "are dates."
        ),
        (_HIERARCHIES, _PROTECTION, _KINDS_OF_COLUMNS),
    ),
    _Rewording(
        re.compile(
            r"(?:Leave it out), choose (?P<method>\S+), which takes \S+, or list a <model> for each in <privacy>\."
        ),
        mark("Choose %(method)s, or add what is required in step 5 instead."),
        ((mark("Change what is required"), "/protect"),),
    ),
    _Rewording(
        re.compile(
            r"(?P<method>\w+) [^.:]+, and only their combinations are kept here\. "
            r"(?:Use toolbox\.anonymize|Run it .+?), or choose another method\."
        ),
        mark(
            "%(method)s needs single records, which no preview keeps. Release it without a preview, or choose another "
            "method."
        ),
        ((mark("Judge and release"), "/judge"),),
    ),
    _Rewording(
        re.compile(r"(?:Write it anew): toolbox anonymize \.\. --save-recoding FILE\."),
        mark("Name the project (XML) of last month instead: its recoding is made anew."),
    ),
    _Rewording(
        re.compile(r"A pseudonym, or a shift, needs a key file, and \S+ names none\. Make one: toolbox key new FILE"),
        mark("A pseudonym, or a shift, needs a key file. Name one."),
    ),
)
"""Messages of the toolbox that name elements, arguments or options, which no screen shows."""


def tell_on_screen(text: str) -> _ScreenText:
    """Say a message in the words of the screens, with links where something can be done about it.

    Examples
    --------
    >>> told = tell_on_screen("zip has no hierarchy, which Flash needs to generalise it. Add a <vgh>, or use Mondrian, "
    ...     "which needs none. Dates have one with type='date'.")
    >>> told, [page for _, page in told.places]
    ('zip has no hierarchy, which Flash needs to generalise it. Dates have one if you say that they are dates.',
     ['/hierarchies', '/protect', '/columns'])
    """
    said, places = str(show(text)), dict[tuple[str, str], None]()
    for rewording in _REWORDINGS:
        for match in list(rewording.found.finditer(said)):
            said = said.replace(match[0], show(rewording.said) % match.groupdict())
            places |= dict.fromkeys(rewording.places)
    told = _ScreenText(retell(said))
    told.places = tuple(places)
    return told


Error = tuple[str, str]
"""The name of a field, empty for the page as a whole; and what is wrong with it."""


def render(
    request: Request,
    template: str,
    *,
    errors: Sequence[Error] = (),
    status: int = 200,
    is_whole: bool = False,
    **values: Any,
) -> Response:
    """Render a page.

    Asked by htmx, it is only the block that is called like the element to replace, with ``-`` for ``_``, if the
    template has one; else the block ``main``.

    Parameters
    ----------
    request : Request
    template : str
        Name of a file in ``templates``, which extends ``frame.html``.
    errors : sequence of (str, str)
        The field and what is wrong with it, in one sentence; they are summed up on top, and shown beside the field.
    status : int
    is_whole : bool
        Whether it is the page also where htmx asks.
    values
        What the template shows.
    """
    workplace, is_part = find_workplace(request), is_fragment(request) and not is_whole
    found = make_environment().get_template(template)
    current = find_current_project(request)
    version = "" if current is None else current.version
    told = [(field, tell_on_screen(sentence)) for field, sentence in errors]
    context = {
        "workplace": workplace,
        "current": current,
        "steps": _list_steps(current),
        "version": version,
        "path": request.url.path,
        "errors": told,
        "faults": dict(reversed(told)),
        "is_fragment": is_part,
        "language": find_language(),
        "languages": LANGUAGES,
        "states": _STATES,
        **values,
    }
    if is_part:
        block = request.headers.get("hx-target", "main").replace("-", "_")
        # Those of the frame are in every page, and not among the blocks of its template.
        blocks = {**make_environment().get_template("frame.html").blocks, **found.blocks}
        named = block if block in blocks else "main"
        part = "".join(blocks[named](found.new_context(context)))
        return HTMLResponse(_add_project_version(part, version), status_code=status)
    context["notice"], workplace.notice = tell_on_screen(workplace.notice), ""
    return HTMLResponse(_add_project_version(found.render(context), version), status_code=status)


def _add_project_version(markup: str, version: str) -> str:
    """Add the state of the project to each form that changes something; see `toolbox.app.pages.editing`.

    Here no template can forget it. What looks like a form in the data is text, in which no bracket is left.
    """
    field = f'<input type="hidden" name="version" value="{version}">'
    return _POSTING.sub(rf"\g<0>{field}", markup) if version else markup


def redirect_to_page(path: str) -> Response:
    """Answer a form: look at this page now."""
    return RedirectResponse(path, status_code=303)


def is_fragment(request: Request) -> bool:
    """Whether htmx asks, for a part of a page."""
    return "hx-request" in request.headers


def find_workplace(request: Request) -> Workplace:
    """Return what this start of the application has open."""
    found = request.app.state.workplace
    assert isinstance(found, Workplace)
    return found


def find_current_project(request: Request) -> OpenProject | None:
    """Return the project that was open when it was first asked for; the whole answer is about this one."""
    scope = request.scope
    if _CURRENT not in scope:
        scope[_CURRENT] = find_workplace(request).current
    found = scope[_CURRENT]
    assert found is None or isinstance(found, OpenProject)
    return found


def require_current_project(request: Request) -> OpenProject:
    """Return the same, where one is open.

    Raises
    ------
    UsageError
        If none is.
    """
    return require_project(find_current_project(request))


@cache
def make_environment() -> Environment:
    """Return the templates, with the words that all of them use."""
    made = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=["jinja2.ext.i18n"],
        finalize=show,
    )
    made.policies["ext.i18n.trimmed"] = True
    # Values have names, and are escaped where they meet the text.
    made.newstyle_gettext = True  # type: ignore[attr-defined]
    made.globals |= {"_": _say_text, "gettext": _say_text, "ngettext": _say_count}
    made.filters |= {
        "number": number,
        "percent": format_percent,
        "decimals": format_decimals,
        "seconds": format_seconds,
        "step": lambda name: _STEPS_OF_WORK.get(name, name),
        "sentence": _begin_sentence,
        "retell": retell,
        "figure": write_figure,
        "said": translate,
    }
    # As a global: what a template imports is not there where only one of its blocks is rendered.
    made.globals |= {
        "asset": find_asset_address,
        "icon": build_icon_address(),
        "role_names": ROLE_NAMES,
        "kind_names": _KIND_NAMES,
    }
    made.globals["ui"] = made.get_template("ui.html").module
    made.globals["column_ui"] = made.get_template("column.html").module
    return made


def _say_text(message: str, /, **values: Any) -> Markup:
    """Say a text of a template, which is markup; what stands in it is escaped."""
    return _fill_text(translate(message), values)


def _say_count(one: str, many: str, count: int, /, **values: Any) -> Markup:
    return _fill_text(translate(one, many, count), {"count": count, **values})


def _fill_text(text: str, values: Mapping[str, Any]) -> Markup:
    return Markup(text) % {name: write_value(value) for name, value in values.items()}


def number(value: float | None) -> str:
    """Write a count.

    Examples
    --------
    >>> number(1234567), number(None)
    ('1,234,567', '–')
    """
    return "–" if value is None else write_figure(f"{value:,.0f}")


def format_percent(share: float | None) -> str:
    """Write a share.

    Examples
    --------
    >>> format_percent(0.0508), format_percent(None)
    ('5.1 %', '–')
    """
    return "–" if share is None else write_figure(f"{share * 100:,.1f} %")


def format_decimals(value: float | None) -> str:
    """Write a figure that is no count.

    Examples
    --------
    >>> format_decimals(0.51788), format_decimals(None)
    ('0.518', '–')
    """
    return "–" if value is None else write_figure(f"{value:,.3f}")


def format_seconds(value: float) -> str:
    """Write a time.

    Examples
    --------
    >>> format_seconds(0.42), format_seconds(75)
    ('0.4 s', '1 min 15 s')
    """
    return write_figure(f"{value:.1f} s") if value < 60 else f"{int(value // 60)} min {int(value % 60)} s"


def _begin_sentence(words: str) -> str:
    """Write words with a capital, in the language that is spoken now."""
    return f"{show(words)[:1].upper()}{show(words)[1:]}"


@dataclass(frozen=True)
class RailStep:
    """One step in the rail."""

    number: int
    path: str
    title: str
    state: str
    """``to do``, ``ready``, or ``out of date``."""


def _list_steps(current: OpenProject | None) -> tuple[RailStep, ...]:
    """Return the steps, each with its state."""
    states = _find_states(current)
    return tuple(RailStep(number, f"/{name}", title, states[name]) for number, (name, title) in enumerate(STEPS, 1))


def find_next_step(current: OpenProject | None) -> str:
    """Return the path of the step that is to be done next."""
    return next((step.path for step in _list_steps(current) if step.state != "ready"), "/judge")


def _find_states(current: OpenProject | None) -> dict[str, str]:
    if current is None:
        return {name: "to do" for name, _ in STEPS}
    project = current.project
    try:
        columns_now = project.columns()
    except ToolboxError:
        return {name: "to do" for name, _ in STEPS}
    chosen = [column for column in columns_now if column.role == "quasi-identifier"]
    tried = "ready" if current.variant is not None else "out of date" if len(current.variants) else "to do"
    columns = "ready" if chosen else "to do"
    method = find_method_called(project.method)
    lacking = method is not None and method.full_domain and any(column.hierarchy == "none" for column in chosen)
    return {
        "data": "ready",
        "columns": columns,
        "risk": columns,
        "hierarchies": "to do" if lacking or not chosen else "ready",
        "protect": tried,
        "look": tried,
        "judge": current.released_state,
    }
