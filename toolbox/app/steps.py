"""The seven steps, and how far each is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from toolbox.app.installed import method_called
from toolbox.errors import ToolboxError

if TYPE_CHECKING:
    from toolbox.app.state import Workplace

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


def steps_of(workplace: Workplace) -> tuple[Step, ...]:
    """Return the steps, each with its state."""
    states = _states(workplace)
    return tuple(Step(number, f"/{name}", title, states[name]) for number, (name, title) in enumerate(STEPS, 1))


def first_missing(workplace: Workplace) -> str:
    """Return the path of the step that is to be done next."""
    return next((step.path for step in steps_of(workplace) if step.state != "ready"), "/judge")


def _states(workplace: Workplace) -> dict[str, str]:
    project = workplace.project
    if project is None:
        return {name: "missing" for name, _ in STEPS}
    try:
        columns_now = project.columns()
    except ToolboxError:
        return {name: "missing" for name, _ in STEPS}
    chosen = [column for column in columns_now if column.role == "quasi-identifier"]
    last = workplace.variants.last
    tried = "missing" if last is None else "ready" if last.fingerprint == workplace.fingerprint else "out of date"
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
        "judge": workplace.released_state,
    }
