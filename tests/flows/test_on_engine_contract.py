"""Each engine makes the release that is made here."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from engines.postgresql_bench import PostgreSQLBench
from engines.spark_bench import SparkBench
from flows.on_engine_contract import (
    CHECKS,
    Bench,
    check_classes_count_persons,
    check_every_kind_of_value_passes_as_it_is,
    check_records_that_lack_only_a_sensitive_value_are_skipped_or_kept,
    check_suppressed_records_are_kept_or_dropped,
    check_treated_columns_are_released_as_here,
)
from helpers import spark_server
from helpers.duck_bench import DuckBench

BY_DEFAULT = {
    "postgresql": (
        check_every_kind_of_value_passes_as_it_is,
        check_records_that_lack_only_a_sensitive_value_are_skipped_or_kept,
        check_classes_count_persons,
        check_treated_columns_are_released_as_here,
    ),
    "sail": (
        check_every_kind_of_value_passes_as_it_is,
        check_suppressed_records_are_kept_or_dropped,
        check_classes_count_persons,
        check_treated_columns_are_released_as_here,
    ),
}
"""What servers are asked by default; the rest with ``--slow``."""
SLOW_HERE = {"sixty_four_quasi_identifiers_are_generalised"}


def _named(check: Callable[[Bench], None]) -> str:
    return check.__name__.removeprefix("check_")


def _mostly_slow(server: str) -> Sequence[Any]:
    return [
        pytest.param(check, id=_named(check), marks=[] if check in BY_DEFAULT[server] else [pytest.mark.slow])
        for check in CHECKS
    ]


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "check",
    [
        pytest.param(check, id=_named(check), marks=[pytest.mark.slow] if _named(check) in SLOW_HERE else [])
        for check in CHECKS
    ],
)
def test_on_duckdb_that_holds(check: Callable[[Bench], None]) -> None:
    check(DuckBench())


@pytest.mark.slow
@pytest.mark.parametrize("check", _mostly_slow("postgresql"))
def test_on_postgresql_that_holds(check: Callable[[Bench], None], postgresql_bench: PostgreSQLBench) -> None:
    check(PostgreSQLAnew(postgresql_bench))


class PostgreSQLAnew:
    """A bench of PostgreSQL whose old release goes when it is filled again."""

    def __init__(self, bench: PostgreSQLBench) -> None:
        self._bench = bench
        self.engine = bench.engine
        self.released = bench.released

    def fill(self, records: Any) -> None:
        self._bench.fill(records)
        self._bench.server.run(f"DROP TABLE IF EXISTS {self._bench.quoted('Release')}")


@pytest.mark.slow
@pytest.mark.parametrize("check", _mostly_slow("sail"))
def test_on_sail_that_holds(check: Callable[[Bench], None], tmp_path: Path) -> None:
    check(SparkAnew(spark_server.sail(), tmp_path))


class SparkAnew(SparkBench):
    """A bench of Spark whose old release goes when it is filled again."""

    def fill(self, records: Any) -> None:
        super().fill(records)
        shutil.rmtree(self.output, ignore_errors=True)
