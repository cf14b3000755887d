"""The types of PostgreSQL: what each is in Arrow, and how its values are compared, hashed and sent.

| type | in Arrow | note |
|---|---|---|
| smallint, integer, bigint | int16, int32, int64 | |
| real, double precision | float, double | -0 is 0; NaN is one value |
| numeric(p, s), p at most 38, s from 0 to p | decimal128(p, s) | NaN is an error, as Arrow has none |
| other numeric | string, metadata ``kind=number`` | 1.50 is 1.5; NaN and Infinity are texts |
| boolean | bool | |
| date | date32 | infinity is the largest number, and -infinity its negative, as DuckDB has them |
| timestamp | timestamp[us] | infinity as above |
| timestamp with time zone | timestamp[us, UTC] | infinity as above |
| text, varchar, name, citext | string | compared byte by byte, whatever their collation |
| char(n) | string | without the blanks that fill it |
| all others: enum, uuid, inet, json, time, interval, bytea, arrays, ranges .. | string | as PostgreSQL writes them |

A domain is what it is made of. Empty text is no null.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import DOUBLE_PRECISION, REAL, BigInteger, Date, Text, case, cast, collate, extract, func, literal
from sqlalchemy.sql.elements import ColumnElement
from sqlalchemy.types import TypeEngine

if TYPE_CHECKING:
    import pyarrow as pa

Expression = ColumnElement[Any]
NUMBER = {"kind": "number"}
"""The metadata of a column of texts whose values are numbers."""
_BOOL, _INT8, _INT2, _INT4, _FLOAT4, _FLOAT8 = 16, 20, 21, 23, 700, 701
_DATE, _TIMESTAMP, _TIMESTAMPTZ, _NUMERIC, _INET = 1082, 1114, 1184, 1700, 869
_MOST_DIGITS = 38
_LAST_DAY, _LAST_MOMENT = (1 << 31) - 1, (1 << 63) - 1
_MICROSECONDS = 1_000_000
_AS_THEY_ARE = {_BOOL, _INT2, _INT4, _INT8, _DATE, _TIMESTAMP, _TIMESTAMPTZ}
_FLOATS: dict[int, TypeEngine[Any]] = {_FLOAT4: REAL(), _FLOAT8: DOUBLE_PRECISION()}
_EPOCH = cast(literal("1970-01-01"), Date)


class ColumnType(NamedTuple):
    """The type of a column as the server describes it: for a domain, of what it is made of."""

    oid: int
    precision: int | None = None
    """Digits of a numeric that says how many it has."""
    scale: int | None = None

    @property
    def is_decimal(self) -> bool:
        """Whether it is a numeric that a decimal of Arrow can hold."""
        if self.oid != _NUMERIC or self.precision is None or self.scale is None:
            return False
        return self.precision <= _MOST_DIGITS and 0 <= self.scale <= self.precision


def field(name: str, of: ColumnType) -> pa.Field:
    """Return a column in Arrow."""
    import pyarrow as pa

    if of.is_decimal:
        return pa.field(name, pa.decimal128(of.precision, of.scale))
    if of.oid == _NUMERIC:
        return pa.field(name, pa.string(), metadata=NUMBER)
    known = {
        _BOOL: pa.bool_(),
        _INT2: pa.int16(),
        _INT4: pa.int32(),
        _INT8: pa.int64(),
        _FLOAT4: pa.float32(),
        _FLOAT8: pa.float64(),
        _DATE: pa.date32(),
        _TIMESTAMP: pa.timestamp("us"),
        _TIMESTAMPTZ: pa.timestamp("us", "UTC"),
    }
    return pa.field(name, known.get(of.oid, pa.string()))


def seen(value: Expression, of: ColumnType) -> Expression:
    """Return a value as it is grouped, compared and hashed: equal ones are sent as one text."""
    if of.oid in _AS_THEY_ARE or of.is_decimal:
        return value
    if of.oid in _FLOATS:
        # Of two zeros, the group would show either.
        return value + cast(literal(0), _FLOATS[of.oid])
    if of.oid == _INET:
        # Its cast adds a mask that is not shown otherwise.
        return as_text(case((value.is_not(None), func.concat(value))))
    return as_text(func.trim_scale(value) if of.oid == _NUMERIC else value)


def as_written(value: Expression, of: ColumnType) -> Expression:
    """Return a value as it was written: -0 and 1.50 as they are."""
    if of.oid in _FLOATS:
        return value
    return as_text(value) if of.oid == _NUMERIC and not of.is_decimal else seen(value, of)


def as_text(value: Expression) -> Expression:
    """Return a value as text that is compared byte by byte."""
    return collate(cast(value, Text), "C")


def sent(value: Expression, kind: pa.DataType) -> Expression:
    """Return a value as `toolbox.engines.postgresql.copying.copied_out` reads it."""
    import pyarrow as pa

    if pa.types.is_date(kind):
        return _finite(value, value.op("-")(_EPOCH), _LAST_DAY)
    if pa.types.is_timestamp(kind):
        moment = cast(extract("epoch", value) * _MICROSECONDS, BigInteger)
        return _finite(value, moment, _LAST_MOMENT)
    return value


def _finite(value: Expression, number: Expression, last: int) -> Expression:
    """Return a number in the place of a date; null stays null."""
    return case((func.isfinite(value), number), (value > _EPOCH, last), (value < _EPOCH, -last))
