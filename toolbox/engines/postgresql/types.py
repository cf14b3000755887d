"""The types of PostgreSQL: what each is in Arrow, and tables of Arrow as the bytes that it copies in and out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import (
    DOUBLE_PRECISION,
    REAL,
    BigInteger,
    Date,
    Integer,
    Numeric,
    SmallInteger,
    Text,
    case,
    cast,
    collate,
    extract,
    func,
    literal,
)
from sqlalchemy.dialects.postgresql import TIMESTAMP
from sqlalchemy.sql.elements import ColumnElement
from sqlalchemy.types import NullType, TypeEngine

from toolbox.errors import InputError, quote

if TYPE_CHECKING:
    import pyarrow as pa


# The types of PostgreSQL: what each is in Arrow, and how its values are compared, hashed and sent.
#
# | type | in Arrow | note | |---|---|---| | smallint, integer, bigint | int16, int32, int64 | | | real, double
# precision | float, double | -0 is 0; NaN is one value | | numeric(p, s), p at most 38, s from 0 to p | decimal128(p,
# s) | NaN is an error, as Arrow has none | | other numeric | string, metadata ``kind=number`` | 1.50 is 1.5; NaN and
# Infinity are texts | | boolean | bool | | | date | date32 | infinity is the largest number, and -infinity its
# negative, as DuckDB has them | | timestamp | timestamp[us] | infinity as above | | timestamp with time zone |
# timestamp[us, UTC] | infinity as above | | text, varchar, name, citext | string | compared byte by byte, whatever
# their collation | | char(n) | string | without the blanks that fill it | | all others: enum, uuid, inet, json, time,
# interval, bytea, arrays, ranges .. | string | as PostgreSQL writes them |
#
# A domain is what it is made of. Empty text is no null.

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
_SQL_TYPES: dict[int, TypeEngine[Any]] = {
    **_FLOATS,
    _INT2: SmallInteger(),
    _INT4: Integer(),
    _INT8: BigInteger(),
    _DATE: Date(),
    _TIMESTAMP: TIMESTAMP(),
    _TIMESTAMPTZ: TIMESTAMP(timezone=True),
}
_EPOCH = cast(literal("1970-01-01"), Date)


class PostgresType(NamedTuple):
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

    @property
    def sql(self) -> TypeEngine[Any]:
        """The type of numbers and dates, by which a treatment keeps it; of all others none."""
        if self.oid == _NUMERIC:
            return Numeric(self.precision, self.scale) if self.is_decimal else Numeric()
        return _SQL_TYPES.get(self.oid, NullType())


def make_arrow_field(name: str, of: PostgresType) -> pa.Field:
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


def normalise_value(value: Expression, of: PostgresType) -> Expression:
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


def as_written(value: Expression, of: PostgresType) -> Expression:
    """Return a value as it was written: -0 and 1.50 as they are."""
    if of.oid in _FLOATS:
        return value
    return as_text(value) if of.oid == _NUMERIC and not of.is_decimal else normalise_value(value, of)


def as_text(value: Expression) -> Expression:
    """Return a value as text that is compared byte by byte."""
    return collate(cast(value, Text), "C")


def encode_sent_value(value: Expression, kind: pa.DataType) -> Expression:
    """Return a value as `toolbox.engines.postgresql.types.read_copy_rows` reads it."""
    import pyarrow as pa

    if pa.types.is_date(kind):
        return _make_finite(value, value.op("-")(_EPOCH), _LAST_DAY)
    if pa.types.is_timestamp(kind):
        moment = cast(extract("epoch", value) * _MICROSECONDS, BigInteger)
        return _make_finite(value, moment, _LAST_MOMENT)
    return value


def _make_finite(value: Expression, number: Expression, last: int) -> Expression:
    """Return a number in the place of a date; null stays null."""
    return case((func.isfinite(value), number), (value > _EPOCH, last), (value < _EPOCH, -last))


# How values are hashed.

_HALF = 32
_LOW_BITS, _ALL_BITS = (1 << 32) - 1, (1 << 64) - 1
# Odd factors and shifts can be undone, so that no two salts have one seed.
_MIXING = ((31, 0xD6E8FEB86659FD93), (29, 0xA0761D6478BD642F))
_ODD = 0x9E3779B97F4A7C15


class RowHashes:
    """The hashes of PostgreSQL."""

    groups_values = True

    def digest(self, values: Sequence[Expression]) -> Expression:
        """Return what stands for the values."""
        return self.number(values, 0)

    def number(self, values: Sequence[Expression], salt: int) -> ColumnElement[int]:
        """Return a number of 64 bits with a sign: of some values, of their places and of their nulls."""
        seed = _make_constant(_make_seed(salt))
        # Its nulls are 0 whatever the seed, so that this is one of the values.
        hashed: ColumnElement[int] = func.pg_catalog.hash_record_extended(func.row(seed, *values), seed)
        return hashed

    number_group = number

    def halves(self, digest: ColumnElement[int]) -> tuple[ColumnElement[int], ColumnElement[int]]:
        """Return two numbers of 32 bits without a sign, whose sums tell apart what records hold.

        Each half of the hash of a row is hashed, as that alone adds up to the same where records exchange values.
        """
        high = digest.bitwise_rshift(_HALF)
        low = digest.bitwise_lshift(_HALF).bitwise_rshift(_HALF)
        return _hash_half(high), _hash_half(low)


def _hash_half(half: ColumnElement[int]) -> ColumnElement[int]:
    hashed: ColumnElement[int] = func.pg_catalog.hashint4extended(cast(half, Integer), _make_constant(0))
    return hashed.bitwise_and(_LOW_BITS)


def _make_seed(salt: int) -> int:
    """Return another number of 64 bits for each salt, as the server hashes nulls and some zeros alike if it is 0."""
    mixed = salt & _ALL_BITS
    for shift, factor in _MIXING:
        mixed = ((mixed ^ (mixed >> shift)) * factor + _ODD) & _ALL_BITS
    return mixed - (1 << 64) if mixed >> 63 else mixed


def _make_constant(value: int) -> ColumnElement[int]:
    """Return a number of 64 bits."""
    return cast(literal(value), BigInteger)


# Tables of Arrow as the bytes that a database copies in and out, without rows of Python.

_PARSED_AT_ONCE = 4 << 20
_ROWS_WRITTEN_AT_ONCE = 1 << 16
_DAY = 86_400_000_000
_JULIAN_1970 = 2_440_588
# What the text format of COPY reads as something else; the backslash comes first, since the others bring their own.
_ESCAPED = (("\\", "\\\\"), ("\n", "\\n"), ("\r", "\\r"), ("\t", "\\t"))


def encode_copy_rows(table: pa.Table) -> Iterator[bytes]:
    r"""Yield the rows of a table in the text format of COPY; null is ``\N``.

    Parameters
    ----------
    table : pyarrow.Table
        Of numbers, texts, dates, timestamps of microseconds, booleans, times and bytes.
    """
    import pyarrow as pa
    from pyarrow import compute

    tab, nothing, end = (pa.scalar(text, pa.large_string()) for text in ("\t", "", "\n"))
    for batch in table.to_batches(max_chunksize=_ROWS_WRITTEN_AT_ONCE):
        columns = [_escape_texts(column) for column in batch.columns]
        lines = compute.binary_join_element_wise(*columns, tab, null_handling="replace", null_replacement="\\N")
        lines = compute.binary_join_element_wise(lines, nothing, end)
        # The texts of an array stand behind each other already.
        _, _, texts = lines.buffers()
        if texts is not None:
            yield texts.to_pybytes()


def _escape_texts(column: pa.Array) -> pa.Array:
    import pyarrow as pa
    from pyarrow import compute

    texts = _format_values(column)
    if pa.types.is_integer(column.type):
        return texts
    for sign, written in _ESCAPED:
        texts = compute.replace_substring(texts, sign, written)
    return texts


def _format_values(column: pa.Array) -> pa.Array:
    """Return values as texts that PostgreSQL reads with any DateStyle."""
    import pyarrow as pa

    kind = column.type
    if pa.types.is_dictionary(kind):
        return _format_values(column.dictionary_decode())
    if pa.types.is_date32(kind):
        days = column.cast(pa.int32()).cast(pa.int64())
        return _replace_infinity(days, _format_julian_days(days), _LAST_DAY)
    if pa.types.is_timestamp(kind):
        return _format_moments(column.cast(pa.timestamp("us", kind.tz)).cast(pa.int64()), "+00" if kind.tz else "")
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_fixed_size_binary(kind):
        coded = [None if value is None else f"\\x{value.hex()}" for value in column.to_pylist()]
        return pa.array(coded, pa.large_string())
    return column.cast(pa.large_string())


def _format_moments(moments: pa.Array, zone: str) -> pa.Array:
    import pyarrow as pa
    from pyarrow import compute

    # Whole days are cut towards 1970.
    days = compute.divide(moments, _DAY)
    rest = compute.subtract(moments, compute.multiply(days, _DAY))
    before = compute.less(rest, 0).cast(pa.int64())
    days = compute.subtract(days, before)
    times = compute.add(rest, compute.multiply(before, _DAY)).cast(pa.time64("us")).cast(pa.large_string())
    blank, nothing, end = (pa.scalar(text, pa.large_string()) for text in (" ", "", zone))
    texts = compute.binary_join_element_wise(_format_julian_days(days), times, blank)
    return _replace_infinity(moments, compute.binary_join_element_wise(texts, end, nothing), _LAST_MOMENT)


def _format_julian_days(days: pa.Array) -> pa.Array:
    """Return days since 1970 as PostgreSQL reads them in any year."""
    import pyarrow as pa
    from pyarrow import compute

    numbers = compute.add(days, _JULIAN_1970).cast(pa.large_string())
    letter, nothing = pa.scalar("J", pa.large_string()), pa.scalar("", pa.large_string())
    return compute.binary_join_element_wise(letter, numbers, nothing)


def _replace_infinity(numbers: pa.Array, texts: pa.Array, last: int) -> pa.Array:
    """Replace the largest number by infinity, and its negative by minus infinity."""
    import pyarrow as pa
    from pyarrow import compute

    for number, word in ((last, "infinity"), (-last, "-infinity")):
        texts = compute.if_else(compute.equal(numbers, number), pa.scalar(word, pa.large_string()), texts)
    return texts


def read_copy_rows(
    blocks: Iterable[bytes], schema: pa.Schema, name: str, columns: Sequence[str] | None = None
) -> pa.Table:
    """Read rows in the CSV format of COPY: texts in quotes, null without any, dates and moments as whole numbers.

    Parameters
    ----------
    blocks : iterable of bytes
        Each of them ends where a row ends.
    schema : pyarrow.Schema
    name : str
        What messages call the input.
    columns : sequence of str, optional
        What they call the columns, where the schema does otherwise.

    Raises
    ------
    InputError
        If a value is none of the type of its column, such as NaN of a decimal.
    """
    import pyarrow as pa

    # Columns are cast by their places, as they may have equal names.
    raw = pa.schema([(f"c{place}", _choose_raw_type(field.type)) for place, field in enumerate(schema)])
    parsed = [
        _convert_columns(_parse_rows(part, raw, name), schema, name, columns or schema.names)
        for part in _split_blocks(blocks)
    ]
    return pa.Table.from_batches([batch for table in parsed for batch in table.to_batches()], schema)


def _split_blocks(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the rows in parts that are worth a call."""
    waiting: list[bytes] = []
    size = 0
    for block in blocks:
        waiting.append(bytes(block))
        size += len(block)
        if size >= _PARSED_AT_ONCE:
            yield b"".join(waiting)
            waiting, size = [], 0
    if waiting:
        yield b"".join(waiting)


