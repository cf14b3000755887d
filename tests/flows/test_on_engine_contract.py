"""Each engine makes the release that is made here."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from flows.on_engine_contract import CHECKS, Bench
from helpers.duck_bench import DuckBench


def _named(check: Callable[[Bench], None]) -> str:
    return check.__name__.removeprefix("check_")


@pytest.mark.parametrize("check", CHECKS, ids=_named)
def test_on_duckdb_that_holds(check: Callable[[Bench], None]) -> None:
    check(DuckBench())
