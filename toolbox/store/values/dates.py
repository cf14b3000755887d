"""How a column writes its dates, found out from its texts, and the hierarchies of dates."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from sqlalchemy import FromClause, func, literal, or_, select

from toolbox.config.model import Attribute
from toolbox.errors import InputError
from toolbox.hierarchy.date_formats import (
    Period,
    find_fitting_formats,
    find_zone_offset,
    has_only_dates,
    list_usual_formats,
)
from toolbox.hierarchy.hierarchy import ROOT, Hierarchy, Interval, Node
from toolbox.messages import choose_setting_name
from toolbox.queries.dialect import convert_to_clock, count_where
from toolbox.queries.scales import FIRST, Calendar, Unit
from toolbox.store.engine.store import Store

# How a column writes its dates, where the user does not say so: found out from its texts, never guessed.

UTC = "UTC"
_SAMPLE = 200
"""Texts by which most formats are ruled out, and at which a column is looked that nobody calls one of dates."""


@dataclass(frozen=True)
class DateNotation:
    """How a column writes its dates."""

    calendar: Calendar
    note: str | None = None
    """What to tell the user of it."""


def find_calendar(
    store: Store, attribute: Attribute, texts: FromClause, unit: Unit, *, zone: str | None, is_typed: bool
) -> DateNotation:
    """Find out how a column writes its dates.

    Parameters
    ----------
    texts : FromClause
        ``text``: its distinct texts, null where a value is missing.
    zone : str, optional
        Where the input itself says it; then there are moments, whatever the unit.
    is_typed : bool
        Whether the input says that it holds dates. Then timestamps that are all midnights are dates, unless the
        configuration says otherwise.

    Raises
    ------
    InputError
        If the texts fit several formats that read them differently.
    """
    if zone is not None:
        return DateNotation(Calendar("timestamp", _find_known_zone(store, zone)))
    plain = Calendar(unit)
    if is_typed:
        is_whole = unit == "timestamp" and attribute.kind is None and _find_fitting(store, texts, [Calendar("date")])[0]
        return DateNotation(Calendar("date") if is_whole else plain)
    if attribute.format is not None:
        offset = UTC if "%z" in attribute.format else None
        return DateNotation(Calendar(unit, offset, attribute.format))
    iso = [plain] if unit == "date" else [plain, Calendar(unit, UTC)]
    for candidate, fits in zip(iso, _find_fitting(store, texts, iso), strict=True):
        if fits:
            return DateNotation(candidate)
    return _choose_format(store, attribute, texts, iso)


def _choose_format(store: Store, attribute: Attribute, texts: FromClause, iso: Sequence[Calendar]) -> DateNotation:
    """Choose the format that most texts fit. If several fit, choose one only if all of them read the same dates."""
    unit = iso[0].unit
    usual = find_fitting_formats(_sample(store, texts), list_usual_formats(with_time=unit == "timestamp"))
    likely = [*iso, *(Calendar(unit, format=written) for written in usual)]
    counts = _count_readable(store, texts, likely)
    best = [candidate for candidate, count in zip(likely, counts, strict=True) if count == max(counts)]
    if len(best) > 1 and _differ(store, texts, best):
        formats = " or ".join(
            _format_setting(attribute, unit, candidate.format) for candidate in best if candidate.format
        )
        raise InputError(
            f"{attribute.column}: its {unit}s fit several formats, which read them differently, as day and month may "
            f"change places. Write {formats}."
        )
    if best[0].format is None:
        return DateNotation(best[0])
    written = best[0].format
    another = _format_setting(attribute, unit, "..")
    return DateNotation(
        best[0],
        f"{attribute.column}: its {unit}s are read as {written}, which their values fit. "
        f"Write {another} if they are written otherwise.",
    )


def _format_setting(attribute: Attribute, unit: Unit, written: str) -> str:
    """Return the name of the setting that holds a format."""
    return choose_setting_name(
        f"format='{written}'",
        python=f"kinds={{{str(attribute.column)!r}: '{unit} {written}'}}",
        options=f"--kind '{attribute.column}={unit}:{written}'",
    )


def find_date_kind(store: Store, texts: FromClause) -> Unit | None:
    """Return whether the first texts are all dates or all timestamps, though not declared so; None if neither."""
    sample = _sample(store, texts)
    if has_only_dates(sample, with_time=False):
        return "date"
    return "timestamp" if has_only_dates(sample, with_time=True) else None


def _sample(store: Store, texts: FromClause) -> list[str]:
    known = select(texts.c.text).where(texts.c.text.is_not(None))
    return [text for (text,) in store.rows(known.limit(_SAMPLE))]


def _find_fitting(store: Store, texts: FromClause, candidates: Sequence[Calendar]) -> list[bool]:
    """Return, for each of several ways to read texts, whether it can read all of them."""
    known = int(store.scalar(select(func.count(texts.c.text))))
    return [count == known for count in _count_readable(store, texts, candidates)]


def _count_readable(store: Store, texts: FromClause, candidates: Iterable[Calendar]) -> list[int]:
    """Count the texts that each of several ways can read."""
    read = (func.count(candidate.value(texts.c.text)) for candidate in candidates)
    return list(map(int, store.row(select(*read).select_from(texts))))


def _differ(store: Store, texts: FromClause, candidates: Sequence[Calendar]) -> bool:
    """Return whether there is a text that several ways read differently."""
    first, *rest = (func.coalesce(candidate.parse_microseconds(texts.c.text), FIRST - 1) for candidate in candidates)
    differs = or_(*(other != first for other in rest))
    return bool(store.scalar(select(count_where(differs)).select_from(texts)))


def _find_known_zone(store: Store, zone: str) -> str:
    """Return the name under which the engine knows a zone; UTC where it knows none."""
    if (offset := find_zone_offset(zone)) is not None:
        return zone if offset else UTC
    if zone in ("Z", "GMT", "Etc/UTC", UTC):
        return UTC
    try:
        store.scalar(select(convert_to_clock(literal(0), zone)))
    except InputError:
        return UTC
    return zone


# Hierarchies of dates: the months, years, decades and so on that occur, each period above the shorter ones.


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


def build_calendar_hierarchy(
    store: Store, values: FromClause, calendar: Calendar, periods: Sequence[Period], root: str = ROOT
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
    nodes = _make_nodes(_make_leaves(store, values, calendar, longer), 0, is_closed=calendar.unit == "date")
    low, high = nodes[0].interval, nodes[-1].interval
    return Hierarchy(Node(Interval(low.low, high.high, True, high.high_closed), root, nodes))


def _make_leaves(store: Store, values: FromClause, calendar: Calendar, periods: Sequence[Period]) -> list[_Leaf]:
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


def _make_nodes(leaves: Iterable[_Leaf], depth: int, *, is_closed: bool) -> tuple[Node, ...]:
    """Make the nodes of one level, each with those below it."""
    nodes = []
    for span, group in groupby(leaves, key=lambda leaf: leaf.spans[depth]):
        below = list(group)
        children = _make_nodes(below, depth + 1, is_closed=is_closed) if depth + 1 < len(below[0].spans) else ()
        # A clock that is put back at midnight begins a day twice.
        low, last = min(span.start, below[0].first), max(leaf.last for leaf in below)
        interval = Interval(low, span.end, True, is_closed) if last < span.end or is_closed else Interval(low, last)
        nodes.append(Node(interval, span.label, children))
    return tuple(nodes)
