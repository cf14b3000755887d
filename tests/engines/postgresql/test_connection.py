"""Whatever ends a run early, it ends in words of our own, and nothing is left."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from engines.contract import hard_records, recoding, rows_of
from engines.postgresql_bench import COLUMNS, UNJUDGED, PostgreSQLBench, write_all
from helpers import children, postgres_server

from toolbox.engines.postgresql.engine import PostgreSQL
from toolbox.errors import InputError, OutputError, ToolboxError

GATE = 4711
"""The number of a lock behind which the input waits to be read."""
_PATIENCE = 60


@pytest.fixture
def gated(bench: PostgreSQLBench) -> str:
    """Return a query that waits as long as anybody holds the gate."""
    bench.fill(hard_records())
    gate = f"SELECT pg_advisory_lock_shared({GATE}), pg_advisory_unlock_shared({GATE})"
    return (
        f"SELECT people.* FROM {bench.quoted('the people')} AS people, ({gate} OFFSET 0) AS gate WHERE gate IS NOT NULL"
    )


@contextmanager
def shut(bench: PostgreSQLBench) -> Iterator[None]:
    """Hold the gate."""
    with bench.server.connect() as connection:
        connection.execute("SELECT pg_advisory_lock(%s)", [GATE])
        yield


def waiting(bench: PostgreSQLBench, statement: str) -> int:
    """Wait until a statement of the toolbox stands before the gate; return the process of the server that runs it."""
    until = time.monotonic() + _PATIENCE
    sought = (
        "SELECT pid FROM pg_stat_activity JOIN pg_locks USING (pid) WHERE NOT granted AND locktype = 'advisory' "
        "AND application_name = 'toolbox' AND query LIKE %s"
    )
    while time.monotonic() < until:
        if found := bench.server.rows(sought, [f"{statement}%"]):
            return int(found[0][0])
        time.sleep(0.02)
    raise AssertionError("nothing waits")


def require_nothing_left(bench: PostgreSQLBench) -> None:
    """Wait until the server has undone what was going on, and see that nothing of it is there."""
    until = time.monotonic() + _PATIENCE
    while bench.server.rows("SELECT FROM pg_stat_activity WHERE application_name = 'toolbox'"):
        assert time.monotonic() < until
        time.sleep(0.05)
    assert bench.released() is None
    assert bench.server.rows("SELECT relname FROM pg_class WHERE relname LIKE 'toolbox%'") == []


def failing_write(bench: PostgreSQLBench, engine: PostgreSQL, during: Callable[[int], None]) -> ToolboxError:
    """Write while the gate is shut, and do something to the process of the server that waits; return the error."""
    with engine:
        engine.schema()
        counted = engine.count(UNJUDGED)
        keys = {row[1:2]: row[0] for row in rows_of(counted.combinations)}
        everything = recoding(UNJUDGED, keys, dict.fromkeys(keys, 0), [["all"]], COLUMNS)
        with shut(bench):
            helper = Thread(target=lambda: during(waiting(bench, "CREATE TABLE")), daemon=True)
            helper.start()
            with pytest.raises(ToolboxError) as caught:
                engine.write(everything)
            helper.join()
    require_nothing_left(bench)
    return caught.value


def test_a_connection_that_the_server_ends_in_the_middle_of_writing_leaves_nothing(
    bench: PostgreSQLBench, gated: str
) -> None:
    error = failing_write(
        bench, bench.engine(query=gated), lambda pid: bench.server.run(f"SELECT pg_terminate_backend({pid})")
    )
    assert (type(error), error.exit_status) == (InputError, 4)
    assert "the database server ended the connection" in str(error)


def test_a_statement_that_somebody_cancels_leaves_nothing(bench: PostgreSQLBench, gated: str) -> None:
    error = failing_write(
        bench, bench.engine(query=gated), lambda pid: bench.server.run(f"SELECT pg_cancel_backend({pid})")
    )
    assert (type(error), error.exit_status) == (InputError, 4)
    assert "was cancelled, or took longer than statement_timeout" in str(error)


def test_a_statement_that_takes_too_long_is_ended_by_the_server(bench: PostgreSQLBench, gated: str) -> None:
    with shut(bench), bench.engine(query=gated, statement_timeout="300ms") as engine:
        engine.schema()
        with pytest.raises(InputError, match="Set statement_timeout of the engine higher"):
            engine.count(UNJUDGED)
    require_nothing_left(bench)


def test_a_table_that_others_lock_too_long_is_an_error(bench: PostgreSQLBench) -> None:
    bench.fill(hard_records(3))
    with bench.server.connect() as other, bench.engine(lock_timeout="100ms") as engine:
        other.execute("BEGIN")
        other.execute(f"LOCK TABLE {bench.quoted('the people')}")
        with pytest.raises(InputError, match="locked by others for longer than lock_timeout"):
            engine.schema()


def test_a_search_may_take_longer_than_a_role_may_be_idle(bench: PostgreSQLBench) -> None:
    bench.fill(hard_records(3))
    bench.server.run("ALTER ROLE keeper SET idle_in_transaction_session_timeout = '100ms'")
    try:
        with bench.engine() as engine:
            engine.schema()
            time.sleep(0.25)
            assert engine.count(UNJUDGED).combinations.num_rows == 3
    finally:
        bench.server.run("ALTER ROLE keeper RESET idle_in_transaction_session_timeout")


def test_an_error_makes_all_that_follows_fail_and_publishes_nothing(bench: PostgreSQLBench, gated: str) -> None:
    with bench.engine(query=gated) as engine:
        engine.schema()
        written = write_all(engine)
        connection: Any = engine._connection._connection
        with pytest.raises(Exception, match="division"):
            connection.execute("SELECT 1 / 0")
        with pytest.raises(InputError, match="SQLSTATE 25P02"):
            engine._connection.commit(doing="publishing the release")
        with pytest.raises(ToolboxError):
            engine.publish(written)
    require_nothing_left(bench)


def test_a_connection_that_is_lost_while_publishing_leaves_it_open_what_is_there(bench: PostgreSQLBench) -> None:
    bench.fill(hard_records(3))
    with bench.engine() as engine:
        engine.schema()
        written = write_all(engine)
        engine._connection._connection.pgconn.finish()
        with pytest.raises(InputError, match="Check whether the release is there before you start again"):
            engine.publish(written)
    require_nothing_left(bench)


RUN = """
import sys
from engines.contract import FLAG, ID, TEXT, recoding, rows_of
from engines.postgresql_bench import write_all
from toolbox.engines.postgresql.engine import PostgreSQL
url, query, release = sys.argv[1:]
try:
    with PostgreSQL(url, query=query, release=release) as engine:
        engine.schema()
        print("ready", flush=True)
        sys.stdin.readline()
        write_all(engine)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("step", ["CREATE TABLE", "INSERT INTO"])
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT], ids=["killed", "interrupted"])
def test_a_run_that_dies_leaves_nothing(bench: PostgreSQLBench, gated: str, number: int, step: str) -> None:
    tests = Path(__file__).parents[2]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tests), str(tests.parent)])}
    child = children.start(
        [
            sys.executable,
            "-c",
            RUN,
            bench.server.url,
            gated,
            bench.quoted("Release"),
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    )
    assert child.stdout is not None
    assert child.stdin is not None
    assert child.stdout.readline() == "ready\n"
    with gate_shut_for(bench, step, child):
        waiting(bench, step)
        child.send_signal(number)
        if number == signal.SIGINT:
            # It cancels what runs, and does not wait for the gate.
            assert child.stdout.read() == "interrupted\n"
            assert child.wait() == 0
        else:
            assert child.wait() == -signal.SIGKILL
            if step == "INSERT INTO":
                # The server looks for its client every few seconds, and does not wait for the gate either.
                require_nothing_left(bench)
    require_nothing_left(bench)


@contextmanager
def gate_shut_for(bench: PostgreSQLBench, step: str, child: subprocess.Popen[str]) -> Iterator[None]:
    """Shut the gate before the input is counted, or only before the release is written."""
    assert child.stdin is not None
    if step == "INSERT INTO":
        with shut(bench):
            print(file=child.stdin, flush=True)
            yield
        return
    # It waits before it counts; then one who shuts the gate stands behind it, and before what follows.
    with bench.server.connect() as second:
        with shut(bench):
            print(file=child.stdin, flush=True)
            waiting(bench, "INSERT INTO")
            queued = Thread(target=lambda: second.execute("SELECT pg_advisory_lock(%s)", [GATE]))
            queued.start()
            until = time.monotonic() + _PATIENCE
            while len(bench.server.rows("SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")) < 2:
                assert time.monotonic() < until
                time.sleep(0.02)
        queued.join()
        yield


def test_a_disk_that_is_full_is_said_and_leaves_nothing(bench: PostgreSQLBench, tmp_path: Path) -> None:
    bench.fill(hard_records())
    with small_disk(bench.server) as folder:
        bench.server.run(
            f"CREATE TABLESPACE small LOCATION '{folder}'", "ALTER ROLE keeper SET default_tablespace = small"
        )
        try:
            query = f"SELECT people.* FROM {bench.quoted('the people')} AS people, generate_series(1, 300)"
            with bench.engine(query=query) as engine:
                engine.schema()
                with pytest.raises(InputError, match="the disk of the database server is full") as caught:
                    write_all(engine)
            assert caught.value.exit_status == 4
            require_nothing_left(bench)
        finally:
            bench.server.run("ALTER ROLE keeper RESET default_tablespace", "DROP TABLESPACE small")


@contextmanager
def small_disk(server: postgres_server.Server) -> Iterator[Path]:
    """Mount a disk of 2 MB for the server."""
    folder = server.folder / "small"
    if os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("Only root can mount a small disk.")
    folder.mkdir()
    if children.run(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", folder], capture_output=True).returncode:
        pytest.skip("No disk can be mounted here.")
    try:
        owner = server.folder.stat()
        os.chown(folder, owner.st_uid, owner.st_gid)
        yield folder
    finally:
        children.run(["umount", "-l", folder], check=True)


@pytest.mark.slow
def test_a_server_that_is_gone_is_said(bench: PostgreSQLBench) -> None:
    with postgres_server.running() as server:
        other = PostgreSQLBench(server)
        other.fill(hard_records(3))
        with other.engine() as engine:
            engine.schema()
            server.process.send_signal(signal.SIGQUIT)
            server.process.wait()
            with pytest.raises(
                InputError, match=r"ended the connection|the connection to the database was lost"
            ) as caught:
                for _ in range(100):
                    engine.count(UNJUDGED)
                    time.sleep(0.05)
    assert caught.value.exit_status == 4


@pytest.mark.slow
def test_a_server_that_can_only_be_read_is_refused(standby: postgres_server.Server) -> None:
    with (
        pytest.raises(OutputError, match=r"is a standby, which can only be read. Name its primary server"),
        PostgreSQL(standby.url, query="SELECT 1 AS a", release="r"),
    ):
        pass
