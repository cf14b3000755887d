"""Judge every node of the generalisation lattice of Adult, and compare Incognito's minimal nodes with it.

    python scripts/exhaustive_lattice.py --data ../shared

The folder holds data/adult.csv and data/adult_hierarchies, one file per quasi-identifier, as ARX ships them. The nodes,
12,960 with nine quasi-identifiers, are judged with numpy alone; only afterwards the toolbox runs. Ends with status 1
if the two disagree.
"""

from __future__ import annotations

import argparse
import csv
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import toolbox

Integers = NDArray[np.int64]
Levels = tuple[int, ...]
Judge = Callable[[Integers], NDArray[np.bool_]]
"""Of a histogram, one row per class and one column per sensitive value, the classes that violate the model."""

SENSITIVE = "occupation"
EIGHT = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass", "salary-class"]
TOLERANCE = 1e-12
MOST_SHOWN = 30
"""Minimal nodes that are printed, those with most classes first."""


def smaller_than_5(histogram: Integers) -> NDArray[np.bool_]:
    violates: NDArray[np.bool_] = histogram.sum(axis=1) < 5
    return violates


def below_entropy_of_3(histogram: Integers) -> NDArray[np.bool_]:
    size = histogram.sum(axis=1)
    logarithms = np.log(np.where(histogram > 0, histogram, 1))
    entropy = np.log(size) - (histogram * logarithms).sum(axis=1) / size
    violates: NDArray[np.bool_] = entropy < np.log(3) * (1 - TOLERANCE)
    return violates


def further_than_a_fifth(histogram: Integers) -> NDArray[np.bool_]:
    overall = histogram.sum(axis=0) / histogram.sum()
    shares = histogram / histogram.sum(axis=1, keepdims=True)
    violates: NDArray[np.bool_] = np.abs(shares - overall).sum(axis=1) / 2 > 0.2 * (1 + TOLERANCE)
    return violates


@dataclass(frozen=True, kw_only=True)
class Search:
    """One requirement, for the exhaustive search and for the toolbox."""

    name: str
    quasi_identifiers: Sequence[str]
    judge: Judge
    threshold: int = 0
    """Most records in violating classes."""
    options: dict[str, Any] = field(default_factory=dict)


NINE = [*EIGHT, SENSITIVE]
PROTECTED: dict[str, Any] = {"sensitive": [SENSITIVE]}
SEARCHES = (
    Search(
        name="k = 5, nobody suppressed",
        quasi_identifiers=NINE,
        judge=smaller_than_5,
        options={"method": "Incognito_k", "k": 5, "suppression_threshold": 0},
    ),
    Search(
        name="k = 5, 603 records suppressed",
        quasi_identifiers=NINE,
        judge=smaller_than_5,
        threshold=603,
        options={"method": "Incognito_k", "k": 5, "suppression_threshold": 603},
    ),
    Search(
        name="entropy l = 3 of occupation",
        quasi_identifiers=EIGHT,
        judge=below_entropy_of_3,
        options=PROTECTED | {"method": "Incognito_l", "l": 3},
    ),
    Search(
        name="t = 0.2 of occupation",
        quasi_identifiers=EIGHT,
        judge=further_than_a_fifth,
        options=PROTECTED | {"method": "Incognito_t", "t": 0.2},
    ),
)


@dataclass(frozen=True)
class Adult:
    """The table, and where the hierarchies of its columns lie."""

    frame: pd.DataFrame
    files: dict[str, Path]

    def at_every_level(self, name: str) -> list[Integers]:
        """Return what each record shows in a column as numbers, once for each level."""
        with self.files[name].open(encoding="utf-8", newline="") as file:
            paths = {row[0]: row for row in csv.reader(file, delimiter=";")}
        shown = zip(*(paths[value] for value in self.frame[name]), strict=True)
        return [number(labels) for labels in shown]


def read_adult(folder: Path) -> Adult:
    frame = pd.read_csv(folder / "data" / "adult.csv", sep=";", dtype=str, keep_default_na=False)
    files = {name: folder / "data" / "adult_hierarchies" / f"adult_hierarchy_{name}.csv" for name in NINE}
    return Adult(frame, files)


def number(labels: Sequence[str]) -> Integers:
    return np.unique(np.asarray(labels), return_inverse=True)[1].astype(np.int64)


