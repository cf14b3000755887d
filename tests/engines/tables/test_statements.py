"""A table is renamed as each database has it, and its name is quoted."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import MetaData, Table
from sqlalchemy.dialects import mssql, mysql, sqlite

from toolbox.engines.tables.tables import Renamed

OLD, NEW = Table("a b", MetaData(), schema="it's"), Table("it's", MetaData(), schema="it's")


@pytest.mark.parametrize(
    ("dialect", "expected"),
    [
        (sqlite.dialect, 'ALTER TABLE "it\'s"."a b" RENAME TO "it\'s"'),
        (mysql.dialect, "RENAME TABLE `it's`.`a b` TO `it's`.`it's`"),
        (mssql.dialect, "EXEC sp_rename '[it''s].[a b]', 'it''s'"),
    ],
)
def test_a_table_is_renamed(dialect: Any, expected: str) -> None:
    assert str(Renamed((OLD, NEW)).compile(dialect=dialect())) in (expected, expected.replace(" '", " N'"))


def test_two_tables_are_renamed_at_once_where_each_statement_is_a_transaction() -> None:
    both = Renamed((NEW, Table("old", MetaData())), (OLD, NEW))
    assert (
        str(both.compile(dialect=mysql.dialect())) == "RENAME TABLE `it's`.`it's` TO old, `it's`.`a b` TO `it's`.`it's`"
    )
