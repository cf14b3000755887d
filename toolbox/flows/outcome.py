"""What a run gives back."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from toolbox.release.in_memory import ReleasedPart
from toolbox.report.summary import Summary


@dataclass(frozen=True)
class Outcome:
    """The result of a run."""

    summary: Summary
    released: list[ReleasedPart]
    """The parts of the release, if it was not written to files."""
    files: tuple[tuple[Path, ...], ...]
    """The files of each part, if it was."""
    has_header: bool
    """Whether delimited text begins with headers."""
