"""The records of a table of PostgreSQL, with the types of its columns, as they are counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import Integer, cast, func
from sqlalchemy.sql.elements import ColumnElement

from toolbox.engines.engine import CountRequest
from toolbox.engines.postgresql.counting import Expression, Records, constant, lacking
from toolbox.engines.postgresql.errors import Doing
from toolbox.engines.postgresql.types import ColumnType, field, seen
from toolbox.errors import UnknownColumnError

if TYPE_CHECKING:
    import pyarrow as pa

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
    types: Mapping[str, ColumnType]
    doing: Doing
    is_plain: bool
    """Whether reading it runs nobody's expressions."""

    def value(self, name: str) -> Expression:
        """Return a column as it is compared."""
        if name not in self.types:
            raise UnknownColumnError(name, self.name, list(self.types))
        return seen(self.table.c[name], self.types[name])

    def field(self, name: str, label: str) -> pa.Field:
        return field(label, self.types[name])


class RowHashes:
    """The hashes of PostgreSQL."""

    def whole(self, values: Sequence[Expression], salt: int) -> ColumnElement[int]:
        """Hash a row, which hashes the places of its values as well."""
        seed = constant(_seed(salt))
        # Its nulls are 0 whatever the seed, so that this is one of the values.
        hashed: ColumnElement[int] = func.pg_catalog.hash_record_extended(func.row(seed, *values), seed)
        return hashed

    def halves(self, whole: ColumnElement[int]) -> tuple[ColumnElement[int], ColumnElement[int]]:
        """Hash each half of the hash of a row, as that alone adds up to the same where records exchange values."""
        high = whole.bitwise_rshift(_HALF)
        low = whole.bitwise_lshift(_HALF).bitwise_rshift(_HALF)
        return _rehashed(high), _rehashed(low)


def _rehashed(half: ColumnElement[int]) -> ColumnElement[int]:
    hashed: ColumnElement[int] = func.pg_catalog.hashint4extended(cast(half, Integer), constant(0))
    return hashed.bitwise_and(_LOW_BITS)


def _seed(salt: int) -> int:
    """Return another number of 64 bits for each salt, as the server hashes nulls and some zeros alike if it is 0."""
    mixed = salt & _ALL_BITS
    for shift, factor in _MIXING:
        mixed = ((mixed ^ (mixed >> shift)) * factor + _ODD) & _ALL_BITS
    return mixed - (1 << 64) if mixed >> 63 else mixed


def records_of(relation: ReadTable, request: CountRequest) -> Records:
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
    return Records(
        table=relation.table,
        by=tuple(map(relation.value, request.by)),
        passed=tuple(map(relation.value, request.passed)),
        unusable=lacking(tests),
        salt=request.salt,
        hashes=RowHashes(),
    )
