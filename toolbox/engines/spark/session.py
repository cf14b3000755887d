"""A session of Spark, classic or Spark Connect: opened with settings that all of our statements rely on, and closed.

Classic Spark runs in a Java machine beside this process; the addresses ``sc://`` are servers of Spark Connect, which
Databricks and Sail are as well. PySpark is imported here only, and only when a session is opened.
"""

from __future__ import annotations

import importlib
import logging
import os
import signal
import socket
import subprocess
import tempfile
import threading
import warnings
from collections.abc import Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from toolbox.errors import EngineError, InputError, OutputError, ToolboxError, UsageError, quote

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

    from pyspark import SparkConf
    from pyspark.sql import SparkSession

CONNECT: Final = "sc://"
_DEFAULT_PORT: Final = 15002
_SECONDS_TO_ANSWER: Final = 10
_RETRIES: Final = 5
"""By default the client asks a server that is gone for ten minutes; so it takes a quarter of one."""
_LONGEST_PAUSE: Final = 10_000
"""In milliseconds."""
_PROXIES: Final = ("grpc_proxy", "https_proxy", "http_proxy")

_OURS: Final = {
    "spark.sql.session.timeZone": "UTC",
    # Columns may differ in nothing but case, and a reader of files would else lose one of them.
    "spark.sql.caseSensitive": "true",
    # What cannot be computed is an error and not a null: a null would be counted as a missing value.
    "spark.sql.ansi.enabled": "true",
    # A record with too few fields would not be noticed where only some columns are read.
    "spark.sql.csv.parser.columnPruning.enabled": "false",
    "spark.sql.files.ignoreCorruptFiles": "false",
    "spark.sql.files.ignoreMissingFiles": "false",
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    # Days before 1582 mean what they mean to everybody else who reads the file.
    "spark.sql.parquet.datetimeRebaseModeInRead": "CORRECTED",
    "spark.sql.parquet.datetimeRebaseModeInWrite": "CORRECTED",
    "spark.sql.parquet.int96RebaseModeInRead": "CORRECTED",
}
_FASTER: Final = {
    # A first table for the groups takes each text byte by byte, and is full soon.
    "spark.sql.codegen.aggregate.map.twolevel.enabled": "false",
}
_LOG_LEVEL: Final = "spark.log.level"
_OF_A_NEW_CONTEXT: Final = {
    "spark.app.name": "anonymisation-toolbox",
    # Spark writes the errors of its tasks to the terminal, and they quote cells.
    _LOG_LEVEL: "OFF",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}
_PARTITIONS: Final = 16
"""Parts into which one machine divides what it groups. Spark has 200 by default, each with its files and its task."""
_WARNINGS: Final = (
    ("PySpark does not yet fully support pandas", FutureWarning),
    # It was ended from outside, together with us.
    ("Unable to cleanly shutdown Spark JVM", RuntimeWarning),
)
_NO_FAULTS: Final = ("WARNING", "NOTE", "Using ", "Picked up ")
"""How lines begin with which Java and Spark tell of themselves as they start."""
_NO_JAVA: Final = ("JAVA_HOME", "/java: ", "java: not found")
# They write the message of each error to the terminal, also of those that are caught; and where a run is interrupted.
_LOGGERS: Final = (
    "DataFrameQueryContextLogger",
    "SQLQueryContextLogger",
    "py4j.clientserver",
    "py4j.java_gateway",
)


@dataclass(frozen=True)
class OpenSparkSession:
    """An open session, and what else depends on its kind."""

    spark: SparkSession
    functions: Any
    """The module of functions that fits the session."""
    is_connect: bool
    is_ours: bool
    """Whether the context ends with us; it does not if the caller had it before."""

    def is_local(self, path: str) -> bool:
        """Return whether a path without a scheme lies in the file system of this machine, as far as is known."""
        if self.is_connect:
            return True
        return str(self.hadoop().FileSystem.getDefaultUri(self.read_hadoop_settings()).getScheme()) == "file"

    def hadoop(self) -> Any:
        """Return the classes of Hadoop's file systems; classic Spark only."""
        return self._read_inner_attribute("_jvm").org.apache.hadoop.fs

    def read_hadoop_settings(self) -> Any:
        return self._read_inner_attribute("_jsc").hadoopConfiguration()

    def make_java_array(self, kind: Any, length: int) -> Any:
        return self.spark.sparkContext._gateway.new_array(kind, length)  # type: ignore[union-attr]

    def _read_inner_attribute(self, name: str) -> Any:
        return getattr(self.spark, name)

    def set_retries(self, times: int) -> None:
        """Set how often a server of Spark Connect that does not answer is asked again."""
        if self.is_connect:
            retries = importlib.import_module("pyspark.sql.connect.client.retries")
            policy = retries.DefaultPolicy(max_retries=times, max_backoff=_LONGEST_PAUSE)
            self._read_inner_attribute("client").set_retry_policies([policy])

    def cancel(self, tag: str) -> None:
        """Cancel what still runs under a tag."""
        with suppress(Exception):
            self.spark.interruptTag(tag)

    def close(self) -> None:
        # A server that has gone away has no session left that could be closed.
        with suppress(Exception):
            if self.is_ours:
                self.spark.stop()


