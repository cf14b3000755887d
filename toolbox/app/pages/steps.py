"""The seven steps, and how far each is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from toolbox.app.pages.protection import find_method_called
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
class RailStep:
    """One step in the rail."""

    number: int
    path: str
    title: str
    state: str
    """``missing``, ``ready``, or ``out of date``."""


def list_steps(current: OpenProject | None) -> tuple[RailStep, ...]:
    """Return the steps, each with its state."""
    states = _find_states(current)
    return tuple(RailStep(number, f"/{name}", title, states[name]) for number, (name, title) in enumerate(STEPS, 1))


def find_next_step(current: OpenProject | None) -> str:
    """Return the path of the step that is to be done next."""
    return next((step.path for step in list_steps(current) if step.state != "ready"), "/judge")


def _find_states(current: OpenProject | None) -> dict[str, str]:
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
    method = find_method_called(project.method)
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
