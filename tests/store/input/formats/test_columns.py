"""Values as columns of Arrow: one type for all, and nothing lost."""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolbox.store.input.formats.table import convert_part, find_common_type, make_column, mark_digits

DAY, MOMENT = date(2020, 1, 2), datetime(2020, 1, 2, 3, 4, 5)


@pytest.mark.parametrize(
    ("values", "kind", "found"),
    [
        ([1.0, None, -2.0], pa.int64(), [1, None, -2]),
        ([1.0, 2.5, float("nan")], pa.float64(), [1.0, 2.5, None]),
        ([1, 2.5], pa.float64(), [1.0, 2.5]),
        ([float("inf")], pa.float64(), [float("inf")]),
        ([2.0**60], pa.float64(), [2.0**60]),
        ([2**63, 1], pa.large_string(), [str(2**63), "1"]),
        ([10**400, 1, None], pa.large_string(), ["1" + 400 * "0", "1", None]),
        ([2**53 + 1, 0.5, float("nan")], pa.large_string(), [str(2**53 + 1), "0.5", None]),
        ([True, None], pa.bool_(), [True, None]),
        ([True, 1], pa.string(), ["true", "1"]),
        ([DAY, None], pa.date32(), [DAY, None]),
        ([DAY, MOMENT], pa.timestamp("us"), [datetime(2020, 1, 2), MOMENT]),
        ([MOMENT.replace(tzinfo=UTC)], pa.string(), ["2020-01-02 03:04:05+00:00"]),
        ([5.0, "five", 2.5, DAY, time(3, 4), b"a"], pa.string(), ["5", "five", "2.5", "2020-01-02", "03:04:00", "61"]),
        ([None], pa.null(), [None]),
    ],
)
def test_values_have_the_type_that_holds_them_all(values: list[Any], kind: pa.DataType, found: list[Any]) -> None:
    column = make_column(values)
    assert (column.type, column.to_pylist()) == (kind, found)


SEVERAL = st.lists(
    st.one_of(
        st.none(),
        st.integers(-(2**70), 2**70),
        st.floats(allow_nan=False, allow_infinity=False),
        st.booleans(),
        st.text(max_size=3),
        st.dates(),
    ),
    max_size=6,
)


@given(first=SEVERAL, second=SEVERAL)
def test_parts_become_what_the_whole_would_have_been(first: list[Any], second: list[Any]) -> None:
    parts = [make_column(first), make_column(second)]
    whole = [value for part in parts if part.type == pa.int64() for value in part.to_pylist() if value is not None]
    kind, are_numbers = find_common_type([part.type for part in parts], largest=max(map(abs, whole), default=0))
    found = [value for part in parts for value in convert_part(part, kind).to_pylist()]
    expected = make_column(first + second)
    assert found == expected.to_pylist()
    assert are_numbers == (expected.type == pa.large_string())


def test_digits_are_texts_that_are_numbers() -> None:
    assert find_common_type([mark_digits(pa.array(["1"])).type, pa.int64()], largest=1) == (pa.string(), True)
