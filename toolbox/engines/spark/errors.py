"""The errors of Spark in the user's terms, without its words: they quote cells."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from toolbox.errors import EngineError, InputError, OutputError, ToolboxError, UsageError

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
