"""Values of a driver become the column of Arrow that holds all of them, and none is changed."""

from __future__ import annotations

import uuid
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from toolbox.engines.tables.tables import build_table

ID = uuid.UUID("a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11")
EAST = timezone(timedelta(hours=2))


def column(*batches: list[Any]) -> pa.ChunkedArray:
    return build_table(["v"], [[(value,) for value in batch] for batch in batches]).column(0)


@pytest.mark.parametrize(
    ("values", "kind", "expected"),
    [
        ([1, None, 2**63 - 1], pa.int64(), [1, None, 2**63 - 1]),
        ([1, 2**63], pa.decimal128(19, 0), [Decimal(1), Decimal(2**63)]),
        ([1, 10**40], pa.string(), ["1", "1" + "0" * 40]),
        ([1, 0.5, None], pa.float64(), [1.0, 0.5, None]),
        ([Decimal("1.50"), Decimal("-20"), 3, None], pa.decimal128(4, 2), [Decimal("1.50"), Decimal(-20), Decimal(3), None]),
        ([Decimal("0.001")], pa.decimal128(3, 3), [Decimal("0.001")]),
        ([Decimal("1E+3")], pa.decimal128(4, 0), [Decimal(1000)]),
        ([Decimal("NaN"), Decimal(1)], pa.string(), ["NaN", "1"]),
        ([True, None, False], pa.bool_(), [True, None, False]),
        ([True, 1], pa.string(), ["true", "1"]),
        ([date(2024, 2, 29), None], pa.date32(), [date(2024, 2, 29), None]),
        ([datetime(2024, 2, 29, 1)], pa.timestamp("us"), [datetime(2024, 2, 29, 1)]),
        ([datetime(2024, 2, 29, 1, tzinfo=EAST)], pa.timestamp("us", "UTC"), [datetime(2024, 2, 28, 23, tzinfo=UTC)]),
        ([datetime(2024, 1, 1), datetime(2024, 1, 1, tzinfo=UTC)], pa.string(), ["2024-01-01 00:00:00", "2024-01-01 00:00:00+00:00"]),
        ([date(2024, 1, 1), datetime(2024, 1, 1)], pa.string(), ["2024-01-01", "2024-01-01 00:00:00"]),
        ([b"a", memoryview(b"b"), None], pa.binary(), [b"a", b"b", None]),
        ([b"a", "b"], pa.string(), ["61", "b"]),
        (["", None, "a"], pa.string(), ["", None, "a"]),
        ([1, "1", None], pa.string(), ["1", "1", None]),
        ([ID, time(12, 30)], pa.string(), [str(ID), "12:30:00"]),
        ([None, None], pa.string(), [None, None]),
    ],
)  # fmt: skip
def test_values_become_a_column(values: list[Any], kind: pa.DataType, expected: list[Any]) -> None:
    for batches in ([values], [[value] for value in values], [values[:1], values[1:]]):
        made = column(*batches)
        assert (made.type, made.to_pylist()) == (kind, expected)


def test_no_rows_are_columns_without_values() -> None:
    table = build_table(["a", "b"], [])
    assert (table.column_names, table.num_rows) == (["a", "b"], 0)


def test_a_batch_of_nulls_does_not_change_a_column() -> None:
    assert column([1, 2], [None, None], [3]).type == pa.int64()
