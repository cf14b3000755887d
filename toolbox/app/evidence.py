"""What speaks for and against the columns of the table, before any method looks at them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from toolbox.app.looked import Looked
from toolbox.app.looks import Looks, reading_of

if TYPE_CHECKING:
    from toolbox import Project

_SEEMS = {"identifier": "an identifier", "quasi-identifier": "a quasi-identifier"}


@dataclass(frozen=True)
class EvidenceNote:
    """What was found out about a column that is released as it is."""

    name: str
    seems: str
    """What it rather seems to be; empty if nothing speaks against it."""
    words: str


async def looked_at_all(looks: Looks, project: Project) -> Sequence[Looked] | None:
    """Return what is known of each column of the table; None as long as that takes.

    Raises
    ------
    ToolboxError
        If the table cannot be read.
    """
    if not project.source:
        return ()
    found: Sequence[Looked] | None = await looks.ask("look", project.source[0].resolve(), reading_of(project.input))
    return found


def of_sensitive(project: Project, looked: Sequence[Looked] | None) -> list[EvidenceNote]:
    """List the sensitive attributes, those first that seem to be something else."""
    known = dict(enumerate(looked or ()))
    sensitive = [column for column in project.columns() if column.role == "sensitive" and column.position in known]
    notes = [_note(column.name, known[column.position]) for column in sensitive if column.position is not None]
    return sorted(notes, key=lambda note: not note.seems)


def _note(name: str, looked: Looked) -> EvidenceNote:
    return EvidenceNote(name, _SEEMS.get(looked.role, ""), ": ".join(filter(None, (looked.why, looked.evidence))))
