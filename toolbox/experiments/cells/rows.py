"""The cells of a study, what is told of each as rows of a long table, and the file that keeps these as they come."""

from __future__ import annotations

import errno
import hashlib
import inspect
import json
import math
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from stat import S_ISREG
from types import MappingProxyType, TracebackType
from typing import Any, Self, TypedDict, get_args, get_type_hints

from toolbox.config.file_names import choose_file_mode
from toolbox.config.values import LARGEST_INTEGER
from toolbox.errors import OutputError
from toolbox.experiments.plan.plan import DataSet, Plan, Wish, find_own_code, name_of
from toolbox.messages import choose_setting_name
from toolbox.store.disk.directory_lock import FOLDER_PREFIX, FileLock, run_undisturbed
from toolbox.store.disk.folders import is_own

# The cells of a study: what is run, with which seed, and by which digest what came of it is known again.

ORIGINAL = "(original)"
"""What the method is called of a table that nobody has anonymised."""


@dataclass(frozen=True)
class Task:
    """What is measured of a cell: ``run``, ``loss`` by one metric, or ``learn`` by one learner."""

    kind: str
    name: str = ""


@dataclass(frozen=True)
class Cell:
    """One method on one data set, under one requirement; or the data set as it is."""

    data: DataSet
    method: str
    wish: Wish
    repetition: int
    seed: int
    tasks: tuple[Task, ...]

    @property
    def is_original(self) -> bool:
        """Whether nothing is anonymised."""
        return self.method == ORIGINAL

    def __str__(self) -> str:
        words = [self.data.name, self.method, "" if self.is_original else str(self.wish)]
        repeated = f"repetition {self.repetition}" if self.repetition > 1 else ""
        return ", ".join(word for word in (*words, repeated) if word)


def make_seed(*facts: object) -> int:
    """Return a seed that follows from some facts, below 2 ** 31.

    Examples
    --------
    >>> make_seed(1, "census", 5) == make_seed(1, "census", 5), make_seed(1, "census", 5) == make_seed(2, "census", 5)
    (True, False)
    """
    return int.from_bytes(hashlib.sha256(_format_facts(facts).encode()).digest()[:4]) >> 1


def compute_digest(plan: Plan, cell: Cell, task: Task, records: str, versions: Mapping[str, str]) -> str:
    """Return the digest of all that a result depends on.

    Parameters
    ----------
    records : str
        Digest of the data set, its files among it.
    versions : mapping
        Of the programs that compute it.
    """
    facts: list[object] = [
        records,
        cell.data.name,
        cell.method,
        cell.wish,
        cell.repetition,
        cell.seed,
        plan.suppression_threshold,
    ]
    # Only learners use it.
    used = {name: of for name, of in versions.items() if name != "sklearn" or task.kind == "learn"}
    facts += [task.kind, task.name, sorted(used.items()), *map(_code, (cell.method, task.name))]
    if task.kind == "learn":
        facts += [plan.seed, plan.learning and vars(plan.learning) | {"learners": None}, cell.data.features]
    if task.kind == "run":
        facts.append(plan.threshold)
    return hashlib.sha256(_format_facts((*facts, cell.data.label)).encode()).hexdigest()


@cache
def _code(reference: str) -> str:
    """Return a digest of the file of a class at hand: what it did before it was changed is not reused."""
    named = find_own_code(reference)
    if not named:
        return ""
    file = inspect.getsourcefile(import_module(named.partition(":")[0]))
    return hashlib.sha256(Path(file).read_bytes()).hexdigest() if file else ""


def _format_facts(facts: Any) -> str:
    return json.dumps(facts, default=str, ensure_ascii=False)


# The rows of the long table of results: one for each value, or for what could not be done.


class ResultRow(TypedDict):
    """One value, and all that tells it from the others."""

    data: str
    method: str
    settings: str
    required: str
    """In few words, as the plan says it."""
    models: str
    k: int | None
    repetition: int
    seed: int
    kind: str
    """``loss``, ``risk``, ``size`` or ``utility``."""
    metric: str
    learner: str
    split: int | None
    value: float | None
    unit: str
    direction: str
    """Which values are better: ``lower`` or ``higher``; empty for sizes."""
    seconds: float | None
    """Of method and proof; of utility, to train and to test."""
    status: str
    """``done``, ``not measured`` or ``failed``."""
    reason: str


