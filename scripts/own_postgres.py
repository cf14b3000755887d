"""A PostgreSQL server of a benchmark's own: as initdb sets it up, on this machine only, gone with the benchmark."""

from __future__ import annotations

import ctypes
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

USER = "keeper"
PATIENCE = 60
_PARENT_DEATH_SIGNAL = 1


@dataclass(frozen=True)
class OwnServer:
    """A running server."""

    url: str
    """Without a password."""
    passwords: Path
    """For PGPASSFILE."""
    pid: int


class NoServerError(Exception):
    """No server could be started."""


def programs() -> Path | None:
    """Return the folder with initdb and postgres, of several that of the newest version; None if there is none."""
    debian = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: float(path.parent.name))
    named = shutil.which("initdb")
    candidates = [*reversed(debian), *([Path(named).resolve().parent] if named else [])]
    return next((path for path in candidates if (path / "initdb").exists() and (path / "postgres").exists()), None)


@contextmanager
def own_server() -> Iterator[OwnServer]:
    """Run a server while the block runs.

    Raises
    ------
    NoServerError
    """
    found = programs()
    if found is None:
        raise NoServerError("there is no PostgreSQL: install it (apt-get install postgresql), or name a server's URL")
    folder = Path(tempfile.mkdtemp(prefix="bench-postgresql-"))
    process: subprocess.Popen[bytes] | None = None
    try:
        process, server = _start(found, folder)
        yield server
    finally:
        if process is not None:
            _stop(process)
        shutil.rmtree(folder, ignore_errors=True)


def _start(found: Path, folder: Path) -> tuple[subprocess.Popen[bytes], OwnServer]:
    password, port = secrets.token_urlsafe(12), _free_port()
    first, passwords = folder / "first", folder / "passwords"
    for path, text in ((first, password), (passwords, f"127.0.0.1:*:*:*:{password}\n")):
        path.touch(0o600)
        path.write_text(text)
    options = _as_another(folder, first)
    making: list[str | Path] = [
        found / "initdb",
        "-D",
        folder / "data",
        "-U",
        USER,
        f"--pwfile={first}",
        "--auth=scram-sha-256",
    ]
    making += ["--encoding=UTF8", "--locale=C.UTF-8"]
    made: subprocess.CompletedProcess[bytes] = subprocess.run(making, capture_output=True, check=False, **options)
    if made.returncode != 0:
        raise NoServerError(f"initdb ended with status {made.returncode}: {made.stderr.decode(errors='replace')}")
    settings = {"listen_addresses": "127.0.0.1", "unix_socket_directories": "", "port": str(port)}
    given = [f"-c{name}={value}" for name, value in settings.items()]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [found / "postgres", "-D", folder / "data", *given],
            stdout=log,
            stderr=log,
            preexec_fn=_dies_with(os.getpid()),  # noqa: PLW1509
            **options,
        )
    _wait_for(port, process)
    url = f"postgresql://{USER}@127.0.0.1:{port}/postgres"
    return process, OwnServer(url, passwords, process.pid)


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGINT)
    try:
        process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _as_another(folder: Path, first: Path) -> dict[str, Any]:
    """Return the options that start a process as another user where we are root, as whom no server runs."""
    if os.geteuid() != 0:
        return {"cwd": folder}
    import pwd

    names = {entry.pw_name for entry in pwd.getpwall()}
    user = pwd.getpwnam("postgres" if "postgres" in names else "nobody")
    for path in (folder, first):
        os.chown(path, user.pw_uid, user.pw_gid)
    return {"cwd": folder, "user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


def _dies_with(owner: int) -> Callable[[], None] | None:
    """Return what the server calls before it begins, so that it ends when this process is killed."""
    if sys.platform != "linux":
        return None
    prctl = ctypes.CDLL(None).prctl

    def tie() -> None:
        prctl(_PARENT_DEATH_SIGNAL, signal.SIGINT)
        if os.getppid() != owner:
            os._exit(1)

    return tie


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def _wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    """Wait until the server listens."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until and process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise NoServerError("the PostgreSQL server did not start")
