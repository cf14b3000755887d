"""Databases and clusters: their URLs, none of which may hold a password, and what is known of the engines.

Files and lists of processes would show a password.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any, ClassVar, Final
from urllib.parse import SplitResult, unquote, urlsplit

from toolbox.config.model import EngineChoice, Input, Remote
from toolbox.config.values import URL
from toolbox.errors import BadValueError, SecretValueError, UsageError
from toolbox.extensions import Registry

_OF_FILES: Final = frozenset(
    {"http", "https", "ftp", "ftps", "sftp", "file", "hdfs", "abfs", "abfss", "wasb", "wasbs", "adl", "dbfs"}
    | {"s3", "s3a", "s3n", "gs", "oss", "cosn", "obs", "swift", "viewfs", "webhdfs"}
)
"""Schemes of files, which no database has."""
_POSTGRESQL: Final = ("postgresql", "postgres")
_MYSQL: Final = ("mysql", "mariadb")
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
_LOOKED_FOR_BY_MYSQL: Final = (
    "Remove it, and put it where the driver looks: into ~/.my.cnf, or a file that read_default_file of the URL names."
)


def is_url(text: str) -> bool:
    """Return whether a text begins as a URL does."""
    return URL.match(text) is not None


def is_database(text: str) -> bool:
    """Return whether a text begins as the URL of a database does, and not as that of a file."""
    return is_url(text) and text.strip().partition(":")[0].lower() not in _OF_FILES


def is_postgresql(url: str) -> bool:
    """Return whether a URL names a PostgreSQL server."""
    return url.partition(":")[0].partition("+")[0].lower() in _POSTGRESQL


def is_mysql(url: str) -> bool:
    """Return whether a URL names a server of MySQL or MariaDB, by whatever driver."""
    return url.partition(":")[0].partition("+")[0].lower() in _MYSQL


def is_file_database(url: str) -> bool:
    """Return whether a URL names a database that is a file, such as one of SQLite: no server is asked for it.

    Examples
    --------
    >>> [is_file_database(url) for url in ("sqlite:////data/people.db", "postgresql:///?service=census", "local[4]")]
    [True, False, False]
    """
    has_host = re.match(r"[^:/?#]+://[^/?#]", url.strip()) is not None
    return is_url(url) and not (has_host or is_postgresql(url) or is_mysql(url))


def is_same_database(url: str, other: str) -> bool:
    """Return whether two URLs name one database in the same words, whatever driver they name."""
    return _place(url) == _place(other)


def _place(url: str) -> tuple[str, str]:
    scheme, _, place = url.partition(":")
    known = _POSTGRESQL if is_postgresql(url) else _MYSQL if is_mysql(url) else (scheme,)
    return known[0], place


def parse_database_url(text: str) -> str:
    """Read the URL of a database; one that holds a password is refused, and not repeated."""
    stripped = text.strip()
    if not is_database(stripped):
        raise SecretValueError("is no URL of a database", "Write postgresql://HOST/DATABASE, say.")
    # Before it is taken apart, which other programs do at other places.
    if _LOGIN.match(stripped) or _is_secret_name(stripped):
        raise SecretValueError(_HOLDS, _LOOKED_FOR_BY_MYSQL if is_mysql(stripped) else _LOOKED_FOR)
    _require_url(stripped, "postgresql://HOST:5432/DATABASE")
    scheme, colon, place = stripped.partition(":")
    return f"{scheme.lower()}{colon}{place}"


def parse_postgresql_url(text: str) -> str:
    """Read the URL of a PostgreSQL database."""
    url = parse_database_url(text)
    if not is_postgresql(url):
        raise BadValueError("is no URL of PostgreSQL", "Write postgresql://HOST/DATABASE, or leave out the engine.")
    return url


def parse_mysql_url(text: str) -> str:
    """Read the URL of a database of MySQL or MariaDB."""
    url = parse_database_url(text)
    if not is_mysql(url):
        raise BadValueError("is no URL of MySQL or MariaDB", "Write mysql://HOST/DATABASE, or leave out the engine.")
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


# The engines in which records can stay: what a configuration says of each, and how it is opened.


class EngineKind(ABC):
    """What must be known of a database or a cluster in which records stay, before anything of it is imported.

    It is used as a class. The records are tables of a database, or folders that a cluster reads.

    Examples
    --------
    >>> ENGINES["spark"].reads_folders
    True
    """

    name: ClassVar[str]
    """As a configuration writes it."""
    title: ClassVar[str]
    """As messages call the product."""
    words: ClassVar[str]
    """What holds the records, for people who choose."""
    address: ClassVar[str]
    """What its URL may be, as messages show it."""
    needs_address: ClassVar[bool] = False
    """Whether its URL must be said; otherwise that of the tables will do."""
    secrets: ClassVar[str] = ""
    """Where a password belongs, as messages say it; without it: where the driver looks."""
    reads_folders: ClassVar[bool] = False
    """Whether input and output are folders, by ``filename``; otherwise they are tables, by ``url`` and ``table``."""
    formats: ClassVar[tuple[str, ...]] = ()
    """Of the files of these folders, as ``format`` writes them."""
    rank: ClassVar[int] = 1_000
    """The place among all engines, the lowest first."""

    @classmethod
    def parse_url(cls, text: str) -> str:
        """Read its address, or that of one of its tables.

        Raises
        ------
        BadValueError
            If it is none, or holds a password; then it is not repeated.
        """
        return parse_database_url(text)

    @classmethod
    def does_unnamed(cls, url: str) -> bool:
        """Return whether it does the work where nobody names it, and both tables are in the database of a URL."""
        return False

    @classmethod
    @abstractmethod
    def open(cls, choice: EngineChoice, source: Input, release: Remote, *, replaces: bool) -> Any:
        """Return a `toolbox.engines.engine.Engine` that nobody has entered; its driver is imported here.

        Parameters
        ----------
        choice : EngineChoice
            Its address and its settings.
        source : Input
            ``source.remote`` is where the records are.
        release : Remote
            Where the release goes.
        replaces : bool
            Whether a release that is there may be replaced.
        """


def _look(kind: type[EngineKind], called: str) -> None:
    if kind.formats and not kind.reads_folders:
        raise UsageError(f"{called} has formats, and reads no folders. Leave them out, or write reads_folders = True.")


ENGINES: Final = Registry("toolbox.engines", EngineKind, "engine", _look)  # type: ignore[type-abstract]
"""The engines that are installed, ours and those of others."""


def list_engines() -> list[type[EngineKind]]:
    """Return all engines, in the order in which they are shown."""
    return sorted(ENGINES.every().classes.values(), key=lambda kind: (kind.rank, kind.name))


def names_folder_engine(name: str) -> bool:
    """Return whether a name is that of an engine whose tables are folders; False for one that cannot be used."""
    known = name.strip().lower()
    try:
        return known in ENGINES and ENGINES[known].reads_folders
    except UsageError:
        return False