def _choose_raw_type(kind: pa.DataType) -> pa.DataType:
    """Return the type as which a column of CSV is read; the parser would round a decimal, and knows few years."""
    import pyarrow as pa

    if pa.types.is_date(kind):
        return pa.int32()
    if pa.types.is_timestamp(kind):
        return pa.int64()
    return pa.string() if pa.types.is_decimal(kind) else kind


def _parse_rows(part: bytes, raw: pa.Schema, name: str) -> pa.Table:
    import pyarrow as pa
    from pyarrow import csv

    try:
        return csv.read_csv(
            pa.BufferReader(part),
            csv.ReadOptions(column_names=raw.names, use_threads=False, block_size=len(part) + 1),
            csv.ParseOptions(newlines_in_values=True, ignore_empty_lines=False),
            csv.ConvertOptions(
                column_types=raw,
                null_values=[""],
                strings_can_be_null=True,
                quoted_strings_can_be_null=False,
                true_values=["t"],
                false_values=["f"],
            ),
        )
    except pa.ArrowException:
        # Its message quotes a cell.
        raise InputError(
            f"{name}: the database sent texts that are no UTF-8. Find them with convert_to(.., 'UTF8'), or name the "
            "other columns in a query."
        ) from None


def _convert_columns(parsed: pa.Table, schema: pa.Schema, name: str, names: Sequence[str]) -> pa.Table:
    import pyarrow as pa

    def typed(column: Any, field: pa.Field, shown: str) -> Any:
        try:
            return column.cast(field.type)
        except pa.ArrowException:
            raise InputError(
                f"{name}: the column {quote(shown)} is of type {field.type}, and holds a value that is no such "
                "number, as NaN is none. Give a query that casts the column to double precision."
            ) from None

    columns = [typed(*each) for each in zip(parsed.columns, schema, names, strict=True)]
    return pa.Table.from_arrays(columns, schema=schema)
