"""The combinations as rows of arrays, and what each of their values becomes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from toolbox.methods.arrays.codes import codes_of
from toolbox.methods.arrays.combinations import combinations_of
from toolbox.methods.arrays.grouping import paired
from toolbox.methods.arrays.judging import Covered, Judge
from toolbox.methods.arrays.types import Flags, Numbers, Whole
from toolbox.methods.local_recoding.people import People, people_of
from toolbox.store.tables import Tables


@dataclass(frozen=True)
class Column:
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
class Rows:
    """The initial combinations."""

    combination_ids: Whole
    sizes: Numbers
    """Records of each."""
    values: list[Numbers]
    """The rank of the value in each quasi-identifier."""
    columns: list[Column]
    beat: Callable[[], None] = lambda: None
    """Is called at every look at them."""
    people: People | None = None
    """The population, where one is known."""
    same: Numbers | None = None
    """People of the population who have each of the combinations."""

    @property
    def records(self) -> int:
        """Number of records."""
        return int(self.sizes.sum())

    def some(self, which: Numbers) -> Rows:
        """Return the rows of these numbers."""
        values = [value[which] for value in self.values]
        same = None if self.same is None else self.same[which]
        return Rows(self.combination_ids[which], self.sizes[which], values, self.columns, self.beat, self.people, same)

    def refused(self, judge: Judge, members: Numbers, classes: Numbers, *, exactly: bool = False) -> Flags:
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
            return judge.refused(self.combination_ids[members], self.sizes[members], classes, count)
        assert self.people is not None and self.same is not None, "the models ask for a population"
        known = np.bincount(classes, self.same[members], count).astype(np.int64)
        refused = self._refused(judge, members, classes, known)
        if refused.any():
            # What is known is enough for all others.
            which = refused[classes]
            members, classes = members[which], (np.cumsum(refused) - 1)[classes[which]]
            people = self._covered(members, classes, known[refused], exactly=exactly)
            refused[refused] = self._refused(judge, members, classes, people)
        return refused

    def _refused(self, judge: Judge, members: Numbers, classes: Numbers, people: Numbers) -> Flags:
        covered = Covered(people, np.zeros_like(people))
        return judge.refused(self.combination_ids[members], self.sizes[members], classes, len(people), covered)

    def _covered(self, members: Numbers, classes: Numbers, known: Numbers, *, exactly: bool) -> Numbers:
        """Count the people whom classes cover, each at the lowest levels at which its rows agree."""
        assert self.people is not None
        first = members[np.unique(classes, return_index=True)[1]]
        levels = self.lowest_levels(members, classes, first)
        return self.people.covered(levels, [value[first] for value in self.values], known, exactly=exactly)

    def lowest_levels(self, members: Numbers, classes: Numbers, first: Numbers) -> Numbers:
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
            counted = _counted(paired(value, level, steps), self.sizes, values * steps)
            histograms.append(counted.reshape(values, steps))
        return histograms


def rows_of(tables: Tables, beat: Callable[[], None] = lambda: None) -> Rows:
    """Fetch the combinations of a table, and what their values become."""
    ids, sizes, ranks = combinations_of(tables)
    # In eight bytes, because arrays are looked up by these numbers again and again.
    records: Numbers = sizes.astype(np.int64, copy=False)
    values = [rank.astype(np.int64) for rank in ranks]
    columns = [
        Column(codes_of(tables, quasi_identifier), _counted(value, records, quasi_identifier.values))
        for quasi_identifier, value in zip(tables.quasi_identifiers, values, strict=True)
    ]
    people = people_of(tables, [column.codes for column in columns])
    same = None
    if people is not None:
        alone = np.zeros((len(columns), len(ids)), np.int64)
        same = people.covered(alone, values, np.zeros_like(records), exactly=True)
    return Rows(ids, records, values, columns, beat, people, same)


def _counted(places: Numbers, sizes: Numbers, length: int) -> Numbers:
    counted: Numbers = np.bincount(places, sizes, length).astype(np.int64)
    return counted
