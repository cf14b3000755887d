"""The same as a table: what a chart shows, for those who read rather than look."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from toolbox.charts.markup import Markup, element, joined, shortened
from toolbox.charts.rows import Row, named
from toolbox.charts.scale import written

_FEW = 3
"""Columns of a table that a narrow screen has room for; wider ones scroll sideways."""


def table(
    heads: Sequence[str],
    rows: Iterable[Row | Sequence[str | float | None]],
    *,
    caption: str = "",
    figures: Collection[int] = (),
) -> str:
    """Return the rows of a chart as a table: the first cell of each is its name, numbers stand to the right.

    Parameters
    ----------
    figures : collection of int
        Columns of texts that stand to the right as well, such as shares; the name is column 0.

    Examples
    --------
    >>> table(["town", "records"], [("Graz", 1200)])[-81:]
    '<tr><th scope="row">Graz</th><td class="c-number">1,200</td></tr></tbody></table>'
    """
    shown = [tuple(row) for row in rows]
    right = {place for place in range(1, len(heads)) if all(_is_number(row[place]) for row in shown)} | set(figures)
    right = right if shown else set()
    body = [
        element(
            "tr",
            element("th", shortened(named(row[0])), scope="row"),
            *(_cell(cell, place in right) for place, cell in enumerate(row[1:], start=1)),
        )
        for row in shown
    ]
    head = (
        element("th", name, scope="col", class_="c-number" if place in right else None)
        for place, name in enumerate(heads)
    )
    title = element("caption", caption) if caption else Markup()
    return element(
        "table",
        title,
        element("thead", element("tr", *head)),
        element("tbody", joined(body)),
        class_="c-table c-wide" if len(heads) > _FEW else "c-table",
    )


def _is_number(cell: str | float | None) -> bool:
    return cell is not None and not isinstance(cell, str)


def _cell(cell: str | float | None, is_right: bool) -> Markup:
    if cell is None or isinstance(cell, str):
        return element("td", "" if cell is None else shortened(cell), class_="c-number" if is_right else None)
    return element("td", written(cell), class_="c-number")


def figure(chart: str, table: str, *, caption: str, label: str | None = None) -> str:
    """Return a chart with a caption, and the same as a table below it, which opens on demand and in print.

    Parameters
    ----------
    label : str, optional
        What machines that read aloud call both, where the caption is long.

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
        element("div", Markup(table), aria_label=f"Table: {label or caption}", **reached),
    )
    drawn = element("div", Markup(chart), aria_label=f"Chart: {label or caption}", **reached)
    return element("figure", element("figcaption", caption), drawn, details, class_="c-figure")
