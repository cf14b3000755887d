"""Runs of the command line in which the nth call to the system fails or is interrupted, before or after its effect.

This file is also a program: it imports the package once, and makes a process for each run by `fork`, so that a run ends
as that of a user does, with everything that is done at the exit of a process.
"""

from __future__ import annotations

import atexit
import builtins
import codecs
import errno
import fcntl
import io
import json
import os
import pkgutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from tempfile import gettempdir
from types import TracebackType
from typing import Any, Literal, NoReturn, Self

Moment = Literal["before", "after"]
INTERRUPT = "SIGINT"
"""An interrupt as the system delivers it: its handler decides what it means."""
THROWN = "KeyboardInterrupt"
"""An interrupt that the call itself raises, whatever handler there is, as in a program that calls the package."""
KILLED = "SIGKILL"
"""The run ends there, and nothing of it is done any more."""
ERRORS = ("ENOSPC", "EIO", "EACCES", "EBUSY")
_CALLS = (
    "open close read write fsync ftruncate chmod mkdir rmdir unlink remove rename replace link symlink listdir scandir"
)
"""What of `os` is watched, beside `fcntl.flock` and whatever is done with a file that Python opens."""


@dataclass(frozen=True)
class Fault:
    """What happens at the nth call: a name of `errno`, an interrupt, or the end."""

    number: int
    kind: str = INTERRUPT
    moment: Moment = "before"


@dataclass(frozen=True)
class Ended:
    """What is left of a run."""

    status: int
    err: str
    calls: tuple[str, ...]
    """What was called, with the name of the file where there is one."""
    exposed: frozenset[str]
    """The files that another user could have read or written between two calls, if anybody watched."""

    def hit(self, fault: Fault) -> str | None:
        """Return the call that the fault met; None if there were fewer calls."""
        return self.calls[fault.number - 1] if fault.number <= len(self.calls) else None


