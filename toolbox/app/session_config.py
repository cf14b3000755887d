"""What a session is opened with: the table and its columns, whatever method and hierarchies the project has just now.

So a hierarchy that is edited does not make the table be read again, and one that no run would take, or a method that
lacks one, hides nobody's values from the screens that help to mend it. A run is told the hierarchies when it begins.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from toolbox import Project

if TYPE_CHECKING:
    from toolbox import Config

_TOLD_BY_RUN = ("file", "builder")
"""Where hierarchies come from that a run can be told; trees and periods of dates stay with the session."""
_NOWHERE = "no-release-of-a-session.csv"


def session_config(project: Project) -> Config:
    """Return the configuration of a session: of two projects that agree in it, one session is enough.

    Raises
    ------
    ToolboxError
        If the table cannot be read, or what is said of its columns is wrong.
    """
    bare = with_no_place(project)
    for column in bare.columns():
        if column.role != "quasi-identifier":
            continue
        bare.set_levels(column.name)
        if column.hierarchy in ("none", *_TOLD_BY_RUN):
            bare.remove_hierarchy(column.name)
            # Without a hierarchy, which would say it, a column holds numbers unless its kind is declared.
            bare.set_kind(column.name, column.kind or column.looks)
    bare.set_method("Mondrian")
    bare.set_models([{"type": "k-anonymity", "k": 2}])
    return replace(bare.config(), method="Mondrian", settings={}, suppression_threshold=None, seed=None)


def with_no_place(project: Project) -> Project:
    """Return a copy that writes nothing that anybody waits for: where a release goes may be wrong, or not said yet."""
    copied = project.copy()
    copied.set_output(filename=project.path.parent / _NOWHERE)
    return copied


def run_hierarchies(project: Project) -> dict[str, str | Sequence[tuple[str, ...]]]:
    """Return the hierarchies that a run is told: of each column its rows, or the words of its builder.

    Raises
    ------
    ToolboxError
        If a file is no hierarchy.
    """
    found = {column: project.hierarchy(column) for column in _told(project)}
    return {column: hierarchy for column, hierarchy in found.items() if hierarchy is not None}


def run_levels(project: Project) -> dict[str, tuple[int, int | None]]:
    """Return the levels between which a run keeps columns."""
    return {one.name: one.levels for one in project.columns() if one.role == "quasi-identifier"}


def _told(project: Project) -> list[str]:
    columns = project.columns()
    return [one.name for one in columns if one.role == "quasi-identifier" and one.hierarchy in _TOLD_BY_RUN]
