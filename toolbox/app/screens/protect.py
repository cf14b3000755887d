"""The screen *Protect*: what every class must satisfy, by which method; previews, and two of them side by side."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from toolbox.app.addresses import small
from toolbox.app.children.profile_cache import EvidenceNote, looked_at_all, of_sensitive
from toolbox.app.children.protocol import sentences_of
from toolbox.app.pages.drawings import risk_and_loss
from toolbox.app.pages.editing import edits
from toolbox.app.pages.protection import Protection, addable
from toolbox.app.pages.rendering import (
    Error,
    current_of,
    is_fragment,
    moved,
    number,
    opened_of,
    percent,
    render,
    workplace_of,
)
from toolbox.app.project.files import shown_from, source_below
from toolbox.app.project.open_project import OpenProject
from toolbox.app.project.variants import METRICS, KeptVariant
from toolbox.errors import ToolboxError, UnsatisfiableError, UsageError

if TYPE_CHECKING:
    from toolbox import Project


# Two variants, figure by figure.

_BETTER: Mapping[bool, str] = {True: "more is better", False: "less is better"}


@dataclass(frozen=True)
class ComparedFigure:
    """One figure of both."""

    name: str
    words: str
    values: tuple[str, str]
    better: int | None
    """Which of them is better, 0 or 1; None if neither is, or nobody can say."""


def compared(first: KeptVariant, second: KeptVariant) -> list[ComparedFigure]:
    """Compare two variants."""
    ncp, nue = METRICS
    rows = [
        _row("Information kept", "of what tells records apart", (first.kept, second.kept), percent, True),
        _row("Classes", "groups of records that look alike", (first.classes, second.classes), number, None),
        _row("Smallest class", "records that look alike, at least", (first.smallest, second.smallest), number, None),
        _row("Suppressed", "records of which nothing is told", (first.suppressed, second.suppressed), number, False),
        _row(
            "Highest risk",
            "of being recognised, for the person at most risk",
            (first.highest_risk, second.highest_risk),
            percent,
            False,
        ),
        _row("Certainty lost", f"{ncp}, of all values", (first.loss(ncp), second.loss(ncp)), percent, False),
        _row("Entropy kept", f"{nue}, of all values", (first.loss(nue), second.loss(nue)), percent, True),
    ]
    return rows + _columns(first, second)


def _columns(first: KeptVariant, second: KeptVariant) -> list[ComparedFigure]:
    """Compare how many values each quasi-identifier still has."""
    counts = [
        {column["name"]: column["generalised_values"] for column in one.document["quasi_identifiers"]}
        for one in (first, second)
    ]
    return [
        _row(
            f"Values of {name}",
            "different ones in the release",
            (counts[0].get(name), counts[1].get(name)),
            number,
            None,
        )
        for name in dict.fromkeys([*counts[0], *counts[1]])
    ]


def _row(
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
_MOST_NODES = 200
"""Minimal choices of levels that are listed."""
_NCP, _NUE = METRICS
_SORTED_BY: Mapping[str, Callable[[KeptVariant], Any]] = {
    "number": lambda variant: variant.number,
    "method": lambda variant: variant.method,
    "classes": lambda variant: variant.classes,
    "smallest": lambda variant: variant.smallest,
    "suppressed": lambda variant: variant.suppressed,
    "kept": lambda variant: variant.kept,
    "ncp": lambda variant: variant.loss(_NCP),
    "nue": lambda variant: variant.loss(_NUE),
    "risk": lambda variant: variant.highest_risk,
}


async def page(request: Request) -> Response:
    """Show the screen."""
    return await _page(request)


async def _page(
    request: Request,
    said: Protection | None = None,
    errors: list[Error] | None = None,
    people: str | None = None,
) -> Response:
    current = current_of(request)
    if current is None:
        return render(request, "empty.html", title="Protect")
    project = current.project
    protection = Protection.of_project(project) if said is None else said
    last = current.variants.last
    response = render(
        request,
        "protect.html",
        # What is wrong stands beside fields, which a part of the page does not have.
        is_whole=bool(errors),
        errors=[*(errors or []), *_failure(current)],
        said=protection,
        choices=protection.choices(project),
        addable=addable(project),
        population=shown_from(workplace_of(request).root, project.population) if people is None else people,
        sensitive=[column.name for column in project.columns() if column.role == "sensitive"],
        formats=protection.formats(project),
        plane=risk_and_loss(current.variants, current.fingerprint),
        at_once=last is not None and last.seconds < _AT_ONCE,
        evidence=await _evidence(request, current),
        **_listed(request, current),
    )
    if errors and is_fragment(request):
        response.headers.update({"HX-Retarget": "#main", "HX-Reselect": "#main > *", "HX-Reswap": "innerHTML"})
    return response


async def _evidence(request: Request, current: OpenProject) -> list[EvidenceNote]:
    """Return what speaks for and against the sensitive attributes of a preview, which it shows as they are."""
    if not len(current.variants) or not any(column.role == "sensitive" for column in current.project.columns()):
        return []
    try:
        return of_sensitive(current.project, await looked_at_all(workplace_of(request).looks, current.project))
    except ToolboxError:
        return []  # Steps 1 and 2 say what is wrong with the table.


def _failure(current: OpenProject) -> list[Error]:
    """Return why the last preview has failed, if it has."""
    work = current.work
    if work is None or work.error is None or work.is_cancelled:
        return []
    field = ""
    if isinstance(work.error, UnsatisfiableError):
        # What asks for more than any release of this table can have.
        field = next((f"model-{number}-k" for number, model in enumerate(current.project.models) if "k" in model), "")
    return [(field, f"{work.words}: {work.error}")]


def _listed(request: Request, current: OpenProject) -> dict[str, Any]:
    """Return the variants in the order that is asked for; those without the figure come last."""
    name = request.query_params.get("sort", "number")
    by = _SORTED_BY.get(name, _SORTED_BY["number"])
    descending = request.query_params.get("order") == "descending"
    with_figure = [variant for variant in current.variants if by(variant) is not None]
    without = [variant for variant in current.variants if by(variant) is None]
    listed = sorted(with_figure, key=by, reverse=descending) + without
    has_entropy = any(variant.loss(_NUE) is not None for variant in listed)
    order = {"sorted_by": name, "descending": descending}
    return {"listed": listed, **order, "has_entropy": has_entropy, "ncp": _NCP, "nue": _NUE}


async def act(request: Request) -> Response:
    """Take in the form, and do what its button says."""
    current = opened_of(request)
    form = {name: str(text) for name, text in (await request.form()).items()}
    action = form.get("action", "apply")
    if action == "add":
        form |= _added(form)
    if action.startswith("remove-"):
        form = _without(form, action.removeprefix("remove-"))
    said = Protection.of_form(form)
    # A row that was just added has no parameters yet, and nobody has said that they are right.
    errors = said.faults(current.project) if action in ("apply", "preview") else []
    if not errors and action != "add":
        errors = await _applied(current, said)
    if errors or action == "add":
        return await _page(request, said, errors)
    if action == "preview":
        try:
            await current.preview()
        except ToolboxError as error:
            return await _page(request, said, [("", sentence) for sentence in sentences_of(error)])
    if not is_fragment(request):
        return moved("/protect")
    response = await _page(request)
    response.headers["HX-Trigger"] = "changed"
    return response


async def _applied(current: OpenProject, said: Protection) -> list[Error]:
    """Change the project, unless that makes it wrong; return what is wrong."""

    def edit(project: Any) -> None:
        before = project.faults()
        said.apply(project)
        if new := [fault for fault in project.faults() if fault not in before]:
            raise _FaultyError(new)

    try:
        await current.change("Protection", edit)
    except _FaultyError as error:
        return [(said.field_of(fault), fault) for fault in error.args[0]]
    except ToolboxError as error:
        return [("", sentence) for sentence in sentences_of(error)]
    return []


class _FaultyError(UsageError):
    """What was said makes the project wrong; it has the faults."""


def _added(form: Mapping[str, str]) -> dict[str, str]:
    number = sum(name.startswith("model-") and name.endswith("-type") for name in form)
    return {f"model-{number}-type": form.get("add-model", "")}


def _without(form: Mapping[str, str], number: str) -> dict[str, str]:
    """Leave out a row; those behind it move up."""
    kept: dict[str, str] = {}
    gone = small(number)
    for name, text in form.items():
        parts = name.split("-", 2)
        at = small(parts[1]) if parts[0] == "model" and len(parts) == 3 else None
        if at is None:
            kept[name] = text
        elif at != gone:
            at -= gone is not None and at > gone
            kept[f"model-{at}-{parts[2]}"] = text
    return kept


async def population(request: Request) -> Response:
    """Name the table of all people who could be in this one, or take it back."""
    current, root = opened_of(request), workplace_of(request).root
    named = str((await request.form()).get("population", "")).strip()
    try:
        file = source_below(root, named) if named else None
        await current.change("Population", lambda project: project.set_population(file))
    except ToolboxError as error:
        return await _page(request, errors=[("population", sentence) for sentence in sentences_of(error)], people=named)
    return moved("/protect")


async def compare(request: Request) -> Response:
    """Show two variants side by side."""
    variants = opened_of(request).variants
    chosen = [variants.of(small(text)) for text in request.query_params.getlist("variant")]
    both = [variant for variant in chosen if variant is not None]
    if len(both) != 2:
        workplace_of(request).notice = "Choose two variants to compare."
        return moved("/protect")
    return render(request, "compare.html", both=both, rows=compared(*both))


async def take_up(request: Request) -> Response:
    """Make the project that of a variant again."""
    current = opened_of(request)
    variant = current.variants.of(small(request.path_params["number"]))
    if variant is not None:
        await current.change(f"Back to variant {variant.number}", variant.restore)
        workplace_of(request).notice = f"The project is again that of variant {variant.number}, {variant.words}."
    return moved("/protect")


async def nodes(request: Request) -> Response:
    """Show the minimal choices of levels among which a variant was chosen."""
    variant = _named(request)
    alike = [each for each in opened_of(request).variants if _asks(each) == _asks(variant)]
    rows = [(node, next((each.number for each in alike if each.levels == node.levels), None)) for node in variant.nodes]
    return render(request, "nodes.html", variant=variant, rows=rows[:_MOST_NODES], total=len(rows))


async def try_node(request: Request) -> Response:
    """Preview one of them: another variant beside the others."""
    current, variant, at = opened_of(request), _named(request), small(request.path_params["node"])
    if at is None or at >= len(variant.nodes):
        raise HTTPException(404)
    chosen = variant.nodes[at]

    def choose(project: Project) -> None:
        variant.restore(project)
        chosen.choose(project)

    await current.preview(choose)
    return moved("/protect#tried")


def _asks(variant: KeptVariant) -> tuple[object, ...]:
    """Return the arguments of a variant, without its levels."""
    return variant.method, variant.document["requirements"], list(variant.levels)


def _named(request: Request) -> KeptVariant:
    """Return the variant that an address names."""
    found = opened_of(request).variants.of(small(request.path_params["number"]))
    if found is None:
        raise HTTPException(404)
    return found


async def forget(request: Request) -> Response:
    """Remove a variant from the list."""
    opened_of(request).variants.forget(small(request.path_params["number"]))
    return moved("/protect")


ROUTES = [
    Route("/protect", page),
    edits("/protect", act),
    edits("/protect/population", population),
    Route("/protect/compare", compare),
    edits("/protect/variants/{number}/take-up", take_up),
    Route("/protect/variants/{number}/nodes", nodes),
    Route("/protect/variants/{number}/nodes/{node}", try_node, methods=["POST"]),
    Route("/protect/variants/{number}/forget", forget, methods=["POST"]),
]
