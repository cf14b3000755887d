"""The selects that databases share: sums that go on where a number ends, and tests of what a record lacks."""

from __future__ import annotations

import pytest
from engines.postgresql_bench import PostgreSQLBench
from sqlalchemy import BigInteger, Text, column, select, values

from toolbox.engines.postgresql.connection import PostgresConnection
from toolbox.engines.postgresql.types import RowHashes
from toolbox.engines.records import (
    SQLRecords,
    is_unusable,
    number_of,
    select_combinations,
    select_value_counts,
    sum_halves,
)


@pytest.mark.parametrize(
    ("halves", "total"),
    [
        ([5, 7], 12),
        ([2**63 - 1], 2**63 - 1),
        ([2**63 - 1, 1], -(2**63)),
        ([2**63 - 1, 2**63 - 1, 2], 0),
        ([2**63 - 1] * 5, (5 * (2**63 - 1) + 2**63) % 2**64 - 2**63),
        ([0], 0),
    ],
)
def test_a_sum_that_is_too_large_goes_on_below_zero(bench: PostgreSQLBench, halves: list[int], total: int) -> None:
    rows = values(column("half", BigInteger), name="halves").data([(half,) for half in halves])
    connection = PostgresConnection(bench.server.url, name="numbers", settings={})
    try:
        assert connection.scalar(select(sum_halves(rows.c.half)), doing="reading the input") == total
    finally:
        connection.close()


def test_a_record_lacks_a_value_that_is_null_or_a_mark(bench: PostgreSQLBench) -> None:
    rows = values(column("a", Text), column("b", Text), name="records").data(
        [("x", "y"), (None, "y"), ("x", None), ("", "y"), ("x", ""), (None, None), ("?", "y")]
    )
    connection = PostgresConnection(bench.server.url, name="numbers", settings={})
    try:
        test = is_unusable([(rows.c.a, ("", "?")), (rows.c.b, ())])
        found = connection.rows(select(test), doing="reading the input")
        assert found == [(False,), (True,), (True,), (True,), (False,), (True,), (True,)]
        assert connection.rows(select(is_unusable([])), doing="reading the input") == [(False,)]
    finally:
        connection.close()


def test_a_select_counts_each_pair_of_usable_records(bench: PostgreSQLBench) -> None:
    rows = values(column("a", Text), column("v", Text), name="records").data(
        [("x", "1"), ("x", "1"), ("x", None), ("y", "1"), ("gone", "1")]
    )
    records = SQLRecords(
        table=rows,
        by=(rows.c.a,),
        passed=(rows.c.v,),
        unusable=rows.c.a == "gone",
        person=None,
        salt=0,
        hashing=RowHashes(),
    )
    connection = PostgresConnection(bench.server.url, name="numbers", settings={})
    try:
        pairs = connection.rows(select_value_counts(records, rows.c.v), doing="reading the input")
        assert sorted((value or "", size) for _, value, size in pairs) == [("", 1), ("1", 1), ("1", 2)]
        counted = connection.rows(select_combinations(records), doing="reading the input")
        assert sorted(row[1:4] for row in counted) == [("x", False, 3), ("y", False, 1)]
        assert {key for key, *_ in pairs} == {row[0] for row in counted}
        assert connection.scalar(number_of(select_combinations(records)), doing="reading the input") == 2
    finally:
        connection.close()
