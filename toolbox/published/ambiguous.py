"""Texts of a release with several meanings: a value and a node, two nodes, or a suppressed value."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any, NamedTuple

from sqlalchemy import Double, FromClause, Integer, cast, func, literal, null, or_, select, union_all

from toolbox.published.release import ROOT
from toolbox.published.spans import merged
from toolbox.published.tables import Domain
from toolbox.queries.query import Query, Table
from toolbox.store.store import Store


class Reading(NamedTuple):
    """The reading of an ambiguous text."""

    cell_id: int
    form: str
    level: int
    low: float | None
    high: float | None
    spans: list[tuple[int, int]]


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


def ambiguous_readings(store: Store, cells: Table, first_look: Table, domain: Domain, *, widely: bool) -> list[Reading]:
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
    rows = [_Candidate(*row) for row in store.rows(_candidates(cells, first_look, domain))]
    by_cell = groupby(rows, key=attrgetter("cell_id"))
    return [_decided(list(candidates), domain, widely=widely) for _, candidates in by_cell]


def _decided(candidates: Sequence[_Candidate], domain: Domain, *, widely: bool) -> Reading:
    lowest = [candidate for candidate in candidates if candidate.level == candidates[0].level]
    is_too_narrow = candidates[0].records > sum(candidate.people for candidate in lowest)
    chosen = candidates if widely or is_too_narrow else lowest
    level = chosen[-1].level
    lows, highs = [candidate.low for candidate in chosen], [candidate.high for candidate in chosen]
    return Reading(
        cell_id=chosen[0].cell_id,
        form="value" if level == 0 else "root" if level == domain.height else "node",
        level=level,
        low=None if None in lows else min(candidate for candidate in lows if candidate is not None),
        high=None if None in highs else max(candidate for candidate in highs if candidate is not None),
        spans=merged((candidate.first, candidate.last) for candidate in chosen),
    )


def _candidates(cells: Table, first_look: Table, domain: Domain) -> Query:
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