COLUMNS = tuple(ResultRow.__annotations__)


def make_row(cell: Cell, **said: Any) -> ResultRow:
    """Return a row of a cell; what is not said of it is empty."""
    row: dict[str, Any] = {
        **dict.fromkeys(("settings", "models", "kind", "metric", "learner", "unit", "direction", "reason"), ""),
        **dict.fromkeys(("k", "split", "value", "seconds")),
        "data": cell.data.name,
        "method": cell.method,
        "required": "" if cell.is_original else str(cell.wish),
        "k": cell.wish.k,
        "repetition": cell.repetition,
        "seed": cell.seed,
        "status": "done",
        **said,
    }
    return {name: row[name] for name in COLUMNS}  # type: ignore[return-value]


def make_failed_row(cell: Cell, task: Task, reason: str, **said: Any) -> ResultRow:
    """Return the row of a task that could not be done."""
    kind = {"run": "size", "learn": "utility"}.get(task.kind, task.kind)
    metric = name_of(task.name) if task.kind == "loss" else ""
    learner = task.name if task.kind == "learn" else ""
    return make_row(cell, kind=kind, metric=metric, learner=learner, status="failed", reason=reason, **said)


# What a line of kept results says. Anybody may have written it: what is no result is left out.

_KINDS = ("loss", "risk", "size", "utility")
_WORDS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"kind": _KINDS, "direction": ("lower", "higher", ""), "status": ("done", "not measured", "failed")}
)
_TYPES: Mapping[str, tuple[type, ...]] = MappingProxyType(
    # A number of the type float may be a whole one.
    {
        name: tuple({*(get_args(hint) or (hint,)), *((int,) if float in get_args(hint) else ())})
        for name, hint in get_type_hints(ResultRow).items()
    }
)


def read_line(line: bytes) -> dict[str, Sequence[ResultRow]] | None:
    """Return the rows of tasks by their digests, without tasks of which something failed; None if it is no such line.

    Examples
    --------
    >>> read_line(b'{"a": []}'), read_line(b"[1, 2]")
    ({'a': []}, None)
    """
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict) or not all(map(_are_rows, found.values())):
        return None
    return {digest: rows for digest, rows in found.items() if is_lasting(rows)}


def is_lasting(rows: Sequence[ResultRow]) -> bool:
    """Return whether the next run may use the rows of a task again: none of them has failed."""
    return all(row["status"] != "failed" for row in rows)


def _are_rows(found: object) -> bool:
    if not isinstance(found, list) or not all(map(_is_row, found)):
        return False
    places = {(row["kind"], row["metric"], row["learner"], row["split"]) for row in found}
    return len(places) == len(found)


def _is_row(found: object) -> bool:
    if not isinstance(found, dict) or set(found) != set(COLUMNS):
        return False
    if not all(_is_value(name, value) for name, value in found.items()):
        return False
    return (found["status"] == "done") is (found["value"] is not None)


def _is_value(name: str, value: Any) -> bool:
    if not isinstance(value, _TYPES[name]) or isinstance(value, bool):
        return False
    if isinstance(value, str):
        return value in _WORDS.get(name, (value,)) and value.encode(errors="replace").decode() == value
    if isinstance(value, int):
        return abs(value) <= LARGEST_INTEGER
    return not isinstance(value, float) or math.isfinite(value)


# What came of each task, kept in a file as it comes: whoever is killed goes on where it stopped.

Rows = Sequence[ResultRow]
_LOCK = "lock"
FILE = "cells.jsonl"
"""A line for each cell that was run: the rows of its tasks, by their digests."""


