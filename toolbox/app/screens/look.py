"""The screen *Look*: the records beside what a variant makes of them, and each column before and after."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from toolbox.app.addresses import build_address, choose_word, parse_small_number, parse_whole_number
from toolbox.app.pages.rendering import find_current_project, redirect_to_page, render
from toolbox.app.project.open_project import OpenProject
from toolbox.app.project.variants import PreviewVariant
from toolbox.charts import draw_before_after, render_figure, render_table
from toolbox.errors import CancelledError, UsageError
from toolbox.messages import mark, say

_PAGE = 50
_CHARTS = 20
"""Columns on a page, before and after."""
_BARS = 12
_SIDES = (mark("as it was"), mark("as it is released"))
_FIRST, _PREVIOUS, _NEXT, _LAST = mark("First"), mark("Previous"), mark("Next"), mark("Last")
_ORDER: Mapping[Any, str] = {"smallest": mark("smallest"), "median": mark("median"), "largest": mark("largest")}
_MEAN, _DEVIATION = mark("mean"), mark("standard deviation")
_FATES = ("", "changed", "suppressed")
_MOST = 2**53


async def render_records_page(request: Request) -> Response:
    """Show records, some at a time."""
    current = find_current_project(request)
    if current is None or not _has_classes(current):
        return _render_refusal(request, current)
    variant = _find_variant(request, current)
    asked = _parse_query(request, current, variant)
    start = (asked["page"] - 1) * _PAGE
    found = await current.ask("page", **_filter(current, asked), offset=start, limit=_PAGE)
    names = [column.name for column in current.project.columns() if column.role == "quasi-identifier"]
    return render(
        request,
        "look.html",
        page=found,
        last=_find_last_page(found.total),
        names=names,
        chosen=await _find_class(current, asked),
        heads={name: _build_sort_link(asked, name) for name in found.columns},
        pages=_list_page_links(asked, found.total),
        **_build_frame(current, asked, variant),
    )


async def render_class(request: Request) -> Response:
    """Show the class of a record; without script it stands on the page of the records."""
    current = find_current_project(request)
    if current is None or not _has_classes(current):
        return _render_refusal(request, current)
    variant = _find_variant(request, current)
    asked = _parse_query(request, current, variant)
    if "hx-request" not in request.headers:
        return redirect_to_page(build_address("/look", **asked))
    return render(request, "class.html", chosen=await _find_class(current, asked), variant=variant)


async def render_distributions_page(request: Request) -> Response:
    """Show each quasi-identifier before and after."""
    current = find_current_project(request)
    if current is None or not _has_classes(current):
        return _render_refusal(request, current)
    variant = _find_variant(request, current)
    asked = _parse_query(request, current, variant)
    names = [] if variant is None else [one["name"] for one in variant.document["quasi_identifiers"]]
    start = (asked["page"] - 1) * _CHARTS
    charts = [] if variant is None else await _draw_column_charts(current, variant, names[start : start + _CHARTS])
    pages = _list_page_links({"variant": asked["variant"], "page": asked["page"]}, len(names), _CHARTS, "/look/columns")
    return render(request, "look_columns.html", charts=charts, pages=pages, **_build_frame(current, asked, variant))


async def render_statistics_page(request: Request) -> Response:
    """Show what an analyst would compute before and after: figures of columns of numbers, and a two-way table."""
    current = find_current_project(request)
    if current is None or not _has_classes(current):
        return _render_refusal(request, current)
    variant = _find_variant(request, current)
    asked = _parse_query(request, current, variant)
    names = [] if variant is None else list(variant.levels)
    pair = [choose_word(request, word, ["", *names]) for word in ("one", "other")]
    pair = pair if all(pair) and len(set(pair)) == 2 else names[:2] if len(names) > 1 else []
    found, is_cancelled = None, False
    if variant is not None:
        asked_for = {"variant": current.held(variant.number), "pair": pair}
        try:
            found = await current.compute(
                say("Figures and pairs of variant %(number)s", number=variant.number),
                "compare_statistics",
                is_new="again" in request.query_params,
                **asked_for,
            )
        except CancelledError:
            is_cancelled = True
    return render(
        request,
        "look_figures.html",
        found=found,
        is_cancelled=is_cancelled,
        names=names,
        pair=pair,
        rows=[] if found is None else _list_number_rows(found),
        **_build_frame(current, asked, variant),
    )


def _list_number_rows(found: Any) -> list[tuple[str, list[tuple[str, Any]]]]:
    """Return of each column of numbers its figures before and after, in the order in which people read them."""
    numbers = {column.name: column.numbers for column in found.changes.columns if not column.unit}
    rows = []
    for values in found.values:
        figures = [(_ORDER[word], values.order[word]) for word in _ORDER if word in values.order]
        if (change := numbers.get(values.name)) is not None:
            figures += [(_MEAN, change.mean), (_DEVIATION, _find_root(change.variance))]
        if figures:
            rows.append((values.name, figures))
    return rows


def _find_root(change: Any) -> Any:
    """Return the standard deviation of a variance."""
    before, after, lowest, highest = (None if figure is None else math.sqrt(figure) for figure in change.figures)
    return replace(change, before=before, after=after, lowest=lowest, highest=highest)


def _has_classes(current: OpenProject) -> bool:
    return any(column.role == "quasi-identifier" for column in current.project.columns())


def _render_refusal(request: Request, current: OpenProject | None) -> Response:
    """Return the page that says why there is nothing to look at yet."""
    return render(request, "empty.html" if current is None else "no_columns.html", title=mark("Look"))


def _find_variant(request: Request, current: OpenProject) -> PreviewVariant | None:
    """Return the variant that the address names; else that of the project, or the last one; None: only the records."""
    said = request.query_params.get("variant", "")
    if said == "none":
        return None
    found = current.variants.of(parse_small_number(said))
    held = [variant for variant in current.variants if current.held(variant.number) is not None]
    if found is not None and found in held:
        return found
    of_project = current.variant
    return of_project if of_project in held else held[-1] if held else None


def _parse_query(request: Request, current: OpenProject, variant: PreviewVariant | None) -> dict[str, Any]:
    """Return what the address asks for, as another one would say it."""
    held = [each.name for each in current.project.columns() if each.role in ("quasi-identifier", "sensitive")]
    below = request.query_params.get("below", "")
    record = request.query_params.get("record", "")
    return {
        "variant": "none" if variant is None else variant.number,
        "where": choose_word(request, "where", _FATES) if variant is not None else "",
        "below": parse_whole_number(request, "below", 2, 1, _MOST) if below else None,
        "sort": choose_word(request, "sort", ["", *held]),
        "order": choose_word(request, "order", ("", "descending")),
        "page": parse_whole_number(request, "page", 1, 1, _MOST),
        "record": parse_whole_number(request, "record", 1, 1, _MOST) if record else None,
    }


def _filter(current: OpenProject, asked: dict[str, Any]) -> dict[str, Any]:
    """Return the same as arguments of `toolbox.Session.page`."""
    return {
        "variant": _find_session_number(current, asked),
        "where": asked["where"] or None,
        "smaller_than": asked["below"],
        "sort": asked["sort"] or None,
        "descending": asked["order"] == "descending",
    }


def _find_session_number(current: OpenProject, asked: dict[str, Any]) -> int | None:
    return None if asked["variant"] == "none" else current.held(asked["variant"])


async def _find_class(current: OpenProject, asked: dict[str, Any]) -> Any:
    """Return the class of the record that is asked for; the words of the session if it is in none."""
    if asked["record"] is None:
        return None
    try:
        return await current.ask("class_of", record=asked["record"], variant=_find_session_number(current, asked))
    except UsageError as error:
        return str(error)


async def _draw_column_charts(current: OpenProject, variant: PreviewVariant, names: Sequence[str]) -> list[str]:
    """Draw some quasi-identifiers before and after, each with the same as a table."""
    held, remains = current.held(variant.number), {column.name: column for column in variant.columns}
    charts: list[str] = []
    for name in names:
        found = await current.ask("before_and_after", variant=held, column=name, bars=_BARS)
        sides = [[(bar.name, bar.records) for bar in side] for side in (found.before, found.after)]
        drawn = draw_before_after(*sides, key=f"column-{len(charts)}", title=name, sides=_SIDES)
        tables = [render_table([side, say("records")], rows) for side, rows in zip(_SIDES, sides, strict=True)]
        caption = remains[name].words if name in remains else name
        charts.append(render_figure(drawn, "".join(tables), caption=caption))
    return charts


def _build_frame(current: OpenProject, asked: dict[str, Any], variant: PreviewVariant | None) -> dict[str, Any]:
    """Return what both views of a variant show around them."""
    shown = [(one, current.held(one.number) is not None) for one in current.variants]
    chosen = {"variant": asked["variant"]}
    return {
        "variant": variant,
        "variants": shown,
        "asked": asked,
        "as_records": build_address("/look", **chosen),
        "as_columns": build_address("/look/columns", **chosen),
        "as_figures": build_address("/look/figures", **chosen),
    }


def _build_sort_link(asked: dict[str, Any], name: str) -> tuple[str, str]:
    """Return the address that sorts by a column, and how it is sorted now."""
    is_sorted = asked["sort"] == name
    turned = is_sorted and asked["order"] == ""
    now = ("descending" if asked["order"] else "ascending") if is_sorted else ""
    changed = {**asked, "sort": name, "order": "descending" if turned else "", "page": 1, "record": None}
    return build_address("/look", **changed), now


def _list_page_links(
    asked: dict[str, Any], total: int, each: int = _PAGE, path: str = "/look"
) -> list[tuple[str, str]]:
    """Return the pages to go to, each with its address."""
    last, now = _find_last_page(total, each), asked["page"]
    return [
        (words, build_address(path, **{**asked, "page": page, "record": None}))
        for words, page in ((_FIRST, 1), (_PREVIOUS, now - 1), (_NEXT, now + 1), (_LAST, last))
        if 1 <= page <= last and page != now
    ]


def _find_last_page(total: int, each: int = _PAGE) -> int:
    """Return the number of the last page."""
    return max(1, -(-total // each))


ROUTES = [
    Route("/look", render_records_page),
    Route("/look/class", render_class),
    Route("/look/columns", render_distributions_page),
    Route("/look/figures", render_statistics_page),
]
