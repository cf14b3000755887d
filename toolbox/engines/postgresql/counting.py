"""The records of a table of PostgreSQL, counted by their combinations, all as selects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from sqlalchemy import (
    BigInteger,
    FromClause,
    Integer,
    Select,
    Table,
    and_,
    cast,
    false,
    func,
    literal,
    not_,
    or_,
    select,
)
from sqlalchemy.sql.elements import ColumnElement

from toolbox.engines.engine import CountRequest, Recoding
from toolbox.engines.postgresql.connection import Doing
from toolbox.engines.postgresql.types import PostgresType, make_arrow_field, normalise_value
from toolbox.errors import UnknownColumnError

if TYPE_CHECKING:
    import pyarrow as pa


# The selects of an engine that reads SQL: count the records, find the class of each, all as SQLAlchemy Core.
#
# What each database writes in its own way, the hashes, it supplies as `Hashes`.

Expression = ColumnElement[Any]
_BEYOND_HALF, _BEYOND_WHOLE = 1 << 63, 1 << 64


class Hashes(Protocol):
    """How a database hashes values."""

    def whole(self, values: Sequence[Expression], salt: int) -> ColumnElement[int]:
        """Return a number of 64 bits with a sign: of some values, of their places and of their nulls."""

    def halves(self, whole: ColumnElement[int]) -> tuple[ColumnElement[int], ColumnElement[int]]:
        """Return two numbers of 32 bits without a sign, whose sums tell apart what records hold."""


@dataclass(frozen=True, kw_only=True)
class PostgresRecords:
    """The records of a table, with their values as they are compared: equal ones are one value."""

    table: FromClause
    by: tuple[Expression, ...]
    passed: tuple[Expression, ...]
    unusable: ColumnElement[bool]
    salt: int
    hashes: Hashes

    @property
    def key(self) -> ColumnElement[int]:
        """The key of a record."""
        return self.hashes.whole(self.by, self.salt)


def is_unusable(values: Sequence[tuple[Expression, Sequence[str]]]) -> ColumnElement[bool]:
    """Test whether a record is unusable, since one of its values is null or one of some texts."""
    return or_(false(), *(_is_missing(value, marks) for value, marks in values))


def _is_missing(value: Expression, marks: Sequence[str]) -> ColumnElement[bool]:
    # A null is never equal to a mark, nor is it different from one.
    return or_(value.is_(None), and_(value.is_not(None), value.in_(marks))) if marks else value.is_(None)


def select_combinations(records: PostgresRecords) -> Select[Any]:
    """Select ``key, by_1 .., unusable, size, sum_1, sum_2``, as `toolbox.engines.engine.CountedRecords` has them."""
    named = [value.label(f"by_{place}") for place, value in enumerate(records.by, start=1)]
    fingerprint = records.hashes.whole(records.passed, 0) if records.passed else None
    each = [*named, records.unusable.label("unusable"), *([] if fingerprint is None else [fingerprint.label("passed")])]
    rows = select(*each).select_from(records.table).subquery("seen")
    by = [rows.c[label.name] for label in named]
    sums = (
        tuple(map(_sum_halves, records.hashes.halves(rows.c.passed)))
        if records.passed
        else (_cast_whole_number(0), _cast_whole_number(0))
    )
    counted: tuple[Expression, ...] = (
        # Of each group and not of each record, as hashing costs as much as grouping.
        records.hashes.whole(by, records.salt).label("key"),
        *by,
        rows.c.unusable,
        func.count().label("size"),
        sums[0].label("sum_1"),
        sums[1].label("sum_2"),
    )
    return select(*counted).group_by(*by, rows.c.unusable)


def _sum_halves(half: ColumnElement[int]) -> Expression:
    """Add up numbers of 32 bits to a signed number of 64 bits; it overflows beyond two billion records."""
    total: Expression = func.sum(half)
    return _cast_whole_number(func.mod(total + _BEYOND_HALF, _BEYOND_WHOLE) - _BEYOND_HALF)


def _cast_whole_number(value: Any) -> Expression:
    return cast(value, BigInteger)


def select_value_counts(records: PostgresRecords, value: Expression) -> Select[Any]:
    """Select ``key, value, size`` of usable records."""
    rows = (
        select(records.key.label("key"), value.label("value"))
        .select_from(records.table)
        .where(not_(records.unusable))
        .subquery("seen")
    )
    return select(rows.c.key, rows.c.value, func.count().label("size")).group_by(rows.c.key, rows.c.value)


def number_of(rows: Select[Any]) -> Select[Any]:
    """Select how many rows a select has."""
    return select(func.count()).select_from(rows.subquery("counted"))


def select_distinct_counts(rows: FromClause, columns: Sequence[str]) -> Select[Any]:
    """Select how many different values each column has; null is none."""
    numbers: list[Expression] = [func.count(rows.c[column].distinct()) for column in columns]
    return select(*numbers).select_from(rows)


def select_released_records(
    records: PostgresRecords, recoding: Recoding, mapping: Table, classes: Table
) -> Select[Any]:
    """Select the records of a release: each that is usable and whose key is known, with the texts of its class.

    They stand in a random order: in that of the input, whoever has another list of it could join the two line by line.
    """
    columns = [
        (records.table.c[column.passed] if column.passed is not None else classes.c[str(column.text)]).label(
            column.header
        )
        for column in recoding.columns
    ]
    # One table after the other, so that the keys are looked up without the texts.
    origin = records.table.join(mapping, mapping.c.key == records.key)
    origin = origin.join(classes, classes.c.class_id == mapping.c.class_id)
    return select(*columns).select_from(origin).where(not_(records.unusable)).order_by(func.random())


def make_constant(value: int) -> ColumnElement[int]:
    """Return a number of 64 bits."""
    return cast(literal(value), BigInteger)


# The records of a table of PostgreSQL, with the types of its columns, as they are counted.

_HALF = 32
_LOW_BITS, _ALL_BITS = (1 << 32) - 1, (1 << 64) - 1
# Odd factors and shifts can be undone, so that no two salts have one seed.
_MIXING = ((31, 0xD6E8FEB86659FD93), (29, 0xA0761D6478BD642F))
_ODD = 0x9E3779B97F4A7C15


@dataclass(frozen=True)
class ReadTable:
    """Something that is read, and the types of its columns."""

    name: str
    table: Any
    types: Mapping[str, PostgresType]
    doing: Doing
    is_plain: bool
    """Whether reading it runs nobody's expressions."""

    def value(self, name: str) -> Expression:
        """Return a column as it is compared."""
        if name not in self.types:
            raise UnknownColumnError(name, self.name, list(self.types))
        return normalise_value(self.table.c[name], self.types[name])

    def field(self, name: str, label: str) -> pa.Field:
        return make_arrow_field(label, self.types[name])


