"""Settings of the engine are checked before anything is connected."""

from __future__ import annotations

import pytest
from engines.postgresql_bench import PostgreSQLBench

from toolbox.engines.postgresql.engine import check_server_settings
from toolbox.engines.records import parse_most_combinations
from toolbox.errors import SettingError, UsageError


def test_the_most_combinations_are_a_whole_number() -> None:
    assert parse_most_combinations(None) is None
    assert parse_most_combinations("12") == 12


@pytest.mark.parametrize("given", ["0", "-1", "many", "1e6", "", "²"])
def test_another_number_of_combinations_is_refused(given: str) -> None:
    with pytest.raises(SettingError, match="a whole number, at least 1"):
        parse_most_combinations(given)


def test_a_setting_that_nobody_knows_is_refused_with_the_nearest() -> None:
    assert check_server_settings({"work_mem": "1GB"}) == {"work_mem": "1GB"}
    with pytest.raises(UsageError, match=r"no setting 'workmem'.* Did you mean 'work_mem'"):
        check_server_settings({"workmem": "1GB"})


def test_a_value_that_the_server_refuses_is_refused(bench: PostgreSQLBench) -> None:
    with (
        pytest.raises(UsageError, match=r"The server refuses 'much' as its setting work_mem."),
        bench.engine(work_mem="much"),
    ):
        pass


def test_a_setting_of_the_server_holds_for_the_transaction(bench: PostgreSQLBench) -> None:
    with bench.engine(work_mem="123MB") as engine:
        assert engine._connection._connection.execute("SHOW work_mem").fetchone() == ("123MB",)
    with bench.engine() as engine:
        assert engine._connection._connection.execute("SHOW work_mem").fetchone() == ("64MB",)


def test_memory_that_the_server_allows_already_is_not_less(bench: PostgreSQLBench) -> None:
    bench.server.run("ALTER ROLE keeper SET work_mem = '200MB'")
    try:
        with bench.engine() as engine:
            assert engine._connection._connection.execute("SHOW work_mem").fetchone() == ("200MB",)
    finally:
        bench.server.run("ALTER ROLE keeper RESET work_mem")
