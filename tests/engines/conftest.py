"""One server of PostgreSQL and one of MariaDB for all tests of a session."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from engines.mariadb_bench import MariaDBBench
from engines.postgresql_bench import PostgreSQLBench
from helpers import mariadb_server, postgres_server


@pytest.fixture(scope="session")
def postgres() -> Iterator[postgres_server.Server]:
    if reason := postgres_server.why_not():
        pytest.skip(reason)
    with postgres_server.running() as server:
        yield server


@pytest.fixture(scope="session")
def standby(postgres: postgres_server.Server) -> Iterator[postgres_server.Server]:
    """Another server, with the same password, which waits for what a primary server writes, and can only be read."""
    with postgres_server.running(standby=True) as server:
        yield server


@pytest.fixture
def bench(postgres: postgres_server.Server) -> Iterator[PostgreSQLBench]:
    made = PostgreSQLBench(postgres)
    yield made
    made.close()


@pytest.fixture(scope="session")
def mariadb() -> Iterator[mariadb_server.MariaDB]:
    if reason := mariadb_server.why_not():
        pytest.skip(reason)
    with mariadb_server.running() as server:
        yield server


@pytest.fixture
def mariadb_bench(mariadb: mariadb_server.MariaDB) -> Iterator[MariaDBBench]:
    made = MariaDBBench(mariadb)
    yield made
    made.close()
