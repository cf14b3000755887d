"""A store, and one PostgreSQL server for all tests of a session with a place on it for each test."""

from __future__ import annotations

from engines.conftest import bench as postgresql_bench  # noqa: F401
from engines.conftest import postgres  # noqa: F401
from helpers.small_tables import shared_store as store  # noqa: F401
