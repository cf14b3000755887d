"""What `experiment` says: tables for people, and the document for machines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from toolbox.experiments.results import Results
from toolbox.report.notebook import Shown

if TYPE_CHECKING:
    import pandas as pd

_TOLD = ("data", "method", "required", "repetition", "kind", "metric", "learner", "reason")


@dataclass(frozen=True, kw_only=True, repr=False)
class ExperimentReport(Results, Shown):
    """The results of a study, and how they are shown."""

    def show_on(self, console: Any) -> None:
        """Print the tables on a console of rich."""
        from toolbox.experiments.console import print_experiment

        print_experiment(console, self)

    def document(self) -> dict[str, Any]:
        """Return the JSON document of the command ``experiment``; its names are stable."""
        failed: list[dict[str, Any]] = [dict(row) for row in self.failed]
        return {
            "toolbox_version": self.versions["toolbox"],
            "name": self.name,
            "cells": self.cells,
            "reused": self.reused,
            "versions": dict(self.versions),
            "folder": None if self.folder is None else str(self.folder),
            "summary": _records(self.summary),
            "correlations": _records(self.correlations),
            "failed": [{name: row[name] for name in _TOLD} for row in failed],
            "timings": dict(self.timings),
            "notes": list(self.notes),
        }


def _records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    import pandas as pd

    filled = frame.astype(object).where(pd.notna(frame), None)
    return [dict(zip(filled.columns, map(_plain, row), strict=True)) for row in filled.itertuples(index=False)]


def _plain(value: Any) -> Any:
    """Return a number of numpy as one of Python."""
    return value.item() if hasattr(value, "item") else value
