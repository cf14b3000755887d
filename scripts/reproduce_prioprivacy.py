"""Repeat the experiments of the PrioPrivacy paper: the table of its 36 points, and its Figures 1 and 2.

    python scripts/reproduce_prioprivacy.py ../shared --figures figures --table points.csv

The folder is that of the real data, with ``data`` and ``fixtures``. Beside what was published stand the methods of the
toolbox: ``PrioPrivacy`` with the suppression of the paper (a plan which nobody proved; as a release it is refused) and
with its own, and ``LocalRecoding`` where it is installed. Each with the people who have fewer than k released records
that could be theirs, and the CPU seconds that it took.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
from adult_experiments import COLUMNS, EXPERIMENTS, SIZES, Adult
from numpy.typing import NDArray
from prioprivacy_plot import plot_attributes, plot_datasets
from published_entropy import consistent, quality

import toolbox
from toolbox.methods.anonymizer import list_installed_methods
from toolbox.methods.arrays.memory import compute_weights, rank_by_importance
from toolbox.methods.prioprivacy.search import _PrioCombinations, list_rounds, search

RECORDED = {"published": "prioprivacy", "ARX": "arx_nue"}
"""What was published, by the names in the recorded tables."""
REPRODUCED, STRICT, LOCAL = "reproduced", "PrioPrivacy", "LocalRecoding"
Levels = NDArray[np.int64]


@dataclass(frozen=True)
class Point:
    """One release, measured."""

    experiment: int
    k: int
    method: str
    nue: float
    """Of the data set, as published."""
    weighted: float
    """Mean of the attributes, by the weights of the experiment."""
    attributes: tuple[float, ...]
    below: int | None = None
    """People with fewer than k consistent records; None where there is no release to count in."""
    starred: int | None = None
    seconds: float | None = None


def recorded_points(adult: Adult) -> list[Point]:
    """Read the published values of PrioPrivacy and of ARX."""
    attributes = adult.recorded("attribute_level_quality")
    datasets = adult.recorded("dataset_level_quality")
    points = []
    for experiment, k, (method, name) in product(EXPERIMENTS, SIZES, RECORDED.items()):
        kept = [_of(recorded, experiment, k, name) for recorded in (datasets, attributes)]
        by_name = kept[1].set_index("attribute").nue
        losses, weights = by_name.loc[list(COLUMNS)].to_numpy(float), adult.weights(experiment)
        nue = float(kept[0].nue.to_numpy(float)[0])
        points.append(Point(experiment, k, method, nue, float((losses * weights).sum() / weights.sum()), tuple(losses)))
    return points


def _of(recorded: pd.DataFrame, experiment: int, k: int, method: str) -> pd.DataFrame:
    return recorded[(recorded.experiment == experiment) & (recorded.k == k) & (recorded.method == method)]


def reproduced(adult: Adult, experiment: int, k: int) -> Levels:
    """Search with the suppression of the paper. Nobody proves what comes out: it is not for release."""
    ground = np.stack([levels[0] for levels in adult.codes])
    _, first, combination, sizes = np.unique(ground, axis=1, return_index=True, return_inverse=True, return_counts=True)
    priorities = adult.priorities(experiment)
    ranks = rank_by_importance([priorities[name] for name in COLUMNS])
    codes = [[values[first] for values in levels] for levels in adult.codes]
    weights = np.array(compute_weights(ranks, [None] * len(ranks)))
    state = search(_PrioCombinations(sizes, codes, list_rounds(ranks), weights), k, published=True)
    return state.levels[:, combination.ravel()].astype(np.int64)


def released(adult: Adult, experiment: int, k: int, method: str) -> Levels:
    """Release with a method of the toolbox, and read the release as anybody would."""
    result = toolbox.anonymize(
        adult.records,
        quasi_identifiers=COLUMNS,
        hierarchies=adult.hierarchies,
        kinds={"age": "category"},
        priorities=adult.priorities(experiment),
        method=method,
        order="input",
        k=k,
    )
    return adult.levels(result.release)


def measured(adult: Adult, experiment: int, k: int, method: str) -> Point:
    """Make a release and measure it."""
    began = time.process_time()
    levels = reproduced(adult, experiment, k) if method == REPRODUCED else released(adult, experiment, k, method)
    seconds = time.process_time() - began
    lost, weights = quality(adult.codes, levels), adult.weights(experiment)
    return Point(
        experiment,
        k,
        method,
        lost.dataset,
        float((lost.attributes * weights).sum() / weights.sum()),
        tuple(map(float, lost.attributes)),
        int((consistent(adult.codes, levels) < k).sum()),
        int(sum((of == len(codes) - 1).sum() for of, codes in zip(levels, adult.codes, strict=True))),
        seconds,
    )


def table(points: Sequence[Point]) -> str:
    """Write a line for each experiment and k."""
    methods = list(dict.fromkeys(point.method for point in points))
    by_case = {(point.experiment, point.k, point.method): point for point in points}
    heads = [f"{method:>24}" if _counts(method) else f"{method:>10}" for method in methods]
    lines = ["exp  k" + "".join(heads), "      " + "".join(_second_head(method) for method in methods)]
    for experiment, k in dict.fromkeys((point.experiment, point.k) for point in points):
        lines.append(f"{experiment:3}{k:3}" + "".join(_cells(by_case[experiment, k, method]) for method in methods))
    return "\n".join(lines)


def _counts(method: str) -> bool:
    return method not in RECORDED


def _second_head(method: str) -> str:
    return f"{'NUE':>10}{'below k':>8}{'s':>6}" if _counts(method) else f"{'NUE':>10}"


def _cells(point: Point) -> str:
    nue = f"{point.nue:10.4f}"
    return nue if point.below is None else f"{nue}{point.below:8,}{point.seconds:6.1f}"


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="the folder with data and fixtures")
    parser.add_argument("--experiment", type=int, nargs="+", default=EXPERIMENTS, choices=EXPERIMENTS)
    parser.add_argument("-k", type=int, nargs="+", default=SIZES, choices=SIZES)
    parser.add_argument("--table", type=Path, help="also write all figures to this CSV file")
    parser.add_argument("--figures", type=Path, help="draw Figures 1 and 2 into this folder")
    options = parser.parse_args()
    adult = Adult(options.folder)
    chosen = [(experiment, k) for experiment in options.experiment for k in options.k]
    points = [point for point in recorded_points(adult) if (point.experiment, point.k) in chosen]
    methods = [STRICT, *([LOCAL] if LOCAL.lower() in list_installed_methods() else [])]
    for experiment, k in chosen:
        points.append(measured(adult, experiment, k, REPRODUCED))
        points += [measured(adult, experiment, k, name) for name in methods]
    print(table(points))
    if options.table is not None:
        columns = [{**asdict(point), **dict(zip(COLUMNS, point.attributes, strict=True))} for point in points]
        pd.DataFrame(columns).drop(columns="attributes").to_csv(options.table, index=False)
    if options.figures is not None:
        options.figures.mkdir(parents=True, exist_ok=True)
        plot_datasets(points, options.figures / "prioprivacy_figure_1.svg")
        ranks = adult.priorities(1)
        plot_attributes(
            points, sorted(COLUMNS, key=ranks.__getitem__), COLUMNS, options.figures / "prioprivacy_figure_2.svg"
        )


if __name__ == "__main__":
    main()
