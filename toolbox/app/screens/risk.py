"""The screen *Risk now*: how many records are at risk as they are, in all and by the values of a column."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from toolbox.app.addresses import address, whole, word, words
from toolbox.app.children.work import BusyError
from toolbox.app.pages.rendering import current_of, is_fragment, render
from toolbox.app.project.open_project import OpenProject
from toolbox.charts import safe_at_risk, table

LEAST, MOST = 2, 100
"""Ends of the slider."""
_BARS = 20
_PAGE = 200
"""Values in a table that are shown at once."""
_SORTS = ("value", "count", "risk")


async def page(request: Request) -> Response:
    """Show the screen."""
    current = current_of(request)
    if current is None:
        return render(request, "empty.html", title="Risk now")
    columns = [column for column in current.project.columns() if column.role in ("quasi-identifier", "sensitive")]
    names = [column.name for column in columns if column.role == "quasi-identifier"]
    if not names:
        return render(request, "no_columns.html", title="Risk now")
    k = whole(request, "k", min(max(current.k, LEAST), MOST), LEAST, MOST)
    column = word(request, "column", [*names, *(column.name for column in columns if column.name not in names)])
    sort = word(request, "sort", _SORTS)
    asked: dict[str, Any] = {
        "k": k,
        "column": column,
        "sort": sort,
        "by": words(request, "by", names),
        "flip": word(request, "flip", ("", "on")),
        "as_table": word(request, "table", ("", "on")),
        "start": whole(request, "start", 0, 0),
    }
    try:
        found = await _found(current, asked)
    except BusyError as error:
        if not is_fragment(request):
            raise
        return render(request, "risk_busy.html", work=error.work, again=f"/risk?{request.query_params}")
    return render(request, "risk.html", columns=columns, names=names, least=LEAST, most=MOST, **asked, **found)


async def _found(current: OpenProject, asked: dict[str, Any]) -> dict[str, Any]:
    """Ask the session for the counts, and draw them."""
    what = {"k": asked["k"], "column": asked["column"], "quasi_identifiers": asked["by"]}
    order = {"sort": asked["sort"], "descending": asked["sort"] != "value"}
    figures = await current.ask("at_risk", k=asked["k"], quasi_identifiers=asked["by"])
    histogram = await current.ask("histogram", **what, **order, bars=_BARS)
    rows = [(bar.label, bar.safe, bar.at_risk) for bar in histogram.bars]
    if histogram.others is not None:
        others = histogram.others
        rows.append((f"others ({others.values:,})", others.safe, others.at_risk))
    # Numbers stand, and names lie, unless somebody turns them.
    upright = histogram.is_binned != (asked["flip"] == "on")
    title = f"Records by {asked['column']}, safe and at risk below k = {asked['k']}"
    found: dict[str, Any] = {
        "figures": figures,
        "histogram": histogram,
        "chart": safe_at_risk(rows, key="risk", title=title, upright=upright, focusable=True),
        "table": table([asked["column"], "safe", "at risk"], rows, caption=title),
        "values": None,
    }
    if asked["as_table"]:
        found["values"] = await current.ask("values", **what, **order, offset=asked["start"], limit=_PAGE)
        found["pages"] = _pages(asked, found["values"].total)
    return found


def _pages(asked: dict[str, Any], total: int) -> list[tuple[str, str]]:
    """Return the pages of a long table, each with its address; a short table has none."""
    if total <= _PAGE:
        return []
    kept = {name: asked[name] for name in ("k", "column", "sort", "by", "flip")}
    starts = {"First": 0, "Previous": asked["start"] - _PAGE, "Next": asked["start"] + _PAGE}
    starts["Last"] = (total - 1) // _PAGE * _PAGE
    return [
        (words, address("/risk", **kept, table="on", start=start))
        for words, start in starts.items()
        if 0 <= start < total and start != asked["start"]
    ]


ROUTES = [Route("/risk", page)]
