"""Our engines: what a configuration says of each. What runs them is imported when one is opened."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from toolbox.config.model import EngineChoice, Input, Remote
from toolbox.config.urls import (
    EngineKind,
    is_mysql,
    is_postgresql,
    parse_cluster_url,
    parse_mysql_url,
    parse_postgresql_url,
)

if TYPE_CHECKING:
    from toolbox.engines.engine import Engine


class PostgreSQLEngine(EngineKind):
    """A database of a PostgreSQL server; both tables are in it."""

    name: ClassVar[str] = "postgresql"
    title: ClassVar[str] = "PostgreSQL"
    words: ClassVar[str] = "Tables of a PostgreSQL database"
    address: ClassVar[str] = "'postgresql://HOST/DATABASE'"
    secrets: ClassVar[str] = "into the file ~/.pgpass, or one that PGPASSFILE names"
    rank: ClassVar[int] = 10

    @classmethod
    def parse_url(cls, text: str) -> str:
        return parse_postgresql_url(text)

    @classmethod
    def does_unnamed(cls, url: str) -> bool:
        return is_postgresql(url)

    @classmethod
    def open(cls, choice: EngineChoice, source: Input, release: Remote, *, replaces: bool) -> Engine:
        from toolbox.engines.postgresql.engine import PostgreSQL
        from toolbox.engines.tables.tables import remove_url_driver

        assert source.remote is not None
        return PostgreSQL(
            remove_url_driver(choice.url),
            table=source.remote.table,
            query=source.remote.query,
            release=release.table or "",
            replace=replaces,
            settings=choice.settings,
        )


class MySQLEngine(EngineKind):
    """A database of a MySQL server; both tables are in it."""

    name: ClassVar[str] = "mysql"
    title: ClassVar[str] = "MySQL"
    words: ClassVar[str] = "Tables of a MySQL database"
    address: ClassVar[str] = "'mysql://HOST/DATABASE'"
    secrets: ClassVar[str] = "into the file ~/.my.cnf, or one that read_default_file of the URL names"
    rank: ClassVar[int] = 15

    @classmethod
    def parse_url(cls, text: str) -> str:
        return parse_mysql_url(text)

    @classmethod
    def does_unnamed(cls, url: str) -> bool:
        # Whoever names another driver wants it, and the records are fetched with that.
        return is_mysql(url) and url.partition(":")[0].partition("+")[2] in ("", "pymysql")

    @classmethod
    def open(cls, choice: EngineChoice, source: Input, release: Remote, *, replaces: bool) -> Engine:
        from toolbox.engines.mysql.engine import MySQL

        assert source.remote is not None
        return MySQL(
            choice.url,
            table=source.remote.table,
            query=source.remote.query,
            release=release.table or "",
            replace=replaces,
            settings=choice.settings,
        )


class MariaDBEngine(MySQLEngine):
    """A database of a MariaDB server, which does all of that in the same words."""

    name: ClassVar[str] = "mariadb"
    title: ClassVar[str] = "MariaDB"
    words: ClassVar[str] = "Tables of a MariaDB database"
    address: ClassVar[str] = "'mariadb://HOST/DATABASE'"
    rank: ClassVar[int] = 14


class SparkEngine(EngineKind):
    """A cluster of Spark, which reads and writes folders."""

    name: ClassVar[str] = "spark"
    title: ClassVar[str] = "Spark"
    words: ClassVar[str] = "Folders, or tables of a catalogue, that a cluster of Spark reads"
    address: ClassVar[str] = "'local[4]', spark://HOST:7077, sc://HOST:15002 or yarn"
    needs_address: ClassVar[bool] = True
    secrets: ClassVar[str] = "into spark-defaults.conf, or into a credential provider of Hadoop"
    reads_folders: ClassVar[bool] = True
    formats: ClassVar[tuple[str, ...]] = ("parquet", "csv", "orc")
    rank: ClassVar[int] = 20

    @classmethod
    def parse_url(cls, text: str) -> str:
        return parse_cluster_url(text)

    @classmethod
    def open(cls, choice: EngineChoice, source: Input, release: Remote, *, replaces: bool) -> Engine:
        from toolbox.engines.spark.engine import Spark
        from toolbox.engines.spark.input import TextOptions

        records = source.remote
        assert records is not None
        return Spark(
            choice.url,
            input=records.url or records.table or "",
            format="table" if not records.url else records.format,
            output=release.url or release.table or "",
            replace=replaces,
            options=TextOptions(separator=source.separator, header=source.header, encoding=source.encoding),
            settings=choice.settings,
        )
