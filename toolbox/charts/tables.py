"""The same as a table: what a chart shows, for those who read rather than look."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from toolbox.charts.markup import Markup, element, joined, shortened
from toolbox.charts.rows import Row, named
from toolbox.charts.scale import written


def table(heads: Sequence[str], rows: Iterable[Row | Sequence[str | float | None]], *, caption: str = "") -> str:
    """Return the rows of a chart as a table: the first cell of each is its name, numbers stand to the right.

    Examples
    --------
    >>> table(["town", "records"], [("Graz", 1200)])[-81:]
    '<tr><th scope="row">Graz</th><td class="c-number">1,200</td></tr></tbody></table>'
    """
    body = [
        element("tr", element("th", shortened(named(row[0])), scope="row"), *(_cell(cell) for cell in row[1:]))
        for row in rows
    ]
    head = element("tr", *(element("th", name, scope="col") for name in heads))
    title = element("caption", caption) if caption else Markup()
    return element("table", title, element("thead", head), element("tbody", joined(body)), class_="c-table")


def _cell(cell: str | float | None) -> Markup:
    if cell is None or isinstance(cell, str):
        return element("td", "" if cell is None else shortened(cell))
    return element("td", written(cell), class_="c-number")


def figure(chart: str, table: str, *, caption: str, is_open: bool = False) -> str:
    """Return a chart with a caption, and the same as a table below it, which opens on demand and in print.

    Examples
    --------
    >>> figure("<svg></svg>", "<table></table>", caption="Records by town")[:65]
    '<figure class="c-figure"><figcaption>Records by town</figcaption>'
    """
    # What scrolls sideways on a small screen must be reached by keyboard too.
    reached = {"class_": "c-scroll", "tabindex": "0", "role": "group"}
    details = element(
        "details",
        element("summary", "As a table"),
        element("div", Markup(table), aria_label=f"Table: {caption}", **reached),
        open="" if is_open else None,
    )
    drawn = element("div", Markup(chart), aria_label=f"Chart: {caption}", **reached)
    return element("figure", element("figcaption", caption), drawn, details, class_="c-figure")
