"""Sample known populations, and compare how many people are alone in them with what is estimated from the samples.

    python scripts/sample_populations.py FILE:NAMES .. --draws 100

Each FILE is a population, and NAMES are its quasi-identifiers between commas. The table shows for each sampling
fraction the truth, and of each model the mean of its estimates, how far the estimates are from the truth (the root of
the mean square), and how many samples it does not fit.
"""

from __future__ import annotations

import argparse
import math
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from toolbox.published.uniqueness import EstimatedUniqueness, estimate_population_uniqueness

FRACTIONS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.4)
MODELS = ("pitman", "zayatz", "snb", "dankar")


def number_classes(path: str, names: Sequence[str]) -> NDArray[np.int64]:
    """Return for each person of a file the number of the class."""
    table = pd.read_csv(path, sep=None, engine="python", dtype=str, keep_default_na=False)
    return np.asarray(table.groupby(list(names), sort=False).ngroup(), dtype=np.int64)


def list_estimates(
    classes: NDArray[np.int64], fraction: float, draws: int, random: np.random.Generator
) -> Iterator[EstimatedUniqueness]:
    """Yield what each of some samples without replacement estimates."""
    for _ in range(draws):
        drawn = random.choice(classes, round(len(classes) * fraction), replace=False)
        sizes = Counter(np.bincount(drawn).tolist())
        yield estimate_population_uniqueness(
            [(size, count) for size, count in sorted(sizes.items()) if size], len(drawn) / len(classes)
        )


def find_true_share(classes: NDArray[np.int64]) -> float:
    """Return the share of the people who are alone."""
    return float(np.count_nonzero(np.bincount(classes) == 1)) / len(classes)


def summarise(estimates: Sequence[EstimatedUniqueness], model: str, truth: float) -> str:
    """Return the mean and the error of one model, in percent of the population."""
    shares = [share for one in estimates if (share := getattr(one, model)) is not None]
    lacking = len(estimates) - len(shares)
    if not shares:
        return "no estimate"
    error = math.sqrt(sum((share - truth) ** 2 for share in shares) / len(shares))
    return f"{sum(shares) / len(shares):.2%} (± {error:.2%})" + (f", none in {lacking}" if lacking else "")


def main() -> None:
    """Print a table for the populations of the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("populations", nargs="+", metavar="FILE:NAMES")
    parser.add_argument("--draws", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print("| population | alone | sample | Pitman | Zayatz | SNB | Dankar's rule |\n|---|---|---|---|---|---|---|")
    for population in options.populations:
        path, _, names = population.rpartition(":")
        classes, random = number_classes(path, names.split(",")), np.random.default_rng(options.seed)
        truth = find_true_share(classes)
        for fraction in FRACTIONS:
            estimates = list(list_estimates(classes, fraction, options.draws, random))
            cells = " | ".join(summarise(estimates, model, truth) for model in MODELS)
            print(f"| {path.rpartition('/')[2]}: {names} | {truth:.2%} | {fraction:.0%} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
