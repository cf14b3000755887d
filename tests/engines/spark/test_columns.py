"""The key of a combination and the hash of what passes, as two engines make them."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from helpers import spark_server

from toolbox.engines.spark.counting import Columns
from toolbox.engines.spark.session import open_session
from toolbox.errors import InputError, UnknownColumnError

NAMES = ("a.b", "c`d")
ROWS = [("x", None), (None, "x"), ("x", ""), ("", "x"), (None, None), ("", ""), ("x", "x"), (None, ""), ("", None)]


def columns_of(session: Any, **types: str) -> tuple[Any, Columns]:
    declared = ", ".join(f"`{name.replace('`', '``')}` {kind}" for name, kind in types.items())
    rows = [row[: len(types)] for row in ROWS]
    arrays = {name: pa.array([row[place] for row in rows], pa.string()) for place, name in enumerate(types)}
    table = session.spark.createDataFrame(pa.table(arrays), schema=declared)
    fields = {field.name: field.dataType for field in table.schema.fields}
    return table, Columns(fields, session.functions, "people", is_connect=session.is_connect)


def keys(url: str, salt: int) -> list[int]:
    session = open_session(url, {})
    table, columns = columns_of(session, **dict.fromkeys(NAMES, "string"))
    found = table.select(columns.key(NAMES, salt).alias("key")).toArrow()["key"].to_pylist()
    session.close()
    return found


@pytest.mark.slow
def test_nulls_and_positions_count_and_sail_makes_the_keys_of_spark() -> None:
    spark_server.classic()
    found = [keys(url, salt) for salt in (0, 1) for url in (spark_server.sail(), spark_server.CLASSIC)]
    assert found[0] == found[1]
    assert found[2] == found[3]
    assert len({*found[0], *found[2]}) == 2 * len(ROWS)


def test_a_column_that_is_not_there_is_named() -> None:
    with pytest.raises(UnknownColumnError, match="people has no column 'age'"):
        Columns({}, None, "people", is_connect=False)["age"]


@pytest.mark.parametrize(
    "kind", ["array<map<string,int>>", "struct<x: map<string,int>>", "map<int,map<int,int>>", "variant"]
)
@pytest.mark.slow
def test_a_column_that_has_no_hash_is_refused_by_its_name(kind: str) -> None:
    from pyspark.sql.types import _parse_datatype_string

    spark_server.classic()
    session = open_session(spark_server.CLASSIC, {})
    (field,) = _parse_datatype_string(f"odd {kind}").fields
    columns = Columns({"odd": field.dataType}, session.functions, "people", is_connect=False)
    with pytest.raises(InputError, match=r"people: column 'odd' of type (array|struct|map|variant) cannot be proved"):
        columns.halves(("odd",), {})


@pytest.mark.slow
def test_a_collation_makes_no_value_of_two() -> None:
    spark_server.classic()
    session = open_session(spark_server.CLASSIC, {})
    table = session.spark.sql("select town collate UNICODE_CI as town from values ('a'), ('A') as towns(town)")
    assert table.distinct().count() == 1
    fields = {field.name: field.dataType for field in table.schema.fields}
    columns = Columns(fields, session.functions, "people", is_connect=False)
    assert table.select(columns["town"].alias("town")).distinct().count() == 2
    assert table.select(columns.key(("town",), 0).alias("key")).distinct().count() == 2
