"""The screen *Risk now*: records at risk as they are, which columns tell them apart, and a population around them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from toolbox.app.addresses import build_address, choose_word, parse_whole_number
from toolbox.app.children.project_session import BusyError
from toolbox.app.pages.rendering import find_current_project, is_fragment, render
from toolbox.app.project.open_project import OpenProject
from toolbox.app.screens.columns import find_missing_records
from toolbox.charts import draw_bars, draw_safe_at_risk, render_table
from toolbox.messages import mark, say

LEAST, MOST = 2, 100
"""Ends of the slider."""
_BARS = 20
_PAGE = 200
"""Values in a table that are shown at once."""
_SORTS = ("value", "count", "risk")


async def render_risk_page(request: Request) -> Response:
    """Show the screen."""
    current, names = _find_subject(request)
    if current is None or not names:
        return _render_refusal(request, current)
    columns = [column for column in current.project.columns() if column.role in ("quasi-identifier", "sensitive")]
    k = parse_whole_number(request, "k", min(max(current.k, LEAST), MOST), LEAST, MOST)
    column = choose_word(request, "column", [*names, *(column.name for column in columns if column.name not in names)])
    sort = choose_word(request, "sort", _SORTS)
    asked: dict[str, Any] = {
        "k": k,
        "column": column,
        "sort": sort,
        "by": _choose_words(request, "by", names),
        "flip": choose_word(request, "flip", ("", "on")),
        "as_table": choose_word(request, "table", ("", "on")),
        "start": parse_whole_number(request, "start", 0, 0),
    }
    try:
        found = await _count_and_draw(current, asked)
    except BusyError as error:
        if not is_fragment(request):
            raise
        return render(request, "risk_busy.html", work=error.work, again=f"/risk?{request.query_params}")
    lacking = await find_missing_records(current)
    return render(
        request,
        "risk.html",
        columns=columns,
        names=names,
        least=LEAST,
        most=MOST,
        missing_page="/risk",
        **asked,
        **found,
        **lacking,
    )


async def _count_and_draw(current: OpenProject, asked: dict[str, Any]) -> dict[str, Any]:
    """Ask the session for the counts, and draw them."""
    what = {"k": asked["k"], "column": asked["column"], "quasi_identifiers": asked["by"]}
    order = {"sort": asked["sort"], "descending": asked["sort"] != "value"}
    figures = await current.ask("at_risk", k=asked["k"], quasi_identifiers=asked["by"])
    histogram = await current.ask("histogram", **what, **order, bars=_BARS)
    rows = [(bar.label, bar.safe, bar.at_risk) for bar in histogram.bars]
    if histogram.others is not None:
        others = histogram.others
        rows.append((say("others (%(count)s)", count=others.values), others.safe, others.at_risk))
    # Numbers stand, and names lie, unless somebody turns them.
    upright = histogram.is_binned != (asked["flip"] == "on")
    title = say("Records by %(column)s, safe and at risk below k = %(k)s", column=asked["column"], k=asked["k"])
    found: dict[str, Any] = {
        "figures": figures,
        "histogram": histogram,
        "chart": draw_safe_at_risk(rows, key="risk", title=title, upright=upright, focusable=True),
        "table": render_table([asked["column"], say("safe"), say("at risk")], rows, caption=title),
        "values": None,
    }
    if asked["as_table"]:
        found["values"] = await current.ask("values", **what, **order, offset=asked["start"], limit=_PAGE)
        found["pages"] = _list_page_links(asked, found["values"].total)
    return found


def _list_page_links(asked: dict[str, Any], total: int) -> list[tuple[str, str]]:
    """Return the pages of a long table, each with its address; a short table has none."""
    if total <= _PAGE:
        return []
    kept = {name: asked[name] for name in ("k", "column", "sort", "by", "flip")}
    starts = {say("First"): 0, say("Previous"): asked["start"] - _PAGE, say("Next"): asked["start"] + _PAGE}
    starts[say("Last")] = (total - 1) // _PAGE * _PAGE
    return [
        (words, build_address("/risk", **kept, table="on", start=start))
        for words, start in starts.items()
        if 0 <= start < total and start != asked["start"]
    ]


# Which columns tell records apart.

_SETS = 20
"""Sets of columns that are listed."""


async def render_ranking_page(request: Request) -> Response:
    """Show which columns tell records apart, alone and with others."""
    current, names = _find_subject(request)
    if current is None or not names:
        return _render_refusal(request, current)
    ranked = await current.ask("rank_columns")
    found, unit = ranked.detection, say("persons") if ranked.counts_persons else say("records")
    columns = sorted(found.columns, key=lambda column: (not column.is_identifier, -(column.adds or 0.0)))
    rows = [(column.name, round(column.adds, 1)) for column in columns if column.adds is not None]
    title = say("What each column adds to others")
    return render(
        request,
        "risk_columns.html",
        found=found,
        unit=unit,
        columns=columns,
        sets=found.subsets[:_SETS],
        chart=draw_bars(rows, key="adds", title=title, unit=unit, focusable=True) if rows else "",
        missing_page="/risk/columns",
        **await find_missing_records(current),
    )


# For whom the records stand in a population.


async def render_population_page(request: Request) -> Response:
    """Show who hides among the people of a population: of a register, or estimated."""
    current, names = _find_subject(request)
    if current is None or not names:
        return _render_refusal(request, current)
    k = parse_whole_number(request, "k", min(max(current.k, LEAST), MOST), LEAST, MOST)
    said = request.query_params.get("share", "").strip().removesuffix("%").strip()
    share = _parse_share(said)
    risk = await current.ask("population_risk", k=k, fraction=share)
    wrong = (
        [("share", say("Write a share of more than 0 and at most 100, such as 2.5."))] if said and share is None else []
    )
    return render(
        request,
        "risk_population.html",
        errors=wrong,
        risk=risk,
        k=k,
        least=LEAST,
        most=MOST,
        said=said,
        has_register=current.project.population is not None,
        missing_page="/risk/population",
        **await find_missing_records(current),
    )


def _parse_share(percent: str) -> float | None:
    """Return a share that is said in percent; None if it is none."""
    try:
        share = float(percent.replace(",", ".")) / 100
    except ValueError:
        return None
    return share if 0 < share <= 1 else None


def _find_subject(request: Request) -> tuple[OpenProject | None, list[str]]:
    """Return the open project with its quasi-identifiers."""
    current = find_current_project(request)
    columns = [] if current is None else current.project.columns()
    return current, [column.name for column in columns if column.role == "quasi-identifier"]


def _render_refusal(request: Request, current: OpenProject | None) -> Response:
    return render(request, "empty.html" if current is None else "no_columns.html", title=mark("Risk now"))


ROUTES = [
    Route("/risk", render_risk_page),
    Route("/risk/columns", render_ranking_page),
    Route("/risk/population", render_population_page),
]


def _choose_words(request: Request, name: str, known: Sequence[str]) -> list[str]:
    """Return those of some words that the address says, in their order; all if it says none."""
    said = set(request.query_params.getlist(name))
    return [one for one in known if one in said] or list(known)
