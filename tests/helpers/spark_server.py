"""Servers of Spark for tests: Sail, without Java, and a context of classic Spark; each is started once, on loopback."""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from importlib.util import find_spec
from typing import Any

import pytest
from helpers import children

# Sail asks the PySpark beside it, which it uses for functions in Python only, for its version, and knows those up to 4.2.
_SERVE = """
import sys
import pyspark
if tuple(map(int, pyspark.__version__.split(".")[:2])) > (4, 2):
    pyspark.__version__ = "4.2.0"
from pysail.spark import SparkConnectServer
server = SparkConnectServer("127.0.0.1", 0)
server.start(background=True)
print(server.listening_address[1], flush=True)
sys.stdin.read()
"""


@cache
def sail() -> str:
    """Return the URL of a server of Spark Connect that needs no Java; skip the test where it cannot run."""
    if find_spec("pysail") is None or find_spec("pyspark") is None or find_spec("grpc") is None:
        pytest.skip("Sail is not installed: pip install pysail 'pyspark[connect]'")
    return f"sc://127.0.0.1:{start_sail(lasting=True)[1]}"


def start_sail(*, lasting: bool = False) -> tuple[subprocess.Popen[str], int]:
    """Start a server, and return its process and its port."""
    process = children.start(
        [sys.executable, "-c", _SERVE],
        lasting=lasting,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=os.environ | {"RUST_LOG": "off"},
    )
    return process, int(process.stdout.readline())


def require_java() -> None:
    """Skip the test where classic Spark cannot run."""
    if find_spec("pyspark") is None:
        pytest.skip("PySpark is not installed: pip install 'pyspark>=4'")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("There is no Java, which classic Spark needs: apt-get install openjdk-17-jre-headless")


CLASSIC = "local[2]"
_STARTS_SOON = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""For a Java machine that lives for seconds: half of its CPU time went to compiling well what it runs once."""
SOON = f"<set name='spark.driver.extraJavaOptions' value='{_STARTS_SOON}'/>"
"""The same as a setting of a configuration."""


@cache
def classic() -> Any:
    """Return a session of classic Spark in this process, as a caller may have one; its Java machine ends with the process."""
    require_java()
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    os.environ["SPARK_LAUNCHER_OPTS"] = _STARTS_SOON
    folder = tempfile.mkdtemp(prefix="spark-")
    settings = {
        "spark.ui.enabled": "false",
        "spark.log.level": "OFF",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.extraJavaOptions": _STARTS_SOON,
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.sql.warehouse.dir": folder,
        "spark.local.dir": folder,
        "spark.sql.shuffle.partitions": "2",
    }
    builder = SparkSession.builder.master(CLASSIC)
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    children.let_last(SparkContext._gateway.proc.pid)
    atexit.register(_end, session, folder)
    return session


def _end(session: Any, folder: str) -> None:
    try:
        session.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
