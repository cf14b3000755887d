"""The SQL that the engine writes, which MySQL is to read as well; no server of it is asked."""

from __future__ import annotations

from types import MappingProxyType

from sqlalchemy import column, table

from toolbox.engines.engine import CountRequest
from toolbox.engines.mysql.connection import _Dialect
from toolbox.engines.mysql.tables import MySQLTable, MySQLType
from toolbox.engines.records import make_record_source, select_combinations

TYPES = {
    "select": MySQLType("varchar(9)", "latin1_swedish_ci"),
    "n": MySQLType("double"),
    "t": MySQLType("text", "utf8mb4_bin"),
}


def test_records_are_grouped_by_a_digest_of_bytes_and_names_stand_in_backticks() -> None:
    read = MySQLTable("people", table("people", *map(column, TYPES)), MappingProxyType(TYPES), "reading the input")
    records = make_record_source(read, CountRequest(by=("select", "n", "t")))
    sql = str(
        select_combinations(records).compile(
            dialect=_Dialect(paramstyle="named"), compile_kwargs={"literal_binds": True}
        )
    )
    written = " ".join(sql.split())
    assert written.startswith(
        "SELECT CAST(conv(hex(substr(`seen`.`digest`, 1, 8)), 16, -10) AS SIGNED INTEGER) AS `key`, "
    )
    # A text of another encoding is converted before its bytes are looked at, and -0 becomes 0.
    assert (
        "CAST(CAST(`people`.`select` AS CHAR CHARACTER SET utf8mb4) AS BINARY) AS `by_1`, "
        "`people`.`n` + 0e0 AS `by_2`, CAST(`people`.`t` AS BINARY) AS `by_3`" in written
    )
    assert written.endswith("AS `seen` GROUP BY `seen`.`digest`")