def open_session(url: str, settings: Mapping[str, str]) -> OpenSparkSession:
    """Open a session of our own; a context that the caller has already is shared.

    Raises
    ------
    UsageError
        If PySpark or Java is lacking, nobody answers, or a setting is refused.
    """
    for setting in settings:
        if setting in _OURS:
            raise UsageError(f"The setting {quote(setting)} is one that the engine relies on itself. Leave it out.")
    _require_pyspark()
    for message, kind in _WARNINGS:
        warnings.filterwarnings("ignore", message=message, category=kind)
    session = _connect_session(url) if url.startswith(CONNECT) else _start_classic_session(url, settings)
    try:
        wanted = {name: settings.get(name, value) for name, value in _FASTER.items()}
        for setting, value in (wanted | _OURS).items():
            # Sail does not know all of them, and needs those that it does not know the least.
            with suppress(Exception):
                session.spark.conf.set(setting, value)
        for setting, value in settings.items():
            _set(session, setting, value)
    except BaseException:
        session.close()
        raise
    return session


def remove_url_secrets(url: str) -> str:
    """Return a URL without its parameters, in which a token may stand."""
    return url.partition(";")[0].partition("?")[0]


@contextmanager
def silence_messages() -> Iterator[None]:
    """Keep PySpark from writing messages, which quote cells, to the terminal."""
    loggers = [logging.getLogger(name) for name in _LOGGERS]
    before = [logger.disabled for logger in loggers]
    for logger in loggers:
        logger.disabled = True
    everybody = logging.getLogger()
    everybody.addFilter(_is_not_of_py4j)
    try:
        yield
    finally:
        everybody.removeFilter(_is_not_of_py4j)
        for logger, was_disabled in zip(loggers, before, strict=True):
            logger.disabled = was_disabled


def _is_not_of_py4j(record: logging.LogRecord) -> bool:
    """Tell whether a message is of others: py4j writes the traceback of each interrupt, in nobody's name."""
    return Path(record.pathname).parent.name != "py4j"


def _require_pyspark() -> None:
    try:
        importlib.import_module("pyspark.sql")
    except ImportError as error:
        remedy = "Install it: pip install 'anonymisation-toolbox[spark]'"
        raise UsageError(f"The engine spark needs PySpark, which is not installed. {remedy}") from error


def _connect_session(url: str) -> OpenSparkSession:
    try:
        kind = importlib.import_module("pyspark.sql.connect.session").SparkSession
        functions = importlib.import_module("pyspark.sql.connect.functions")
    except ImportError as error:
        remedy = "Install it: pip install 'pyspark[connect]'"
        raise UsageError(
            f"{remove_url_secrets(url)} is a server of Spark Connect. Its client lacks. {remedy}"
        ) from error
    _require_listener(url)
    with raise_own_errors("session"):
        # A builder would make ours the session of the caller.
        session = OpenSparkSession(kind(url), functions, is_connect=True, is_ours=True)
        session.set_retries(_RETRIES)
        return session


def _require_listener(url: str) -> None:
    """Refuse a server that nobody listens for: the client would go on asking for minutes."""
    if any(os.environ.get(name) or os.environ.get(name.upper()) for name in _PROXIES):
        return
    shown = remove_url_secrets(url)
    host, _, port = shown.removeprefix(CONNECT).rstrip("/").rpartition("@")[2].rpartition(":")
    try:
        address = (host, int(port)) if host else (port, _DEFAULT_PORT)
        socket.create_connection(address, _SECONDS_TO_ANSWER).close()
    except (OSError, ValueError) as error:
        raise UsageError(f"No server of Spark Connect answers at {shown}. Start it, or correct the URL.") from error


