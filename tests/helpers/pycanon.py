"""pyCANON in an environment of its own, made once and kept; and the process there that answers questions."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from helpers import children

_JUDGE = Path(__file__).parents[1] / "judges" / "pycanon_judge.py"
_ENVIRONMENT = Path(__file__).parents[2] / ".venv-pycanon"
_NEEDED = ("numpy>=2.0,<2.1", "pandas>=2.2,<3")
"""What its judgements import. Its reports import ten times as much, which nobody here reads."""
_REQUIREMENT = "pycanon>=1.0.3,<2"


class UnavailableError(Exception):
    """pyCANON is not installed and cannot be; the message says why."""


def judge_python() -> Path:
    """Return the interpreter that has pyCANON, after installing it where that has not been done yet."""
    if given := os.environ.get("TOOLBOX_PYCANON_PYTHON"):
        if reason := _import_failure(Path(given)):
            raise UnavailableError(f"$TOOLBOX_PYCANON_PYTHON is {given}, which has no pyCANON: {reason}")
        return Path(given)
    python, failure = _ENVIRONMENT / "bin" / "python", _beside("failure")
    began = time.time()
    if python.exists():
        return python
    with _alone():
        if python.exists():
            return python
        if failure.exists() and failure.stat().st_mtime >= began:
            raise UnavailableError(failure.read_text(encoding="utf-8"))
        try:
            _install()
        except UnavailableError as error:
            failure.write_text(str(error), encoding="utf-8")
            raise
    return python


def install_early() -> None:
    """Install it while other tests run; whoever needs it then waits, and says what went wrong."""
    if not os.environ.get("TOOLBOX_PYCANON_PYTHON"):
        with suppress(UnavailableError):
            judge_python()


@dataclass(frozen=True)
class Judgement:
    """What pyCANON says of the worst classes of a release."""

    records: int
    k: int
    distinct_l: int
    entropy_l: int
    """Rounded down."""
    recursive_c: int | None
    """The smallest whole c with which it is recursively (c,l)-diverse, l being that of `distinct_l`; None for l = 1."""
    t: float
    """How far the sensitive values are from those of the whole release."""


class Judge:
    """A process that has pyCANON, and answers one question after another."""

    def __init__(self, python: Path) -> None:
        self._process = children.start(
            [python, _JUDGE], lasting=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        )

    def close(self) -> None:
        """End the process."""
        self._process.communicate()

    def k_anonymity(self, release: Path, quasi_identifiers: Sequence[str], separator: str = ",", **how: object) -> int:
        """Ask for the size of the smallest class of a release with a header."""
        return self._ask(path=release, separator=separator, quasi_identifiers=quasi_identifiers, **how)["k"]

    def judge(
        self, release: Path, quasi_identifiers: Sequence[str], sensitive: str, *, kind: str = "category"
    ) -> Judgement:
        """Ask for all that it can say of one sensitive attribute of a release with a header."""
        question = {"path": release, "quasi_identifiers": quasi_identifiers, "sensitive": sensitive, "kind": kind}
        return Judgement(**self._ask(**question))

    def measure(self, path: Path, quasi_identifiers: Sequence[str], sensitive: Mapping[str, str]) -> Any:
        """Ask for all that it can measure of a table; tests/judges/pycanon_measures.py says what that is."""
        return self._ask(measure=True, path=path, quasi_identifiers=quasi_identifiers, sensitive=sensitive)

    def _ask(self, **question: object) -> Any:
        asks, answers = self._process.stdin, self._process.stdout
        assert asks is not None
        assert answers is not None
        print(json.dumps(question, default=str), file=asks, flush=True)
        answer = json.loads(answers.readline() or '{"failure": "its process has ended"}')
        assert "failure" not in answer, f"pyCANON failed:\n{answer['failure']}"
        return answer["answer"]


@contextmanager
def _alone() -> Iterator[None]:
    """Wait until no other process is here; a process that is killed does not stay."""
    with _beside("lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _install() -> None:
    """Install aside and move into place, so that an interrupted installation is never taken for a finished one."""
    for left in _ENVIRONMENT.parent.glob(f"{_ENVIRONMENT.name}.unfinished-*"):
        shutil.rmtree(left, ignore_errors=True)
    unfinished = _beside(f"unfinished-{os.getpid()}")
    python = unfinished / "bin" / "python"
    # With the pip that is here already; what the judge does not import need not be compiled.
    pip = ["-m", "pip", "--python", python, "install", "--quiet", "--no-compile", "--retries", 1, "--timeout", 15]
    try:
        environment = ("-m", "venv", "--without-pip", unfinished)
        for arguments in (environment, (*pip, *_NEEDED), (*pip, "--no-deps", _REQUIREMENT)):
            finished = _run(Path(sys.executable), *arguments)
            if finished.returncode:
                raise UnavailableError(f"pyCANON cannot be installed: {_last_line(finished)}")
        if reason := _import_failure(python):
            raise UnavailableError(f"pyCANON was installed but cannot be imported: {reason}")
        unfinished.rename(_ENVIRONMENT)
    except OSError as error:
        raise UnavailableError(f"{_ENVIRONMENT} cannot be made: {error.strerror}") from error
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def _beside(what: str) -> Path:
    return _ENVIRONMENT.with_name(f"{_ENVIRONMENT.name}.{what}")


def _import_failure(python: Path) -> str | None:
    try:
        finished = _run(python, "-c", "import pycanon.anonymity")
    except OSError as error:
        return str(error)
    return _last_line(finished) if finished.returncode else None


def _run(*command: object) -> subprocess.CompletedProcess[str]:
    """Run a program that goes on while tests begin and end."""
    return children.run(command, lasting=True, capture_output=True, text=True, encoding="utf-8")


def _last_line(finished: subprocess.CompletedProcess[str]) -> str:
    said = [line for line in (finished.stdout + finished.stderr).splitlines() if line.strip()]
    errors = [line for line in said if line.startswith("ERROR")]
    return (errors or said or [f"exit status {finished.returncode}"])[-1]
