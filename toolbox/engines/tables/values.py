"""Values as a driver of Python returns them, as columns of Arrow: each as what all values of its column are.

| values | in Arrow |
|---|---|
| whole numbers | int64, or string if one is larger |
| numbers with a point | double, also with whole ones among them |
| decimals | decimal128 with as many digits as they have, or string beyond 38; also with whole ones among them |
| truth values | bool |
| dates | date32 |
| timestamps without a zone, with one | timestamp[us], timestamp[us, UTC] |
| bytes | binary |
| texts, and all others: uuid, time, intervals, mixtures | string, as Python writes them |
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

_WHOLE, _NUMBER, _DECIMAL = frozenset({int}), frozenset({int, float}), frozenset({int, Decimal})
_MOST_DIGITS = 38
_BYTES = frozenset({bytes, bytearray, memoryview})
_Types = frozenset[type]


def table_of(names: Sequence[str], batches: Iterable[Sequence[Sequence[Any]]]) -> pa.Table:
    """Return rows as a table.

    Parameters
    ----------
    batches : iterable of sequences of rows
    """
    import pyarrow as pa

    values: list[list[Any]] = [[] for _ in names]
    for rows in batches:
        # As columns of Arrow where it is plain what they are, they take less room while others are fetched.
        for column, found in zip(values, zip(*rows, strict=True), strict=True) if rows else ():
            column.append(_packed(found))
    return pa.Table.from_arrays([_joined(parts) for parts in values], names=list(names))


def _packed(values: Sequence[Any]) -> Any:
    """Return values of one plain type as an array, others as they are."""
    import pyarrow as pa

    kind = {int: pa.int64(), float: pa.float64(), str: pa.string(), bool: pa.bool_()}
    types = _types(values)
    if len(types) == 1 and (known := kind.get(next(iter(types)))) is not None:
        try:
            return pa.array(values, known)
        except (OverflowError, pa.ArrowException):
            pass
    return values


def _types(values: Iterable[Any]) -> _Types:
    return frozenset(map(type, values)) - {type(None)}


def _joined(parts: list[Any]) -> pa.ChunkedArray:
    import pyarrow as pa

    kinds = {part.type for part in parts if isinstance(part, pa.Array)}
    if len(kinds) == 1 and all(isinstance(part, pa.Array) or not _types(part) for part in parts):
        (kind,) = kinds
        return pa.chunked_array([part if isinstance(part, pa.Array) else pa.nulls(len(part), kind) for part in parts])
    values = [value for part in parts for value in (part.to_pylist() if isinstance(part, pa.Array) else part)]
    return pa.chunked_array([_array(values)])


def _array(values: list[Any]) -> pa.Array:
    """Return the values of a whole column, of whatever types."""
    import pyarrow as pa

    types = _types(values)
    if types and types <= _NUMBER and not types <= _WHOLE:
        return _made(values, float, pa.float64())
    if types and types <= _DECIMAL and (kind := _decimal(values)) is not None:
        return _made(values, Decimal, kind)
    if types == {date}:
        return pa.array(values, pa.date32())
    if types == {datetime} and (zone := _zone(values)) is not None:
        return _made(values, _moment, pa.timestamp("us", zone or None))
    if types and types <= _BYTES:
        return _made(values, bytes, pa.binary())
    return _made(values, _text, pa.string())


def _made(values: list[Any], make: Callable[[Any], Any], kind: pa.DataType) -> pa.Array:
    import pyarrow as pa

    return pa.array([None if value is None else make(value) for value in values], kind)


def _zone(values: list[Any]) -> str | None:
    """Return the zone of timestamps, empty if they have none; None where some have one and others have not."""
    zones = {"" if value.tzinfo is None else "UTC" for value in values if value is not None}
    return zones.pop() if len(zones) == 1 else None


def _moment(value: datetime) -> datetime:
    return value if value.tzinfo is None else value.astimezone(UTC)


def _decimal(values: Iterable[Any]) -> Any:
    """Return the type that holds all decimals of a column; None if there is none."""
    import pyarrow as pa

    scale = whole = 0
    for value in values:
        if value is None:
            continue
        _, digits, exponent = Decimal(value).as_tuple()
        if not isinstance(exponent, int):
            return None
        scale = max(scale, -exponent)
        whole = max(whole, len(digits) + exponent)
    precision = max(scale + whole, 1)
    return pa.decimal128(precision, scale) if precision <= _MOST_DIGITS else None


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if type(value) in _BYTES:
        return bytes(value).hex()
    return str(value)
