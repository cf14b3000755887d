"""What the texts of a released column stand for: values, nodes, intervals, sets; and texts with several meanings."""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import groupby, islice, takewhile
from operator import attrgetter
from typing import Any, NamedTuple

from sqlalchemy import (
    BigInteger,
    Double,
    FromClause,
    Integer,
    and_,
    case,
    cast,
    exists,
    func,
    literal,
    null,
    or_,
    select,
    union_all,
)
from sqlalchemy.sql.elements import ColumnElement

from toolbox.errors import InputError, quote
from toolbox.messages import choose_setting_name
from toolbox.published.cells.notations import Mask, parse_column_interval, parse_members
from toolbox.published.domains import find_interval_ranks
from toolbox.published.tables import ROOT, Cells, Domain, fetch_numbers
from toolbox.queries.cells import match_formula, remove_escape
from toolbox.queries.dialect import Query, Table, count_where, find_first_by, is_finite
from toolbox.queries.labels import parse_range_name
from toolbox.store.engine.store import Store

_MASK = re.compile(r"(?P<prefix>.*[^*])(?P<hidden>\*+)", re.DOTALL)

# Ranges of values.


def merge_ranges(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Join ranges that touch.

    Examples
    --------
    >>> merge_ranges([(5, 6), (0, 1), (2, 2)])
    [(0, 2), (5, 6)]
    """
    joined: list[tuple[int, int]] = []
    for first, last in sorted(spans):
        if joined and first <= joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], max(last, joined[-1][1]))
        else:
            joined.append((first, last))
    return joined


# Texts of a release that name several values of a column: sets, masks, and ranges of ordered categories.


class Members:
    """Finds the values of sets and masks; reads the values of a column once, and only if they are needed."""

    def __init__(self, store: Store, domain: Domain) -> None:
        self._store = store
        self._domain = domain

    @cached_property
    def _spans(self) -> dict[str, tuple[int, int]]:
        """The values of each name; a value comes before a node of the same name."""
        nodes, spelled = self._domain.nodes, self._domain.spellings
        higher = select(nodes.c.label, nodes.c.first, nodes.c.last).order_by(nodes.c.level.desc())
        spans = {label: (first, last) for label, first, last in self._store.rows(higher)}
        rows = self._store.rows(select(spelled.c.text, spelled.c.value_id))
        # An empty text is what stands for a missing value.
        return spans | {text or "": (value, value) for text, value in rows}

    @cached_property
    def _texts(self) -> list[tuple[str, int]]:
        """All texts in their order, each with its value."""
        spelled = self._domain.spellings
        rows = self._store.rows(select(spelled.c.text, spelled.c.value_id).where(spelled.c.text.is_not(None)))
        return sorted(map(tuple, rows))

    @cached_property
    def _by_number(self) -> dict[float, int]:
        values = self._domain.values
        return dict(map(tuple, self._store.rows(select(values.c.number, values.c.value_id))))

    def of(self, text: str) -> list[tuple[int, int]]:
        """List the ranges of values that a set or mask stands for; none if it is neither, or has an unknown member."""
        if (members := parse_members(text)) is not None:
            ranges = [self._spans.get(member) or self._named(member) for member in members]
            return [] if None in ranges else merge_ranges(span for span in ranges if span is not None)
        if (mask := _parse_mask(text)) is not None:
            first = bisect_left(self._texts, (mask.prefix, 0))
            alike = takewhile(lambda pair: pair[0].startswith(mask.prefix), islice(self._texts, first, None))
            return merge_ranges((value, value) for name, value in alike if len(name) == len(mask.prefix) + mask.hidden)
        return []

    @cached_property
    def _ends(self) -> tuple[dict[str, int], dict[str, int]]:
        """The values of ordered categories, by the texts with which a range may begin or end."""
        spelled = self._domain.spellings
        rows = self._store.rows(select(spelled.c.text, spelled.c.value_id).where(spelled.c.text.is_not(None)))
        values: dict[str, int] = dict(map(tuple, rows))
        bounds = [
            (ends, value) for text, value in values.items() if (ends := parse_range_name(text)) and ends.are_intervals
        ]
        begins = {ends.first: value for ends, value in bounds} | values
        return begins, {ends.last: value for ends, value in bounds} | values

    def between(self, text: str) -> tuple[int, int] | None:
        """Find the values from one ordered category to another; None if a text names no such range."""
        if not self._domain.is_ordered or (ends := parse_range_name(text)) is None:
            return None
        first, last = (values.get(end) for values, end in zip(self._ends, ends[:2], strict=True))
        return None if first is None or last is None or first > last else (first, last)

    def _named(self, name: str) -> tuple[int, int] | None:
        if (span := self._spans.get(name)) is not None:
            return span
        try:
            value = self._by_number.get(float(name)) if self._domain.kind == "number" else None
        except ValueError:
            return None
        return None if value is None else (value, value)


# Texts of a release with several meanings: a value and a node, two nodes, or a suppressed value.


class _Reading(NamedTuple):
    """The reading of a text that is no value and no node, or is several of them."""

    cell_id: int
    form: str
    level: int | None
    low: float | None
    high: float | None
    spans: list[tuple[int, int]]
    is_ambiguous: bool = False


class _Candidate(NamedTuple):
    """One possible meaning of a text."""

    cell_id: int
    records: int
    level: int
    first: int
    last: int
    low: float | None
    high: float | None
    people: int


def _decide_ambiguous(
    store: Store, cells: FromClause, first_look: Table, domain: Domain, *, widely: bool
) -> list[_Reading]:
    """Decide what texts with several meanings stand for, where no meaning at the lowest level covers the others.

    Such a text stands for its lowest meaning. It stands for all of them if more records have the text than people
    could.

    Parameters
    ----------
    cells : Table
        ``cells(cell_id, text, records)``.
    first_look : Table
        What `cells` were taken for at first: ``cell_id, text, form, level, first, last, low, high``.
    widely : bool
        Whether every such text stands for all that it names.
    """
    rows = [_Candidate(*row) for row in store.rows(_list_candidates(cells, first_look, domain))]
    by_cell = groupby(rows, key=attrgetter("cell_id"))
    return [_decide_reading(list(candidates), domain, widely=widely) for _, candidates in by_cell]


def _decide_reading(candidates: Sequence[_Candidate], domain: Domain, *, widely: bool) -> _Reading:
    lowest = [candidate for candidate in candidates if candidate.level == candidates[0].level]
    is_too_narrow = candidates[0].records > sum(candidate.people for candidate in lowest)
    chosen = candidates if widely or is_too_narrow else lowest
    level = chosen[-1].level
    lows, highs = [candidate.low for candidate in chosen], [candidate.high for candidate in chosen]
    return _Reading(
        cell_id=chosen[0].cell_id,
        form="value" if level == 0 else "root" if level == domain.height else "node",
        level=level,
        low=None if None in lows else min(candidate for candidate in lows if candidate is not None),
        high=None if None in highs else max(candidate for candidate in highs if candidate is not None),
        spans=merge_ranges((candidate.first, candidate.last) for candidate in chosen),
        # The ranges of one node have its level and its bounds.
        is_ambiguous=len({(candidate.level, candidate.low, candidate.high) for candidate in candidates}) > 1,
    )


def _list_candidates(cells: FromClause, first_look: Table, domain: Domain) -> Query:
    """List all that ambiguous texts name, the lowest first."""
    nodes, values = domain.nodes, domain.values
    columns = ("level", "first", "last", "low", "high")
    named = select(first_look.c.cell_id, *(nodes.c[name] for name in columns))
    whole: list[Any] = [literal(domain.height, Integer), literal(0, Integer), literal(domain.size - 1, Integer)]
    bounds = [cast(null(), Double)] * 2
    every: FromClause = union_all(
        select(first_look.c.cell_id, *(first_look.c[name] for name in columns)).where(first_look.c.form.is_not(None)),
        named.join_from(first_look, nodes, nodes.c.label == first_look.c.text),
        select(first_look.c.cell_id, *whole, *bounds).where(first_look.c.text == ROOT),
    ).subquery()
    distinct = select(*every.c).distinct().subquery()
    outside = select(distinct.c.cell_id).join_from(distinct, first_look, first_look.c.cell_id == distinct.c.cell_id)
    beyond = outside.where(or_(distinct.c.first < first_look.c.first, distinct.c.last > first_look.c.last))
    start, end = values.alias(), values.alias()
    people = end.c.before + end.c.records - start.c.before
    return (
        select(distinct.c.cell_id, cells.c.records, *(distinct.c[name] for name in columns), people.label("people"))
        .join_from(distinct, cells, cells.c.cell_id == distinct.c.cell_id)
        .join(start, start.c.value_id == distinct.c.first)
        .join(end, end.c.value_id == distinct.c.last)
        .where(distinct.c.cell_id.in_(beyond))
        .order_by(distinct.c.cell_id, distinct.c.level, distinct.c.first, func.coalesce(distinct.c.low, 0))
    )


# What the texts of a released column stand for: values, nodes of the hierarchy, intervals, sets, masks, the root.
#
# A text is taken for the first of these that it can be: a value of the people, a node of the hierarchy (the lowest of
# its name), the root, an interval, a set, a code whose end is hidden. So the notation of any program is understood,
# and a value that merely looks like an interval stays a value. Texts that name several things at once are counted.

_SHOWN = 3


def find_cell_meanings(
    store: Store, columns: Sequence[tuple[Table, Domain]], name: str, *, widely: bool = False
) -> tuple[Cells, ...]:
    """Find the meanings of the texts of each released column.

    Parameters
    ----------
    columns : sequence of (cells, domain)
        ``cells(cell_id, text, records)``.
    name : str
        What messages call the release.
    widely : bool
        Whether a text that names several things stands for all of them; see `_decide_ambiguous`.

    Raises
    ------
    InputError
        If a text stands for nothing that is known.
    """
    escaped = _are_escaped(store, columns)
    return tuple(
        _find_meanings(store, _remove_escapes(cells) if is_escaped else cells, domain, name, widely=widely)
        for (cells, domain), is_escaped in zip(columns, escaped, strict=True)
    )


def _find_meanings(store: Store, cells: FromClause, domain: Domain, name: str, *, widely: bool) -> Cells:
    first_look = store.create("found", _look_up_texts(cells, domain))
    doubtful = store.rows(_select_doubtful(first_look, domain))
    unknown = [(cell, text) for cell, text, form in doubtful if form is None]
    read = _read(store, domain, unknown)
    if read.unread:
        shown = ", ".join(quote(text) for text in read.unread[:_SHOWN])
        more = f" and {len(read.unread) - _SHOWN:,} more" if len(read.unread) > _SHOWN else ""
        remedy = "Declare the hierarchy that names them, or write an interval [a:b], a set {a,b} or a mask 12***."
        if any(parse_members(text) is not None for text in read.unread):
            population = choose_setting_name("--population FILE", python="population=")
            remedy = f"{remedy} If only the population has a member of a set, name it for the risk: {population}."
        raise InputError(
            f"{name}: {domain.name} has values that match no original value, hierarchy node or notation: "
            f"{shown}{more}. {remedy}"
        )
    is_ambiguous = len(unknown) < len(doubtful)
    readings = _decide_ambiguous(store, cells, first_look, domain, widely=widely) if is_ambiguous else []
    read_later = [*read.readings, *readings]
    columns = [first_look.c[name] for name in ("cell_id", "form", "level", "low", "high")]
    formed: Query = select(*columns).where(first_look.c.form.is_not(None))
    placed: Query = select(first_look.c.cell_id, first_look.c.first, first_look.c.last)
    placed = placed.where(first_look.c.form.is_not(None))
    if read_later:
        forms, ranges = _create_reading_tables(store, read_later)
        is_later = first_look.c.cell_id.in_(select(forms.c.cell_id))
        formed = select(union_all(formed.where(~is_later), select(forms)).subquery())
        placed = select(union_all(placed.where(~is_later), select(ranges)).subquery())
    spans = store.create("spans", placed)
    meanings = store.create("meanings", _count_covered_values(formed.subquery(), spans, domain))
    store.drop(first_look)
    return Cells(meanings=meanings, spans=spans, ambiguous=sum(reading.is_ambiguous for reading in readings))


def _create_reading_tables(store: Store, readings: Sequence[_Reading]) -> tuple[Table, Table]:
    """Create tables of readings: ``cell_id, form, level, low, high`` and ``cell_id, first, last``."""
    forms = store.create_constant(
        "forms",
        {
            "cell_id": (int, [reading.cell_id for reading in readings]),
            "form": (str, [reading.form for reading in readings]),
            "level": (int, [reading.level for reading in readings]),
            "low": (float, [reading.low for reading in readings]),
            "high": (float, [reading.high for reading in readings]),
        },
    )
    spans = [(reading.cell_id, *span) for reading in readings for span in reading.spans]
    columns = zip(*spans, strict=True) if spans else ((), (), ())
    named = {name: (int, cells) for name, cells in zip(("cell_id", "first", "last"), columns, strict=True)}
    return forms, store.create_constant("spans", named)


def _are_escaped(store: Store, columns: Sequence[tuple[Table, Domain]]) -> list[bool]:
    """Tell of each column whether it was written with the apostrophes that keep a spreadsheet from running a text.

    It was if no text would be run, and some text with one names nothing as it is.
    """
    marked = store.each(select(count_where(remove_escape(cells.c.text) != cells.c.text)) for cells, _ in columns)
    asked = [column for column, count in zip(columns, marked, strict=True) if count]
    answers = iter(store.each(_is_escaped(*column) for column in asked))
    return [bool(count) and bool(next(answers)) for count in marked]


def _is_escaped(cells: Table, domain: Domain) -> Query:
    text = cells.c.text
    values = select(domain.spellings.c.text).where(domain.spellings.c.text.is_not(None))
    is_name = or_(text.in_(values), text.in_(select(domain.nodes.c.label)))
    unknown, run = count_where((remove_escape(text) != text) & ~is_name), count_where(match_formula(text))
    return select((unknown > 0) & (run == 0)).select_from(cells)


def _remove_escapes(cells: Table) -> FromClause:
    return select(cells.c.cell_id, remove_escape(cells.c.text).label("text"), cells.c.records).subquery()


def _select_doubtful(first_look: Table, domain: Domain) -> Query:
    """Select the texts that name nothing, or more than what they were taken for: ``cell_id, text, form``."""
    found, nodes = first_look.c, domain.nodes
    wider_node = or_(nodes.c.first < found.first, nodes.c.last > found.last)
    is_part = or_(found.first > 0, found.last < domain.size - 1)
    names_more = or_(exists().where(nodes.c.label == found.text, wider_node), and_(found.text == ROOT, is_part))
    doubtful = select(found.cell_id, found.text, found.form).where(or_(found.form.is_(None), names_more))
    return doubtful.order_by(found.cell_id)


def _look_up_texts(cells: FromClause, domain: Domain) -> Query:
    """Look texts up among values and nodes: ``cell_id, text, form, level, first, last, low, high``.

    The form of a text that is neither is null. Bounds are null where they follow from the covered values.
    """
    spelled, values, nodes = domain.spellings, domain.values, domain.nodes
    joined: FromClause = cells.outerjoin(spelled, spelled.c.text.is_not_distinct_from(cells.c.text))
    value: ColumnElement[Any] = spelled.c.value_id
    if domain.kind == "number":
        joined = joined.outerjoin(values, values.c.number == domain.scale.value(cells.c.text))
        value = func.coalesce(spelled.c.value_id, values.c.value_id)
    place = func.row_number().over(order_by=(nodes.c.level, nodes.c.node_id, nodes.c.first)).label("place")
    ordered = select(*nodes.c, place).subquery()
    lowest = (
        find_first_by(ordered.c[name], ordered.c.place).label(name)
        for name in ("level", "first", "last", "low", "high")
    )
    labels = select(ordered.c.label, *lowest).group_by(ordered.c.label).subquery()
    joined = joined.outerjoin(labels, labels.c.label == cells.c.text)
    # A missing value that the people do not have is what some programs write for a suppressed one.
    is_root = func.coalesce(cells.c.text == ROOT, literal(True))
    is_value, is_node = value.is_not(None), labels.c.level.is_not(None)
    form = case(
        (is_value, "value"), (and_(is_node, labels.c.level < domain.height), "node"), (is_node | is_root, "root")
    )
    return select(
        cells.c.cell_id,
        cells.c.text,
        form.label("form"),
        cast(case((is_value, 0), (is_node, labels.c.level), (is_root, domain.height)), Integer).label("level"),
        cast(case((is_value, value), (is_node, labels.c.first), (is_root, 0)), Integer).label("first"),
        cast(case((is_value, value), (is_node, labels.c.last), (is_root, domain.size - 1)), Integer).label("last"),
        *(cast(case((is_value, null()), else_=labels.c[name]), Double).label(name) for name in ("low", "high")),
    ).select_from(joined)


class _Read(NamedTuple):
    """What became of texts that name neither a value nor a node."""

    readings: list[_Reading]
    unread: list[str]


def _read(store: Store, domain: Domain, unknown: Sequence[tuple[int, str]]) -> _Read:
    """Read texts as intervals, sets or masks; each is given with its cell.

    They are few, except where a method makes intervals, which are placed all at once.
    """
    if not unknown:
        return _Read([], [])
    numbers, sets = fetch_numbers(store, domain.values), Members(store, domain)
    members = {cell: [span] for cell, text in unknown if (span := sets.between(text)) is not None}
    known = [(cell, text) for cell, text in unknown if cell not in members] if numbers else []
    intervals = {cell: read for cell, text in known if (read := parse_column_interval(domain.scale, text)) is not None}
    placed = zip(intervals, *find_interval_ranks(numbers, list(intervals.values())), strict=True)
    spans = {cell: [(first, last)] if first <= last else [] for cell, first, last in placed}
    members |= {cell: sets.of(text) for cell, text in unknown if cell not in intervals and cell not in members}
    # An open end reaches to the end of the column.
    readings = [
        _Reading(cell, "range", None, max(interval.low, numbers[0]), min(interval.high, numbers[-1]), spans[cell])
        for cell, interval in intervals.items()
    ]
    readings += [_Reading(cell, "set", None, -math.inf, math.inf, ranges) for cell, ranges in members.items() if ranges]
    return _Read(readings, [text for cell, text in unknown if cell not in intervals and not members[cell]])


def _count_covered_values(formed: FromClause, spans: Table, domain: Domain) -> Query:
    """Count what each cell covers. A cell that stands for the same values as a node has its level."""
    values, nodes = domain.values, domain.nodes
    start, end = values.alias(), values.alias()
    people = func.sum(end.c.before + end.c.records - start.c.before)
    counted = (
        select(
            spans.c.cell_id,
            func.sum(spans.c.last - spans.c.first + 1).label("values"),
            people.label("people"),
            func.count().label("spans"),
            func.min(spans.c.first).label("first"),
            func.max(spans.c.last).label("last"),
            func.min(start.c.number).label("low"),
            func.max(end.c.number).label("high"),
        )
        .join_from(spans, start, start.c.value_id == spans.c.first)
        .join(end, end.c.value_id == spans.c.last)
        .group_by(spans.c.cell_id)
        .subquery()
    )
    lowest = select(nodes.c.first, nodes.c.last, func.min(nodes.c.level).label("level"))
    named = lowest.group_by(nodes.c.first, nodes.c.last).subquery()
    joined = formed.outerjoin(counted, counted.c.cell_id == formed.c.cell_id)
    joined = joined.outerjoin(named, and_(named.c.first == counted.c.first, named.c.last == counted.c.last))
    whole = counted.c.spans == 1
    level = case((whole & (counted.c["values"] == 1), 0), (whole, named.c.level))
    return (
        select(
            formed.c.cell_id,
            formed.c.form,
            cast(func.coalesce(formed.c.level, level), Integer).label("level"),
            _find_number_bounds(formed.c.low, counted.c.low, domain).label("low"),
            _find_number_bounds(formed.c.high, counted.c.high, domain).label("high"),
            cast(func.coalesce(counted.c["values"], 0), BigInteger).label("values"),
            cast(func.coalesce(counted.c.people, 0), BigInteger).label("people"),
        )
        .select_from(joined)
        .order_by(formed.c.cell_id)
    )


def _find_number_bounds(
    declared: ColumnElement[float], covered: ColumnElement[float], domain: Domain
) -> ColumnElement[Any]:
    """Return the bounds of the numbers of a cell: those of its text, within the domain, or those of what it covers."""
    if domain.kind == "category":
        return cast(null(), Double)
    known = case((is_finite(declared), declared), else_=covered)
    return func.greatest(domain.low, func.least(domain.high, known))


def _parse_mask(text: str) -> Mask | None:
    """Read a code whose last characters are hidden, ``130**``; None if it is none.

    Examples
    --------
    >>> _parse_mask("130**"), _parse_mask("*")
    (Mask(prefix='130', hidden=2), None)
    """
    match = _MASK.fullmatch(text.strip())
    return Mask(match["prefix"], len(match["hidden"])) if match else None
