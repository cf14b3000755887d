"""The rows of the long table of results: one for each value, or for what could not be done."""

from __future__ import annotations

from typing import Any, TypedDict

from toolbox.experiments.cells import Cell, Task
from toolbox.experiments.metrics_named import name_of


class Row(TypedDict):
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


COLUMNS = tuple(Row.__annotations__)


def row_of(cell: Cell, **said: Any) -> Row:
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


def failed(cell: Cell, task: Task, reason: str, **said: Any) -> Row:
    """Return the row of a task that could not be done."""
    kind = {"run": "size", "learn": "utility"}.get(task.kind, task.kind)
    metric = name_of(task.name) if task.kind == "loss" else ""
    learner = task.name if task.kind == "learn" else ""
    return row_of(cell, kind=kind, metric=metric, learner=learner, status="failed", reason=reason, **said)
