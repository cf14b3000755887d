"""Errors of Spark become ours, without a word of it."""

from __future__ import annotations

import pytest

from toolbox.engines.spark.session import raise_own_errors, translate_error
from toolbox.errors import EngineError, InputError, OutputError, ToolboxError, UsageError

CELL = "4711 SECRET"


class FromSparkError(Exception):
    """An error as PySpark raises it."""

    __module__ = "pyspark.errors"

    def __init__(self, condition: str | None, message: str) -> None:
        super().__init__(message)
        self._condition = condition

    def getCondition(self) -> str | None:  # noqa: N802
        return self._condition


@pytest.mark.parametrize(
    ("condition", "message", "step", "kind", "said"),
    [
        ("PATH_NOT_FOUND", "", "schema", InputError, "people: there are no files"),
        ("TABLE_OR_VIEW_NOT_FOUND", "", "schema", InputError, "people: Spark knows no such table"),
        (None, "org.apache.hadoop.security.AccessControlException: Permission denied", "count", InputError, "may not read"),
        (None, "org.apache.hadoop.security.AccessControlException: Permission denied", "write", OutputError, "may not write"),
        (None, "java.lang.OutOfMemoryError: Java heap space", "count", UsageError, "spark.executor.memory"),
        (None, "bigger than spark.driver.maxResultSize", "count", UsageError, "spark.driver.maxResultSize"),
        (None, "ExecutorLostFailure (executor 1 exited)", "write", InputError, "has lost executors"),
        (None, "status = StatusCode.UNAVAILABLE", "count", InputError, "connection to Spark is lost"),
        (None, "java.io.IOException: No space left on device", "write", OutputError, "no room left"),
        ("DATA_SOURCE_NOT_FOUND", "delta", "schema", UsageError, "spark.jars.packages"),
        ("MALFORMED_RECORD_IN_PARSING", "", "count", InputError, "does not have the columns of the header"),
        ("FAILED_READ_FILE.FILE_NOT_EXIST", "", "write", InputError, "vanished or changed"),
        ("ARITHMETIC_OVERFLOW", "", "count", InputError, "more than two thousand million records"),
        ("JAVA_GATEWAY_EXITED", "", "session", UsageError, "Install Java"),
        ("SOMETHING_NEW", "", "count", EngineError, "in the step 'count'"),
    ],
)  # fmt: skip
def test_an_error_says_what_to_do_and_no_cell(
    condition: str | None, message: str, step: str, kind: type[ToolboxError], said: str
) -> None:
    with pytest.raises(kind) as raised, raise_own_errors(step, "people"):
        raise FromSparkError(condition, f"{message} {CELL}")
    assert said in str(raised.value)
    assert CELL not in str(raised.value)
    assert isinstance(raised.value.__cause__, FromSparkError)


def test_an_error_of_the_toolbox_and_a_fault_in_it_stay_what_they_are() -> None:
    for error in (InputError("mine"), ZeroDivisionError(), KeyboardInterrupt()):
        with pytest.raises(type(error)) as raised, raise_own_errors("count"):
            raise error
        assert raised.value is error


def test_an_error_whose_kind_cannot_be_asked_is_told_all_the_same() -> None:
    class BrokenError(FromSparkError):
        def getCondition(self) -> str | None:  # noqa: N802
            raise RuntimeError

    assert isinstance(translate_error(BrokenError(None, CELL), "count", "people"), EngineError)
