"""The results of a study: the long table, means with confidence intervals, drops, correlations."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from toolbox.experiments.cells.rows import COLUMNS, ORIGINAL, ResultRow
from toolbox.loss.metric import name_in_short
from toolbox.messages import format_count
from toolbox.report.runs.compare import KEPT, KEPT_IN_SHORT

if TYPE_CHECKING:
    import pandas as pd


# What the long table says: means over splits with confidence intervals, drops, correlations, and Pareto fronts.

CELL = ["data", "method", "settings", "required", "models", "k", "repetition"]
CONFIDENCE = 0.95


class ConfidenceInterval(NamedTuple):
    """A mean, and the bounds of its confidence interval; without bounds where there is one value."""

    mean: float
    low: float | None
    high: float | None


def compute_interval(values: Sequence[float], test_share: float) -> ConfidenceInterval:
    """Return the mean of scores over random splits with its confidence interval.

    Random splits share records, so that the plain variance of the mean is too small; this one is corrected.

    Parameters
    ----------
    test_share : float
        Share of the records of a split on which is tested.

    References
    ----------
    Nadeau and Bengio (2003). Inference for the generalization error. doi:10.1023/A:1024068626366

    Examples
    --------
    >>> compute_interval([0.7], 0.1)
    ConfidenceInterval(mean=0.7, low=None, high=None)
    >>> [round(bound, 3) for bound in compute_interval([0.70, 0.72, 0.74], 0.1)]
    [0.72, 0.663, 0.777]
    """
    count, mean = len(values), sum(values) / len(values)
    if count < 2:
        return ConfidenceInterval(mean, None, None)
    from scipy.stats import t  # scikit-learn needs it, and nobody asks without learners

    variance = sum((value - mean) ** 2 for value in values) / (count - 1)
    error = math.sqrt(variance * (1 / count + test_share / (1 - test_share)))
    half = float(t.ppf((1 + CONFIDENCE) / 2, count - 1)) * error
    return ConfidenceInterval(mean, mean - half, mean + half)


def is_known(value: float | None) -> bool:
    """Return whether there is a figure."""
    return value is not None and not math.isnan(value)


def each_of(frame: pd.DataFrame) -> Iterator[Any]:
    """Yield the rows of a frame, with their columns as attributes."""
    return iter(frame.itertuples(index=False))


def summarise_rows(long: pd.DataFrame, test_share: float) -> pd.DataFrame:
    """Return one row for each metric of each cell: its value, or the mean of its splits with what it has dropped by.

    Returns
    -------
    DataFrame
        The columns of a cell, ``kind, metric, learner, unit, direction, value, low, high, drop, drop_low, drop_high``.
        The drop is that from the original records, over the same splits; positive where a release is worse.
    """
    import pandas as pd

    done = long[long["status"] == "done"]
    measured = done[done["kind"] != "utility"]
    parts = [measured[[*CELL, "kind", "metric", "learner", "unit", "direction", "value"]]]
    utility = done[done["kind"] == "utility"]
    before = utility[utility["method"] == ORIGINAL].set_index(["data", "learner", "metric", "split"])["value"]
    keys = [*CELL, "kind", "metric", "learner", "unit", "direction"]
    rows = []
    for key, group in utility.groupby(keys, sort=False, dropna=False):
        said = dict(zip(keys, key, strict=True))
        places = pd.MultiIndex.from_frame(group[["data", "learner", "metric", "split"]])
        drops = before.reindex(places).to_numpy() - group["value"].to_numpy()
        drops = -drops if said["direction"] == "lower" else drops
        value, drop = compute_interval(list(group["value"]), test_share), None
        if not pd.isna(drops).any():
            drop = compute_interval(list(drops), test_share)
        rows.append({**said, "value": value.mean, "low": value.low, "high": value.high, **_format_drop(drop)})
    parts.append(pd.DataFrame(rows))
    columns = [*keys, "value", "low", "high", "drop", "drop_low", "drop_high"]
    return pd.concat([part for part in parts if len(part)] or parts[:1], ignore_index=True).reindex(columns=columns)


def _format_drop(drop: ConfidenceInterval | None) -> dict[str, float | None]:
    return {} if drop is None else {"drop": drop.mean, "drop_low": drop.low, "drop_high": drop.high}


def join_losses_and_drops(summary: pd.DataFrame) -> pd.DataFrame:
    """Return each loss of a cell beside the drop of each score of that cell.

    Returns
    -------
    DataFrame
        The columns of a cell, ``metric, direction, loss, learner, score, drop``.
    """
    losses = summary[summary["kind"] == "loss"].rename(columns={"value": "loss"})
    drops = summary[(summary["kind"] == "utility") & (summary["method"] != ORIGINAL)].dropna(subset=["drop"])
    scores = drops.rename(columns={"metric": "score"})[[*CELL, "learner", "score", "drop"]]
    return losses[[*CELL, "metric", "direction", "loss"]].merge(scores, on=CELL)


def compute_correlations(summary: pd.DataFrame) -> pd.DataFrame:
    """Correlate each loss metric with the drop of each score, over the cells of each data set.

    Returns
    -------
    DataFrame
        ``data, metric, direction, learner, score, cells, pearson, spearman``. Where one of both does not vary there is
        no correlation, and both figures are missing.
    """
    import pandas as pd

    both, rows = join_losses_and_drops(summary), []
    for key, group in both.groupby(["data", "metric", "direction", "learner", "score"], sort=False):
        loss, drop = group["loss"].astype(float), group["drop"].astype(float)
        varies = len(group) > 2 and loss.nunique() > 1 and drop.nunique() > 1
        rows.append(
            (
                *key,
                len(group),
                loss.corr(drop) if varies else None,
                loss.rank().corr(drop.rank()) if varies else None,
            )
        )
    columns = ["data", "metric", "direction", "learner", "score", "cells", "pearson", "spearman"]
    return pd.DataFrame(rows, columns=columns)


# The results of a study: the long table, and what it comes to.


@dataclass(frozen=True, kw_only=True, repr=False)
class Results:
    """The results of a study."""

    name: str
    rows: tuple[ResultRow, ...]
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
        return _add_short_names(frame.astype(numbers).assign(**self.versions))

    @cached_property
    def summary(self) -> pd.DataFrame:
        """A row for each metric of each cell: its value, or the mean over splits with bounds, and the drop."""
        return _add_short_names(summarise_rows(self.to_frame(), self.test_share))

    @cached_property
    def correlations(self) -> pd.DataFrame:
        """How each loss metric goes along with the drop of each score."""
        return compute_correlations(self.summary)

    @property
    def failed(self) -> tuple[ResultRow, ...]:
        """What could not be done, one row for each reason of a cell."""
        seen: dict[tuple[object, ...], ResultRow] = {}
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
            notes.append(f"{format_count(self.unread, 'line')} of cells.jsonl left out: no results of a study")
        return tuple(notes)

    def headline(self) -> str:
        """Return the most important facts in one line."""
        done = sum(row["status"] == "done" for row in self.rows)
        without = f", {format_count(len(self.failed), 'fault')}" if self.failed else ""
        earlier = f" ({self.reused:,} measurements are of an earlier run)" if self.reused else ""
        return f"{format_count(self.cells, 'cell')}, {format_count(done, 'value')}{without}{earlier}"


def _add_short_names(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a table with what each loss metric is called in short."""
    names = frame["metric"]
    short = names.map({name: KEPT_IN_SHORT if name == KEPT else name_in_short(name) for name in names.unique()})
    frame.insert(list(frame.columns).index("metric") + 1, "short", short.where(frame["kind"] == "loss", names))
    return frame
