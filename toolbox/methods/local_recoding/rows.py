"""The combinations as rows of arrays, the lattice nodes that a search visits, and the classes it forms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from toolbox.methods.arrays.combinations import (
    Flags,
    Numbers,
    Reals,
    Whole,
    combinations_of,
    encode_pairs,
    list_level_codes,
)
from toolbox.methods.arrays.models import ClassJudge, Covered
from toolbox.store.tables import Tables

# The people of a population whom classes cover: all who have the classes' intervals at the classes' levels.
#
# Those who have the very combinations of a class's records are a part of them, which costs nothing to count. Only
# where these are too few all others are looked at, and of a large population only for some seconds: after that the
# part counts, by which a class may be held to cover fewer people than it does, and never more.

Keys = NDArray[np.uint64]

_MOST_WORK = 200_000_000
"""Combinations of people that are looked at, in all: about four seconds."""
_PARTS = 3
"""Into how many sums a key is split, each of which serves many classes."""
_MOST_KEPT = 60_000_000
"""Most numbers in the sums that are kept."""


@dataclass
class CoveredPeople:
    """The combinations of a population.

    Parameters
    ----------
    values : list of arrays
        For each quasi-identifier, the rank of the value in each combination.
    sizes : array
        People of each.
    keys : list of lists of arrays
        For each quasi-identifier and level, the number of the interval of each value: drawn at random, so that the sums
        of those of two combinations are the same only where all intervals are.
    """

    values: list[Whole]
    sizes: Numbers
    keys: list[list[Keys]]
    work: int = 0
    """What was looked at already."""
    _sums: dict[tuple[int, ...], Keys] = field(default_factory=dict)

    @property
    def count(self) -> int:
        """Number of people."""
        return int(self.sizes.sum())

    def covered(self, levels: Numbers, values: Sequence[Whole], at_least: Numbers, *, exactly: bool) -> Numbers:
        """Count the people whom classes cover.

        Parameters
        ----------
        levels : array
            The level of each quasi-identifier (axis 0) in each class (axis 1).
        values : sequence of arrays
            For each quasi-identifier, the value of one member of each class.
        at_least : array
            People of whom it is known that a class covers them.
        exactly : bool
            Whether all are counted, however long that takes.
        """
        covered = at_least.copy()
        nodes, of_class = np.unique(levels, axis=1, return_inverse=True)
        order = np.argsort(of_class.ravel(), kind="stable")
        ends = np.cumsum(np.bincount(of_class.ravel(), minlength=nodes.shape[1]))
        for index, classes in enumerate(np.split(order, ends[:-1])):
            if self.work > _MOST_WORK and not exactly:
                break
            node = nodes[:, index].tolist()
            covered[classes] = self._at(node, self._sum_parts(node, [value[classes] for value in values]))
        return covered

    def _at(self, levels: Sequence[int], wanted: Keys) -> Numbers:
        """Count the people who have each of some keys at a node."""
        self.work += len(self.sizes)
        known, places = np.unique(wanted, return_inverse=True)
        own = self._compute_own_keys(levels)
        place = np.minimum(np.searchsorted(known, own), len(known) - 1)
        is_known = known[place] == own
        counted = np.bincount(place[is_known], self.sizes[is_known], len(known)).astype(self.sizes.dtype)
        found: Numbers = counted[places]
        return found

    def _compute_own_keys(self, levels: Sequence[int]) -> Keys:
        """Return the key of each combination at a node, as the sum of parts that are kept."""
        total = np.zeros(len(self.sizes), np.uint64)
        width = -(-len(levels) // _PARTS)
        for start in range(0, len(levels), width):
            part = (start, *levels[start : start + width])
            if part not in self._sums:
                if len(self._sums) * len(self.sizes) > _MOST_KEPT:
                    self._sums.clear()
                columns = slice(start, start + width)
                self._sums[part] = self._sum_parts(levels[columns], self.values[columns], self.keys[columns])
            total += self._sums[part]
        return total

    def _sum_parts(
        self, levels: Sequence[int], values: Sequence[Whole], keys: Sequence[list[Keys]] | None = None
    ) -> Keys:
        total = np.zeros(len(values[0]), np.uint64)
        for key, level, value in zip(keys or self.keys, levels, values, strict=True):
            total += key[level][value]
        return total


def fetch_people(tables: Tables, codes: Sequence[Sequence[Whole]]) -> CoveredPeople | None:
    """Fetch the combinations of the population; None where there is none.

    Parameters
    ----------
    codes : sequence of sequences of arrays
        For each quasi-identifier and level, the interval of each value.
    """
    if tables.population is None:
        return None
    _, sizes, values = combinations_of(tables, tables.population)
    generator = np.random.default_rng(1)
    keys = []
    for column in codes:
        numbers = generator.integers(0, 2**64, 1 + max(int(code.max()) for code in column), np.uint64)
        keys.append([numbers[code] for code in column])
    return CoveredPeople(values, sizes.astype(np.result_type(sizes, np.int64), copy=False), keys)


# The combinations as rows of arrays, and what each of their values becomes.


@dataclass(frozen=True)
class RecodingColumn:
    """One quasi-identifier."""

    codes: list[Whole]
    """At each level, from 0 to that of the root, the interval of each value."""
    counts: Numbers
    """Records of each value."""

    @property
    def height(self) -> int:
        """The level of the root."""
        return len(self.codes) - 1


@dataclass(frozen=True)
class RecodingRows:
    """The initial combinations."""

    combination_ids: Whole
    sizes: Numbers
    """Records of each."""
    values: list[Numbers]
    """The rank of the value in each quasi-identifier."""
    columns: list[RecodingColumn]
    beat: Callable[[], None] = lambda: None
    """Is called at every look at them."""
    people: CoveredPeople | None = None
    """The population, where one is known that is not estimated."""
    same: Numbers | None = None
    """People of the population who have each of the combinations, or for whom its records stand."""

    @property
    def records(self) -> int:
        """Number of records."""
        return int(self.sizes.sum())

    def some(self, which: Numbers) -> RecodingRows:
        """Return the rows of these numbers."""
        values = [value[which] for value in self.values]
        same = None if self.same is None else self.same[which]
        return RecodingRows(
            self.combination_ids[which], self.sizes[which], values, self.columns, self.beat, self.people, same
        )

    def mark_refused(self, judge: ClassJudge, members: Numbers, classes: Numbers, *, exactly: bool = False) -> Flags:
        """Mark the classes that do not satisfy every model.

        Parameters
        ----------
        members : array
            Row numbers; one row may be in several classes.
        classes : array
            The class of each, numbered from 0.
        exactly : bool
            Whether the people whom classes cover are counted however long that takes; see `People`.
        """
        count = int(classes.max(initial=-1)) + 1
        if not judge.asks_people:
            return judge.mark_refused(self.combination_ids[members], self.sizes[members], classes, count)
        assert self.same is not None, "the models ask for a population"
        known = np.bincount(classes, self.same[members], count).astype(self.same.dtype)
        refused = self._refused(judge, members, classes, known)
        if self.people is not None and refused.any():
            # What is known is enough for all others.
            which = refused[classes]
            members, classes = members[which], (np.cumsum(refused) - 1)[classes[which]]
            people = self._count_covered_people(members, classes, known[refused], exactly=exactly)
            refused[refused] = self._refused(judge, members, classes, people)
        return refused

    def _refused(self, judge: ClassJudge, members: Numbers, classes: Numbers, people: Numbers) -> Flags:
        covered = Covered(people, np.zeros_like(people))
        return judge.mark_refused(self.combination_ids[members], self.sizes[members], classes, len(people), covered)

    def _count_covered_people(self, members: Numbers, classes: Numbers, known: Numbers, *, exactly: bool) -> Numbers:
        """Count the people whom classes cover, each at the lowest levels at which its rows agree."""
        assert self.people is not None
        first = members[np.unique(classes, return_index=True)[1]]
        levels = self.find_lowest_levels(members, classes, first)
        return self.people.covered(levels, [value[first] for value in self.values], known, exactly=exactly)

    def find_lowest_levels(self, members: Numbers, classes: Numbers, first: Numbers) -> Numbers:
        """Return the lowest level of each quasi-identifier (axis 0) at which the rows of each class (axis 1) agree.

        Parameters
        ----------
        members : array
            Row numbers; one row may be in several classes.
        classes : array
            The class of each, numbered from 0.
        first : array
            One row of each class.
        """
        levels = np.zeros((len(self.columns), len(first)), np.int64)
        for lowest, column, value in zip(levels, self.columns, self.values, strict=True):
            own, of_first = value[members], value[first]
            for level, code in enumerate(column.codes):
                differs = code[own] != code[of_first][classes]
                lowest[classes[differs]] = level + 1
        return levels

    def histograms(self, levels: Numbers) -> list[Numbers]:
        """Count, for each quasi-identifier, the records of each value (axis 0) at each level (axis 1).

        Parameters
        ----------
        levels : array
            The level of each quasi-identifier (axis 0) in each row (axis 1).
        """
        histograms = []
        for column, value, level in zip(self.columns, self.values, levels, strict=True):
            values, steps = len(column.counts), column.height + 1
            counted = _count_places(encode_pairs(value, level, steps), self.sizes, values * steps)
            histograms.append(counted.reshape(values, steps))
        return histograms


def fetch_rows(tables: Tables, beat: Callable[[], None] = lambda: None) -> RecodingRows:
    """Fetch the combinations of a table, and what their values become."""
    ids, sizes, ranks = combinations_of(tables)
    # In eight bytes, because arrays are looked up by these numbers again and again.
    records: Numbers = sizes.astype(np.int64, copy=False)
    values = [rank.astype(np.int64) for rank in ranks]
    columns = [
        RecodingColumn(
            list_level_codes(tables, quasi_identifier), _count_places(value, records, quasi_identifier.values)
        )
        for quasi_identifier, value in zip(tables.quasi_identifiers, values, strict=True)
    ]
    people = fetch_people(tables, [column.codes for column in columns])
    same = None
    if people is not None:
        alone = np.zeros((len(columns), len(ids)), np.int64)
        same = people.covered(alone, values, np.zeros(len(ids), people.sizes.dtype), exactly=True)
        assert tables.population is not None
        if tables.population.is_estimated:
            # Each record stands for people in its own class, and in no other.
            people = None
    return RecodingRows(ids, records, values, columns, beat, people, same)


def _count_places(places: Numbers, sizes: Numbers, length: int) -> Numbers:
    counted: Numbers = np.bincount(places, sizes, length).astype(np.int64)
    return counted


# Classes of combinations, formed by any search: the levels to which their rows are generalised.


# The nodes of the generalisation lattice that the search visits: all of them, or the most different ones.

Nodes = NDArray[np.int8]
"""Levels of each quasi-identifier (axis 1) at each node (axis 0)."""


def compute_node_prices(nodes: Nodes, averages: list[Reals]) -> Reals:
    """Return what a record pays on average at each node, given what it pays at each level."""
    paid = np.zeros(len(nodes))
    for index, average in enumerate(averages):
        paid += average[nodes[:, index]]
    return paid
