"""The data cube: the frequency sets of all subsets of the quasi-identifiers, before anything is generalised further.

References
----------
LeFevre, DeWitt and Ramakrishnan (2005). Incognito: efficient full-domain k-anonymity. doi:10.1145/1066157.1066164;
section 3.3.2.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from toolbox.methods.lattice.frequency_sets import FrequencySets, of_combinations
from toolbox.methods.lattice.nodes import Levels, Subset, subsets_of_size
from toolbox.store.tables import Tables

_BATCH = 3_000_000
"""Rows of the cube whose nodes are searched together; bounds the memory of a search."""


class Cell(NamedTuple):
    """The place of a subset in the cube."""

    number: int
    """Its node, among the frequency sets of all subsets of its size."""
    classes: int


class Cube:
    """Frequency sets at the lowest levels, for every subset of at least two quasi-identifiers.

    The lowest levels are those that each quasi-identifier needs by itself: no node below them satisfies the models.
    Each subset is made from the one with fewest classes among those that have one quasi-identifier more.

    Parameters
    ----------
    tables : Tables
    lowest : tuple of int
        One level for each quasi-identifier.
    attributes : sequence of str or None
        The sensitive attributes that are judged.
    """

    def __init__(self, tables: Tables, lowest: Levels, attributes: Sequence[str | None]) -> None:
        everything = tuple(range(len(lowest)))
        whole = of_combinations(tables, everything, lowest, attributes)
        self._sets = {len(lowest): whole}
        self._cells = {everything: Cell(0, whole.class_counts()[0])}
        for size in range(len(lowest) - 1, 1, -1):
            self._project(size)

    def _project(self, size: int) -> None:
        """Make the frequency sets of all subsets of a size."""
        larger = self._sets[size + 1]
        count = len(larger.packing.places)
        plan: list[tuple[int, int, int]] = []
        subsets = subsets_of_size(count, size)
        for number, subset in enumerate(subsets):
            outside = [place for place in range(count) if place not in subset]
            place = min(outside, key=lambda one: self._cells[tuple(sorted((*subset, one)))].classes)
            plan.append((self._cells[tuple(sorted((*subset, place)))].number, number, place))
        made = larger.created(larger.left_out(plan))
        classes = made.class_counts()
        self._sets[size] = made
        self._cells |= {subset: Cell(number, classes[number]) for number, subset in enumerate(subsets)}

    def of_size(self, size: int) -> FrequencySets:
        """Return the frequency sets of all subsets of a size."""
        return self._sets[size]

    def number(self, subset: Subset) -> int:
        """Return the node of a subset among those of its size."""
        return self._cells[subset].number

    def batches(self, subsets: Sequence[Subset]) -> Iterator[list[Subset]]:
        """Divide subsets into groups that are small enough to be searched together."""
        batch: list[Subset] = []
        rows = 0
        for subset in subsets:
            if batch and rows + self._cells[subset].classes > _BATCH:
                yield batch
                batch, rows = [], 0
            batch.append(subset)
            rows += self._cells[subset].classes
        if batch:
            yield batch

    def drop(self, size: int) -> None:
        """Forget the frequency sets of a size."""
        self._sets.pop(size).drop()
