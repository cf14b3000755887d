"""A MariaDB server of the tests' own: on this machine only, in a temporary folder, gone when the tests are."""

from __future__ import annotations

import secrets
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest
from helpers import children
from helpers.postgres_server import as_another, find_free_port

USER = "keeper"
"""The user who owns everything that a test makes."""
_INSTALL = "install MariaDB 10.6 or later, such as `apt-get install mariadb-server`, and PyMySQL: `pip install PyMySQL`"
_PATIENCE = 60
_SETTINGS = {
    "bind-address": "127.0.0.1",
    "character-set-server": "utf8mb4",
    "innodb-flush-log-at-trx-commit": "0",
    "innodb-buffer-pool-size": "64M",
    "debug-no-sync": "1",
    "general-log": "1",
}


@dataclass
class MariaDB:
    """A running server, with the file of options that tells the password of its user."""

    folder: Path
    port: int
    password: str
    options: dict[str, Any]
    process: subprocess.Popen[Any]

    @property
    def url(self) -> str:
        """Where its database for tests is, without a password."""
        return self.url_of()

    def url_of(self, user: str = USER, database: str = "census") -> str:
        return f"mysql://{user}@127.0.0.1:{self.port}/{database}"

    @property
    def log(self) -> str:
        """All statements that the server was given, and all that it says."""
        return "".join((self.folder / name).read_text(errors="replace") for name in ("general.log", "log"))

    def connect(self, **options: Any) -> Any:
        """Return a connection in which each statement is a transaction of its own."""
        import pymysql

        given = {"user": USER, "password": self.password, "database": "census", "charset": "utf8mb4", **options}
        return pymysql.connect(host="127.0.0.1", port=self.port, autocommit=True, connect_timeout=5, **given)

    @cached_property
    def _connection(self) -> Any:
        return self.connect()

    def rows(self, statement: str, values: Sequence[Any] | None = None) -> list[tuple[Any, ...]]:
        with self._connection.cursor() as cursor:
            cursor.execute(statement, values)
            return list(cursor.fetchall())

    def run(self, *statements: str) -> None:
        for statement in statements:
            self.rows(statement)

    def kill(self) -> None:
        """Kill the server, as a loss of power does."""
        self.process.kill()
        self.process.wait()

    def start(self) -> None:
        """Start it, also again where it was before."""
        self.__dict__.pop("_connection", None)
        program = shutil.which("mariadbd", path="/usr/sbin:/usr/local/sbin:/usr/bin")
        paths = {"datadir": "data", "socket": "socket", "pid-file": "pid", "general-log-file": "general.log"}
        given = {**_SETTINGS, **{name: str(self.folder / value) for name, value in paths.items()}, "port": self.port}
        with (self.folder / "log").open("ab") as log:
            self.process = children.start(
                [program, "--no-defaults", *(f"--{name}={value}" for name, value in given.items())],
                lasting=True,
                stdout=log,
                stderr=log,
                **self.options,
            )
        self._wait()

    def _wait(self) -> None:
        import pymysql

        until = time.monotonic() + _PATIENCE
        while True:
            try:
                self.connect(user="root", password="", database=None).close()
                return
            except pymysql.OperationalError:
                if time.monotonic() > until or self.process.poll() is not None:
                    raise RuntimeError(f"The server did not start:\n{(self.folder / 'log').read_text()}") from None
                time.sleep(0.05)


def why_not() -> str | None:
    """Return why no server can run here, and what to do about it; None if one can."""
    try:
        import pymysql  # noqa: F401
    except ImportError:
        return f"There is no PyMySQL: {_INSTALL}."
    found = all(shutil.which(name, path="/usr/sbin:/usr/local/sbin:/usr/bin") for name in ("mariadbd", _MAKER))
    return None if found else f"There is no MariaDB server: {_INSTALL}."


_MAKER = "mariadb-install-db"


@contextmanager
def running() -> Iterator[MariaDB]:
    """Run a server while the block runs; ``HOME`` is a folder whose ``.my.cnf`` has its password."""
    folder = Path(tempfile.mkdtemp(prefix="toolbox-mariadb-"))
    server = MariaDB(folder, find_free_port(), secrets.token_urlsafe(12), as_another(folder), None)  # type: ignore[arg-type]
    home = Path(tempfile.mkdtemp(prefix="toolbox-home-"))
    try:
        making = ["--no-defaults", f"--datadir={folder / 'data'}", "--auth-root-authentication-method=normal"]
        children.run([_MAKER, *making, "--skip-test-db"], check=True, capture_output=True, **server.options)
        server.start()
        with server.connect(user="root", password="", database=None) as root, root.cursor() as cursor:
            cursor.execute("CREATE DATABASE census")
            cursor.execute(f"CREATE USER {USER}@'127.0.0.1' IDENTIFIED BY '{server.password}'")
            cursor.execute(f"GRANT ALL ON *.* TO {USER}@'127.0.0.1' WITH GRANT OPTION")
        (home / ".my.cnf").write_text(f"[client]\npassword={server.password}\n")
        with pytest.MonkeyPatch.context() as patched:
            patched.setenv("HOME", str(home))
            yield server
    finally:
        if server.process is not None:
            server.process.send_signal(signal.SIGKILL)
            server.process.wait(_PATIENCE)
        shutil.rmtree(folder, ignore_errors=True)
        shutil.rmtree(home, ignore_errors=True)
