"""What stands around charts: rows of names and amounts, tables, paragraphs, sections, and the whole page."""

from __future__ import annotations

import base64
import hashlib
import math
from bisect import bisect_right
from collections.abc import Collection, Iterable, Sequence
from decimal import Decimal
from itertools import pairwise
from typing import NamedTuple, TypeAlias

from toolbox.charts.canvas import format_number, round_step
from toolbox.charts.markup import Markup, element, escape_text, join_markup, shorten_text
from toolbox.messages import find_language, mark, say, write_figure

# The rows of a chart: a name and its amounts; a long tail goes together, and many numbers go into bins.

Row: TypeAlias = "tuple[str | float | None, *tuple[float, ...]]"
"""A name, None where it is missing, and one amount or more: ``("Graz", 12)``, or ``("Graz", 10, 2)`` safe, at risk."""

_MOST_NUMBERS = 60
_BINS = 20
_MOST_WHOLE = 2**53
"""Above this number a float no longer tells each whole number from the next."""


def name_row(name: str | float | None) -> str:
    """Return what a chart calls a row.

    Examples
    --------
    >>> name_row("Graz"), name_row(17.0), name_row(None)
    ('Graz', '17', 'missing')
    """
    if name is None:
        return say("missing")
    return name if isinstance(name, str) else format_number(name)


def group_small_rows(rows: Iterable[Row], most: int = 12) -> list[Row]:
    """Return the largest rows, the largest first, and the sum of all others as the last.

    Examples
    --------
    >>> group_small_rows([("a", 1), ("b", 5), ("c", 2), ("d", 1)], most=3)
    [('b', 5), ('c', 2), ('others (2)', 2)]
    """
    ordered = sorted(rows, key=lambda row: -sum(row[1:]))
    if len(ordered) <= most:
        return ordered
    return [*ordered[: most - 1], _sum(say("others (%(count)s)", count=len(ordered) - most + 1), ordered[most - 1 :])]


def group_into_bins(rows: Iterable[Row], most: int = _MOST_NUMBERS, bins: int = _BINS) -> list[Row]:
    """Return rows named by numbers in their order, or in bins of round width if there are many.

    Names that are no numbers, such as that of a missing value, stay rows of their own behind them.

    Examples
    --------
    >>> group_into_bins([(age, 1) for age in range(0, 100)], bins=5)
    [('0 to 19', 20), ('20 to 39', 20), ('40 to 59', 20), ('60 to 79', 20), ('80 to 99', 20)]
    >>> group_into_bins([("2", 1), ("1", 3), (None, 4)])
    [('1', 3), ('2', 1), (None, 4)]
    """
    numbers: list[tuple[float, Row]] = []
    others: list[Row] = []
    for row in rows:
        number = _number(row[0])
        others.append(row) if number is None else numbers.append((number, row))
    numbers.sort(key=lambda pair: pair[0])
    if len(numbers) <= most:
        return [row for _, row in numbers] + others
    whole = all(number.is_integer() for number, _ in numbers)
    edges = find_bin_edges(numbers[0][0], numbers[-1][0], whole=whole, bins=bins)
    held: list[list[Row]] = [[] for _ in edges[1:]]
    for number, row in numbers:
        held[bisect_right(edges, number) - 1].append(row)
    nothing: list[float] = [0] * (len(numbers[0][1]) - 1)
    filled: list[Row] = []
    for name, part in zip(name_bins(edges, whole=whole), held, strict=True):
        filled.append(_sum(name, part) if part else (name, *nothing))
    return filled + others


def find_bin_edges(low: float, high: float, *, whole: bool, bins: int = _BINS) -> list[float]:
    """Return the edges of bins of round width that hold all numbers from low to high; the last edge is above high.

    They are computed as decimals: floats would round the edges of large numbers that differ by little to one.

    Examples
    --------
    >>> find_bin_edges(17, 90, whole=True, bins=10)
    [10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 100.0]
    """
    width = round_step((high / 2 - low / 2) / bins * 2) if high > low else 1.0
    step = Decimal(repr(max(width, 1.0) if whole else width))
    first, last = (math.floor(Decimal(repr(float(end))) / step) for end in (low, high))
    edges = list(dict.fromkeys(float(number * step) for number in range(first, last + 2)))
    return edges if edges[-1] > high else [*edges, math.nextafter(high, math.inf)]