def _start_classic_session(url: str, settings: Mapping[str, str]) -> OpenSparkSession:
    from pyspark import SparkConf, SparkContext
    from pyspark.sql import SparkSession

    functions = importlib.import_module("pyspark.sql.functions")
    running = SparkContext._active_spark_context
    if running is not None:
        if running.master != url:
            remedy = "Name its URL, or stop it first: one process holds one context."
            raise UsageError(
                f"A session of Spark is open already, at {remove_url_secrets(str(running.master))}. {remedy}"
            )
        shared = SparkSession.builder.getOrCreate().newSession()
        return OpenSparkSession(shared, functions, is_connect=False, is_ours=False)
    on_one_machine = {"spark.sql.shuffle.partitions": str(_PARTITIONS)} if url.startswith("local[") else {}
    given = {"spark.master": url, **_OF_A_NEW_CONTEXT, **on_one_machine, **_FASTER, **_OURS, **settings}
    builder, conf = SparkSession.builder, SparkConf()
    for setting, value in given.items():
        builder = builder.config(setting, value)
        conf.set(setting, value)
    with raise_own_errors("session"), _keep_interrupt_handler():
        # The Java machine of an earlier session of this process goes on.
        java = SparkContext._gateway or _start_java(conf, speaks=_LOG_LEVEL in settings)
        SparkContext(conf=conf, gateway=java)
        return OpenSparkSession(builder.getOrCreate(), functions, is_connect=False, is_ours=True)


def _start_java(conf: SparkConf, *, speaks: bool) -> Any:
    """Start the Java machine of classic Spark, and return the way to it.

    It is in a group of its own: a signal to all of ours shall find it alive when we clear up.

    Parameters
    ----------
    speaks : bool
        Whether what it writes is seen: by default it tells of itself before any level of its log is set.
    """
    launch_gateway: Any = importlib.import_module("pyspark.java_gateway").launch_gateway
    with tempfile.TemporaryFile() as said:
        try:
            return launch_gateway(conf, {"start_new_session": True, "stderr": None if speaks else said})
        except BaseException as error:
            _end_java(error.__traceback__)
            if not isinstance(error, Exception):
                raise
            said.seek(0)
            # No record has been read yet, which it could quote.
            lines = said.read().decode(errors="replace").splitlines()
            cause = next((line for line in lines if line and not line.startswith(_NO_FAULTS)), "")
            if not cause or any(mark in cause for mark in _NO_JAVA):
                raise
            raise UsageError(f"Spark does not start, and says: {cause}. See the settings of the engine.") from error


