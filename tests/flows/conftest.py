"""One PostgreSQL server for all tests of a session, and a place on it for each test."""

from __future__ import annotations

from engines.conftest import bench as postgresql_bench  # noqa: F401
from engines.conftest import postgres  # noqa: F401
