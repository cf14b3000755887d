"""Whole tables of PostgreSQL are fetched as they are, and written in one transaction."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from engines.contract import hard_records, shown
from engines.postgresql_bench import PostgreSQLBench
from helpers import postgres_server

from toolbox.engines.tables.tables import fetch_table, require_place, store_table
from toolbox.errors import InputError, OutputError, UsageError


def values_of(table: pa.Table) -> list[tuple[Any, ...]]:
    return [tuple(map(shown, row)) for row in zip(*(column.to_pylist() for column in table.columns), strict=True)]


def test_hard_values_are_fetched_as_they_are(bench: PostgreSQLBench) -> None:
    records = hard_records()
    bench.fill(records)
    table = fetch_table(bench.server.url, table=bench.quoted("the people"))
    assert table.schema == records.schema
    assert values_of(table) == values_of(records)


def test_hard_values_are_written_as_they_are(bench: PostgreSQLBench) -> None:
    records = hard_records()
    store_table(records, bench.server.url, bench.quoted("Release"))
    assert [tuple(map(shown, row)) for row in bench.released() or []] == values_of(records)
    again = fetch_table(bench.server.url, table=bench.quoted("Release"))
    assert (again.schema, values_of(again)) == (records.schema, values_of(records))


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        (pa.int8(), -128, "smallint"),
        (pa.uint8(), 255, "smallint"),
        (pa.uint16(), 65535, "integer"),
        (pa.uint32(), 2**32 - 1, "bigint"),
        (pa.uint64(), 2**64 - 1, "numeric"),
        (pa.float32(), 0.5, "real"),
        (pa.decimal128(38, 38), Decimal("0." + "1" * 38), "numeric"),
        (pa.large_string(), "x", "text"),
        (pa.dictionary(pa.int8(), pa.string()), "x", "text"),
        (pa.binary(), b"\0\\", "bytea"),
        (pa.null(), None, "text"),
        (pa.timestamp("ns"), datetime(2024, 2, 29, 1, 2, 3, 4), "timestamp without time zone"),
        (pa.timestamp("s", "Asia/Tokyo"), None, "timestamp with time zone"),
    ],
)
def test_a_type_of_arrow_has_one_of_the_database(
    bench: PostgreSQLBench, kind: pa.DataType, value: Any, expected: str
) -> None:
    store_table(pa.table({"v": pa.array([value], kind)}), bench.server.url, bench.quoted("Release"))
    assert bench.released() == [(value,)]
    assert bench.server.rows(f"SELECT pg_typeof(v)::text FROM {bench.quoted('Release')}") == [(expected,)]


def test_days_and_moments_of_all_years_come_back(bench: PostgreSQLBench) -> None:
    days = [-719_528, -2_000_000, 100_000_000, 2**31 - 1, -(2**31) + 1, 0, -1]
    moments = [-1, 0, 86_399_999_999, -86_400_000_000, -62_135_596_800_000_001, 2**63 - 1, -(2**63) + 1]
    table = pa.table(
        {
            "d": pa.array(days, pa.int32()).cast(pa.date32()),
            "m": pa.array(moments, pa.int64()).cast(pa.timestamp("us")),
            "z": pa.array(moments, pa.int64()).cast(pa.timestamp("us", "UTC")),
        }
    )
    store_table(table, bench.server.url, bench.quoted("Release"))
    again = fetch_table(bench.server.url, table=bench.quoted("Release"))
    assert again.equals(table)
    first = f"SELECT d::text, m::text, z::text FROM {bench.quoted('Release')} LIMIT 1"
    assert bench.server.rows(first)[0][:2] == ("0001-01-01 BC", "1969-12-31 23:59:59.999999")


def test_a_number_as_text_is_written_as_a_number_again(bench: PostgreSQLBench) -> None:
    table = fetch_table(bench.server.url, query="SELECT 1.50::numeric AS n UNION ALL SELECT 'NaN'")
    assert sorted(table["n"].to_pylist()) == ["1.50", "NaN"]
    store_table(table, bench.server.url, bench.quoted("Release"))
    assert bench.server.rows(f"SELECT pg_typeof(n)::text, n::text FROM {bench.quoted('Release')} ORDER BY n") == [
        ("numeric", "1.50"),
        ("numeric", "NaN"),
    ]


def test_minus_zero_stays_as_it_is(bench: PostgreSQLBench) -> None:
    table = fetch_table(bench.server.url, query="SELECT '-0'::float8 AS f, '-0'::real AS r")
    assert [repr(value) for value in (table["f"][0].as_py(), table["r"][0].as_py())] == ["-0.0", "-0.0"]


@pytest.mark.parametrize(
    "query",
    [
        "SELECT ':x' AS \"a:b\", '{\"a\": 1}'::jsonb::text AS c, 'a\\:b' AS d -- :y",
        "SELECT ':x' AS \"a:b\", '{\"a\": 1}' AS c, 'a\\:b' AS d;",
    ],
)
def test_a_query_is_sent_as_it_is(bench: PostgreSQLBench, query: str) -> None:
    assert fetch_table(bench.server.url, query=query).to_pydict() == {"a:b": [":x"], "c": ['{"a": 1}'], "d": ["a\\:b"]}


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "query",
    [
        "SELECT 1) AS q; DROP TABLE {people}; --",
        "SELECT 1 AS a; DROP TABLE {people}",
        "SELECT 1) AS q; COMMIT; DROP TABLE {people}; SELECT * FROM (SELECT 1",
        "DELETE FROM {people} RETURNING 1",
        "WITH x AS (DELETE FROM {people} RETURNING 1) SELECT * FROM x",
        "SELECT {spy}()",
        "SELECT * FROM {people} FOR UPDATE",
    ],
)
def test_a_query_that_writes_is_refused_and_has_not_written(bench: PostgreSQLBench, query: str) -> None:
    bench.fill(hard_records(3))
    people, spy = bench.quoted("the people"), bench.quoted("spy")
    bench.server.run(
        f"CREATE FUNCTION {spy}() RETURNS integer LANGUAGE plpgsql AS $$ BEGIN DELETE FROM {people}; RETURN 1; END $$"
    )
    with pytest.raises(UsageError):
        fetch_table(bench.server.url, query=query.format(people=people, spy=spy))
    assert len(bench.server.rows(f"SELECT FROM {people}")) == 3


def test_a_standby_may_be_fetched_from(standby: postgres_server.Server) -> None:
    assert fetch_table(standby.url, query="SELECT 1 AS a").to_pydict() == {"a": [1]}
    with pytest.raises(OutputError, match="is a standby"):
        require_place(standby.url, "r")


def test_a_table_without_columns_is_refused(bench: PostgreSQLBench) -> None:
    bench.server.run(f"CREATE TABLE {bench.quoted('bare')} ()")
    with pytest.raises(InputError, match="has no columns"):
        fetch_table(bench.server.url, table=bench.quoted("bare"))


def test_a_table_that_is_not_there_is_refused(bench: PostgreSQLBench) -> None:
    with pytest.raises(InputError, match="There is no table nowhere"):
        fetch_table(bench.server.url, table="nowhere")


def test_an_old_table_is_replaced_only_where_it_may_be(bench: PostgreSQLBench) -> None:
    place, url = bench.quoted("Release"), bench.server.url
    store_table(pa.table({"old": [1]}), url, place)
    for refused in (lambda: require_place(url, place), lambda: store_table(pa.table({"new": [2]}), url, place)):
        with pytest.raises(OutputError, match=r"exists. Write --replace"):
            refused()
    assert bench.released() == [(1,)]
    require_place(url, place, replace=True)
    store_table(pa.table({"new": [2]}), url, place, replace=True)
    assert bench.released() == [(2,)]
    with pytest.raises(OutputError, match="is the input, and would be lost"):
        require_place(url, place, replace=True, source=place)


def test_a_table_that_cannot_be_written_leaves_the_old_one_and_nothing_else(bench: PostgreSQLBench) -> None:
    place, url = bench.quoted("Release"), bench.server.url
    store_table(pa.table({"old": [1]}), url, place)
    for wrong in (
        pa.table({"x" * 64: [1]}),
        pa.table({"v": [[1]]}),
        pa.table({"v": pa.array([1], pa.timestamp("ns"))}),
        pa.table({"v": ["\0"]}),
        pa.table({"ctid": [1]}),
    ):
        with pytest.raises((OutputError, InputError)):
            store_table(wrong, url, place, replace=True)
    assert bench.released() == [(1,)]
    assert bench.server.rows("SELECT FROM pg_class WHERE relname LIKE 'toolbox%'") == []


def test_a_day_is_written_whatever_the_role_prefers(bench: PostgreSQLBench) -> None:
    bench.server.run("ALTER ROLE keeper SET datestyle = 'german, dmy'")
    try:
        store_table(pa.table({"d": [date(2024, 2, 3)]}), bench.server.url, bench.quoted("Release"))
    finally:
        bench.server.run("ALTER ROLE keeper RESET datestyle")
    assert bench.released() == [(date(2024, 2, 3),)]
