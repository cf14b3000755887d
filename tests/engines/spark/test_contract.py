"""Spark keeps what every engine promises, without Java and with it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from engines.contract import CHECKS, Bench
from engines.spark_bench import SparkBench
from helpers import spark_server


def _named(check: Callable[[Bench], None]) -> str:
    return check.__name__.removeprefix("check_")


@pytest.mark.parametrize("check", CHECKS, ids=_named)
def test_on_sail_an_engine_promises_that(check: Callable[[Bench], None], tmp_path: Path) -> None:
    check(SparkBench(spark_server.sail(), tmp_path))


@pytest.mark.slow
@pytest.mark.parametrize("check", CHECKS, ids=_named)
def test_on_classic_spark_an_engine_promises_that(check: Callable[[Bench], None], tmp_path: Path) -> None:
    spark_server.classic()
    check(SparkBench(spark_server.CLASSIC, tmp_path))
