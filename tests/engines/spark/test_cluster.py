"""Clusters of classic Spark: real executors, which are killed; a standalone master; what the logs of Spark keep."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from engines.contract import CHECKS
from engines.spark_bench import SparkBench, rows_of
from helpers import children, spark_server

pytestmark = pytest.mark.slow

RECORDS = 1_000_000
_PATHS = os.pathsep.join(map(str, (Path(__file__).parents[3], Path(__file__).parents[2])))
_RUN = """
import os, sys, time
from pathlib import Path
import pyarrow as pa
from engines.spark_bench import write
from toolbox.engines.engine import CountRequest
from toolbox.treatments.treatment import ReleasedColumn
from toolbox.engines.spark.engine import Spark
url, source, output, settings, step = *sys.argv[1:4], eval(sys.argv[4]), sys.argv[5]
request = CountRequest(by=("group",), judged=("illness",), passed=("illness", "id"))
columns = (ReleasedColumn("who", text="text"), *(ReleasedColumn(name, source=name) for name in ("illness", "id")))
with Spark(url, input=source, output=output, settings=settings) as engine:
    engine.schema()
    print("open", flush=True)
    if step == "wait":
        time.sleep(1)
    for _ in range(200 if step == "repeat" else 1):
        counted = engine.count(request).combinations
    print("counted", flush=True)
    staged = write(engine, request, columns)
    print("written", flush=True)
    again = engine.recount(staged, CountRequest(by=("who",), judged=("illness",), passed=("illness", "id")))
    for name in ("size", "sum_1", "sum_2"):
        assert sum(again.combinations[name].to_pylist()) == sum(counted[name].to_pylist()), name
    engine.publish(staged)
