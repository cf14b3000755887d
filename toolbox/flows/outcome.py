"""What a run gives back, and what a Python call remembers of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from toolbox.config.model import Config
from toolbox.privacy.model import PrivacyModel
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


@dataclass(frozen=True)
class AskedRelease:
    """What a Python call has asked for, kept beside its result for whoever looks at the release later.

    A pickle has nothing of it, so that nobody who hands a result on hands the original records on.
    """

    config: Config
    models: tuple[PrivacyModel, ...]
    """Those of the caller, instead of those that the configuration requires."""
    source: Callable[[], Any]
    """Returns the original records as a judge reads them: an `Input`, or an Arrow table."""
    population: Any = None
    """The path or the table of the caller with which a model compares the release, instead of the one configured."""

    def __reduce__(self) -> tuple[Callable[[], None], tuple[()]]:
        return _forgotten, ()


def _forgotten() -> None:
    """Replace a part that a pickle does not hold."""
