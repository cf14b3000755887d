"""Measure what releases without classes hide: (k,k)-anonymity and k-concealment on Adult, beside a release by classes.

    python scripts/reproduce_matching.py ../shared

The folder is that of the real data. The attacker knows all people and takes all assignments of one row to each person
as equally likely, as `toolbox risk --matching` does. docs/k_concealment.md has what comes out.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from adult_experiments import COLUMNS, Adult
from matching_releases import Numbers, People, concealed, covering, fitting

import toolbox
from toolbox.risks.sensitive import LEVELS

K = 5
ROUNDS = 25
"""Updates of the prices of the concealed release: after that it keeps little more."""


@dataclass(frozen=True)
class Row:
    """What an attacker learns from one release."""

    name: str
    fewest: int
    """Rows that the person with the fewest fits."""
    below_k: int
    """People for whom fewer than k rows remain."""
    with_one: int
    believed: int
    """People of whom one row is believed to be theirs more strongly than .9."""
    right: float | None
    """Share of people whose row is guessed."""


def release_of(adult: Adult, levels: Numbers) -> pd.DataFrame:
    """Write a release: of each column and person the label of a level."""
    columns = {}
    for name, level in zip(COLUMNS, levels, strict=True):
        labels = pd.DataFrame(adult.hierarchies[name]).set_index(0, drop=False).loc[adult.records[name]].to_numpy()
        columns[name] = labels[np.arange(len(labels)), level]
    return pd.DataFrame(columns)


def measured(adult: Adult, name: str, levels: Numbers, without: Numbers | None = None) -> Row:
    """Match everybody with the rows of a release.

    Parameters
    ----------
    levels : array of int (column, person)
    without : array of int, optional
        People who have told which row is theirs.
    """
    kept = np.ones(levels.shape[1], dtype=bool)
    kept[[] if without is None else without] = False
    report = toolbox.risk(
        release_of(adult, levels)[kept].reset_index(drop=True),
        quasi_identifiers=COLUMNS,
        original=adult.records[kept].reset_index(drop=True),
        hierarchies=adult.hierarchies,
        kinds={"age": "category"},
        matching=True,
        k=K,
    )
    assert report.matching is not None
    assert report.risk.consistency is not None
    found = report.matching.beliefs
    assert found is not None, "everybody has a row of their own"
    believed = dict(found.believed_above)[LEVELS[-1]]
    fewest = report.risk.consistency.lowest
    return Row(name, fewest, found.matchable_below_k, found.matchable_with_one, believed, found.right_guesses)


def by_classes(adult: Adult) -> Numbers:
    """Release by classes with a method of the toolbox."""
    result = toolbox.anonymize(
        adult.records,
        quasi_identifiers=COLUMNS,
        hierarchies=adult.hierarchies,
        kinds={"age": "category"},
        method="LocalRecoding",
        order="input",
        k=K,
    )
    return adult.levels(result.release)


def rows(adult: Adult) -> Iterator[Row]:
    """Make each release and measure it."""
    people = People(adult.codes)
    yield measured(adult, "by classes", by_classes(adult))
    cheapest = covering(people, K)
    yield measured(adult, "(k,1): each row covers k", cheapest[:, people.which])
    yield measured(adult, "(k,k)", fitting(people, cheapest, K))
    levels, owners = concealed(people, covering(people, K, rounds=ROUNDS), K)
    yield measured(adult, "k-concealed on both sides", levels)
    yield measured(adult, f"the same, when {len(owners)} have told", levels, without=owners)


def line(row: Row) -> str:
    """Write a row of the table."""
    right = "" if row.right is None else f"{row.right:.3f}"
    return f"{row.name:32}{row.fewest:>9,}{row.below_k:>9,}{row.with_one:>9,}{row.believed:>9,}{right:>9}"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="the folder with data and fixtures")
    adult = Adult(parser.parse_args().folder)
    print(f"{'release':32}{'fits':>9}{'below k':>9}{'one':>9}{'above .9':>9}{'right':>9}")
    for row in rows(adult):
        print(line(row), flush=True)


if __name__ == "__main__":
    main()
