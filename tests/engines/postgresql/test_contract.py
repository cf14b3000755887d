"""PostgreSQL keeps what every engine promises."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from engines.contract import CHECKS, Bench
from engines.postgresql_bench import PostgreSQLBench


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__.removeprefix("check_"))
def test_an_engine_promises_that(check: Callable[[Bench], None], bench: PostgreSQLBench) -> None:
    check(bench)
