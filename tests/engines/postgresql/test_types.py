"""Each type of PostgreSQL comes up as what the list says, and equal values are one."""

from __future__ import annotations

from typing import Any

import duckdb
import pyarrow as pa
import pytest
from engines.postgresql_bench import PostgreSQLBench
from helpers.postgres_server import Server

from toolbox.engines.engine import CountRequest
from toolbox.engines.postgresql.engine import PostgreSQL
from toolbox.errors import InputError

UTC = pa.timestamp("us", "UTC")


def values(server: Server, kind: str, *literals: str) -> tuple[pa.Field, dict[Any, int]]:
    """Return the column of some values as the engine describes it, and each value in the words of DuckDB with its count."""
    server.run("DROP TABLE IF EXISTS typed", f"CREATE TABLE typed (v {kind})")
    server.run(*(f"INSERT INTO typed VALUES ({literal}::{kind})" for literal in literals))
    with PostgreSQL(server.url, table="typed", release="typed_release") as engine:
        field = engine.schema().field("v")
        counted = engine.count(CountRequest(by=("v",), judged=("v",), passed=("v",))).combinations  # noqa: F841
    rows = duckdb.sql("SET TimeZone = 'UTC'; SELECT by_1::VARCHAR, size::INTEGER FROM counted").fetchall()
    return field, dict(rows)


@pytest.mark.sampled(7)
@pytest.mark.parametrize(
    ("kind", "literals", "arrow", "expected"),
    [
        ("smallint", ("'-32768'", "null"), pa.int16(), {"-32768": 1, None: 1}),
        ("integer", ("2147483647",), pa.int32(), {"2147483647": 1}),
        ("bigint", ("9223372036854775807", "'-9223372036854775808'"), pa.int64(), {"9223372036854775807": 1, "-9223372036854775808": 1}),
        ("real", ("0.1", "'-0'", "0"), pa.float32(), {"0.1": 1, "0.0": 2}),
        ("double precision", ("'-0'", "0", "'NaN'", "'NaN'", "'-inf'"), pa.float64(), {"0.0": 2, "nan": 2, "-inf": 1}),
        ("numeric(10, 2)", ("1.5", "-0.01", "null"), pa.decimal128(10, 2), {"1.50": 1, "-0.01": 1, None: 1}),
        ("numeric(38, 0)", ("repeat('9', 38)",), pa.decimal128(38, 0), {"9" * 38: 1}),
        ("boolean", ("true", "false", "null"), pa.bool_(), {"true": 1, "false": 1, None: 1}),
        ("date", ("'0044-03-15 BC'", "'infinity'", "'-infinity'", "'2024-02-29'"), pa.date32(), {"0044-03-15 (BC)": 1, "infinity": 1, "-infinity": 1, "2024-02-29": 1}),
        ("timestamp", ("'infinity'", "'1969-12-31 23:59:59.999999'", "'10000-01-01'"), pa.timestamp("us"), {"infinity": 1, "1969-12-31 23:59:59.999999": 1, "10000-01-01 00:00:00": 1}),
        ("timestamptz", ("'2024-07-01 12:00+02'", "'2024-07-01 10:00+00'", "'-infinity'"), UTC, {"2024-07-01 10:00:00+00": 2, "-infinity": 1}),
        ("text", ("''", "null", "'a'", "'A'"), pa.string(), {"": 1, None: 1, "a": 1, "A": 1}),
        ("varchar(3)", ("'a '", "'a'"), pa.string(), {"a ": 1, "a": 1}),
        ("char(5)", ("'a '", "'a'", "''"), pa.string(), {"a": 2, "": 1}),
        ("uuid", ("'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'",), pa.string(), {"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11": 1}),
        ("inet", ("'10.0.0.1/8'", "'::1'", "null"), pa.string(), {"10.0.0.1/8": 1, "::1": 1, None: 1}),
        ("interval", ("'1 day 26 hours'", "'-1 month'"), pa.string(), {"1 day 26:00:00": 1, "-1 mons": 1}),
        ("time", ("'12:30:00.5'",), pa.string(), {"12:30:00.5": 1}),
        ("bytea", (r"'\x6100'",), pa.string(), {r"\x6100": 1}),
        ("json", ("""'{"a": 1}'""",), pa.string(), {'{"a": 1}': 1}),
        ("text[]", ("array['a', null, 'b c']",), pa.string(), {'{a,NULL,"b c"}': 1}),
        ("int4range", ("'[1,5]'",), pa.string(), {"[1,6)": 1}),
        ("point", ("'(1,2)'",), pa.string(), {"(1,2)": 1}),
    ],
)  # fmt: skip
def test_a_type_comes_up_as_the_list_says(
    postgres: Server, kind: str, literals: tuple[str, ...], arrow: pa.DataType, expected: dict[Any, int]
) -> None:
    field, found = values(postgres, kind, *literals)
    assert (field.type, field.metadata) == (arrow, None)
    assert found == expected