class Journal:
    """The results of a study by their digests; use it as a context manager.

    Parameters
    ----------
    folder : Path, optional
        Where they are kept; None: nowhere, so that nothing is known of an earlier run.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._known: dict[str, Rows] = {}
        self._lock: FileLock | None = None
        self._descriptor: int | None = None
        self.unread = 0
        """Lines of an earlier run that say no results."""

    def __enter__(self) -> Self:
        if self._folder is not None:
            try:
                self._folder.mkdir(parents=True, exist_ok=True)
                _require_ours(self._folder)
                self._lock = FileLock(self._folder / _LOCK)
                if not self._lock.acquire(create=True):
                    problem = "another run of the toolbox is writing there"
                    raise OutputError(f"{self._folder}: {problem}. Wait for it, or write {_find_folder()}.")
                self._descriptor = _open_results_file(self._folder / FILE)
                self._read(self._descriptor)
            # A path may hold what no path can, such as a zero byte.
            except (OSError, ValueError) as error:
                self._close()
                raise self._fault(error) from error
            except BaseException:
                self._close()
                raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._close()

    def _close(self) -> None:
        # An interrupt at the first of both steps must not leave the lock of the folder behind.
        run_undisturbed(self._close_files)

    def _close_files(self) -> None:
        if self._descriptor is not None:
            descriptor, self._descriptor = self._descriptor, None
            with suppress(OSError):  # each line was brought to the disk when it was written
                os.close(descriptor)
        if self._lock is not None:
            self._lock.remove()
            self._lock = None

    def __contains__(self, digest: str) -> bool:
        return digest in self._known

    def __getitem__(self, digest: str) -> Rows:
        return self._known[digest]

    def add(self, results: Mapping[str, Rows]) -> None:
        """Add what came of the tasks of one cell. What failed is not kept: the next run tries again.

        Raises
        ------
        OutputError
            If it cannot be written.
        """
        self._known.update(results)
        lasting = {digest: rows for digest, rows in results.items() if is_lasting(rows)}
        if self._descriptor is None or not lasting:
            return
        line = json.dumps(lasting, ensure_ascii=False, allow_nan=False) + "\n"
        try:
            with os.fdopen(self._descriptor, "ab", closefd=False) as file:
                file.write(line.encode())
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise self._fault(error) from error

    def _read(self, descriptor: int) -> None:
        """Read what is there. A line that was cut off is removed, so that the next one does not continue it."""
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            whole, _, cut = file.read().rpartition(b"\n")
        if cut:
            os.ftruncate(descriptor, len(whole) + 1 if whole else 0)
        for line in whole.split(b"\n") if whole else ():
            results = read_line(line)
            # What nobody can read is computed again.
            self.unread += results is None
            self._known.update(results or {})

    def _fault(self, error: Exception) -> OutputError:
        reason = getattr(error, "strerror", None) or str(error)
        return OutputError(f"{self._folder}: results cannot be kept there ({reason}). Write {_find_folder()}.")


def _find_folder() -> str:
    return choose_setting_name("--output FOLDER", python="output='FOLDER'")


def _require_ours(folder: Path) -> None:
    """Stop where a folder has something, and no results of a study: some of it may be called as our files are."""
    names = [name for name in os.listdir(folder) if name != _LOCK and not name.startswith(FOLDER_PREFIX)]  # noqa: PTH208
    if names and FILE not in names:
        problem = f"the folder has files, and no {FILE} of a study among them"
        written = choose_setting_name("--output and the name", python="output= with the name")
        raise OutputError(f"{folder}: {problem}. Write {written} of a new folder, or of an empty one.")


def _open_results_file(path: Path) -> int:
    """Open the file of results, or make it. A link is not followed: whoever made it may have meant another file."""
    careful = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
    try:
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | careful | getattr(os, "O_BINARY", 0)
        descriptor = os.open(path, flags, choose_file_mode("results of a study"))
        status = os.fstat(descriptor)
        # What somebody else has put into a folder of others, such as /tmp, is no journal of ours.
        is_trusted = is_own(status) or status.st_uid == path.parent.stat().st_uid
        if S_ISREG(status.st_mode) and is_trusted:
            return descriptor
        os.close(descriptor)
        if not is_trusted:
            raise OSError(errno.EPERM, f"{path.name} belongs to user number {status.st_uid}")
    except OSError as error:
        if error.errno != errno.ELOOP:
            raise
    raise OSError(errno.EPERM, f"{path.name} is no regular file")
