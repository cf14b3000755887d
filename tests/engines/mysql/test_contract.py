"""MariaDB keeps what every engine promises."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from engines.contract import CHECKS, Bench
from engines.mariadb_bench import MariaDBBench


@pytest.mark.parametrize(
    "check",
    [each for each in CHECKS if "treated" not in each.__name__],
    ids=lambda check: check.__name__.removeprefix("check_"),
)
def test_an_engine_promises_that(check: Callable[[Bench], None], mariadb_bench: MariaDBBench) -> None:
    check(mariadb_bench)