def name_bins(edges: Sequence[float], *, whole: bool) -> list[str]:
    """Name the bins: whole numbers by the first and the last they hold, others by where they end.

    Examples
    --------
    >>> name_bins([10, 20, 30], whole=True), name_bins([0, 0.5, 1], whole=False)
    (['10 to 19', '20 to 29'], ['0 to below 0.5', '0.5 to below 1'])
    """
    if not whole or max(-edges[0], edges[-1]) > _MOST_WHOLE:
        below = mark("%(low)s to below %(high)s")
        texts = [write_figure(f"{edge:,}".removesuffix(".0")) for edge in edges]
        return [say(below, low=low, high=high) for low, high in pairwise(texts)]
    return [
        f"{low:.0f}" if high - low == 1 else say("%(low)s to %(high)s", low=f"{low:.0f}", high=f"{high - 1:.0f}")
        for low, high in pairwise(edges)
    ]


def _sum(name: str, rows: Sequence[Row]) -> Row:
    sums: list[float] = [sum(amounts) for amounts in zip(*(row[1:] for row in rows), strict=True)]
    return (name, *sums)


def _number(name: str | float | None) -> float | None:
    try:
        number = math.nan if name is None else float(name)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


# The bins of a histogram: small numbers one by one, larger ones together.

_FIRST = (0, 1, 2, 3, 4, 5, 6, 10, 20, 50, 100, 1000)
"""First numbers of the rows; the last one has no end."""


class Bin(NamedTuple):
    """One row."""

    first: int
    """Its smallest number."""
    last: float
    """Its largest number; the last row has none."""
    name: str
    """Such as ``6 to 9``."""
    amount: int
    """How many there are with its numbers."""


def count_in_bins(counts: Iterable[tuple[int, int]]) -> list[Bin]:
    """Return the counts in bins, the smallest numbers first; empty bins are left out.

    Parameters
    ----------
    counts : iterable of (number, amount)

    Examples
    --------
    >>> [(row.name, row.amount) for row in count_in_bins([(1, 4), (7, 1), (9, 2), (5000, 3)])]
    [('1', 4), ('6 to 9', 3), ('1,000 or more', 3)]
    """
    amounts: dict[int, int] = {}
    for size, amount in counts:
        row = max(first for first in _FIRST if first <= size)
        amounts[row] = amounts.get(row, 0) + amount
    return [Bin(row, _find_last_number(row), _name(row), amounts[row]) for row in sorted(amounts)]


def _find_last_number(first: int) -> float:
    return math.inf if first == _FIRST[-1] else _FIRST[_FIRST.index(first) + 1] - 1


def _name(first: int) -> str:
    last = _find_last_number(first)
    if last == math.inf:
        return say("%(first)s or more", first=first)
    return f"{first}" if first == last else say("%(low)s to %(high)s", low=first, high=int(last))


# What charts of bars say in words: the figure of each bar, the sums of what is stacked, and a sentence on them all.


# The same as a table: what a chart shows, for those who read rather than look.

_FEW = 3
"""Columns of a table that a narrow screen has room for; wider ones scroll sideways."""