def judge_every_node(adult: Adult, search: Search) -> dict[Levels, int]:
    """Return the satisfying nodes, each with its number of classes."""
    columns = [adult.at_every_level(name) for name in search.quasi_identifiers]
    values = number(adult.frame[SENSITIVE].tolist()) if "sensitive" in search.options else np.zeros_like(columns[0][0])
    width = int(values.max()) + 1
    satisfying = {}
    for levels, keys in nodes(columns):
        classes, member_of = np.unique(keys, return_inverse=True)
        counted = np.bincount(member_of * width + values, minlength=len(classes) * width)
        histogram = counted.reshape(-1, width)
        if histogram[search.judge(histogram)].sum() <= search.threshold:
            satisfying[levels] = len(classes)
    return satisfying


def nodes(columns: Sequence[Sequence[Integers]]) -> Iterator[tuple[Levels, Integers]]:
    """Go through all nodes; each comes with one key per record, in which the columns are the digits."""
    if not columns:
        yield (), np.zeros(1, dtype=np.int64)
        return
    *rest, last = columns
    for levels, keys in nodes(rest):
        for level, codes in enumerate(last):
            yield (*levels, level), keys * (codes.max() + 1) + codes


def minimal(satisfying: dict[Levels, int]) -> dict[Levels, int]:
    """Return the nodes that lie above no other; nothing is assumed about the nodes in between."""
    shape = np.max(list(satisfying), axis=0) + 1
    marked = np.zeros(shape, dtype=bool)
    marked[tuple(np.transpose(list(satisfying)))] = True
    reached = marked
    for axis in range(marked.ndim):
        reached = np.logical_or.accumulate(reached, axis=axis)
    above = np.zeros_like(marked)
    for axis in range(marked.ndim):
        higher, lower = np.moveaxis(above, axis, 0), np.moveaxis(reached, axis, 0)
        higher[1:] |= lower[:-1]
    return {levels: classes for levels, classes in satisfying.items() if not above[levels]}


def minimal_of_the_toolbox(adult: Adult, search: Search) -> dict[Levels, int]:
    names = list(search.quasi_identifiers)
    files = {name: adult.files[name] for name in names}
    result = toolbox.anonymize(adult.frame, quasi_identifiers=names, hierarchies=files, **search.options)
    return {tuple(node.levels): node.classes for node in result.summary.minimal_nodes}


def compare(adult: Adult, search: Search) -> bool:
    """Print what both find; return whether it is the same."""
    started = time.process_time()
    satisfying = judge_every_node(adult, search)
    expected = minimal(satisfying)
    judged = time.process_time()
    ours = minimal_of_the_toolbox(adult, search)
    finished = time.process_time()
    print(f"{search.name}, {len(search.quasi_identifiers)} quasi-identifiers")
    print(f"  every node  {judged - started:6.1f} CPU s: {len(satisfying):,} satisfy, {len(expected)} of them minimal")
    print(f"  Incognito   {finished - judged:6.1f} CPU s: {len(ours)} minimal")
    by_classes = sorted(expected.items(), key=lambda node: -node[1])
    for levels, classes in by_classes[:MOST_SHOWN]:
        print(f"    {' '.join(map(str, levels))}  {classes:,} classes")
    if len(expected) > MOST_SHOWN:
        print(f"    and {len(expected) - MOST_SHOWN} more")
    for levels in sorted(dict(expected.items() ^ ours.items())):
        print(
            f"    {' '.join(map(str, levels))}  has {expected.get(levels)} classes, Incognito says {ours.get(levels)}"
        )
    agreed = ours == expected
    print("  they agree" if agreed else "  THEY DISAGREE", flush=True)
    return agreed


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Compare Incognito with judging every node of the lattice of Adult.")
    beside = Path(__file__).resolve().parents[2] / "shared"
    folder = Path(os.environ.get("TOOLBOX_DATA", beside))
    parser.add_argument("--data", type=Path, default=folder, metavar="FOLDER", help="with data/ (default: %(default)s)")
    parser.add_argument("--only", default="", metavar="TEXT", help="searches whose names contain it, such as 'l ='")
    options = parser.parse_args(arguments)
    if not (options.data / "data" / "adult.csv").is_file():
        parser.error(
            f"There is no {options.data / 'data' / 'adult.csv'}. Name the folder with --data or $TOOLBOX_DATA."
        )
    adult = read_adult(options.data)
    agreed = [compare(adult, search) for search in SEARCHES if options.only in search.name]
    if not agreed:
        parser.error(f"No search is called {options.only!r}: {'; '.join(search.name for search in SEARCHES)}.")
    return 0 if all(agreed) else 1


if __name__ == "__main__":
    sys.exit(main())
