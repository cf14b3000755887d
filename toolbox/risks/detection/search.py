"""Every subset of the columns by ascending size: its identifiers found, the groups of all others measured."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property

from toolbox.risks.detection.coded import Coded
from toolbox.risks.detection.partitions import Partition, Sizes

Subset = tuple[int, ...]
"""Numbers of columns, ascending."""


class _Prefix:
    """The first columns of several subsets, whose partition is made when one of them has to be counted.

    Parameters
    ----------
    columns : tuple of int
    make : callable
    """

    def __init__(self, columns: Subset, make: Callable[[], Partition]) -> None:
        self.columns = columns
        self._make = make

    @cached_property
    def partition(self) -> Partition:
        """The records in groups by these columns."""
        return self._make()

    def longer(self, column: int) -> _Prefix:
        """Add a column."""
        return _Prefix((*self.columns, column), lambda: self.partition.refined(column))


class SubsetSearch:
    """Measures all subsets up to a size, and works no figure out that follows from those of smaller subsets.

    Nothing is lost, as these three say for certain what counting would find:

    - What contains an identifier is one. It is not looked at.
    - If the complete records all differ in some columns, they do so in more of them, too.
    - If column b makes no more groups of P than there were (P determines b), it makes none of P and a either.

    Parameters
    ----------
    every : Coded
        All records, where a missing value is a value: in these an identifier is unique.
    complete : Coded
        The records whose groups are counted.
    most : int
        Columns in the largest subsets.
    report : callable
        Is told how far the search is.
    """

    def __init__(self, every: Coded, complete: Coded, most: int, report: Callable[[str], None]) -> None:
        # Columns of many values come first: they leave the fewest records to look at for all that follow.
        order = sorted(range(len(every.values)), key=lambda number: (-every.values[number], number))
        self._order = order
        self._every, self._complete = every.of(order), complete.of(order)
        self._most = most
        self._report = report
        self._sizes: dict[Subset, Sizes] = {}
        self._identifiers: list[Subset] = []
        self.counted = 0
        """Subsets whose groups were counted; those of all others followed from these."""

    def run(self) -> None:
        """Measure the subsets."""
        records = self._complete.records
        self._sizes = {(): Sizes(1, int(records == 1), records**2, records, records)}
        root = _Prefix((), lambda: Partition.whole(self._complete))
        for size in range(1, min(self._most, len(self._order)) + 1):
            for subset, prefix in self._candidates(root, size):
                self._look_at(subset, prefix)

    @property
    def identifiers(self) -> list[Subset]:
        """The minimal ones: those of which no part is an identifier."""
        return sorted(map(self._named, self._identifiers), key=lambda subset: (len(subset), subset))

    @property
    def sizes(self) -> dict[Subset, Sizes]:
        """The groups of every subset that contains no identifier, by ascending size; of no column, one group."""
        named = {self._named(subset): sizes for subset, sizes in self._sizes.items()}
        return dict(sorted(named.items(), key=lambda item: (len(item[0]), item[0])))

    def _named(self, subset: Subset) -> Subset:
        return tuple(sorted(self._order[number] for number in subset))

    def _candidates(self, prefix: _Prefix, more: int) -> Iterator[tuple[Subset, _Prefix]]:
        """Yield each subset that adds so many columns, with all but its last one; depth first."""
        first = prefix.columns[-1] + 1 if prefix.columns else 0
        for column in range(first, len(self._order) - more + 1):
            if more == 1:
                yield (*prefix.columns, column), prefix
            elif (*prefix.columns, column) in self._sizes:
                if more == 2 or not prefix.columns:
                    self._report(f"subsets of {len(prefix.columns) + more} columns, {self.counted:,} counted")
                yield from self._candidates(prefix.longer(column), more - 1)

    def _look_at(self, subset: Subset, prefix: _Prefix) -> None:
        parts = [subset[:place] + subset[place + 1 :] for place in range(len(subset))]
        if any(part not in self._sizes for part in parts):
            return
        sizes = self._implied(subset, parts)
        if sizes is None:
            sizes = prefix.partition.count(subset[-1])
            self.counted += 1
        if self._is_identifier(subset, sizes):
            self._identifiers.append(subset)
        else:
            self._sizes[subset] = sizes

    def _implied(self, subset: Subset, parts: list[Subset]) -> Sizes | None:
        """Return what follows from smaller subsets; None if nothing does."""
        known = self._sizes
        for place, part in enumerate(parts):
            if known[part].distinct == self._complete.records:
                return known[part]
            # Without the column at this place, does another one tell anything apart?
            for other, column in enumerate(subset):
                if other != place:
                    fewer = tuple(one for one in part if one != column)
                    if known[fewer].distinct == known[part].distinct:
                        return known[parts[other]]
        return None

    def _is_identifier(self, subset: Subset, sizes: Sizes) -> bool:
        if sizes.distinct < self._complete.records:
            return False
        if self._complete.records == self._every.records:
            return True
        partition = Partition.whole(self._every)
        for column in subset[:-1]:
            partition = partition.refined(column)
        return partition.count(subset[-1]).distinct == self._every.records
