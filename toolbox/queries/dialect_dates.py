"""Dates and timestamps in the words of DuckDB, each under a plain name; see `toolbox.queries.dialect`."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Literal, TypeAlias

from sqlalchemy import BigInteger, DateTime, func, literal, try_cast
from sqlalchemy.sql.elements import ColumnElement

from toolbox.hierarchy.date_formats import offset_of

Span: TypeAlias = Literal["hours", "days", "months", "years"]


def microseconds(moment: ColumnElement[Any]) -> ColumnElement[int]:
    """Return the microseconds of a timestamp since the beginning of 1970."""
    return func.epoch_us(moment, type_=BigInteger)


def moment_or_null(text: ColumnElement[str], *, zoned: bool) -> ColumnElement[Any]:
    """Read a text as a timestamp, as ISO 8601 writes it; null if it is none.

    Parameters
    ----------
    text : ColumnElement
    zoned : bool
        Whether the text says how far its clock is ahead of that of Greenwich.
    """
    return try_cast(text, DateTime(timezone=True) if zoned else DateTime)


def parsed_moment(text: ColumnElement[str], date_format: str) -> ColumnElement[Any]:
    """Read a text as a timestamp in a format of ``strptime``; null if it is none."""
    return func.try_strptime(text, literal(date_format))


def clock(micros: ColumnElement[int], zone: str | None) -> ColumnElement[Any]:
    """Return what calendar and clock of a zone show, microseconds after the beginning of 1970.

    Parameters
    ----------
    micros : ColumnElement
    zone : str, optional
        None: the timestamps are local.
    """
    if zone is None:
        return func.make_timestamp(micros, type_=DateTime)
    if (ahead := _ahead(zone)) is not None:
        return func.make_timestamp(micros + ahead, type_=DateTime)
    return func.timezone(zone, func.make_timestamptz(micros), type_=DateTime)


def micros_of_clock(local: ColumnElement[Any], zone: str | None) -> ColumnElement[int]:
    """Return the microseconds since the beginning of 1970 at which calendar and clock of a zone show a timestamp."""
    if zone is None:
        return microseconds(local)
    if (ahead := _ahead(zone)) is not None:
        return microseconds(local) - ahead
    return microseconds(func.timezone(zone, local))


def _ahead(zone: str) -> int | None:
    """Return by how many microseconds a zone such as ``+05:30`` is ahead: the engine knows no such names."""
    if (offset := offset_of(zone)) is None:
        return None
    return offset // timedelta(microseconds=1)


def later(moment: ColumnElement[Any], count: int, span: Span) -> ColumnElement[Any]:
    """Return the timestamp that is some hours, days, months or years later."""
    return moment.op("+")(getattr(func, f"to_{span}")(count))


def iso_year(moment: ColumnElement[Any]) -> ColumnElement[int]:
    """Return the year to which ISO 8601 counts the week of a timestamp."""
    return func.isoyear(moment)


def iso_week(moment: ColumnElement[Any]) -> ColumnElement[int]:
    """Return the number of the week of a timestamp, as ISO 8601 counts."""
    return func.week(moment)


def quarter(moment: ColumnElement[Any]) -> ColumnElement[int]:
    """Return the quarter of a timestamp, from 1 to 4."""
    return func.quarter(moment)
