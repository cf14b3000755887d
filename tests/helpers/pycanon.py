"""pyCANON in an environment of its own: made once, whoever of several test workers comes first, and kept."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_JUDGE = Path(__file__).parents[1] / "judges" / "pycanon_judge.py"
_MEASURES = _JUDGE.with_name("pycanon_measures.py")
_ENVIRONMENT = Path(__file__).parents[2] / ".venv-pycanon"
_REQUIREMENT = "pycanon>=1.0.3,<2"
_PATIENCE = 600
"""Seconds after which a lock is taken for one that a killed run left behind."""


class UnavailableError(Exception):
    """pyCANON is not installed and cannot be; the message says why."""


def judge_python() -> Path:
    """Return the interpreter that has pyCANON, after installing it where that has not been done yet."""
    if given := os.environ.get("TOOLBOX_PYCANON_PYTHON"):
        if reason := _import_failure(Path(given)):
            raise UnavailableError(f"$TOOLBOX_PYCANON_PYTHON is {given}, which has no pyCANON: {reason}")
        return Path(given)
    lock, failure = _beside("lock"), _beside("failure")
    began = time.time()
    while not _python(_ENVIRONMENT).exists():
        try:
            lock.mkdir()  # of several workers only one succeeds
        except FileExistsError:
            _wait(lock)
            if failure.exists() and failure.stat().st_mtime >= began:
                raise UnavailableError(failure.read_text(encoding="utf-8")) from None
            continue
        except OSError as error:
            raise UnavailableError(f"{_ENVIRONMENT} cannot be made: {error.strerror}") from error
        try:
            _install()
        except UnavailableError as error:
            failure.write_text(str(error), encoding="utf-8")
            raise
        finally:
            lock.rmdir()
    return _python(_ENVIRONMENT)


def k_anonymity(python: Path, release: Path, quasi_identifiers: Sequence[str], separator: str = ",") -> int:
    """Ask pyCANON for the size of the smallest class of a release with a header."""
    return _ask(python, path=str(release), separator=separator, quasi_identifiers=list(quasi_identifiers))["k"]


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


def judge(
    python: Path,
    release: Path,
    quasi_identifiers: Sequence[str],
    sensitive: str,
    *,
    kind: str = "category",
    separator: str = ",",
) -> Judgement:
    """Ask pyCANON for all that it can say of one sensitive attribute of a release with a header."""
    question = {"path": str(release), "separator": separator, "quasi_identifiers": list(quasi_identifiers)}
    return Judgement(**_ask(python, **question, sensitive=sensitive, kind=kind))


def measure_all(python: Path, questions: Sequence[Mapping[str, object]], folder: Path) -> list[list[dict[str, Any]]]:
    """Ask pyCANON for all that it can measure of many tables; tests/judges/pycanon_measures.py says what is asked."""
    asked = folder / "questions.json"
    asked.write_text(json.dumps(list(questions), default=str), encoding="utf-8")
    answer = run(python, _MEASURES, asked)
    assert answer.returncode == 0, f"pyCANON failed:\n{answer.stderr}"
    return json.loads(answer.stdout)


def _ask(python: Path, **question: object) -> dict[str, Any]:
    answer = run(python, _JUDGE, json.dumps(question))
    assert answer.returncode == 0, f"pyCANON failed:\n{answer.stderr}"
    return json.loads(answer.stdout)


def _wait(lock: Path) -> None:
    with suppress(FileNotFoundError):
        while True:
            if time.time() - lock.stat().st_mtime > _PATIENCE:
                lock.rmdir()
            time.sleep(0.2)


def _install() -> None:
    """Install aside and move into place, so that an interrupted installation is never taken for a finished one."""
    if _python(_ENVIRONMENT).exists():
        return
    unfinished = _beside(f"unfinished-{os.getpid()}")
    try:
        pip = ["-m", "pip", "install", "--quiet", "--retries", "1", "--timeout", "15", _REQUIREMENT]
        for step in (
            (Path(sys.executable), "-m", "venv", str(unfinished)),
            (_python(unfinished), *pip),
        ):
            finished = run(*step)
            if finished.returncode:
                raise UnavailableError(f"pyCANON cannot be installed: {_last_line(finished)}")
        if reason := _import_failure(_python(unfinished)):
            raise UnavailableError(f"pyCANON was installed but cannot be imported: {reason}")
        unfinished.rename(_ENVIRONMENT)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def _python(environment: Path) -> Path:
    return environment / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def _beside(what: str) -> Path:
    return _ENVIRONMENT.with_name(f"{_ENVIRONMENT.name}.{what}")


def _import_failure(python: Path) -> str | None:
    try:
        finished = run(python, "-c", "import pycanon.anonymity")
    except OSError as error:
        return str(error)
    return _last_line(finished) if finished.returncode else None


def run(program: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run a program, such as the interpreter that has pyCANON."""
    command = [str(program), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)


def _last_line(finished: subprocess.CompletedProcess[str]) -> str:
    said = [line for line in (finished.stdout + finished.stderr).splitlines() if line.strip()]
    errors = [line for line in said if line.startswith("ERROR")]
    return (errors or said or [f"exit status {finished.returncode}"])[-1]
