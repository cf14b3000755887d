"""A PostgreSQL server of the tests' own: on this machine only, in a temporary folder, gone when the tests are."""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import pytest
from helpers import children

USER = "keeper"
"""The superuser, who owns everything that a test makes."""
_INSTALL = (
    "install PostgreSQL 14 or later, such as `apt-get install postgresql`, and psycopg: `pip install 'psycopg[binary]'`"
)
_PATIENCE = 60
_NEW = ("--auth=scram-sha-256", "--no-sync", "--locale=C.UTF-8", "--encoding=UTF8")
_SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "fsync": "off",
    "log_statement": "all",
    "log_min_error_statement": "error",
    "log_parameter_max_length": "-1",
    "log_error_verbosity": "verbose",
}


@dataclass(frozen=True)
class Server:
    """A running server, with the file of passwords that tells libpq the one of its superuser."""

    folder: Path
    port: int
    password: str
    process: subprocess.Popen[Any]

    @property
    def url(self) -> str:
        """Where its database for tests is, without a password."""
        return f"postgresql://{USER}@127.0.0.1:{self.port}/postgres"

    def url_of(self, user: str = USER, database: str = "postgres") -> str:
        return f"postgresql://{user}@127.0.0.1:{self.port}/{database}"

    @property
    def log(self) -> str:
        """All that the server has logged so far."""
        return (self.folder / "log").read_text(errors="replace")

    def connect(self, **options: Any) -> Any:
        """Return a connection of psycopg in which each statement is a transaction of its own."""
        import psycopg

        return psycopg.connect(self.url, autocommit=True, password=self.password, **options)

    @cached_property
    def _connection(self) -> Any:
        """Of `run` and `rows`; to open one for each costs more than most of their statements."""
        return self.connect(prepare_threshold=None)

    def run(self, *statements: str) -> None:
        for statement in statements:
            self._connection.execute(statement)

    def rows(self, statement: str, values: Sequence[Any] | None = None) -> list[tuple[Any, ...]]:
        return list(self._connection.execute(statement, values).fetchall())

    def answers(self, statement: str) -> list[tuple[Any, ...]]:
        """Return the rows of a statement, also where the server recovers meanwhile and has ended all sessions."""
        import psycopg

        until = time.monotonic() + _PATIENCE
        while True:
            try:
                return self.rows(statement)
            except psycopg.OperationalError:
                self.__dict__.pop("_connection", None)
                if time.monotonic() > until:
                    raise
                time.sleep(0.05)

    def cpu_seconds(self) -> float:
        """CPU seconds of the server and of all its processes, those that have ended included."""
        ticks = 0
        for number in (self.process.pid, *children._children(self.process.pid)):
            fields = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()
            # Of a process and of its children that have ended.
            ticks += sum(map(int, fields[11:15] if number == self.process.pid else fields[11:13]))
        return ticks / os.sysconf("SC_CLK_TCK")


def programs() -> Path | None:
    """Return the folder of initdb and postgres, the newest if there are several; None if there is none."""
    debian = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: float(path.parent.name), reverse=True)
    found = shutil.which("initdb")
    for folder in (*debian, *([Path(found).resolve().parent] if found else [])):
        if (folder / "initdb").exists() and (folder / "postgres").exists():
            return folder
    return None


def why_not() -> str | None:
    """Return why no server can run here, and what to do about it; None if one can."""
    try:
        import psycopg  # noqa: F401
    except ImportError:
        return f"There is no psycopg: {_INSTALL}."
    return None if programs() else f"There is no PostgreSQL server: {_INSTALL}."


@contextmanager
def running(*, standby: bool = False, **settings: str) -> Iterator[Server]:
    """Run a server while the block runs.

    Parameters
    ----------
    standby : bool
        Whether it waits for what a primary server writes, and can only be read.
    settings
        Of the server, beside those of all tests.
    """
    bin_folder = programs()
    assert bin_folder is not None
    folder = Path(tempfile.mkdtemp(prefix="toolbox-postgresql-"))
    server = None
    try:
        server = _started(bin_folder, folder, settings, standby=standby)
        with pytest.MonkeyPatch.context() as patched:
            patched.setenv("PGPASSFILE", str(folder / "passwords"))
            yield server
    finally:
        if server is not None:
            _stop(server.process)
        shutil.rmtree(folder, ignore_errors=True)


def _started(bin_folder: Path, folder: Path, settings: dict[str, str], *, standby: bool) -> Server:
    made, port = _made(bin_folder), find_free_port()
    password = (Path(made.name) / "initial").read_text()
    passwords = folder / "passwords"
    passwords.write_text(f"127.0.0.1:*:*:*:{password}\n")
    passwords.chmod(0o600)
    options = as_another(folder)
    children.run(["cp", "-a", Path(made.name) / "data", folder], check=True, capture_output=True, **options)
    if standby:
        (folder / "data" / "standby.signal").touch()
    given = [f"-c{name}={value}" for name, value in {**_SETTINGS, "port": str(port), **settings}.items()]
    with (folder / "log").open("wb") as log:
        process = children.start(
            [bin_folder / "postgres", "-D", folder / "data", *given], lasting=True, stdout=log, stderr=log, **options
        )
    server = Server(folder, port, password, process)
    _wait_for(server)
    return server


@cache
def _made(bin_folder: Path) -> tempfile.TemporaryDirectory[str]:
    """Make what every server begins as, once for all tests of this process: it takes longer than all else of a server."""
    made = tempfile.TemporaryDirectory(prefix="toolbox-postgresql-")
    folder = Path(made.name)
    initial = folder / "initial"
    initial.write_text(secrets.token_urlsafe(12))
    children.run(
        [bin_folder / "initdb", "-D", folder / "data", "-U", USER, f"--pwfile={initial}", *_NEW],
        check=True,
        capture_output=True,
        **as_another(folder, initial),
    )
    return made


def _stop(process: subprocess.Popen[Any]) -> None:
    """Stop a server at once, so that it gives back the memory that it shares."""
    process.send_signal(signal.SIGQUIT)
    try:
        process.wait(_PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def as_another(*owned: Path) -> dict[str, Any]:
    """Return the options that start a process in the first of these as somebody else, who owns them.

    So it is where the tests are root, as whom no server runs.
    """
    if os.geteuid() != 0:
        return {"cwd": owned[0]}
    import pwd

    names = {entry.pw_name for entry in pwd.getpwall()}
    user = pwd.getpwnam("postgres" if "postgres" in names else "nobody")
    for path in owned:
        os.chown(path, user.pw_uid, user.pw_gid)
    return {"cwd": owned[0], "user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


def find_free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def _wait_for(server: Server) -> None:
    import psycopg

    until = time.monotonic() + _PATIENCE
    while True:
        try:
            server.connect(connect_timeout=5).close()
            return
        except psycopg.OperationalError:
            if time.monotonic() > until or server.process.poll() is not None:
                raise RuntimeError(f"The server did not start:\n{server.log}") from None
            time.sleep(0.05)
