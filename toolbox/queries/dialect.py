"""The words of DuckDB that other databases write in their own way, each under a plain name."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any, Literal, TypeAlias

from sqlalchemy import (
    ARRAY,
    BigInteger,
    DateTime,
    Double,
    FromClause,
    Integer,
    LargeBinary,
    Numeric,
    Select,
    SmallInteger,
    String,
    TableClause,
    cast,
    func,
    literal,
    literal_column,
    select,
    try_cast,
    type_coerce,
)
from sqlalchemy.dialects.postgresql import aggregate_order_by
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql import quoted_name
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.elements import ColumnElement
from sqlalchemy.sql.functions import GenericFunction
from sqlalchemy.types import TypeEngine, UserDefinedType

from toolbox.hierarchy.date_formats import find_zone_offset

Query: TypeAlias = Select[*tuple[Any, ...]]
"""A select of any columns."""
Table: TypeAlias = TableClause
"""A table or a view of the store. SQLAlchemy's own ``Table`` would know of keys, constraints and events as well, and
making those takes a twelfth of a small run."""
_BLOCK = 10
"""Records that share their keys, as a power of two."""
# The engine sorts by up to 8 bytes, one of each column for null, in two thirds of the time that more take. So an
# order that nobody repeats takes 46 bits of a turn, 31 behind the number of a bucket, 15 within a group of few records.
FEW_IN_GROUP = 50
"""Records that may share 15 bits: of a thousand groups of so many, 37 have two records in one turn."""

# The words of DuckDB that other databases write in their own way, each under a plain name.
#
# All other modules write SQL that PostgreSQL reads as well (``tests/test_engine_words.py`` has the list). These are
# what a second engine changes:
#
# - this module: expressions;
# - `toolbox.store.engine.statements`: statements, and reading files;
# - `toolbox.store.engine.connection`: connecting, running, settings, progress, memory, Arrow and numpy;
# - `toolbox.store.engine.errors` and `toolbox.store.engine.gate`: errors, and which files the engine may reach.
#
# `toolbox.store.engine.connection.Connection` lists what every engine must be able to do besides SQL.

# Rows


def write_name_as_it_is(name: str) -> str:
    """Return the name of a table that is written without quotes, whatever it holds: a reference that others replace."""
    return quoted_name(name, quote=False)


def find_row_place(table: Table) -> ColumnElement[int]:
    """Return the place of a row in its table, from 0: the order in which the rows were created.

    Parameters
    ----------
    table : Table
        Of the store; no view.
    """
    return literal_column(f"{table.name}.rowid")


def list_whole_numbers(first: int, beyond: int) -> FromClause:
    """Return the whole numbers from `first` up to `beyond`, which is not among them: one column, ``number``."""
    return func.range(first, beyond).table_valued("number", name="numbers").render_derived()


def nth_column(position: int) -> ColumnElement[Any]:
    """Return a reference to a column of the same select, by its position from 1, for its ``GROUP BY``."""
    return literal_column(str(position))


# Hashes


def hash_values(*values: ColumnElement[Any]) -> ColumnElement[int]:
    """Return a 64-bit hash of some values, without a sign. It is fast, and not secret."""
    return func.hash(*values)


def make_negative_hash(*values: ColumnElement[Any]) -> ColumnElement[int]:
    """Return a negative number of 64 bits that is a hash of some values."""
    return -1 - cast(hash_values(*values).op(">>")(1), BigInteger)


def _combine_bits(number: ColumnElement[int], other: ColumnElement[int]) -> ColumnElement[int]:
    """Return the exclusive or of two whole numbers, bit by bit."""
    return func.xor(number, other)


def nth_bit(place: ColumnElement[int]) -> ColumnElement[int]:
    """Return the number of which only one bit is set, that of a place from 0, the lowest, to 61."""
    return cast(literal(1), BigInteger).op("<<")(place)


class _Unsigned(UserDefinedType[int]):
    """A whole number of 64 bits without a sign, as hashes are."""

    cache_ok = True

    def get_col_spec(self, **_: Any) -> str:
        return "UBIGINT"


def hash_bit(number: ColumnElement[int]) -> ColumnElement[int]:
    """Return 64 bits without a sign, of which one is set: the one that the last six bits of a hash name."""
    return cast(literal(1), _Unsigned).op("<<")(number.op("&")(63))


def hash_word(number: ColumnElement[int], words: int) -> ColumnElement[int]:
    """Return one of some words, from 0: that which the next bits of a hash name; `words` is a power of two."""
    return number.op(">>")(6).op("&")(words - 1)


def collect_bits(number: ColumnElement[int]) -> ColumnElement[int]:
    """Gather the bits that any of several numbers has."""
    return func.bit_or(number, type_=BigInteger)


def number_of_bits(number: ColumnElement[int]) -> ColumnElement[int]:
    """Count the bits of a number that are set."""
    return cast(func.bit_count(number), Integer)


def _first_bits(number: ColumnElement[int], bits: int) -> ColumnElement[int]:
    """Return the first 31 bits of a number that has so many, in four bytes."""
    return cast(number.op(">>")(bits - 31), Integer)


def _last_bits(number: ColumnElement[int]) -> ColumnElement[int]:
    """Return the last 15 bits of a number, in two bytes."""
    return cast(number.op("&")(2**15 - 1), SmallInteger)


def _make_secret_number(text: ColumnElement[str]) -> ColumnElement[int]:
    """Return 63 bits of the MD5 hash of a text that holds a secret key, as a number of 64 bits."""
    # The engine's own halves of the hash take three times as long.
    return cast(func.md5_number(text).op(">>")(128 - 63), BigInteger)


def _make_secret_numbers(text: ColumnElement[str]) -> tuple[ColumnElement[int], ColumnElement[int]]:
    """Return 63 and 64 bits of the MD5 hash of a text that holds a secret key."""
    # A signed number, as those of records are; the hashes of `hashed` are not signed.
    return cast(func.md5_number_lower(text).op(">>")(1), BigInteger), func.md5_number_upper(text)


# Numbers


def number_or_null(text: ColumnElement[str]) -> ColumnElement[float]:
    """Read a text as a double; null if it is none."""
    return try_cast(text, Double)


def read_fraction(text: ColumnElement[str], kind: Numeric[Any]) -> ColumnElement[Any]:
    """Read a text as a number with a fixed number of decimals; null if it is none, or too large."""
    return try_cast(text, kind)


def cast_as(text: ColumnElement[str], value: ColumnElement[Any]) -> ColumnElement[Any]:
    """Return a text in the type that a value has, which nobody but the engine may know; null if it does not fit."""
    cast_or_null: ColumnElement[Any] = getattr(func, "try")(func.cast_to_type(text, value))
    return cast_or_null


def compute_keyed_digest(text: ColumnElement[str]) -> ColumnElement[str]:
    """Return the HMAC-SHA-256 of a text in hexadecimal digits; variables of the connection hold the key, and no SQL."""
    inner, outer = (func.getvariable(f"toolbox_{name}", type_=LargeBinary) for name in ("inner", "outer"))
    digest = func.unhex(func.sha256(inner.op("||")(func.encode(text))))
    return func.sha256(outer.op("||")(digest), type_=String)


def draw_share(*values: ColumnElement[Any]) -> ColumnElement[float]:
    """Draw a number from 0 to below 1, always the same for the same values, one of which is a secret.

    Draws of other values tell nothing of it: the engine's own hash of several values only combines their hashes.
    """
    text = func.concat(*(piece for value in values for piece in (cast(value, String), literal(":"))))
    return type_coerce(cast(_make_secret_number(text).op(">>")(10), Double) / float(2**53), Double())


def round_to_whole(number: ColumnElement[Any]) -> ColumnElement[int]:
    """Round a number to one of 64 bits; null if it is beyond them, infinite or NaN."""
    return try_cast(number, BigInteger)


class _Infinity(ColumnElement[float]):
    """A double above all others."""

    inherit_cache = True
    type = Double()


@compiles(_Infinity)
def _compile_infinity(element: _Infinity, compiler: SQLCompiler, **options: Any) -> str:
    return compiler.process(cast(literal("inf"), Double), **options)


@compiles(_Infinity, "mysql", "mariadb", "mssql")
def _compile_largest(element: _Infinity, compiler: SQLCompiler, **options: Any) -> str:
    # These have none; what is compared with it is a share, or a number of records.
    return "1.7976931348623157E308"


class _NaturalLogarithm(GenericFunction[Any]):
    """What ``func.ln`` returns."""

    name = "ln"
    inherit_cache = True


@compiles(_NaturalLogarithm, "mssql")
def _compile_logarithm(element: _NaturalLogarithm, compiler: SQLCompiler, **options: Any) -> str:
    return f"log({compiler.process(element.clause_expr.element, **options)})"


def make_infinity() -> ColumnElement[float]:
    """Return a double that is larger than each that is measured."""
    return _Infinity()


def is_finite(number: ColumnElement[Any]) -> ColumnElement[bool]:
    """Test whether a double is neither infinite nor NaN."""
    return func.isfinite(number)


def is_nan(number: ColumnElement[Any]) -> ColumnElement[bool]:
    """Test whether a double is NaN."""
    return func.isnan(number)


def binary_logarithm(number: ColumnElement[Any]) -> ColumnElement[float]:
    """Return the logarithm to the base 2."""
    return func.log2(number)


def whole_quotient(number: ColumnElement[int], divisor: ColumnElement[int]) -> ColumnElement[int]:
    """Divide whole numbers and drop the remainder."""
    return number.op("//", precedence=8)(divisor)


# Texts


def count_bytes(text: ColumnElement[str]) -> ColumnElement[int]:
    """Count the bytes of a text in UTF-8."""
    return func.strlen(text)


def contains(text: ColumnElement[str], part: str) -> ColumnElement[bool]:
    """Test whether a text stands within another."""
    return func.contains(text, part)


def starts_with(text: ColumnElement[str], part: str) -> ColumnElement[bool]:
    """Test whether a text begins with another."""
    return func.starts_with(text, part)


def matches(text: ColumnElement[str], pattern: str) -> ColumnElement[bool]:
    """Test whether a regular expression matches the whole text."""
    return func.regexp_full_match(text, pattern)


def has_match(text: ColumnElement[str], pattern: str) -> ColumnElement[bool]:
    """Test whether a regular expression matches somewhere in a text."""
    return func.regexp_matches(text, pattern)


def find_first_match(text: ColumnElement[str], pattern: str, group: int = 0) -> ColumnElement[str]:
    """Return what a group of a regular expression matches first in a text; empty text if it does not match."""
    return func.regexp_extract(text, pattern, group)


def split_text(text: ColumnElement[str], separator: str) -> ColumnElement[str]:
    """Cut a text at a separator: one row for each piece, in their order."""
    return func.unnest(func.string_split(text, separator))


def list_cells(texts: Sequence[ColumnElement[str]]) -> tuple[ColumnElement[int], ColumnElement[str]]:
    """Return the cells of each row in rows of their own: the place of the column among the texts, from 0, and its text.

    However many columns there are, this is one expression.
    """
    return list_nested_cells(list_of(texts), len(texts))


def list_of(texts: Sequence[ColumnElement[str]]) -> ColumnElement[Any]:
    """Return the texts of each row as one list: a join holds a block of memory for each column, but one for a list."""
    return func.list_value(*texts)


def list_nested_cells(texts: ColumnElement[Any], count: int) -> tuple[ColumnElement[int], ColumnElement[str]]:
    """Return the elements of lists of one length as `list_cells` returns columns."""
    return func.unnest(func.range(count)), func.unnest(texts)


class _Lambda(ColumnElement[Any]):
    """A function of one element of a list: ``lambda x: expression``."""

    inherit_cache = False

    def __init__(self, name: str, expression: ColumnElement[Any]) -> None:
        self.argument = name
        self.body = expression


@compiles(_Lambda)
def _compile_lambda(element: _Lambda, compiler: SQLCompiler, **kwargs: Any) -> str:
    return f"lambda {element.argument}: {compiler.process(element.body, **kwargs)}"


def join_texts(
    texts: Sequence[ColumnElement[str]], write: Callable[[ColumnElement[str]], ColumnElement[str]], separator: str
) -> ColumnElement[str]:
    """Write many texts in the same way, and join them.

    The engine plans `write` once, not once for each text: its time to plan grows with the square of the expressions.
    """
    written = func.list_transform(func.list_value(*texts), _Lambda("x", write(literal_column("x", String))))
    return func.array_to_string(written, separator)


# Lists


def is_listed(value: ColumnElement[Any], values: ColumnElement[Any]) -> ColumnElement[bool]:
    """Test whether a value is in a list."""
    return func.list_contains(values, value)


def collect_sorted(value: ColumnElement[Any], kind: type[TypeEngine[Any]] = Integer) -> ColumnElement[Sequence[Any]]:
    """Aggregate values of a kind into a list in their order."""
    return cast(func.list(aggregate_order_by(value, value)), ARRAY(kind))


def collect_sorted_texts(
    rank: ColumnElement[int], text: ColumnElement[str], separator: str
) -> tuple[ColumnElement[Sequence[int]], ColumnElement[str]]:
    """Aggregate ranks into a list in their order, and the texts beside them, joined in the same order.

    Where there are very many small groups, this takes a third of the time of two aggregates with an order.
    """
    pairs = func.list_sort(func.list(func.row(rank, text)))
    ranks, texts = (func.list_transform(pairs, _Lambda("x", literal_column(f"x[{place}]"))) for place in (1, 2))
    return cast(ranks, ARRAY(Integer)), func.array_to_string(texts, separator)


# Aggregates


def choose_any_value(value: ColumnElement[Any]) -> ColumnElement[Any]:
    """Return a value of a group in which all are the same."""
    return func.any_value(value)


def find_first_by(value: ColumnElement[Any], order: ColumnElement[Any]) -> ColumnElement[Any]:
    """Return the value of the row of a group that is first in an order. Nulls are passed over."""
    return func.arg_min(value, order)


def find_last_by(value: ColumnElement[Any], order: ColumnElement[Any]) -> ColumnElement[Any]:
    """Return the value of the row of a group that is last in an order. Nulls are passed over."""
    return func.arg_max(value, order)


def count_where(condition: ColumnElement[bool]) -> ColumnElement[int]:
    """Count the rows of a group that satisfy a condition."""
    return func.count_if(condition)


def sum_stably(number: ColumnElement[float]) -> ColumnElement[float]:
    """Sum doubles up with a correction, so that their order does not matter."""
    return func.fsum(number)


def compute_quantile(value: ColumnElement[Any], share: float) -> ColumnElement[Any]:
    """Return the smallest value of a group that is not exceeded by this share of its values."""
    return func.quantile_disc(value, share)


# Dates and timestamps in the words of DuckDB, each under a plain name; see `toolbox.queries.dialect`.

Span: TypeAlias = Literal["hours", "days", "months", "years"]


def count_microseconds(moment: ColumnElement[Any]) -> ColumnElement[int]:
    """Return the microseconds of a timestamp since the beginning of 1970."""
    return func.epoch_us(moment, type_=BigInteger)


def parse_iso_moment(text: ColumnElement[str], *, zoned: bool) -> ColumnElement[Any]:
    """Read a text as a timestamp, as ISO 8601 writes it; null if it is none.

    Parameters
    ----------
    text : ColumnElement
    zoned : bool
        Whether the text says how far its clock is ahead of that of Greenwich.
    """
    return try_cast(text, DateTime(timezone=True) if zoned else DateTime)


def parse_moment(text: ColumnElement[str], date_format: str) -> ColumnElement[Any]:
    """Read a text as a timestamp in a format of ``strptime``; null if it is none."""
    return func.try_strptime(text, literal(date_format))


def write_moment(moment: ColumnElement[Any], date_format: str) -> ColumnElement[str]:
    """Write a timestamp in a format of ``strftime``."""
    return func.strftime(moment, literal(date_format), type_=String)


def move_days(moment: ColumnElement[Any], days: ColumnElement[int]) -> ColumnElement[Any]:
    """Return the timestamp that is some days later, or earlier."""
    return type_coerce(moment.op("+")(func.to_days(cast(days, Integer))), DateTime)


def convert_to_clock(micros: ColumnElement[int], zone: str | None) -> ColumnElement[Any]:
    """Return what calendar and clock of a zone show, microseconds after the beginning of 1970.

    Parameters
    ----------
    micros : ColumnElement
    zone : str, optional
        None: the timestamps are local.
    """
    if zone is None:
        return func.make_timestamp(micros, type_=DateTime)
    if (ahead := _find_zone_offset(zone)) is not None:
        return func.make_timestamp(micros + ahead, type_=DateTime)
    return func.timezone(zone, func.make_timestamptz(micros), type_=DateTime)


def convert_from_clock(local: ColumnElement[Any], zone: str | None) -> ColumnElement[int]:
    """Return the microseconds since the beginning of 1970 at which calendar and clock of a zone show a timestamp."""
    if zone is None:
        return count_microseconds(local)
    if (ahead := _find_zone_offset(zone)) is not None:
        return count_microseconds(local) - ahead
    return count_microseconds(func.timezone(zone, local))


def _find_zone_offset(zone: str) -> int | None:
    """Return by how many microseconds a zone such as ``+05:30`` is ahead: the engine knows no such names."""
    if (offset := find_zone_offset(zone)) is None:
        return None
    return offset // timedelta(microseconds=1)


def add_periods(moment: ColumnElement[Any], count: int, span: Span) -> ColumnElement[Any]:
    """Return the timestamp that is some hours, days, months or years later."""
    return moment.op("+")(getattr(func, f"to_{span}")(count))


def find_iso_year(moment: ColumnElement[Any]) -> ColumnElement[int]:
    """Return the year to which ISO 8601 counts the week of a timestamp."""
    return func.isoyear(moment)


def find_iso_week(moment: ColumnElement[Any]) -> ColumnElement[int]:
    """Return the number of the week of a timestamp, as ISO 8601 counts."""
    return func.week(moment)


def find_quarter(moment: ColumnElement[Any]) -> ColumnElement[int]:
    """Return the quarter of a timestamp, from 1 to 4."""
    return func.quarter(moment)


def shuffle_records(record: FromClause, seed: int | None, purpose: str) -> ColumnElement[int]:
    """Order records by a keyed digest of each, where the order itself protects somebody.

    It costs more than `in_turn`, and no number of known turns tells the key or another turn.

    Parameters
    ----------
    record : FromClause
        With ``record_id``.
    seed : int, optional
        The key; None: one from the operating system.
    purpose : str
        Two orders for different purposes are independent.
    """
    # Behind a secret key MD5 is as unpredictable as SHA-256, and so is any part of its 128 bits.
    turn = _make_secret_number(func.concat(literal(f"{_make_key(seed)}:{purpose}:"), cast(record.c.record_id, String)))
    # Without a seed nobody asks for the same order again, in which two records must not have one turn.
    return _first_bits(turn, 63) if seed is None else turn


def make_block_keys(records: int, seed: int | None, purpose: str) -> Query:
    """Make secret numbers for each block of records, from which their turns follow.

    Parameters
    ----------
    records : int
        How many there are, numbered from 0.
    seed : int, optional
        Makes them reproducible; None: from the operating system.
    purpose : str
        Two orders for different purposes are independent.

    Returns
    -------
    Select, one row per block
        ``block, first, second``.
    """
    block = list_whole_numbers(0, (records >> _BLOCK) + 1).c.number
    first, second = _make_secret_numbers(func.concat(literal(f"{_make_key(seed)}:{purpose}:"), cast(block, String)))
    return select(block.label("block"), first.label("first"), second.label("second"))


def join_block_secrets(
    joined: FromClause, record: FromClause, keys: FromClause, seed: int | None, *, in_groups: bool = False
) -> tuple[FromClause, Sequence[ColumnElement[int]]]:
    """Join the secrets of its block to every record; return the join and the numbers that sort records at random.

    Hashing each record with a secret, by MD5 say, would take as long as all else that is done with it. So a block of
    records has two secrets, and the engine's hash, which is fast and known to everybody, mixes each of them in. Whoever
    found out the secrets of one block from records that they know would have learned nothing about others. This is for
    the order in which records are shown; where the order decides what is shown, take `shuffled`.

    Parameters
    ----------
    joined : FromClause
        With the record.
    record : FromClause
        With ``record_id``.
    keys : FromClause
        Of `make_block_keys`.
    seed : int, optional
        That of the keys. With one, the order is the same again, so no two records may have one turn.
    in_groups : bool
        Whether records are sorted by the number of a group first, which has at most `FEW_IN_GROUP` records.
    """
    turn = hash_values(_combine_bits(hash_values(_combine_bits(record.c.record_id, keys.c.first)), keys.c.second))
    joined = joined.join(keys, keys.c.block == record.c.record_id.op(">>")(_BLOCK))
    if seed is not None:
        return joined, [turn]
    return joined, [_last_bits(turn)] if in_groups else [_first_bits(turn, 64), _last_bits(turn)]


def _make_key(seed: int | None) -> str:
    return secrets.token_hex(16) if seed is None else f"{seed}"