@pytest.mark.parametrize("kind", ["numeric", "numeric(50, 2)", "numeric(5, -2)"])
def test_a_numeric_that_no_decimal_holds_is_a_number_as_text(postgres: Server, kind: str) -> None:
    field, found = values(postgres, kind, "100", "100.00", "'NaN'", "null", "-1e3")
    assert (field.type, field.metadata) == (pa.string(), {b"kind": b"number"})
    assert found == {"100": 2, "NaN": 1, None: 1, "-1000": 1}


def test_a_decimal_that_is_no_number_stops_the_run(postgres: Server) -> None:
    with pytest.raises(InputError, match=r"typed: the column 'v' is of type decimal128\(5, 2\).* casts the column"):
        values(postgres, "numeric(5, 2)", "'NaN'")


def test_a_domain_is_what_it_is_made_of(postgres: Server) -> None:
    postgres.run("DROP DOMAIN IF EXISTS wage CASCADE", "CREATE DOMAIN wage AS numeric(7, 2) CHECK (value >= 0)")
    field, found = values(postgres, "wage", "12")
    assert (field.type, found) == (pa.decimal128(7, 2), {"12.00": 1})


def test_an_enumeration_is_its_texts(postgres: Server) -> None:
    postgres.run("DROP TYPE IF EXISTS mood CASCADE", "CREATE TYPE mood AS ENUM ('so so', 'glad')")
    field, found = values(postgres, "mood", "'glad'", "'so so'", "'glad'")
    assert (field.type, found) == (pa.string(), {"glad": 2, "so so": 1})


@pytest.mark.parametrize("collation", ["und-x-icu", "ignore_case"])
def test_texts_differ_whatever_their_collation_says(postgres: Server, collation: str) -> None:
    if not postgres.rows("SELECT FROM pg_collation WHERE collname = 'und-x-icu'"):
        pytest.skip("This PostgreSQL was built without ICU.")
    strength = "provider = icu, locale = 'und-u-ks-level2', deterministic = false"
    postgres.run("DROP COLLATION IF EXISTS ignore_case CASCADE", f"CREATE COLLATION ignore_case ({strength})")
    postgres.run("DROP TABLE IF EXISTS typed", f'CREATE TABLE typed (v text COLLATE "{collation}")')
    postgres.run("INSERT INTO typed VALUES ('a'), ('A'), ('ä'), (U&'a\\0308')")
    with PostgreSQL(postgres.url, table="typed", release="typed_release") as engine:
        counted = engine.count(CountRequest(by=("v",), judged=("v",))).combinations
    assert sorted(counted["by_1"].to_pylist()) == ["A", "a", "a\u0308", "ä"]
    assert len(set(counted["key"].to_pylist())) == 4


def test_a_text_that_ignores_case_keeps_it(bench: PostgreSQLBench) -> None:
    if not bench.server.rows("SELECT FROM pg_available_extensions WHERE name = 'citext'"):
        pytest.skip("There is no citext: install postgresql-contrib.")
    bench.server.run("CREATE EXTENSION IF NOT EXISTS citext")
    assert values(bench.server, "citext", "'a'", "'A'")[1] == {"a": 1, "A": 1}


def test_settings_of_a_role_do_not_change_texts(postgres: Server) -> None:
    settings = {"datestyle": "german", "intervalstyle": "iso_8601", "bytea_output": "escape", "timezone": "Asia/Tokyo"}
    postgres.run(*(f"ALTER ROLE keeper SET {name} = '{value}'" for name, value in settings.items()))
    try:
        assert values(postgres, "interval", "'1 day'")[1] == {"1 day": 1}
        assert values(postgres, "bytea", "'a'")[1] == {r"\x61": 1}
        assert values(postgres, "date[]", "array['2024-02-29'::date]")[1] == {"{2024-02-29}": 1}
        assert values(postgres, "tstzrange", "'[2024-02-29 00:00+00,)'")[1] == {'["2024-02-29 00:00:00+00",)': 1}
    finally:
        postgres.run("ALTER ROLE keeper RESET ALL")
