"""The quality of PrioPrivacy's releases of Adult beside what was recorded: figures 1 and 2, and all else."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from adult_experiments import COLUMNS, Adult, normal
from reproduce_prioprivacy import reproduced

import toolbox
from reproductions.frame import Number

METHOD, ARX = "prioprivacy", "arx_nue"
NAMES = {METHOD: "PrioPrivacy", ARX: "ARX"}
"""What the recorded tables call the two programs."""
NUE = "non-uniform entropy"
QUALITY = {
    NUE: "nue",
    "granularity": "granularity",
    "generalisation intensity": "gen_intensity",
    "discernibility (ARX)": "discernibility",
    "average class size (ARX)": "avg_class_size",
}
"""What the toolbox calls a metric, and how the recorded tables of data sets call it."""
RECORDED_AT = 5
"""Releases were recorded for this k, of experiments 1 to 3."""
NO_RELEASE = (
    "of ARX only the releases of experiments 1 to 3 at k = 5 are at hand: elsewhere there is nothing to measure."
)
DECLARED: Mapping[str, Any] = {"quasi_identifiers": COLUMNS, "kinds": {"age": "category"}}


class Measured(NamedTuple):
    """A release, measured."""

    losses: toolbox.LossReport
    seconds: float
    """CPU time of the search."""


Points = Mapping[tuple[int, int], Measured]
"""By experiment and k."""


def searched(adult: Adult, experiment: int, k: int) -> Measured:
    """Search as published, write the release, and measure it."""
    began = time.process_time()
    levels = reproduced(adult, experiment, k)
    seconds = time.process_time() - began
    shown = {name: _labels(adult, name, levels[place]) for place, name in enumerate(COLUMNS)}
    return Measured(_losses(adult.records, pd.DataFrame(shown), adult.hierarchies), seconds)


def _labels(adult: Adult, name: str, levels: np.ndarray) -> list[str]:
    rows = {row[0]: row for row in adult.hierarchies[name]}
    return [rows[value][level] for value, level in zip(adult.records[name], levels, strict=True)]


def _losses(records: pd.DataFrame, release: pd.DataFrame, trees: Mapping[str, Any]) -> toolbox.LossReport:
    return toolbox.measure(records, release, hierarchies=trees, **DECLARED)


def dashed(adult: Adult) -> dict[str, list[list[str]]]:
    """Write the hierarchies as the published releases write labels."""
    return {name: [[normal(label) for label in row] for row in rows] for name, rows in adult.hierarchies.items()}


def _recorded(adult: Adult, table: str, experiment: int, k: int, method: str) -> pd.DataFrame:
    of = adult.recorded(table)
    return of[(of.experiment == experiment) & (of.k == k) & (of.method == method)]


def nue(adult: Adult, experiment: int, k: int, method: str) -> float:
    return float(_recorded(adult, "dataset_level_quality", experiment, k, method).nue.iloc[0])


def data_sets(adult: Adult, points: Points) -> Iterator[Number]:
    trees, records = dashed(adult), adult.records.map(normal)
    for experiment, k in points:
        ours = points[experiment, k].losses.value(NUE)
        yield _number(k, f"{NAMES[METHOD]} {experiment}", nue(adult, experiment, k, METHOD), ours)
        theirs: float | None = None
        if k == RECORDED_AT and experiment <= 3:
            theirs = _losses(records, adult.published_release(experiment, ARX), trees).value(NUE)
        yield _number(k, f"{NAMES[ARX]} {experiment}", nue(adult, experiment, k, ARX), theirs)


def _number(k: int, column: str, published: float, ours: float | None) -> Number:
    return Number(f"k = {k}", column, published, ours, within=1e-9, why=NO_RELEASE if ours is None else "", digits=3)


def attributes(adult: Adult, points: Points) -> Iterator[Number]:
    ranks = adult.priorities(1)
    for k in [k for experiment, k in points if experiment == 1]:
        published = _recorded(adult, "attribute_level_quality", 1, k, METHOD).set_index("attribute").nue
        for name in sorted(COLUMNS, key=ranks.__getitem__):
            yield _number(k, name, float(published[name]), points[1, k].losses.value(NUE, name))


def all_recorded(adult: Adult, points: Points) -> Iterator[Number]:
    """Count the values that are equal: one of each data set, and of three metrics one of each attribute."""
    for name, column in QUALITY.items():
        found = [one.losses.value(name) for one in points.values()]
        published = [_recorded(adult, "dataset_level_quality", *point, METHOD)[column].iloc[0] for point in points]
        yield Number(f"{name}, data sets", "equal", len(found), _equal(published, found))
    for name, column in list(QUALITY.items())[:3]:
        found, published = [], []
        for point, one in points.items():
            of = _recorded(adult, "attribute_level_quality", *point, METHOD).set_index("attribute")[column]
            published += [of[attribute] for attribute in COLUMNS]
            found += [one.losses.value(name, attribute) for attribute in COLUMNS]
        yield Number(f"{name}, attributes", "equal", len(found), _equal(published, found))


def _equal(some: Sequence[float], others: Sequence[float]) -> int:
    return int(np.isclose(some, others, rtol=0, atol=1e-9).sum())
