"""The four published experiments on Adult: records, hierarchies, priorities, and what was recorded of them."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

COLUMNS = (
    "sex",
    "salary-class",
    "race",
    "workclass",
    "marital-status",
    "occupation",
    "education",
    "native-country",
    "age",
)
"""The quasi-identifiers in the order of the published releases, which decides between equals."""
EXPERIMENTS = (1, 2, 3, 4)
SIZES = tuple(range(2, 11))


def normal(text: str) -> str:
    """Write a label as the published releases do, with dashes for blanks."""
    return text.replace(" ", "-")


@dataclass(frozen=True)
class Adult:
    """The data set, and the folder with what was recorded."""

    folder: Path
    """With ``data`` and ``fixtures``."""

    @cached_property
    def records(self) -> pd.DataFrame:
        """All 30,162 records, as texts."""
        return pd.read_csv(self.folder / "data" / "adult.csv", sep=";", dtype=str)[list(COLUMNS)]

    @cached_property
    def hierarchies(self) -> dict[str, list[list[str]]]:
        """Of each column the rows of its hierarchy: a value, then its generalisations."""
        return {name: self._hierarchy(name) for name in COLUMNS}

    def _hierarchy(self, name: str) -> list[list[str]]:
        path = self.folder / "data" / "adult_hierarchies" / f"adult_hierarchy_{name}.csv"
        with path.open(encoding="utf-8", newline="") as file:
            return list(csv.reader(file, delimiter=";"))

    def priorities(self, experiment: int) -> dict[str, int]:
        """Return the rank of each column, 1 the most important."""
        recorded = self.recorded("priorities_weights")
        mine = recorded[recorded.experiment == experiment]
        return {str(name): int(rank) for name, rank in zip(mine.attribute, mine.priority, strict=True)}

    def weights(self, experiment: int) -> NDArray[np.float64]:
        """Return the weight of each column as the experiments gave it to ARX."""
        ranks = self.priorities(experiment)
        highest = max(ranks.values())
        return np.array([(highest - ranks[name] + 1) / highest for name in COLUMNS])

    def recorded(self, name: str) -> pd.DataFrame:
        """Read one of the recorded tables."""
        return pd.read_csv(self.folder / "fixtures" / "prioprivacy" / f"{name}.csv")

    def published_release(self, experiment: int, method: str) -> pd.DataFrame:
        """Read a recorded release at k=5: of ``prioprivacy`` or ``arx_nue``, experiments 1 to 3."""
        name = f"exp{experiment}_{method}_k5.csv.gz"
        path = self.folder / "fixtures" / "prioprivacy" / "releases" / name
        return pd.read_csv(path, sep=";", dtype=str)[list(COLUMNS)]

    @cached_property
    def codes(self) -> list[list[NDArray[np.int64]]]:
        """Of each column, at each of its levels, what every record is there, as a number."""
        return [self._codes(name) for name in COLUMNS]

    def _codes(self, name: str) -> list[NDArray[np.int64]]:
        labels = pd.DataFrame(self.hierarchies[name]).set_index(0, drop=False).loc[self.records[name]]
        return [pd.factorize(labels[level])[0].astype(np.int64) for level in labels]

    def levels(self, release: pd.DataFrame) -> NDArray[np.int64]:
        """Find the level of every cell (column, record); a text that stands for several levels is at the lowest.

        Raises
        ------
        ValueError
            If a cell is no generalisation of its original.
        """
        return np.stack([self._levels(name, release[name].astype(str).tolist()) for name in COLUMNS])

    def _levels(self, name: str, cells: Sequence[str]) -> NDArray[np.int64]:
        known: dict[tuple[str, str], int] = {}
        for value, *labels in self.hierarchies[name]:
            for level, label in enumerate((value, *labels)):
                known.setdefault((value, normal(label)), level)
        pairs = pd.DataFrame({"value": self.records[name].to_numpy(), "cell": [normal(cell) for cell in cells]})
        levels = [known.get(pair, -1) for pair in zip(pairs.value, pairs.cell, strict=True)]
        if min(levels) < 0:
            raise ValueError(f"record {levels.index(-1) + 1}: the released {name} is no generalisation of the original")
        return np.array(levels)
