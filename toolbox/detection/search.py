"""The search of all subsets of columns by ascending size: identifiers, and the groups of all others."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property

from toolbox.detection.coded import Coded
from toolbox.detection.partitions import Partition, Sizes

Subset = tuple[int, ...]
"""Numbers of columns, ascending."""


class _Prefix:
    """The first columns of several subsets, whose partitions are made when one of them has to be counted.

    Parameters
    ----------
    columns : tuple of int
    make, make_every : callable
    """

    def __init__(self, columns: Subset, make: Callable[[], Partition], make_every: Callable[[], Partition]) -> None:
        self.columns = columns
        self._make, self._make_every = make, make_every

    @cached_property
    def partition(self) -> Partition:
        """The complete records in groups by these columns."""
        return self._make()

    @cached_property
    def every(self) -> Partition:
        """All records in groups by these columns."""
        return self._make_every()

    def longer(self, column: int) -> _Prefix:
        """Add a column."""
        return _Prefix(
            (*self.columns, column), lambda: self.partition.refined(column), lambda: self.every.refined(column)
        )


class SubsetSearch:
    """Measures all subsets up to a size, except figures that follow from those of smaller subsets.

    The result is the same, as three rules give exactly what counting would find:

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
        order = sorted(range(len(every.values)), key=lambda column: (-every.values[column], column))
        self._order = order
        self._every, self._complete = every.of(order), complete.of(order)
        self._most = most
        self._report = report
        self._sizes: dict[Subset, Sizes] = {(): _one_group(self._complete.records)}
        self._in_every: dict[Subset, Sizes] = {(): _one_group(self._every.records)}
        self._identifiers: list[Subset] = []
        self.counted = 0
        """How often the groups of a subset were counted, in the complete records or in all; all else followed."""

    def run(self) -> None:
        """Measure the subsets."""
        root = _Prefix((), lambda: Partition.whole(self._complete), lambda: Partition.whole(self._every))
        for size in range(1, min(self._most, len(self._order)) + 1):
            for subset, prefix in self._candidates(root, size):
                self._look_at(subset, prefix)

    @property
    def identifiers(self) -> list[Subset]:
        """The minimal identifiers: no part of them is an identifier."""
        return sorted(map(self._named, self._identifiers), key=lambda subset: (len(subset), subset))

    @property
    def sizes(self) -> dict[Subset, Sizes]:
        """The groups of every subset that contains no identifier, by ascending size; of no column, one group."""
        named = {self._named(subset): sizes for subset, sizes in self._sizes.items()}
        return dict(sorted(named.items(), key=lambda item: (len(item[0]), item[0])))

    def _named(self, subset: Subset) -> Subset:
        return tuple(sorted(self._order[column] for column in subset))

    def _candidates(self, prefix: _Prefix, more: int) -> Iterator[tuple[Subset, _Prefix]]:
        """Yield each subset that adds `more` columns, with the prefix of all except its last one; depth first."""
        first = prefix.columns[-1] + 1 if prefix.columns else 0
        for column in range(first, len(self._order) - more + 1):
            if more == 1:
                yield (*prefix.columns, column), prefix
            elif (*prefix.columns, column) in self._sizes:
                if more == 2 or not prefix.columns:
                    self._report(f"subsets of {len(prefix.columns) + more} columns, {self.counted:,} counted")
                yield from self._candidates(prefix.longer(column), more - 1)

    def _look_at(self, subset: Subset, prefix: _Prefix) -> None:
        parts = [subset[:position] + subset[position + 1 :] for position in range(len(subset))]
        if any(part not in self._sizes for part in parts):
            return
        sizes = _implied(subset, parts, self._sizes, self._complete.records)
        if sizes is None:
            sizes = prefix.partition.count(subset[-1])
            self.counted += 1
        if sizes.distinct == self._complete.records and self._is_identifier(subset, parts, prefix):
            self._identifiers.append(subset)
        else:
            self._sizes[subset] = sizes

    def _is_identifier(self, subset: Subset, parts: list[Subset], prefix: _Prefix) -> bool:
        """Return whether all records differ where the complete ones do."""
        records = self._every.records
        if self._complete.records == records:
            return True
        sizes = _implied(subset, parts, self._in_every, records)
        if sizes is None:
            sizes = prefix.every.count(subset[-1])
            self.counted += 1
        self._in_every[subset] = sizes
        return sizes.distinct == records


def _one_group(records: int) -> Sizes:
    return Sizes(1, int(records == 1), records**2, records, records)


def _implied(subset: Subset, parts: list[Subset], known: Mapping[Subset, Sizes], records: int) -> Sizes | None:
    """Return the sizes that follow from known smaller subsets; None if they do not follow."""
    for position, part in enumerate(parts):
        if part not in known:
            continue
        if known[part].distinct == records:
            return known[part]
        # Without the column at this position, does another column tell anything apart?
        for other, column in enumerate(subset):
            if other != position and parts[other] in known:
                fewer = known.get(tuple(left for left in part if left != column))
                if fewer is not None and fewer.distinct == known[part].distinct:
                    return known[parts[other]]
    return None
