"""What can be found out of the columns of a table before anybody says anything."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from toolbox import suggest

# As of the notes of a run.
_FEWEST, _NEARLY_ALL = 10, 0.9
ColumnRole = Literal["identifier", "quasi-identifier", "sensitive", "other"]


@dataclass(frozen=True)
class ColumnProfile:
    """What was found out of one column."""

    role: ColumnRole
    """What it may be: a role of a project."""
    why: str
    evidence: str
    sureness: str
    kind: str
    """With the format of dates."""
    hierarchy: str
    """The words of a builder; empty for none."""
    values: int
    missing: int
    alone: int
    """Records with a value that no other has."""
    there: int = 0
    """Records with a value."""

    @property
    def nearly_all_differ(self) -> bool:
        """Whether nearly each record has a value of its own; of few records that may be chance."""
        return self.there >= _FEWEST and self.values >= _NEARLY_ALL * self.there


def profile_columns(path: Path, **reading: Any) -> tuple[ColumnProfile, ...]:
    """Look at each column of a table, in their order.

    Raises
    ------
    ToolboxError
        If it cannot be read.
    """
    suggestion = suggest(path, **reading)
    kinds = suggestion.arguments["kinds"]
    plan = suggestion.plan
    return tuple(
        ColumnProfile(
            # What is released as it is has to be declared, since undeclared columns are left out.
            role="sensitive" if column.role == "as it is" else column.role,
            why=_format_sections(column.why),
            evidence=plan.evidence(column),
            sureness=column.sureness,
            kind=kinds.get(column.name, column.profile.kind),
            hierarchy=plan.describe_generalisation(column).words if column.role == "quasi-identifier" else "",
            values=column.profile.different,
            missing=column.profile.missing,
            alone=column.profile.alone,
            there=column.profile.there,
        )
        for column in suggestion.columns
    )


def _format_sections(why: str) -> str:
    """Say sections of a configuration in the words of the screens."""
    return why.replace("move it to sens", "make it sensitive").replace("move it to qid", "make it a quasi-identifier")