print("published", flush=True)
"""
LOCAL = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1", "spark.sql.shuffle.partitions": "4"}


@pytest.fixture
def bench(tmp_path: Path) -> SparkBench:
    spark_server.require_java()
    bench = SparkBench("local", tmp_path)
    numbers = pa.array(range(RECORDS), pa.int64())
    groups = pa.array([f"SENTINEL {number % 50}" for number in range(RECORDS)])
    illness = pa.array([f"SECRET {number % 7}" for number in range(RECORDS)])
    bench.fill(pa.table({"id": numbers, "group": groups, "illness": illness}))
    return bench


def start(bench: SparkBench, url: str, step: str = "run", **settings: str) -> Any:
    given = repr(LOCAL | settings)
    command = [sys.executable, "-c", _RUN, url, bench.input, bench.output, given, step]
    environment = os.environ | {"PYTHONPATH": _PATHS, "SPARK_LOCAL_IP": "127.0.0.1"}
    return children.start(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)


def require_released(bench: SparkBench, tmp_path: Path) -> None:
    assert sorted(row[2] for row in rows_of(bench.output)) == list(range(RECORDS))
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".toolbox-")]


def test_an_executor_that_is_killed_while_it_writes_loses_and_doubles_nothing(
    bench: SparkBench, tmp_path: Path
) -> None:
    process = start(bench, "local-cluster[2,1,1024]")
    while "counted" not in (line := process.stdout.readline()):
        assert line, process.stderr.read()[-2000:]
    _await_parts(tmp_path)
    killed = _kill_an_executor(process.pid)
    out, err = process.communicate()
    assert killed
    assert "published" in out, err[-2000:]
    require_released(bench, tmp_path)


def _await_parts(folder: Path) -> None:
    """Wait until files are being written, which are not there for good before the end."""
    for _ in range(6000):
        if list(folder.glob(".toolbox-*/release-1/_temporary/0/_temporary")):
            return
        time.sleep(0.01)
    pytest.fail("Spark did not begin to write.")


def _kill_an_executor(driver: int) -> bool:
    """Kill one executor; it is a process below the driver."""
    for _ in range(100):
        for number in children.list_descendants(driver):
            line = Path(f"/proc/{number}/cmdline").read_bytes()
            if b"CoarseGrainedExecutorBackend" in line and b"ExecutorRunner" not in line:
                os.kill(number, signal.SIGKILL)
                return True
        time.sleep(0.05)
    return False


def test_a_standalone_master_with_two_workers_makes_the_release(bench: SparkBench, tmp_path: Path) -> None:
    port = _free_port()
    places = {"SPARK_LOCAL_IP": "127.0.0.1", "SPARK_NO_DAEMONIZE": "1"}
    environment = os.environ | places
    master = f"spark://127.0.0.1:{port}"
    kind = "org.apache.spark.deploy"
    _start_class(f"{kind}.master.Master", "--host", "127.0.0.1", "--port", port, "--webui-port", 0, env=environment)
    _await(port)
    for number in range(2):
        folder = tmp_path / f"worker {number}"
        options = ("--host", "127.0.0.1", "--cores", 1, "--memory", "1g", "--webui-port", 0, "--work-dir", folder)
        _start_class(f"{kind}.worker.Worker", *options, master, env=environment)
    process = start(bench, master, **{"spark.executor.memory": "600m"})
    out, err = process.communicate()
    assert "published" in out, err[-2000:]
    require_released(bench, tmp_path)


def _start_class(name: str, *options: object, env: dict[str, str]) -> None:
    import pyspark

    program = Path(pyspark.__file__).parent / "bin" / "spark-class"
    children.start([program, name, *options], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def _await(port: int) -> None:
    for _ in range(600):
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    pytest.fail("The master of Spark did not start.")


def test_no_value_stands_in_the_log_of_events_or_on_the_terminal(bench: SparkBench, tmp_path: Path) -> None:
    log = tmp_path / "events"
    log.mkdir()
    logging = {"spark.eventLog.enabled": "true", "spark.eventLog.dir": log.as_uri(), "spark.eventLog.compress": "false"}
    process = start(bench, "local[2]", **logging)
    out, err = process.communicate()
    assert "published" in out, err[-2000:]
    written = "".join(path.read_text(errors="replace") for path in log.rglob("*") if path.is_file())
    assert "SparkListenerSQLExecutionStart" in written
    for found in (written, out, err):
        assert "SENTINEL" not in found
        assert "SECRET" not in found


def test_an_interrupt_while_spark_counts_ends_the_run_and_leaves_nothing(bench: SparkBench, tmp_path: Path) -> None:
    process = start(bench, "local[2]", "repeat")
    while "open" not in (line := process.stdout.readline()):
        assert line, process.stderr.read()[-2000:]
    time.sleep(2)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    assert "counted" not in out
    assert "KeyboardInterrupt" in err
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".toolbox-")]
    assert bench.released() is None


def test_a_file_of_hadoop_is_moved_only_where_nothing_is(tmp_path: Path) -> None:
    """What the engine does with HDFS, by the local file system of Hadoop."""
    spark_server.classic()
    from toolbox.engines.spark.places import HadoopFiles
    from toolbox.engines.spark.session import open_session

    files = HadoopFiles(open_session(spark_server.CLASSIC, {}), tmp_path.as_uri())
    source, target = (tmp_path / "a b").as_uri().replace("%20", " "), f"{tmp_path.as_uri()}/target"
    files.put(f"{source}/x", b"1")
    files.put(f"{source}/x", b"2")
    assert (files.read(f"{source}/x"), files.names(source)) == (b"2", ["x"])
    assert abs(files.find_newest_change(source) - time.time()) < 600
    files.move(source, target)
    assert (files.exists(source), files.is_folder(target)) == (False, True)
    files.put(f"{source}/x", b"3")
    with pytest.raises(FileExistsError):
        files.move(source, target)
    files.remove(target)
    assert files.names(target) == []
    with pytest.raises(FileNotFoundError):
        files.read(f"{target}/x")


def test_a_server_of_spark_connect_keeps_the_contract(tmp_path: Path) -> None:
    spark_server.require_java()
    port = _free_port()
    settings = {
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.connect.grpc.binding.port": port,
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": 4,
        **{name: value for name, value in LOCAL.items() if "partitions" not in name},
    }
    given = [part for name, value in settings.items() for part in ("--conf", f"{name}={value}")]
    server = "org.apache.spark.sql.connect.service.SparkConnectServer"
    submit = "org.apache.spark.deploy.SparkSubmit"
    environment = os.environ | {"SPARK_LOCAL_IP": "127.0.0.1", "SPARK_NO_DAEMONIZE": "1"}
    _start_class(submit, "--master", "local[2]", *given, "--class", server, "spark-internal", env=environment)
    _await(port)
    for number, check in enumerate(CHECKS):
        check(SparkBench(f"sc://127.0.0.1:{port}", tmp_path / str(number)))
