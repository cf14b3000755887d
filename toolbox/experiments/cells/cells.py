"""The cells of a study: what is run, with which seed, and by which digest what came of it is known again."""

from __future__ import annotations

import hashlib
import inspect
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from toolbox.experiments.plan.plan import DataSet, Plan, Wish, find_own_code

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