def _end_java(place: TracebackType | None) -> None:
    """End a Java machine that has not started to the end: it would wait for ever for somebody to call.

    Nobody else knows its process than the function that was left by an error.
    """
    while place is not None:
        process = place.tb_frame.f_locals.get("proc")
        if isinstance(process, subprocess.Popen):
            with suppress(OSError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        place = place.tb_next


@contextmanager
def _keep_interrupt_handler() -> Iterator[None]:
    """Keep who handles an interrupt: a context of Spark puts itself in the place."""
    is_main = threading.current_thread() is threading.main_thread()
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        if is_main:
            signal.signal(signal.SIGINT, before)


def _set(session: OpenSparkSession, setting: str, value: str) -> None:
    """Set what may be set while Spark runs; all else was set when the context began, or cannot be."""
    if session.is_ours and not session.is_connect:
        return
    try:
        session.spark.conf.set(setting, value)
    except Exception as error:
        remedy = "Set it where Spark is started."
        raise UsageError(f"The setting {quote(setting)} cannot be changed in a running Spark. {remedy}") from error


# The errors of Spark in the user's terms, without its words: they quote cells.

_WRITING: Final = ("write", "publish", "staging")


@contextmanager
def raise_own_errors(step: str, name: str = "Spark") -> Iterator[None]:
    """Raise our own errors instead of Spark's, while a step runs.

    Parameters
    ----------
    name : str
        What messages call the input.
    """
    try:
        yield
    except ToolboxError:
        raise
    except Exception as error:
        if not _is_of_spark(error):
            raise
        raise translate_error(error, step, name) from error


def _is_of_spark(error: BaseException) -> bool:
    packages = {kind.__module__.partition(".")[0] for kind in type(error).__mro__}
    return bool(packages & {"pyspark", "py4j", "grpc"}) or isinstance(error, ConnectionError)


def translate_error(error: BaseException, step: str, name: str) -> ToolboxError:
    """Return our error for one of Spark, of which only the kind is looked at."""
    words = " ".join((_find_error_condition(error), type(error).__name__, str(error)))
    for marks, make, message in _KNOWN:
        if any(mark in words for mark in marks):
            return make(message.format(name=name))
    if any(mark in words for mark in _NO_RIGHT):
        if step in _WRITING:
            return OutputError("Spark may not write the release where it should go. Ask for the right to write there.")
        return InputError(f"{name}: Spark may not read it. Ask for the right to read it.")
    return EngineError(type(error).__name__, step)


def _find_error_condition(error: BaseException) -> str:
    """Return the name that Spark gives to a kind of errors; empty where it has none."""
    named = getattr(error, "getCondition", None)
    try:
        return str(named() or "") if named else ""
    except Exception:
        return ""


_NO_RIGHT: Final = ("AccessControlException", "Permission denied", "AccessDenied", "INSUFFICIENT_PERMISSIONS")
# The first that fits counts: what lies deeper stands before what follows from it.
_KNOWN: Final[tuple[tuple[tuple[str, ...], type[ToolboxError], str], ...]] = (
    (
        ("JAVA_GATEWAY_EXITED", "JAVA_HOME is not set"),
        UsageError,
        "Java could not be started, which classic Spark needs. Install Java 17 or 21, or name a server of Spark "
        "Connect (sc://host:15002).",
    ),
    (
        ("maxResultSize",),
        UsageError,
        "The combinations are more than Spark hands over. Raise the setting spark.driver.maxResultSize.",
    ),
    (
        ("OutOfMemoryError", "Java heap space", "Cannot broadcast the table", "ResourcesExhausted", "OOMKilled"),
        UsageError,
        "Spark has not enough memory for this table. Raise the settings spark.executor.memory and "
        "spark.driver.memory, or that of the server.",
    ),
    (
        ("No space left on device", "Disk quota exceeded", "QuotaExceededException"),
        OutputError,
        "Spark has no room left on a disk, of its own or for the release. Make room there.",
    ),
    (
        ("DATA_SOURCE_NOT_FOUND", "Failed to find data source", "ClassNotFoundException"),
        UsageError,
        "This Spark cannot read or write one of the formats or places. Add their package by the setting "
        "spark.jars.packages, or name another format.",
    ),
    (
        ("TABLE_OR_VIEW_NOT_FOUND", "SCHEMA_NOT_FOUND", "NoSuchTableException"),
        InputError,
        "{name}: Spark knows no such table. Is its name right, with catalog and schema? A temporary view of another "
        "session is not seen.",
    ),
    (
        ("PATH_NOT_FOUND", "UNABLE_TO_INFER_SCHEMA", "Input path does not exist"),
        InputError,
        "{name}: there are no files that Spark can read. Is the path right, and the format?",
    ),
    (
        ("FAILED_READ_FILE.FILE_NOT_EXIST", "FileNotFoundException", "NotFound", "No such file or directory"),
        InputError,
        "{name} vanished or changed while it was read. Run again when nothing writes to it.",
    ),
    (
        (
            "MALFORMED_RECORD_IN_PARSING",
            "Malformed CSV",
            "MALFORMED_CSV_RECORD",
            "incorrect number of fields",
            "CSV header does not conform",
            "TextParsingException",
            "Unescaped quote",
        ),
        InputError,
        "{name}: a record does not have the columns of the header, or its quotes are wrong. Correct the file, and "
        "check separator, header and encoding.",
    ),
    (
        (
            "PARQUET_TYPE_ILLEGAL",
            "PARQUET_TYPE_NOT_SUPPORTED",
            "UNSUPPORTED_DATA_TYPE",
            "Unsupported data type",
            "UNSUPPORTED_ARROWTYPE",
            "Illegal Parquet type",
            "UNSUPPORTED_DATATYPE",
        ),
        InputError,
        "{name}: a column has a type that cannot be read. Convert it to a number, a text or a date first.",
    ),
    (
        (
            "CANNOT_READ_FILE_FOOTER",
            "is not a Parquet file",
            "Invalid Parquet file",
            "Parquet error",
            "ParquetDecodingException",
            "FAILED_READ_FILE",
            "Corrupt footer",
            "Malformed ORC",
            "CONVERT_PARQUET",
        ),
        InputError,
        "{name}: a file is damaged, or of another format, and cannot be read. Get a complete copy.",
    ),
    (
        ("ARITHMETIC_OVERFLOW",),
        InputError,
        "{name}: more than two thousand million records have one combination, and their sums are too large.",
    ),
    (
        (
            "ExecutorLostFailure",
            "Executor heartbeat timed out",
            "Missing an output location",
            "MetadataFetchFailed",
            "Could not find BlockManager",
            "executor was lost",
            "worker lost",
        ),
        InputError,
        "Spark has lost executors, more often than it tries again. Give them more memory (spark.executor.memory), or "
        "see why they end; then run again.",
    ),
    (
        (
            "Py4JNetworkError",
            "UNAVAILABLE",
            "Connection refused",
            "Connection reset",
            "ConnectionError",
            "Answer from Java side is empty",
            "SESSION_CLOSED",
            "SESSION_NOT_FOUND",
            "INVALID_HANDLE",
            "is not running",
            "stopped SparkContext",
            "SparkContext was shut down",
            "All masters are unresponsive",
            "DEADLINE_EXCEEDED",
            "RETRIES_EXCEEDED",
            "Py4JError",
        ),
        InputError,
        "The connection to Spark is lost. See whether its server still runs, then run again.",
    ),
    (("UNAUTHENTICATED",), UsageError, "The server of Spark Connect does not know who asks. Give it a valid token."),
)
