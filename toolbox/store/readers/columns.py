"""Values as a library of Python returns them, as columns of Arrow: each of the type that all its values have.

| values | in Arrow |
|---|---|
| whole numbers, be they floating point | int64; string, marked as numbers, if one has more than 64 bits |
| other numbers, also with whole ones among them | double |
| truth values | bool |
| dates; timestamps, also with dates among them | date32; timestamp[us] |
| bytes | binary |
| texts, times, and all mixtures | string, as they are written |
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import pyarrow as pa

MARK: Final = {b"kind": b"number"}
"""What the metadata of a column of texts say that are numbers of any length."""
_EXACT: Final = 1 << 53
"""Up to here floating point holds every whole number."""
_LARGEST: Final = 1 << 63
_NUMBERS: Final = frozenset({int, float})


def column_of(values: Sequence[Any]) -> pa.Array:
    """Return values, None where one is missing, as an array of the type that they have in common."""
    import pyarrow as pa

    types = frozenset(map(type, values)) - {type(None)}
    plain = {str: pa.string(), bool: pa.bool_(), bytes: pa.binary(), date: pa.date32()}
    if not types:
        return pa.nulls(len(values))
    if len(types) == 1 and (kind := plain.get(next(iter(types)))) is not None:
        return pa.array(values, kind)
    if types <= _NUMBERS:
        return _numbers(values, has_floats=float in types)
    if types <= {date, datetime} and (moments := _moments(values)) is not None:
        return moments
    return pa.array([None if value is None else text_of(value) for value in values], pa.string())


def _numbers(values: Sequence[Any], *, has_floats: bool) -> pa.Array:
    """Return numbers as whole ones if all are; NaN is missing."""
    import pyarrow as pa
    from pyarrow import compute

    whole = [value for value in values if type(value) is int]
    if whole and (max(whole) >= _LARGEST or min(whole) < -_LARGEST):
        return _digits(values)
    if not has_floats:
        return pa.array(values, pa.int64())
    if whole and (max(whole) > _EXACT or min(whole) < -_EXACT):
        return _digits(values)
    numbers = pa.array(values, pa.float64(), from_pandas=True)
    is_whole = compute.equal(numbers, compute.floor(numbers))
    is_exact = compute.less_equal(compute.abs(numbers), _EXACT)
    return numbers.cast(pa.int64()) if compute.all(compute.and_(is_whole, is_exact), min_count=0).as_py() else numbers


def _digits(values: Sequence[Any]) -> pa.Array:
    """Return numbers that no type of numbers holds, as texts of a type that tells them from others."""
    import pyarrow as pa

    texts = [None if value is None or math.isnan(value) else text_of(value) for value in values]
    return pa.array(texts, pa.large_string())


def _moments(values: Sequence[Any]) -> pa.Array | None:
    """Return timestamps, with dates among them; None if one has a zone."""
    import pyarrow as pa

    moments = [datetime(*value.timetuple()[:3]) if type(value) is date else value for value in values]
    if any(value is not None and value.tzinfo for value in moments):
        return None
    return pa.array(moments, pa.timestamp("us"))


def digits(numbers: pa.Array) -> pa.Array:
    """Return texts that are numbers as the type that tells them from others."""
    import pyarrow as pa

    return numbers.cast(pa.large_string())


def text_of(value: Any) -> str:
    """Write a value as a person would: no ``.0``, dates by ISO 8601.

    Examples
    --------
    >>> [text_of(value) for value in (5.0, 2.5, True, datetime(2020, 1, 2, 3), date(2020, 1, 2), timedelta(hours=30))]
    ['5', '2.5', 'true', '2020-01-02 03:00:00', '2020-01-02', '30:00:00']
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and math.isfinite(value) and abs(value) <= _EXACT and value == int(value):
        return str(int(value))
    if isinstance(value, timedelta):
        hours, seconds = divmod(round(value.total_seconds()), 3600)
        return f"{hours}:{seconds // 60:02}:{seconds % 60:02}"
    return value.hex() if isinstance(value, bytes) else str(value)


def common_type(types: Iterable[pa.DataType], *, largest: int) -> tuple[pa.DataType, bool]:
    """Return the type that holds the parts of a column, and whether its texts are numbers.

    Parameters
    ----------
    largest : int
        The largest whole number of the column, without its sign.
    """
    import pyarrow as pa

    found = set(types) - {pa.null()}
    numbers = {pa.int64(), pa.float64(), pa.large_string()}
    if found <= numbers and (pa.large_string() in found or (len(found) == 2 and largest > _EXACT)):
        return pa.string(), True
    if len(found) == 1:
        return found.pop(), False
    if found and found <= numbers:
        return pa.float64(), False
    if found == {pa.date32(), pa.timestamp("us")}:
        return pa.timestamp("us"), False
    return pa.string(), False


def converted(part: pa.Array, kind: pa.DataType) -> pa.Array:
    """Return a part of a column as the type of the whole."""
    import pyarrow as pa

    if part.type == kind:
        return part
    if kind != pa.string() or part.type in (pa.null(), pa.large_string()):
        return part.cast(kind)
    known = part.dictionary_encode()
    texts = pa.array([text_of(value) for value in known.dictionary.to_pylist()], pa.string())
    return texts.take(known.indices)
