"""Timestamps are written in steps that databases know, and never rounded unseen."""

from __future__ import annotations

from decimal import Decimal

import pyarrow as pa
import pytest

from toolbox.engines.records import convert_to_microseconds, make_type_error
from toolbox.engines.tables.tables import convert_decimals_to_texts
from toolbox.errors import OutputError


def test_timestamps_get_steps_of_microseconds_and_the_zone_utc() -> None:
    table = pa.table(
        {"a": pa.array([1], pa.timestamp("s")), "b": pa.array([1000], pa.timestamp("ns", "Asia/Tokyo")), "c": [1]}
    )
    changed = convert_to_microseconds(table)
    assert changed.schema.types == [pa.timestamp("us"), pa.timestamp("us", "UTC"), pa.int64()]
    assert [column.cast(pa.int64()).to_pylist() for column in changed.columns] == [[1_000_000], [1], [1]]


def test_a_time_between_two_microseconds_is_refused() -> None:
    with pytest.raises(OutputError, match="The column 'when' has times in nanoseconds"):
        convert_to_microseconds(pa.table({"when": pa.array([1], pa.timestamp("ns"))}))


def test_a_type_that_no_database_has_is_named() -> None:
    assert "'v' is of type list<item: int64>" in str(make_type_error(pa.field("v", pa.list_(pa.int64()))))


def test_decimals_become_texts_and_others_stay() -> None:
    table = pa.table(
        {"d": pa.array([Decimal("1.50"), None]), "u": pa.array([2**64 - 1, 0], pa.uint64()), "f": [0.5, 1.0]}
    )
    assert convert_decimals_to_texts(table).to_pydict() == {
        "d": ["1.50", None],
        "u": [str(2**64 - 1), "0"],
        "f": [0.5, 1.0],
    }
