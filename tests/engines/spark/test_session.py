"""Sessions: whose they are, which settings they have, and what is refused."""

from __future__ import annotations

import builtins
import importlib
import logging
import signal
from typing import Any

import pytest
from helpers import spark_server

from toolbox.engines.spark.session import open_session, remove_url_secrets, silence_messages
from toolbox.errors import UsageError


def test_without_pyspark_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> Any:
        raise ModuleNotFoundError(name)

    monkeypatch.setattr(importlib, "import_module", missing)
    with pytest.raises(UsageError, match=r"pip install 'anonymisation-toolbox\[spark\]'"):
        open_session("local[2]", {})


def test_a_server_that_does_not_answer_is_told_at_once_and_without_its_token() -> None:
    spark_server.sail()
    with pytest.raises(UsageError, match=r"answers at sc://127\.0\.0\.1:1/\.") as raised:
        open_session("sc://127.0.0.1:1/;token=secret", {})
    assert "secret" not in str(raised.value)


def test_a_url_is_shown_without_what_may_be_a_token() -> None:
    assert remove_url_secrets("sc://host:15002/;token=secret") == "sc://host:15002/"


def test_all_of_our_statements_run_in_utc_and_tell_columns_apart_by_case() -> None:
    session = open_session(spark_server.sail(), {"spark.sql.shuffle.partitions": "3"})
    try:
        names = ("session.timeZone", "caseSensitive", "ansi.enabled", "shuffle.partitions")
        assert [session.spark.conf.get(f"spark.sql.{name}") for name in names] == ["UTC", "true", "true", "3"]
    finally:
        session.close()


def test_a_setting_on_which_the_engine_relies_is_refused() -> None:
    with pytest.raises(UsageError, match=r"'spark\.sql\.session\.timeZone' is one that the engine relies on"):
        open_session("local[2]", {"spark.sql.session.timeZone": "Europe/Berlin"})


@pytest.mark.slow
def test_the_context_of_the_caller_is_shared_and_neither_changed_nor_stopped() -> None:
    theirs = spark_server.classic()
    theirs.conf.set("spark.sql.session.timeZone", "Europe/Berlin")
    session = open_session(spark_server.CLASSIC, {})
    assert session.spark is not theirs
    assert session.spark.conf.get("spark.sql.session.timeZone") == "UTC"
    session.close()
    assert theirs.conf.get("spark.sql.session.timeZone") == "Europe/Berlin"
    assert theirs.range(3).count() == 3


@pytest.mark.slow
def test_a_context_elsewhere_is_refused() -> None:
    spark_server.classic()
    with pytest.raises(UsageError, match=r"open already, at local\[2\]"):
        open_session("spark://somewhere:7077", {})


@pytest.mark.slow
def test_a_setting_that_cannot_be_changed_any_more_is_named() -> None:
    spark_server.classic()
    with pytest.raises(UsageError, match=r"'spark\.executor\.memory' cannot be changed"):
        open_session(spark_server.CLASSIC, {"spark.executor.memory": "8g"})


def test_an_interrupt_is_handled_by_whom_it_was_before() -> None:
    before = signal.getsignal(signal.SIGINT)
    session = open_session(spark_server.sail(), {})
    session.close()
    assert signal.getsignal(signal.SIGINT) is before


def test_importing_the_engine_does_not_import_pyspark(monkeypatch: pytest.MonkeyPatch) -> None:
    original = builtins.__import__

    def refusing(name: str, *rest: Any, **named: Any) -> Any:
        assert name.partition(".")[0] not in {"pyspark", "py4j", "grpc"}
        return original(name, *rest, **named)

    module = importlib.import_module("toolbox.engines.spark.engine")
    monkeypatch.setattr(builtins, "__import__", refusing)
    importlib.reload(module)


def test_what_py4j_tells_of_an_interrupt_is_not_written(capfd: pytest.CaptureFixture[str]) -> None:
    """It tells it in its own name where a connection is shut down, and in nobody's where a command is cut off."""
    with silence_messages():
        for name in ("py4j.clientserver", "py4j.java_gateway"):
            logging.getLogger(name).error("Exception occurred while shutting down connection")
    assert "Exception" not in "".join(capfd.readouterr())
    assert not logging.getLogger("py4j.clientserver").disabled