class Runner:
    """A process that runs command lines with faults, each in a process of its own; use it as a context manager.

    Parameters
    ----------
    folder : Path
        Where the runs work, and in which they find ``tmp`` for temporary files and ``state`` for the user's key.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        for name in ("tmp", "state"):
            (folder / name).mkdir(exist_ok=True)

    def __enter__(self) -> Self:
        here = {"TMPDIR": str(self._folder / "tmp"), "XDG_STATE_HOME": str(self._folder / "state")}
        self._process = subprocess.Popen(
            [sys.executable, __file__],
            cwd=self._folder,
            env={**os.environ, **here},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.communicate()

    def run(
        self, words: Sequence[str], fault: Fault | None = None, *, user: int | None = None, umask: int | None = None
    ) -> Ended:
        """Run a command line; without a fault its calls are only counted.

        Parameters
        ----------
        user : int, optional
            Who runs it, where it is not the user of this process; then is noted what others could read meanwhile.
        umask : int, optional
            The permissions that new files do not get.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        given = asdict(fault or Fault(0))
        self._process.stdin.write(json.dumps({"words": [*words], "fault": given, "user": user, "umask": umask}) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        assert answer, self._process.communicate()[1]
        document = json.loads(answer)
        return Ended(document["status"], document["err"], tuple(document["calls"]), frozenset(document["exposed"]))


class _Injector:
    """Counts calls of the main thread, and lets one of them fail."""

    def __init__(self, fault: Fault, scratch: Path, log: int) -> None:
        self._fault = fault
        self._scratch = str(scratch)
        self._log = log
        self._count = 0
        self._write = os.write
        self._main = threading.get_ident()
        self._is_watching = False
        self.exposed: set[str] | None = None

    def install(self) -> None:
        """Wrap what is watched, for good."""
        for name in _CALLS.split():
            setattr(os, name, self.watched(name, getattr(os, name)))
        fcntl.flock = self.watched("flock", fcntl.flock)
        builtins.open = io.open = self._opened(io.open)

    def watched(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def wrapper(*arguments: Any, **options: Any) -> Any:
            path = next((word for word in arguments if isinstance(word, (str, os.PathLike))), None)
            # What other threads call comes at other moments in each run.
            if threading.get_ident() != self._main or not self._is_watched(path):
                return call(*arguments, **options)
            if self._is_watching:
                return call(*arguments, **options)
            self.watch()
            self._count += 1
            number = self._count
            self._write(self._log, f"{name} {Path(path).name if path is not None else ''}".encode() + b"\n")
            if number == self._fault.number and self._fault.moment == "before":
                self._strike(path)
            result = call(*arguments, **options)
            if number == self._fault.number and self._fault.moment == "after":
                self._strike(path)
            return result

        return wrapper

    def watch(self) -> None:
        """Note what others can read or write now: files with such permissions, in folders that others may enter."""
        if self.exposed is None:
            return
        self._is_watching = True
        for folder, _, names in os.walk(self._scratch):
            if not Path(folder).stat().st_mode & 0o011:
                continue
            for name in names:
                path = Path(folder, name)
                if path.lstat().st_mode & 0o066 and not _is_hidden(path.parent):
                    self.exposed.add(str(path.relative_to(self._scratch)))
        self._is_watching = False

    def _is_watched(self, path: Any) -> bool:
        """Test whether a file is of the run: those of Python and its packages are not."""
        return path is None or not Path(path).is_absolute() or os.fspath(path).startswith(self._scratch)

    def _strike(self, path: Any) -> None:
        if self._fault.kind == THROWN:
            raise KeyboardInterrupt
        if self._fault.kind == KILLED:
            os.kill(os.getpid(), signal.SIGKILL)
        if self._fault.kind == INTERRUPT:
            signal.raise_signal(signal.SIGINT)
        else:
            number = getattr(errno, self._fault.kind)
            raise OSError(number, os.strerror(number), path)

    def _opened(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """Wrap Python's `open`, so that whatever is done with a file is a call of its own."""
        raw = self._raw()
        opened = self.watched("open", raw)

        def wrapper(file: Any, mode: str = "r", buffering: int = -1, *arguments: Any, **options: Any) -> Any:
            plain = set(mode) <= set("rwaxbt")
            if isinstance(file, int) or not plain or not self._is_watched(file) or "opener" in options:
                return original(file, mode, buffering, *arguments, **options)
            bare = opened(file, mode.replace("b", "").replace("t", ""))
            if "b" in mode and buffering == 0:
                return bare
            binary: Any = io.BufferedReader(bare) if "r" in mode else io.BufferedWriter(bare)
            return binary if "b" in mode else io.TextIOWrapper(binary, *arguments, **options)

        return wrapper

    def _raw(self) -> type[io.FileIO]:
        class Raw(io.FileIO):
            pass

        for name in ("readinto", "readall", "write", "close"):
            setattr(Raw, name, self.watched(f"file.{name}", getattr(io.FileIO, name)))
        return Raw


def _is_hidden(folder: Path) -> bool:
    """Test whether a folder lies in one that others may not enter."""
    return any(not path.stat().st_mode & 0o011 for path in (folder, *folder.parents))


def _serve() -> None:
    """Run what is asked for, each in a child, until nobody asks any more."""
    # A run finds imported what most runs import: what is injected is what the package does, not how Python begins.
    for package in ("config", "flows", "methods", "loss", "privacy", "release", "report", "experiments", "cli"):
        for module in pkgutil.walk_packages(import_module(f"toolbox.{package}").__path__, f"toolbox.{package}."):
            import_module(module.name)
    from toolbox.cli.start import start

    for encoding in ("ascii", "latin-1", "utf-8-sig", "cp1252", "utf-16"):
        codecs.lookup(encoding)
    gettempdir()  # it tries once whether a file can be written there

    requests, answers = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    scratch = Path(os.environ["TMPDIR"]).parent
    for line in os.fdopen(requests):
        asked = json.loads(line)
        paths = {name: scratch / f".{name}" for name in ("err", "calls", "exposed", "modules")}
        streams = {name: os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600) for name, path in paths.items()}
        child = os.fork()
        if child == 0:
            _run(asked, scratch, streams, start)
        _, status = os.waitpid(child, 0)
        for stream in streams.values():
            os.close(stream)
        said = {name: path.read_text(errors="replace") for name, path in paths.items()}
        # The next runs find what this one has imported: perhaps they may not read it.
        for name in said.pop("modules").splitlines():
            with suppress(Exception):
                import_module(name)
        lines = {name: said[name].splitlines() for name in ("calls", "exposed")}
        answer = {"status": os.waitstatus_to_exitcode(status), "err": said["err"], **lines}
        os.write(answers, (json.dumps(answer) + "\n").encode())


def _run(asked: Mapping[str, Any], scratch: Path, streams: Mapping[str, int], start: Callable[[], int]) -> NoReturn:
    """Run a command line in this process, and end it."""
    os.dup2(streams["err"], 2)
    sys.argv = ["toolbox", *asked["words"]]
    sys.stderr = os.fdopen(2, "w", buffering=1, closefd=False)
    injector = _Injector(Fault(**asked["fault"]), scratch, streams["calls"])
    if asked["umask"] is not None:
        os.umask(asked["umask"])
    if asked["user"] is not None:
        os.setgroups([])
        os.setgid(asked["user"])
        os.setuid(asked["user"])
        injector.exposed = set()
    write = os.write
    injector.install()
    status = start()
    # The rest of an end would wait for threads that a library began before the fork, and that are not here.
    atexit._run_exitfuncs()
    injector.watch()
    write(streams["exposed"], "\n".join(sorted(injector.exposed or ())).encode())
    write(streams["modules"], "\n".join(sorted(sys.modules)).encode())
    os._exit(status)


if __name__ == "__main__":
    del sys.path[0]  # this folder, whose modules have names of others
    _serve()