def render_table(
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
    >>> render_table(["town", "records"], [("Graz", 1200)])[-81:]
    '<tr><th scope="row">Graz</th><td class="c-number">1,200</td></tr></tbody></table>'
    """
    shown = [tuple(row) for row in rows]
    right = {place for place in range(1, len(heads)) if all(_is_number(row[place]) for row in shown)} | set(figures)
    right = right if shown else set()
    body = [
        element(
            "tr",
            element("th", shorten_text(name_row(row[0])), scope="row"),
            *(_render_cell(cell, place in right) for place, cell in enumerate(row[1:], start=1)),
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
        element("tbody", join_markup(body)),
        class_="c-table c-wide" if len(heads) > _FEW else "c-table",
    )


def _is_number(cell: str | float | None) -> bool:
    return cell is not None and not isinstance(cell, str)


def _render_cell(cell: str | float | None, is_right: bool) -> Markup:
    if cell is None or isinstance(cell, str):
        return element("td", "" if cell is None else shorten_text(cell), class_="c-number" if is_right else None)
    return element("td", format_number(cell), class_="c-number")


def render_figure(chart: str, table: str, *, caption: str, label: str | None = None) -> str:
    """Return a chart with a caption, and the same as a table below it, which opens on demand and in print.

    Parameters
    ----------
    label : str, optional
        What machines that read aloud call both, where the caption is long.

    Examples
    --------
    >>> render_figure("<svg></svg>", "<table></table>", caption="Records by town")[:65]
    '<figure class="c-figure"><figcaption>Records by town</figcaption>'
    """
    # What scrolls sideways on a small screen must be reached by keyboard too.
    reached = {"class_": "c-scroll", "tabindex": "0", "role": "group"}
    details = element(
        "details",
        element("summary", say("As a table")),
        element("div", Markup(table), aria_label=say("Table: %(name)s", name=label or caption), **reached),
    )
    drawn = element("div", Markup(chart), aria_label=say("Chart: %(name)s", name=label or caption), **reached)
    return element("figure", element("figcaption", caption), drawn, details, class_="c-figure")


# The parts that sections are made of: paragraphs, lines of facts, lists, and the sections themselves.

_LONGEST_NOTE = 1000
_LEAST_DIGITS, _LARGE = 0.001, 1000


def render_paragraph(text: str, class_: str | None = None) -> Markup:
    """Return a paragraph."""
    return element("p", shorten_text(text, _LONGEST_NOTE), class_=class_)


def format_figure(figure: float) -> str:
    """Write a measured figure: four digits where they tell a figure from its bound, thousands apart where it is large.

    Examples
    --------
    >>> format_figure(45220), format_figure(67949026.4), format_figure(4.9982), format_figure(0.00002)
    ('45,220', '67,949,026.4', '4.998', '0.00002')
    """
    return write_figure(f"{figure:.4g}") if _LEAST_DIGITS <= abs(figure) < _LARGE else format_number(figure)


def render_facts(rows: Iterable[tuple[str, str]]) -> Markup:
    """Return lines of a name and what is said of it; lines that say nothing are left out."""
    said = [(name, text) for name, text in rows if text]
    lines = [
        element("div", element("dt", name), element("dd", shorten_text(text, _LONGEST_NOTE))) for name, text in said
    ]
    return element("dl", *lines, class_="facts")


def render_list(texts: Iterable[str], class_: str | None = None) -> Markup:
    """Return a list."""
    return element("ul", *(element("li", shorten_text(text, _LONGEST_NOTE)) for text in texts), class_=class_)


def render_scrolling_table(table: str, name: str) -> Markup:
    """Return a table that scrolls sideways where a screen is small."""
    return element("div", Markup(table), class_="c-scroll", tabindex="0", role="group", aria_label=name)


def render_section(key: str, heading: str, *parts: Markup | None) -> Markup:
    """Return a section, which others can be led to by its key."""
    return element(
        "section", element("h2", heading, id=f"{key}-heading"), join_parts(*parts), aria_labelledby=f"{key}-heading"
    )


def join_parts(*parts: Markup | None) -> Markup:
    """Put parts together; None is nothing."""
    return join_markup([part for part in parts if part is not None])


# A page that stands alone: one file of HTML with its style in it, no script, and nothing that is fetched.


def render_standalone_page(title: str, body: Markup, style: str) -> str:
    """Return a whole page.

    Parameters
    ----------
    style : str
        The style sheet. The policy of the page allows it, by its checksum, and nothing else.
    """
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    return "".join(
        [
            f'<!doctype html>\n<html lang="{find_language()}">\n<head>\n<meta charset="utf-8">\n',
            element("meta", http_equiv="Content-Security-Policy", content=policy),
            '\n<meta name="viewport" content="width=device-width, initial-scale=1">\n',
            '<meta name="color-scheme" content="light dark">\n<meta name="referrer" content="no-referrer">\n',
            f"<title>{escape_text(title)}</title>\n<style>{style}</style>\n</head>\n<body>\n",
            body,
            "\n</body>\n</html>\n",
        ]
    )
