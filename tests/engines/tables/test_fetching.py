"""Where a table is fetched from is told by its URL."""

from __future__ import annotations

import pytest

from toolbox.config.urls import is_postgresql
from toolbox.engines.tables.tables import fetch_table, remove_url_driver
from toolbox.errors import UsageError


@pytest.mark.parametrize("url", ["postgresql://h/d", "postgres://h/d", "postgresql+psycopg2://h/d"])
def test_every_way_to_name_postgresql_is_read_by_one(url: str) -> None:
    assert is_postgresql(url)
    assert remove_url_driver(url) == "postgresql://h/d"


@pytest.mark.parametrize("url", ["sqlite:///a", "mysql+pymysql://h/d", "postgresqlish://h", ""])
def test_others_are_no_postgresql(url: str) -> None:
    assert not is_postgresql(url)


@pytest.mark.parametrize("given", [{}, {"table": "a", "query": "SELECT 1"}])
def test_a_table_or_a_query_is_wanted(given: dict[str, str]) -> None:
    with pytest.raises(UsageError, match="is a table or a query"):
        fetch_table("sqlite://", **given)
