"""The results of a study: the long table, and what it comes to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from toolbox.experiments.rows import COLUMNS, Row
from toolbox.experiments.summaries import correlations_of, summary_of
from toolbox.loss.registry import name_in_short
from toolbox.messages import counted
from toolbox.report.compared_runs import KEPT, KEPT_IN_SHORT

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, kw_only=True, repr=False)
class Results:
    """The results of a study."""

    name: str
    rows: tuple[Row, ...]
    """Of all cells, in the order of the plan."""
    cells: int
    reused: int
    """Measurements that an earlier run has left."""
    unread: int
    """Lines of what an earlier run has left that say no results."""
    test_share: float
    """Share of the records on which learners were tested."""
    versions: Mapping[str, str]
    """Of the programs that computed the results."""
    folder: Path | None
    """Where the files are; None: nowhere."""
    timings: Mapping[str, float]
    """Seconds of wall time, by step."""

    def to_frame(self) -> pd.DataFrame:
        """Return the long table: a row for each value, or for what could not be done.

        Returns
        -------
        DataFrame
            ``data, method, settings, required, models, k, repetition, seed, kind, metric, short, learner, split, value,
            unit, direction, seconds, status, reason``, and a column for the version of each program. A loss metric
            stands under its name, and in the column ``short`` as ``NCP``, if it is called so.
        """
        import pandas as pd

        frame = pd.DataFrame(list(self.rows), columns=list(COLUMNS))
        numbers = {"k": "Int64", "split": "Int64", "value": "Float64", "seconds": "Float64"}
        return _with_short_names(frame.astype(numbers).assign(**self.versions))

    @cached_property
    def summary(self) -> pd.DataFrame:
        """A row for each metric of each cell: its value, or the mean over splits with bounds, and the drop."""
        return _with_short_names(summary_of(self.to_frame(), self.test_share))

    @cached_property
    def correlations(self) -> pd.DataFrame:
        """How each loss metric goes along with the drop of each score."""
        return correlations_of(self.summary)

    @property
    def failed(self) -> tuple[Row, ...]:
        """What could not be done, one row for each reason of a cell."""
        seen: dict[tuple[object, ...], Row] = {}
        for row in self.rows:
            if row["status"] == "failed":
                key = (row["data"], row["method"], row["required"], row["repetition"], row["reason"])
                seen.setdefault(key, row)
        return tuple(seen.values())

    @property
    def is_done(self) -> bool:
        """Whether anything could be measured."""
        return any(row["status"] == "done" for row in self.rows)

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on the figures."""
        silent = {row["metric"]: row["reason"] for row in self.rows if row["status"] == "not measured"}
        notes = [f"{metric} is not measured everywhere: {reason}" for metric, reason in silent.items()]
        if self.unread:
            notes.append(f"{counted(self.unread, 'line')} of cells.jsonl left out: no results of a study")
        return tuple(notes)

    def headline(self) -> str:
        """Return the most important facts in one line."""
        done = sum(row["status"] == "done" for row in self.rows)
        without = f", {counted(len(self.failed), 'fault')}" if self.failed else ""
        earlier = f" ({self.reused:,} measurements are of an earlier run)" if self.reused else ""
        return f"{counted(self.cells, 'cell')}, {counted(done, 'value')}{without}{earlier}"


def _with_short_names(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a table with what each loss metric is called in short."""
    names = frame["metric"]
    short = names.map({name: KEPT_IN_SHORT if name == KEPT else name_in_short(name) for name in names.unique()})
    frame.insert(frame.columns.get_loc("metric") + 1, "short", short.where(frame["kind"] == "loss", names))
    return frame
