"""The hierarchies that builders make of the values of a column."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

from sqlalchemy import FromClause, func, select

from toolbox.config.built_columns import assign_category_codes, extend_root
from toolbox.config.model import Attribute
from toolbox.errors import UsageError
from toolbox.hierarchy.builders.builder import BuilderError
from toolbox.hierarchy.builders.dates import DateBuilder, Dates, Days
from toolbox.hierarchy.builders.numbers import Banded, NumberBuilder, Write
from toolbox.hierarchy.date_formats import find_zone_clock
from toolbox.hierarchy.hierarchy import format_number
from toolbox.queries.dialect import Query
from toolbox.queries.scales import Calendar, Figures, Scale
from toolbox.store.engine.store import Store
from toolbox.store.values.dates import build_calendar_hierarchy

_Attribute = TypeVar("_Attribute", bound=Attribute)


def build_text_hierarchy(
    store: Store, attribute: _Attribute, distinct: FromClause, counted: Query | None, missing: str | None = None
) -> _Attribute:
    """Return a column of categories with the hierarchy that its builder makes of them.

    Parameters
    ----------
    distinct : FromClause
        ``text``: what occurs, each once.
    counted : Select, optional
        ``text, records``: how often.
    missing : str, optional
        The text of missing values that are kept.

    Raises
    ------
    UsageError
        If it cannot make one.
    """
    if attribute.builder is None and attribute.other == "error":
        return attribute
    rows = store.rows(_select_weights(attribute, distinct, counted, "text"))
    try:
        return assign_category_codes(attribute, {text: records for text, records in rows if text is not None}, missing)
    except BuilderError as error:
        raise _make_column_error(attribute, error) from None


def build_number_hierarchy(
    store: Store, attribute: _Attribute, values: FromClause, scale: Scale, counted: FromClause | None = None
) -> tuple[_Attribute, tuple[float, ...]]:
    """Return a column of numbers or dates with the hierarchy that its builder makes of them.

    Parameters
    ----------
    values : FromClause
        ``value``: what occurs; null is left out.
    counted : FromClause, optional
        ``value, records``: how often.

    Returns
    -------
    attribute : Attribute
    unplaced : tuple of float
        What has no place below the root.

    Raises
    ------
    UsageError
        If it cannot make one.
    """
    if attribute.builder is None and attribute.other == "error":
        return attribute, ()
    rows = store.rows(_select_weights(attribute, values, None if counted is None else select(counted), "value"))
    counts = {value: records for value, records in rows if value is not None}
    if not counts:
        return attribute, ()
    if attribute.builder is None:
        return extend_root(attribute, min(counts), max(counts)), ()
    try:
        built = _build_bands(store, attribute, values, counts, scale)
    except BuilderError as error:
        raise _make_column_error(attribute, error) from None
    if built is None:
        return attribute, ()
    return replace(attribute, hierarchy=built.hierarchy), built.unplaced


def _build_bands(
    store: Store, attribute: Attribute, values: FromClause, counts: Mapping[float, int], scale: Scale
) -> Banded | None:
    assert attribute.builder is not None
    if not isinstance(scale, Calendar):
        builder = attribute.builder.of("number")
        assert isinstance(builder, NumberBuilder), "others take no numbers"
        return builder.hierarchy(counts, _find_number_writing(scale))
    of_dates = attribute.builder.of("date")
    if isinstance(of_dates, Dates):
        tree = build_calendar_hierarchy(store, values, scale, of_dates.periods, of_dates.root)
        return None if tree is None else Banded(tree)
    assert isinstance(of_dates, DateBuilder), "others take no dates"
    return of_dates.hierarchy(list(counts), _make_days(scale))


def _make_days(scale: Calendar) -> Days:
    if scale.unit == "date":
        return Days()
    zone = None if scale.zone is None else find_zone_clock(scale.zone)
    return Days(has_time=True, zone=zone)


def _find_number_writing(scale: Scale) -> Write:
    """Return how a column writes its numbers, in labels too."""
    if not isinstance(scale, Figures) or scale.decimal == ".":
        return format_number
    decimal = scale.decimal
    return lambda number: format_number(number).replace(".", decimal)


def _select_weights(attribute: Attribute, distinct: FromClause, counted: Query | None, name: str) -> Query:
    """Select the values that occur, ascending, with their numbers of records if these matter, otherwise with 1.

    A value that only a population has is one of no record.
    """
    value = distinct.c[name]
    if counted is None or attribute.builder is None or not attribute.builder.counts_records:
        return select(value, func.count()).group_by(value).order_by(value)
    each = counted.subquery()
    joined = distinct.outerjoin(each, each.c[name] == value)
    records = func.coalesce(func.sum(each.c.records), 0)
    return select(value, records).select_from(joined).group_by(value).order_by(value)


def _make_column_error(attribute: Attribute, error: BuilderError) -> UsageError:
    return UsageError(f"{attribute.column}, {error}")
