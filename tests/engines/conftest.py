"""One PostgreSQL server for all tests of a session."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from engines.postgresql_bench import PostgreSQLBench
from helpers import postgres_server


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
