"""Hierarchies of dates: the months, years, decades and so on that occur, each period above the shorter ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import NamedTuple

from sqlalchemy import FromClause, func, select

from toolbox.hierarchy.date_formats import Period
from toolbox.hierarchy.hierarchy import Hierarchy, Node
from toolbox.hierarchy.interval import Interval
from toolbox.queries.calendar import Calendar
from toolbox.store.store import Store

_ROOT = "*"


class _Span(NamedTuple):
    """A period that occurs."""

    start: float
    end: float
    label: str


class _Leaf(NamedTuple):
    """One of the shortest periods."""

    spans: tuple[_Span, ...]
    """It and those above it, the longest first."""
    first: float
    """The first date in it."""
    last: float


def calendar_hierarchy(
    store: Store, values: FromClause, calendar: Calendar, periods: Sequence[Period], root: str = _ROOT
) -> Hierarchy | None:
    """Generalise dates to periods.

    Parameters
    ----------
    values : FromClause
        ``value``: the dates as numbers, at least one.
    periods : sequence of Period
        The shortest first. Of dates those that are longer than a day count.
    root : str
        What the root is called.

    Returns
    -------
    Hierarchy, optional
        The periods in which there are dates, in their order, below a root; None if no period counts.
    """
    longer = [period for period in periods if calendar.unit == "timestamp" or period not in ("hour", "day")]
    if not longer:
        return None
    nodes = _nodes(_leaves(store, values, calendar, longer), 0, is_closed=calendar.unit == "date")
    low, high = nodes[0].interval, nodes[-1].interval
    return Hierarchy(Node(Interval(low.low, high.high, True, high.high_closed), root, nodes))


def _leaves(store: Store, values: FromClause, calendar: Calendar, periods: Sequence[Period]) -> list[_Leaf]:
    value = values.c.value
    spans = [
        part.label(f"{name}_{index}")
        for index, period in enumerate(reversed(periods))
        for name, part in (
            ("start", calendar.start(value, period)),
            ("end", calendar.end(value, period)),
            ("label", calendar.label(value, period)),
        )
    ]
    each = select(value.label("value"), *spans).where(value.is_not(None)).subquery()
    columns = [each.c[span.name] for span in spans]
    rows = select(*columns, func.min(each.c.value), func.max(each.c.value)).group_by(*columns)
    leaves = []
    for *parts, first, last in store.rows(rows.order_by(func.min(each.c.value))):
        triples = zip(parts[::3], parts[1::3], parts[2::3], strict=True)
        leaves.append(_Leaf(tuple(_Span(*triple) for triple in triples), first, last))
    return leaves


def _nodes(leaves: Iterable[_Leaf], depth: int, *, is_closed: bool) -> tuple[Node, ...]:
    """Make the nodes of one level, each with those below it."""
    nodes = []
    for span, group in groupby(leaves, key=lambda leaf: leaf.spans[depth]):
        below = list(group)
        children = _nodes(below, depth + 1, is_closed=is_closed) if depth + 1 < len(below[0].spans) else ()
        # A clock that is put back at midnight begins a day twice.
        low, last = min(span.start, below[0].first), max(leaf.last for leaf in below)
        interval = Interval(low, span.end, True, is_closed) if last < span.end or is_closed else Interval(low, last)
        nodes.append(Node(interval, span.label, children))
    return tuple(nodes)