class RowHashes:
    """The hashes of PostgreSQL."""

    def whole(self, values: Sequence[Expression], salt: int) -> ColumnElement[int]:
        """Hash a row, which hashes the places of its values as well."""
        seed = make_constant(_make_seed(salt))
        # Its nulls are 0 whatever the seed, so that this is one of the values.
        hashed: ColumnElement[int] = func.pg_catalog.hash_record_extended(func.row(seed, *values), seed)
        return hashed

    def halves(self, whole: ColumnElement[int]) -> tuple[ColumnElement[int], ColumnElement[int]]:
        """Hash each half of the hash of a row, as that alone adds up to the same where records exchange values."""
        high = whole.bitwise_rshift(_HALF)
        low = whole.bitwise_lshift(_HALF).bitwise_rshift(_HALF)
        return _hash_half(high), _hash_half(low)


def _hash_half(half: ColumnElement[int]) -> ColumnElement[int]:
    hashed: ColumnElement[int] = func.pg_catalog.hashint4extended(cast(half, Integer), make_constant(0))
    return hashed.bitwise_and(_LOW_BITS)


def _make_seed(salt: int) -> int:
    """Return another number of 64 bits for each salt, as the server hashes nulls and some zeros alike if it is 0."""
    mixed = salt & _ALL_BITS
    for shift, factor in _MIXING:
        mixed = ((mixed ^ (mixed >> shift)) * factor + _ODD) & _ALL_BITS
    return mixed - (1 << 64) if mixed >> 63 else mixed


def make_record_source(relation: ReadTable, request: CountRequest) -> PostgresRecords:
    """Return the records that a request counts.

    Raises
    ------
    UnknownColumnError
    """
    import pyarrow as pa

    tests = []
    for each in request.lacking:
        value = relation.value(each.column)
        is_text = pa.types.is_string(relation.field(each.column, "").type)
        tests.append((value, each.marks if is_text else ()))
    return PostgresRecords(
        table=relation.table,
        by=tuple(map(relation.value, request.by)),
        passed=tuple(map(relation.value, request.passed)),
        unusable=is_unusable(tests),
        salt=request.salt,
        hashes=RowHashes(),
    )
