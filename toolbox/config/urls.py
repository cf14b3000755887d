"""URLs of databases and clusters, none of which may hold a password: files and lists of processes would show it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final
from urllib.parse import SplitResult, unquote, urlsplit

from toolbox.config.given import BadValueError, SecretValueError
from toolbox.config.values import URL

_OF_FILES: Final = frozenset(
    {"http", "https", "ftp", "ftps", "sftp", "file", "hdfs", "abfs", "abfss", "wasb", "wasbs", "adl", "dbfs"}
    | {"s3", "s3a", "s3n", "gs", "oss", "cosn", "obs", "swift", "viewfs", "webhdfs"}
)
"""Schemes of files, which no database has."""
_POSTGRESQL: Final = ("postgresql", "postgres")
# SQLAlchemy reads a password up to an @ wherever that stands.
_LOGIN: Final = re.compile(r"[^:/?#]+://[^:/]*:[^@]*@")
_PLAIN_LOGIN: Final = re.compile(r"[^:/?#]+://[^:/]*:[^@/]*@")
_SECRET: Final = re.compile(r"(password|passwd|pwd|passphrase|token|secret|access_?key)[^=&;]*=", re.IGNORECASE)
_SECRET_SETTING: Final = re.compile(
    r"(password|passphrase|token|secret|secret\.?key|access\.?key)$|\.account\.key\.", re.IGNORECASE
)
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")
_ADDRESS: Final = re.compile(r"local(-cluster)?(\[[0-9*, ]+\])?|yarn|(spark|sc|k8s)://[^/].*")
_HOLDS: Final = "holds a password, which files and lists of processes would show"
_LOOKED_FOR: Final = "Remove it, and put it where the driver looks: into ~/.pgpass, or a file that PGPASSFILE names."


def is_url(text: str) -> bool:
    """Return whether a text begins as a URL does."""
    return URL.match(text) is not None


def is_database(text: str) -> bool:
    """Return whether a text begins as the URL of a database does, and not as that of a file."""
    return is_url(text) and text.strip().partition(":")[0].lower() not in _OF_FILES


def is_postgresql(url: str) -> bool:
    """Return whether a URL names a PostgreSQL server."""
    return url.partition(":")[0].partition("+")[0].lower() in _POSTGRESQL


def is_same_database(url: str, other: str) -> bool:
    """Return whether two URLs name one database in the same words, whatever driver they name."""
    return _place(url) == _place(other)


def _place(url: str) -> tuple[bool | str, str]:
    scheme, _, place = url.partition(":")
    return is_postgresql(url) or scheme, place


def parse_database_url(text: str) -> str:
    """Read the URL of a database; one that holds a password is refused, and not repeated."""
    stripped = text.strip()
    if not is_database(stripped):
        raise SecretValueError("is no URL of a database", "Write postgresql://HOST/DATABASE, say.")
    # Before it is taken apart, which other programs do at other places.
    if _LOGIN.match(stripped) or _is_secret_name(stripped):
        raise SecretValueError(_HOLDS, _LOOKED_FOR)
    _require_url(stripped, "postgresql://HOST:5432/DATABASE")
    scheme, colon, place = stripped.partition(":")
    return f"{scheme.lower()}{colon}{place}"


def parse_postgresql_url(text: str) -> str:
    """Read the URL of a PostgreSQL database."""
    url = parse_database_url(text)
    if not is_postgresql(url):
        raise BadValueError("is no URL of PostgreSQL", "Write postgresql://HOST/DATABASE, or leave out the engine.")
    return url


def parse_cluster_url(text: str) -> str:
    """Read the address of a cluster, such as ``local[4]``, ``yarn``, ``spark://HOST:7077`` or ``sc://HOST:15002``."""
    stripped = text.strip()
    if is_url(stripped) and (_has_password(stripped) or _is_secret_name(stripped)):
        remedy = "Remove it; spark-defaults.conf or the environment of the client of the cluster can hold it."
        raise SecretValueError(_HOLDS, remedy)
    if not _ADDRESS.fullmatch(stripped):
        raise SecretValueError("is no address of Spark", "Write local[4], spark://HOST:7077, sc://HOST:15002 or yarn.")
    if is_url(stripped):
        _require_url(stripped, "spark://HOST:7077 or sc://HOST:15002")
    return stripped


def parse_cluster_place(text: str, folder: Path) -> str:
    """Read the folder of a table as a cluster names it; a path without a scheme is one of this machine."""
    if not text.strip() or "\0" in text:
        raise BadValueError("names no folder", "Write the path of a folder, or its URI.")
    if not is_url(text):
        return str((folder / text).absolute())
    stripped = text.strip()
    if _has_password(stripped) or _is_secret_name(stripped):
        remedy = "Remove it; a credential provider of Hadoop, or spark-defaults.conf, can hold it."
        raise SecretValueError(_HOLDS, remedy)
    _require_url(stripped, "s3a://BUCKET/FOLDER/")
    return stripped


def is_secret_setting(name: str) -> bool:
    """Return whether the name of a setting says that its value is a password."""
    return _SECRET_SETTING.search(name.strip()) is not None


def _is_secret_name(url: str) -> bool:
    """Return whether a parameter of a URL is called like a password, however that is written."""
    _, mark, parameters = url.replace(";", "?").partition("?")
    return bool(mark) and _SECRET.search(unquote(parameters)) is not None


def _has_password(url: str) -> bool:
    return _PLAIN_LOGIN.match(url) is not None


def _require_url(url: str, example: str) -> None:
    """Refuse what no program takes for a URL; it may still hold a password, so that it is not repeated."""
    try:
        parts = urlsplit(url)
        is_wrong = _CONTROL.search(url) is not None or " " in parts.netloc or not _have_ports(parts)
    except ValueError:
        is_wrong = True
    if is_wrong:
        raise SecretValueError("is no URL", f"Write one such as {example}.")


def _have_ports(parts: SplitResult) -> bool:
    """Return whether the ports of all hosts, of which libpq and Spark take several, are such."""
    hosts = parts.netloc.rpartition("@")[2].split(",")
    ports = [urlsplit(f"//{host}").port for host in hosts]  # raises where it is none
    return all(port is None or port > 0 for port in ports)
