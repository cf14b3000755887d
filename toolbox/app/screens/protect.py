"""The screen *Protect*: what every class must satisfy, by which method; previews, and two of them side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from toolbox.app.addresses import build_address, parse_small_number
from toolbox.app.children.profile_cache import ColumnProfile, find_column_profiles
from toolbox.app.children.protocol import list_fault_sentences
from toolbox.app.pages.editing import make_edit_route
from toolbox.app.pages.protection import Protection, list_addable_models
from toolbox.app.pages.rendering import (
    Error,
    find_current_project,
    find_workplace,
    format_percent,
    is_fragment,
    number,
    redirect_to_page,
    render,
    require_current_project,
)
from toolbox.app.project.files import find_source_below, format_path
from toolbox.app.project.open_project import OpenProject
from toolbox.app.project.variants import ChoiceOfLevels, PreviewVariant
from toolbox.app.screens.columns import find_missing_records
from toolbox.charts import LatticeBox, Point, draw_lattice, draw_risk_loss, render_figure, render_table
from toolbox.charts import format_percent as format_share
from toolbox.errors import ToolboxError, UnsatisfiableError, UsageError
from toolbox.messages import join_said, mark, say, write_figure

if TYPE_CHECKING:
    from toolbox import Project


# Two variants, figure by figure.

_BETTER: Mapping[bool, str] = {True: mark("more is better"), False: mark("less is better")}
_SEEMS = {"identifier": mark("an identifier"), "quasi-identifier": mark("a quasi-identifier")}


@dataclass(frozen=True)
class ComparedFigure:
    """One figure of both."""

    name: str
    words: str
    values: tuple[str, str]
    better: int | None
    """Which of them is better, 0 or 1; None if neither is, or nobody can say."""


def compare_variants(first: PreviewVariant, second: PreviewVariant) -> list[ComparedFigure]:
    """Compare two variants."""
    rows = [
        _compare_figure(
            say("Detail left"),
            say("100 % is the table as it was, at 0 % no cell says anything"),
            (first.detail, second.detail),
            format_percent,
            True,
        ),
        _compare_figure(
            say("Classes"), say("groups of records that look alike"), (first.classes, second.classes), number, None
        ),
        _compare_figure(
            say("Smallest class"),
            say("records that look alike, at least"),
            (first.smallest, second.smallest),
            number,
            None,
        ),
        _compare_figure(
            say("Left out"), say("records that lack a value"), (first.left_out, second.left_out), number, False
        ),
        _compare_figure(
            say("Suppressed"),
            say("records of which nothing is told"),
            (first.suppressed, second.suppressed),
            number,
            False,
        ),
        _compare_figure(
            say("Highest risk"),
            say("of being recognised, for the person at most risk"),
            (first.highest_risk, second.highest_risk),
            format_percent,
            False,
        ),
    ]
    return rows + _compare_column_values(first, second)


def _compare_column_values(first: PreviewVariant, second: PreviewVariant) -> list[ComparedFigure]:
    """Compare what is left of each quasi-identifier."""
    details = [{column.name: column.detail for column in one.columns} for one in (first, second)]
    return [
        _compare_figure(
            say("Detail left of %(column)s", column=name),
            say("of this column"),
            (details[0].get(name), details[1].get(name)),
            format_percent,
            True,
        )
        for name in dict.fromkeys([*details[0], *details[1]])
    ]


def _compare_figure(
    name: str,
    words: str,
    values: tuple[float | None, float | None],
    written: Callable[[float | None], str],
    more_is_better: bool | None,
) -> ComparedFigure:
    first, second = values
    better = None
    if more_is_better is not None and first is not None and second is not None and first != second:
        better = int((second > first) == more_is_better)
        words = f"{words}; {_BETTER[more_is_better]}"
    return ComparedFigure(name, words, (written(first), written(second)), better)


# The screen *Protect*: what every class must satisfy, by which method; previews, and what each has cost.

_AT_ONCE = 2.0
"""Seconds that the last preview may have taken, for another one to begin as soon as something is changed."""
_PREVIEWS = {"preview": False, "preview-all": True}
"""What makes a preview, and whether it is one of all records in any case."""
_MOST_NODES = 200
"""Minimal choices of levels that are listed."""
_WIDE = 900
"""Pixels of the picture of them."""
_SORTED_BY: Mapping[str, Callable[[PreviewVariant], Any]] = {
    "number": lambda variant: variant.number,
    "method": lambda variant: variant.method,
    "classes": lambda variant: variant.classes,
    "smallest": lambda variant: variant.smallest,
    "left_out": lambda variant: variant.left_out,
    "suppressed": lambda variant: variant.suppressed,
    "detail": lambda variant: variant.detail,
    "risk": lambda variant: variant.highest_risk,
}


async def render_protect_page(request: Request) -> Response:
    """Show the screen."""
    return await _render_screen(request)


async def _render_screen(
    request: Request,
    said: Protection | None = None,
    errors: list[Error] | None = None,
    people: str | None = None,
) -> Response:
    current = find_current_project(request)
    if current is None:
        return render(request, "empty.html", title=mark("Protect"))
    project = current.project
    protection = _find_draft(current) if said is None else said
    last = current.variants.last
    # A preview that fails at once does so while this waits.
    waited = {"evidence": await _describe_sensitive_evidence(request, current), **await find_missing_records(current)}
    response = render(
        request,
        "protect.html",
        # What is wrong stands beside fields, which a part of the page does not have.
        is_whole=bool(errors),
        errors=[*(errors or []), *_find_failure(current)],
        said=protection,
        choices=protection.choices(project),
        addable=list_addable_models(project),
        population=format_path(find_workplace(request).root, project.population) if people is None else people,
        sensitive=[column.name for column in project.columns() if column.role == "sensitive"],
        formats=protection.formats(project),
        person=project.person,
        profile_refusal=protection.find_profile_refusal(),
        plane=_draw_risk_and_loss(current.variants, current.fingerprint),
        at_once=last is not None and last.seconds < _AT_ONCE,
        **_sort_variants(request, current),
        missing_page="/protect",
        **waited,
    )
    if errors and is_fragment(request):
        response.headers.update({"HX-Retarget": "#main", "HX-Reselect": "#main > *", "HX-Reswap": "innerHTML"})
    return response


async def _describe_sensitive_evidence(request: Request, current: OpenProject) -> list[_EvidenceNote]:
    """Return what speaks for and against the sensitive attributes of a preview, which it shows as they are."""
    if not len(current.variants) or not any(column.role == "sensitive" for column in current.project.columns()):
        return []
    try:
        return _list_sensitive_profiles(
            current.project, await find_column_profiles(find_workplace(request).looks, current.project)
        )
    except ToolboxError:
        return []  # Steps 1 and 2 say what is wrong with the table.


def _find_failure(current: OpenProject) -> list[Error]:
    """Return why the last preview has failed, if it has."""
    work = current.failed
    if work is None:
        return []
    field = ""
    if isinstance(work.error, UnsatisfiableError):
        # What asks for more than any release of this table can have.
        field = next((f"model-{number}-k" for number, model in enumerate(current.project.models) if "k" in model), "")
    return [(field, f"{work.words}: {work.error}")]


def _sort_variants(request: Request, current: OpenProject) -> dict[str, Any]:
    """Return the variants in the order that is asked for; those without the figure come last."""
    name = request.query_params.get("sort", "number")
    by = _SORTED_BY.get(name, _SORTED_BY["number"])
    descending = request.query_params.get("order") == "descending"
    with_figure = [variant for variant in current.variants if by(variant) is not None]
    without = [variant for variant in current.variants if by(variant) is None]
    listed = sorted(with_figure, key=by, reverse=descending) + without
    lose_records = any(variant.left_out for variant in listed)
    return {"listed": listed, "sorted_by": name, "descending": descending, "lose_records": lose_records}


async def handle_form(request: Request) -> Response:
    """Take in the form, and do what its button says."""
    current = require_current_project(request)
    form = {name: str(text) for name, text in (await request.form()).items()}
    action = form.get("action", "apply")
    if action == "add":
        form |= _add_model(form)
    if action.startswith("remove-"):
        form = _remove_row(form, action.removeprefix("remove-"))
    said = Protection.of_form(form)
    # A row that was just added has no parameters yet, and nobody has said that they are right.
    errors = said.faults(current.project) if action in ("apply", *_PREVIEWS) else []
    if not errors and action != "add":
        errors = await _apply_protection(current, said)
        if not errors:
            current.of_screens.pop(_Draft, None)
    if errors or action == "add":
        # Somebody may leave the screen to look something up: what is half filled in is there again.
        current.of_screens[_Draft] = _Draft(Protection.of_project(current.project), said)
        return await _render_screen(request, said, errors)
    if action in _PREVIEWS:
        try:
            await current.preview(is_whole=_PREVIEWS[action])
        except ToolboxError as error:
            return await _render_screen(request, said, [("", sentence) for sentence in list_fault_sentences(error)])
    if not is_fragment(request):
        return redirect_to_page("/protect")
    response = await _render_screen(request)
    response.headers["HX-Trigger"] = "changed"
    return response


async def _apply_protection(current: OpenProject, said: Protection) -> list[Error]:
    """Change the project, unless that makes it wrong; return what is wrong."""

    def edit(project: Any) -> None:
        before = project.faults()
        said.apply(project)
        if new := [fault for fault in project.faults() if fault not in before]:
            raise _FaultyError(new)

    try:
        await current.change(say("Protection"), edit)
    except _FaultyError as error:
        return [(said.find_field(fault), fault) for fault in error.args[0]]
    except ToolboxError as error:
        return [("", sentence) for sentence in list_fault_sentences(error)]
    return []


class _FaultyError(UsageError):
    """What was said makes the project wrong; it has the faults."""


@dataclass(frozen=True)
class _Draft:
    """What was written into the form and is not in the project yet."""

    of: Protection
    """What the project said then: what it says otherwise now is newer."""
    said: Protection


def _find_draft(current: OpenProject) -> Protection:
    """Return what the form shows: what the project says, or what was written into it and not taken."""
    now, draft = Protection.of_project(current.project), current.of_screens.get(_Draft)
    return draft.said if isinstance(draft, _Draft) and draft.of == now else now


def _add_model(form: Mapping[str, str]) -> dict[str, str]:
    number = sum(name.startswith("model-") and name.endswith("-type") for name in form)
    return {f"model-{number}-type": form.get("add-model", "")}


def _remove_row(form: Mapping[str, str], number: str) -> dict[str, str]:
    """Leave out a row; those behind it move up."""
    kept: dict[str, str] = {}
    gone = parse_small_number(number)
    for name, text in form.items():
        parts = name.split("-", 2)
        at = parse_small_number(parts[1]) if parts[0] == "model" and len(parts) == 3 else None
        if at is None:
            kept[name] = text
        elif at != gone:
            at -= gone is not None and at > gone
            kept[f"model-{at}-{parts[2]}"] = text
    return kept


async def set_population(request: Request) -> Response:
    """Name the table of all people who could be in this one, or take it back."""
    current, root = require_current_project(request), find_workplace(request).root
    named = str((await request.form()).get("population", "")).strip()
    try:
        file = find_source_below(root, named) if named else None
        await current.change(say("Population"), lambda project: project.set_population(file))
    except ToolboxError as error:
        return await _render_screen(
            request, errors=[("population", sentence) for sentence in list_fault_sentences(error)], people=named
        )
    return redirect_to_page("/protect")


async def compare(request: Request) -> Response:
    """Show two variants side by side."""
    variants = require_current_project(request).variants
    chosen = [variants.of(parse_small_number(text)) for text in request.query_params.getlist("variant")]
    both = [variant for variant in chosen if variant is not None]
    if len(both) != 2:
        find_workplace(request).notice = say("Choose two variants to compare.")
        return redirect_to_page("/protect")
    return render(request, "compare.html", both=both, rows=compare_variants(*both))


async def take_up(request: Request) -> Response:
    """Make the project that of a variant again."""
    current = require_current_project(request)
    variant = current.variants.of(parse_small_number(request.path_params["number"]))
    if variant is not None:
        await current.change(say("Back to variant %(number)s", number=variant.number), variant.restore)
        find_workplace(request).notice = say(
            "The project is again that of variant %(number)s, %(words)s.", number=variant.number, words=variant.words
        )
    return redirect_to_page("/protect")


async def render_lattice_page(request: Request) -> Response:
    """Show the choices of levels among which a variant was chosen, as a picture and as a table."""
    current, variant = require_current_project(request), _find_variant(request)
    nodes = _sort_choices(variant) or variant.nodes[:_MOST_NODES]
    alike = {
        tuple(each.levels.values()): each.number
        for each in reversed(current.variants.kept)
        if _find_run_arguments(each) == _find_run_arguments(variant)
    }
    of_project = None if current.variant is None or current.variant.number not in alike.values() else current.variant
    said = request.query_params.get("node", "")
    chosen = next((node for node in nodes if node.address == said), None)
    words = {node.address: _describe_choice(node, variant) for node in nodes}
    return render(
        request,
        "nodes.html",
        variant=variant,
        nodes=nodes,
        words=words,
        numbers={node.address: alike.get(tuple(node.levels.values())) for node in nodes},
        of_project=None if of_project is None else of_project.number,
        chosen=chosen,
        examples={} if chosen is None else _find_examples(current.project, chosen),
        picture=_draw_choices(variant, words, chosen) if variant.drawn else "",
    )


def _draw_choices(variant: PreviewVariant, words: Mapping[str, str], chosen: ChoiceOfLevels | None) -> str:
    """Draw the choices of levels of a variant, each of them a link."""
    path = f"/protect/variants/{variant.number}/nodes"
    boxes = [
        LatticeBox(
            levels=tuple(node.levels.values()),
            tag=node.tag,
            is_checked=node.checked,
            is_minimal=node.minimal,
            is_released=node.levels == variant.levels,
            figure="" if node.value is None else write_figure(f"{node.value:.3g}"),
            says=f"{node.words}. {words[node.address]}",
            link=f"{build_address(path, node=node.address)}#chosen",
            is_chosen=chosen is not None and node.address == chosen.address,
        )
        for node in variant.drawn
    ]
    is_whole = variant.lattice is not None and variant.lattice["nodes"] == len(boxes)
    return draw_lattice(boxes, key="lattice", title=say("Choices of levels"), most_wide=_WIDE, is_whole=is_whole)


def _sort_choices(variant: PreviewVariant) -> list[ChoiceOfLevels]:
    """Return what is drawn: first its own choice, then the minimal ones, the best first, then the others."""
    best = {node.address: place for place, node in enumerate(variant.nodes)}
    return sorted(
        variant.drawn,
        key=lambda node: (
            node.levels != variant.levels,
            best.get(node.address, len(best)),
            node.tag != "satisfies",
            sum(node.levels.values()),
        ),
    )


def _find_examples(project: Project, chosen: ChoiceOfLevels) -> dict[str, tuple[str, str]]:
    """Return of each column a value and what is shown instead, where a list says it."""
    found = {}
    for column in project.columns():
        rows = project.hierarchy(column.name) if column.name in chosen.levels else None
        if rows and not isinstance(rows, str) and len(row := rows[len(rows) // 2]) > (at := chosen.levels[column.name]):
            found[column.name] = row[0], row[at]
    return found


def _describe_choice(node: ChoiceOfLevels, variant: PreviewVariant) -> str:
    """Say what is known of a choice of levels."""
    if node.tag == "unknown":
        return say("Nobody has looked at it: the search found the best without, or was cut off.")
    if node.tag == "fails":
        if not node.checked:
            return say("It does not satisfy what is required, as a coarser choice does not either.")
        return say(
            "It does not satisfy what is required. Records that would have to be suppressed: %(count)s.",
            count=node.suppressed,
        )
    if not node.checked:
        return say("It satisfies what is required, as a finer choice does. A preview counts its classes.")
    counts = say(
        "It satisfies what is required. Classes: %(classes)s, suppressed records: %(count)s.",
        classes=node.classes,
        count=node.suppressed,
    )
    if node.value is None or variant.lattice is None:
        return counts
    measured = say("It has %(value)s of %(metric)s.", value=f"{node.value:.4g}", metric=variant.lattice["objective"])
    return f"{counts} {measured}"


async def try_node(request: Request) -> Response:
    """Preview a choice of levels: another variant beside the others."""
    _, choose = _find_choice(request)
    await require_current_project(request).preview(choose)
    return redirect_to_page("/protect#tried")


async def take_up_node(request: Request) -> Response:
    """Make the project that of a variant again, with a choice of levels."""
    chosen, choose = _find_choice(request)
    await require_current_project(request).change(say("Levels: %(levels)s", levels=chosen.words), choose)
    find_workplace(request).notice = say("The project now has these levels: %(levels)s.", levels=chosen.words)
    return redirect_to_page("/protect")


def _find_choice(request: Request) -> tuple[ChoiceOfLevels, Callable[[Project], None]]:
    """Return the choice of levels that an address names, and what makes a project that of it."""
    variant, said = _find_variant(request), request.path_params["node"]
    found = next((node for node in (*variant.drawn, *variant.nodes) if node.address == said), None)
    if found is None:
        raise HTTPException(404)
    chosen = found

    def choose(project: Project) -> None:
        variant.restore(project)
        chosen.choose(project)

    return chosen, choose


def _find_run_arguments(variant: PreviewVariant) -> tuple[object, ...]:
    """Return the arguments of a variant, without its levels."""
    return variant.method, variant.document["requirements"], list(variant.levels), variant.sampled_from


def _find_variant(request: Request) -> PreviewVariant:
    """Return the variant that an address names."""
    found = require_current_project(request).variants.of(parse_small_number(request.path_params["number"]))
    if found is None:
        raise HTTPException(404)
    return found


async def forget_variant(request: Request) -> Response:
    """Remove a variant from the list."""
    require_current_project(request).variants.forget(parse_small_number(request.path_params["number"]))
    return redirect_to_page("/protect")


ROUTES = [
    Route("/protect", render_protect_page),
    make_edit_route("/protect", handle_form),
    make_edit_route("/protect/population", set_population),
    Route("/protect/compare", compare),
    make_edit_route("/protect/variants/{number}/take-up", take_up),
    Route("/protect/variants/{number}/nodes", render_lattice_page),
    Route("/protect/variants/{number}/nodes/{node}", try_node, methods=["POST"]),
    make_edit_route("/protect/variants/{number}/nodes/{node}/take-up", take_up_node),
    Route("/protect/variants/{number}/forget", forget_variant, methods=["POST"]),
]


@dataclass(frozen=True)
class _EvidenceNote:
    """What was found out about a column that is released as it is."""

    name: str
    seems: str
    """What it rather seems to be; empty if nothing speaks against it."""
    words: str


def _list_sensitive_profiles(project: Project, looked: Sequence[ColumnProfile] | None) -> list[_EvidenceNote]:
    """List the sensitive attributes, those first that seem to be something else."""
    known = dict(enumerate(looked or ()))
    sensitive = [column for column in project.columns() if column.role == "sensitive" and column.position in known]
    notes = [_note(column.name, known[column.position]) for column in sensitive if column.position is not None]
    return sorted(notes, key=lambda note: not note.seems)


def _note(name: str, looked: ColumnProfile) -> _EvidenceNote:
    return _EvidenceNote(
        name, _SEEMS.get(looked.role, ""), join_said(": ", filter(None, (looked.why, looked.evidence)))
    )


# All previews between what they lose and whom they leave at risk: from their figures alone, so that it stays.

_AS_READ = mark("as read")


def _draw_risk_and_loss(variants: Iterable[PreviewVariant], current: str) -> str:
    """Draw all previews between what they lose and whom they leave at risk, and the table as it was read.

    Parameters
    ----------
    current : str
        The fingerprint of the project; what it says now stands out.
    """
    points = [
        Point(
            f"{one.number}: {one.words}",
            _limit_share(1 - one.detail),
            _limit_share(one.highest_risk),
            one.fingerprint == current,
        )
        for one in variants
        if one.detail is not None and one.highest_risk is not None
    ]
    smallest = min((size for one in variants for size, _ in one.sizes("before")), default=None)
    if smallest is not None:
        points.insert(0, Point(_AS_READ, 0, 1 / smallest))
    if len(points) < 2:
        return ""
    drawn = draw_risk_loss(
        points,
        key="plane",
        title=say("Risk against loss, for each preview"),
        loss_name=say("detail lost"),
        focusable=True,
    )
    rows = [(point.name, format_share(point.loss), format_share(point.risk)) for point in points]
    shown = render_table([say("preview"), say("detail lost"), say("highest risk")], rows, figures={1, 2})
    caption = say("Highest risk against detail lost: the further down and to the left, the better")
    return render_figure(drawn, shown, caption=caption, label=say("Risk against loss"))


def _limit_share(value: float | None) -> float:
    """Return a share as a chart can draw it: what a file said of an earlier preview may be anything."""
    return min(max(value or 0.0, 0.0), 1.0)
