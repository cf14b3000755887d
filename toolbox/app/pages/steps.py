"""The seven steps, and how far each is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from toolbox.app.pages.protection import method_called
from toolbox.errors import ToolboxError

if TYPE_CHECKING:
    from toolbox.app.project.open_project import OpenProject

STEPS = (
    ("data", "Data"),
    ("columns", "Columns"),
    ("risk", "Risk now"),
    ("hierarchies", "Hierarchies"),
    ("protect", "Protect"),
    ("look", "Look"),
    ("judge", "Judge and release"),
)


@dataclass(frozen=True)
class Step:
    """One step in the rail."""

    number: int
    path: str
    title: str
    state: str
    """``missing``, ``ready``, or ``out of date``."""


def steps_of(current: OpenProject | None) -> tuple[Step, ...]:
    """Return the steps, each with its state."""
    states = _states(current)
    return tuple(Step(number, f"/{name}", title, states[name]) for number, (name, title) in enumerate(STEPS, 1))


def first_missing(current: OpenProject | None) -> str:
    """Return the path of the step that is to be done next."""
    return next((step.path for step in steps_of(current) if step.state != "ready"), "/judge")


def _states(current: OpenProject | None) -> dict[str, str]:
    if current is None:
        return {name: "missing" for name, _ in STEPS}
    project = current.project
    try:
        columns_now = project.columns()
    except ToolboxError:
        return {name: "missing" for name, _ in STEPS}
    chosen = [column for column in columns_now if column.role == "quasi-identifier"]
    last = current.variants.last
    tried = "missing" if last is None else "ready" if last.fingerprint == current.fingerprint else "out of date"
    columns = "ready" if chosen else "missing"
    method = method_called(project.method)
    lacking = method is not None and method.full_domain and any(column.hierarchy == "none" for column in chosen)
    return {
        "data": "ready",
        "columns": columns,
        "risk": columns,
        "hierarchies": "missing" if lacking or not chosen else "ready",
        "protect": tried,
        "look": tried,
        "judge": current.released_state,
    }
