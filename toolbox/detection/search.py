"""The search of all subsets of columns: records as codes, partitions refined one column at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.queries.dialect import Table
from toolbox.store.engine.store import Store

if TYPE_CHECKING:
    import pyarrow as pa

# The records of a table as whole numbers: one code for each distinct value of a column.

Whole = NDArray[np.integer[Any]]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Coded:
    """Distinct records, or all of them one by one.

    Parameters
    ----------
    columns : sequence of array
        The code of each row's value, from 0, in as few bytes as hold them.
    values : sequence of int
        How many codes each column has; each of them occurs, or once did.
    weights : array, optional
        How many records each row stands for; None where that is one.
    persons : array, optional
        The number of each row's person, from 0, where somebody has several rows: then persons are counted, and no row
        has a weight.
    """

    columns: tuple[Whole, ...]
    values: tuple[int, ...]
    weights: Whole | None
    persons: Whole | None = None

    @cached_property
    def rows(self) -> int:
        """Number of rows."""
        return len(self.columns[0])

    @cached_property
    def records(self) -> int:
        """Number of records that the rows stand for, or of persons."""
        if self.persons is not None:
            return len(np.unique(self.persons))
        return self.rows if self.weights is None else int(self.weights.sum())

    def only(self, kept: Flags) -> Coded:
        """Return the rows that are marked."""
        weights = None if self.weights is None else self.weights[kept]
        persons = None if self.persons is None else np.unique(self.persons[kept], return_inverse=True)[1]
        return Coded(tuple(column[kept] for column in self.columns), self.values, weights, persons)

    def of(self, positions: Sequence[int]) -> Coded:
        """Return some columns, in this order."""
        return Coded(
            tuple(self.columns[position] for position in positions),
            tuple(self.values[position] for position in positions),
            self.weights,
            self.persons,
        )


@dataclass(frozen=True)
class CodedTable:
    """A table whose records are coded, missing values among them."""

    coded: Coded
    missing: tuple[Flags | None, ...]
    """For each column the rows that lack a value; None where there are none."""

    def count_incomplete_records(self, column: int) -> int:
        """Count the records that lack a value of a column, or the persons with such a record."""
        flags, weights = self.missing[column], self.coded.weights
        if flags is None:
            return 0
        if self.coded.persons is not None:
            return len(np.unique(self.coded.persons[flags]))
        return int(flags.sum() if weights is None else weights[flags].sum())

    def find_complete_rows(self) -> Flags | None:
        """Mark the rows that lack no value; None where no row lacks one."""
        lacking = [flags for flags in self.missing if flags is not None]
        return ~np.logical_or.reduce(lacking) if lacking else None

    def complete(self) -> Coded:
        """Leave out the records that lack a value of any column."""
        kept = self.find_complete_rows()
        return self.coded if kept is None else self.coded.only(kept)


def code_records(store: Store, counted: Table, columns: int, person: ColumnElement[int] | None = None) -> CodedTable:
    """Code the texts of a table, column by column.

    Where most records differ from all others, each becomes a row of its own: then no step needs weights.

    Parameters
    ----------
    counted : Table
        ``text_1 .., size``: each distinct record and how often it occurs; null is a value like any other.
    columns : int
        How many columns there are.
    person : expression, optional
        A number for the person of each distinct record; then persons are counted. Where each has one distinct record,
        this is as if there were one record of each.
    """
    weights = store.to_arrays(select(counted.c.size))["size"]
    expanded = person is None and len(weights) > weights.sum() / 2
    coded, values, missing = [], [], []
    for column in range(1, columns + 1):
        codes, count, null = _code(store, counted, column)
        codes = np.repeat(codes, weights) if expanded else codes
        coded.append(codes)
        values.append(count)
        missing.append(None if null is None else codes == null)
    persons = None
    if person is not None:
        numbers, codes = np.unique(store.to_arrays(select(person.label("person")))["person"], return_inverse=True)
        persons = None if len(numbers) == len(codes) else codes
    weighted = None if expanded or person is not None else weights
    return CodedTable(Coded(tuple(coded), tuple(values), weighted, persons), tuple(missing))


def _code(store: Store, counted: Table, column: int) -> tuple[Whole, int, int | None]:
    """Return the codes of a column, how many there are, and that of null, if it occurs."""
    encoded = _encode(store, counted, column)
    dictionary = encoded.dictionary
    count = len(dictionary)
    null = dictionary.is_null().index(True).as_py() if dictionary.null_count else None
    codes = encoded.indices.to_numpy(zero_copy_only=False)
    return codes.astype(np.min_scalar_type(max(0, count - 1))), count, null


def _encode(store: Store, counted: Table, column: int) -> pa.DictionaryArray:
    texts = store.arrow(select(counted.c[f"text_{column}"])).column(0).combine_chunks()
    return texts.dictionary_encode(null_encoding="encode")


def list_texts(store: Store, counted: Table, column: int, codes: Sequence[int]) -> list[str | None]:
    """Return the texts of some codes of a column, counted from 1, as `code_records` gave them out."""
    dictionary = _encode(store, counted, column).dictionary
    return [dictionary[code].as_py() for code in codes]


# Partitions of records into those that agree in some columns, refined one column at a time.

_DENSE = 1
"""Possible groups for each row, up to which they are counted in an array without sorting."""


@dataclass(frozen=True, slots=True)
class SubsetSizes:
    """The sizes of some groups of records, summed up."""

    distinct: int = 0
    """Number of groups."""
    singletons: int = 0
    """Groups of one record."""
    squares: int = 0
    """Sum of the squares of their sizes."""
    smallest: int | None = None
    """None if there is no group."""
    largest: int = 0
    pairs: int | None = None
    """Where persons are counted: pairs of combinations of different persons, each combination of a person once, in both
    orders. None where records are, of which all pairs count."""
    members: int | None = None
    """Where persons are counted: the sum of the sizes, in which somebody counts once in each group."""

    @classmethod
    def of(cls, sizes: NDArray[Any]) -> SubsetSizes:
        """Sum up the sizes of groups."""
        if not len(sizes):
            return cls()
        counted = sizes.astype(np.int64, copy=False)
        singletons = int(np.count_nonzero(counted == 1))
        squares = int(np.dot(counted, counted))
        return cls(len(counted), singletons, squares, int(counted.min()), int(counted.max()))

    @classmethod
    def make_single_sizes(cls, records: int) -> SubsetSizes:
        """Return the sizes of records that are all alone."""
        return cls(records, records, records, 1, 1) if records else cls()

    def __add__(self, other: SubsetSizes) -> SubsetSizes:
        """Sum up the groups of both."""
        known = [sizes.smallest for sizes in (self, other) if sizes.smallest is not None]
        return SubsetSizes(
            self.distinct + other.distinct,
            self.singletons + other.singletons,
            self.squares + other.squares,
            min(known, default=None),
            max(self.largest, other.largest),
        )


class Partition:
    """Records in groups, one group for each combination of values in the columns so far.

    A row that is alone in its group stays so whatever columns follow. So it is only counted, and each further column
    has fewer rows to look at ("stripped partitions").

    Parameters
    ----------
    coded : Coded
    rows : array
        The rows that share their group with others.
    group : array
        The group of each, from 0.
    groups : int
        How many of these groups there are.
    settled : Sizes
        Sizes of the groups of all other rows.

    References
    ----------
    Huhtala, Kärkkäinen, Porkka and Toivonen (1999). TANE: an efficient algorithm for discovering functional and
    approximate dependencies. doi:10.1093/comjnl/42.2.100
    """

    def __init__(self, coded: Coded, rows: Whole, group: Whole, groups: int, settled: SubsetSizes) -> None:
        self._coded = coded
        self._rows = rows
        self._group = group
        self._groups = groups
        self._settled = settled

    @classmethod
    def whole(cls, coded: Coded) -> Partition:
        """Make one group of all records, before any column tells them apart."""
        if coded.persons is not None:
            return _PersonPartition(coded, np.arange(coded.rows), np.zeros(coded.rows, np.int32), 1)
        return cls(coded, np.arange(coded.rows), np.zeros(coded.rows, np.int32), 1, SubsetSizes())

    def count(self, column: int) -> SubsetSizes:
        """Measure the groups that one more column makes."""
        keys, most = self._keys(column)
        return self._settled + SubsetSizes.of(self._sizes(keys, most))

    def refine_by_column(self, column: int) -> Partition:
        """Cut the groups by one more column."""
        return self.separate_by_column(column)[0]

    def separate_by_column(self, column: int) -> tuple[Partition, Whole]:
        """Cut the groups by one more column, and return as well the rows that are alone now, and were not before."""
        keys, most = self._keys(column)
        rows, alone, group, groups = _group_dense_keys(keys) if most <= _DENSE * len(keys) else _group_sparse_keys(keys)
        single = self._rows[alone]
        settled = self._settled + self._measure_single_rows(single)
        return Partition(self._coded, self._rows[rows], group, groups, settled), single

    def find_single_rows(self, column: int) -> Whole:
        """Return the rows that one more column leaves alone, and that were not alone before."""
        keys, most = self._keys(column)
        if most <= _DENSE * len(keys):
            return self._rows.compress(np.bincount(keys)[keys] == 1)
        slots = keys & (1 << (2 * len(keys)).bit_length()) - 1
        alone = np.bincount(slots)[slots] == 1
        # Rows that share their slot may still differ in their keys.
        unsure = np.flatnonzero(~alone)
        return self._rows.take(np.concatenate((np.flatnonzero(alone), unsure[_group_sparse_keys(keys[unsure])[1]])))

    @cached_property
    def _weights(self) -> Whole | None:
        weights = self._coded.weights
        return None if weights is None else weights[self._rows]

    def _keys(self, column: int) -> tuple[Whole, int]:
        """Return a number for each row's group and value together, and how many there may be."""
        values = self._coded.values[column]
        most = self._groups * values
        keys = np.multiply(self._group, values, dtype=np.int32 if most < 2**31 else np.int64)
        keys += self._coded.columns[column].take(self._rows)
        return keys, most

    def _sizes(self, keys: Whole, most: int) -> NDArray[Any]:
        """Count the records of each key that occurs."""
        weights = self._weights
        if most <= _DENSE * len(keys):
            counts = np.bincount(keys, weights)
            return counts[counts > 0]
        if weights is None:
            return np.diff(_find_run_starts(np.sort(keys)), append=len(keys))
        order = np.argsort(keys)
        return np.add.reduceat(weights[order], _find_run_starts(keys[order])) if len(keys) else weights

    def _measure_single_rows(self, rows: Whole) -> SubsetSizes:
        """Measure groups of one row each."""
        weights = self._coded.weights
        return SubsetSizes.make_single_sizes(len(rows)) if weights is None else SubsetSizes.of(weights[rows])


class _PersonPartition(Partition):
    """The same where groups count different persons: whoever is alone in a group may have several rows in it.

    Parameters
    ----------
    coded : Coded
    rows : array
        The rows that are looked at: all of them, or those that share their group with another person.
    group : array
        The group of each, from 0.
    groups : int
        How many groups there are.
    """

    def __init__(self, coded: Coded, rows: Whole, group: Whole, groups: int) -> None:
        super().__init__(coded, rows, group, groups, SubsetSizes())
        assert coded.persons is not None, "whose rows they are is known"
        self._persons = coded.persons.take(rows)
        self._people = int(coded.persons.max(initial=0)) + 1

    def count(self, column: int) -> SubsetSizes:
        """Measure the groups that one more column makes."""
        group, groups = self._cut(column)
        pairs = np.sort(group.astype(np.int64) * self._people + self._persons)
        pairs = pairs[_find_run_starts(pairs)]
        if not len(pairs):
            return SubsetSizes()
        group, person = np.divmod(pairs, self._people)
        sizes, own = np.bincount(group, minlength=groups), np.bincount(person)
        return SubsetSizes(
            distinct=groups,
            singletons=int(np.count_nonzero(np.bincount(person[sizes[group] == 1]))),
            squares=int(np.dot(sizes, sizes)),
            smallest=int(sizes.min()),
            largest=int(sizes.max()),
            pairs=len(pairs) ** 2 - int(np.dot(own, own)),
            members=len(pairs),
        )

    def refine_by_column(self, column: int) -> Partition:
        """Cut the groups by one more column; groups of one person stay, as further columns may cut them."""
        return _PersonPartition(self._coded, self._rows, *self._cut(column))

    def separate_by_column(self, column: int) -> tuple[Partition, Whole]:
        """Cut the groups by one more column, and return apart the rows of groups of one person."""
        group, groups = self._cut(column)
        alone = self._find_alone(group, groups)
        shared = _PersonPartition(self._coded, self._rows[~alone], *_renumber(group[~alone], groups))
        return shared, self._rows[alone]

    def find_single_rows(self, column: int) -> Whole:
        """Return the rows of groups of one person that one more column makes."""
        return self._rows[self._find_alone(*self._cut(column))]

    def _cut(self, column: int) -> tuple[Whole, int]:
        return _renumber(*self._keys(column))

    def _find_alone(self, group: Whole, groups: int) -> Flags:
        """Mark the rows whose group has one person: whom one of its rows names, all name."""
        person = np.zeros(groups, self._persons.dtype)
        person[group] = self._persons
        is_other = person[group] != self._persons
        alone: Flags = np.bincount(group[is_other], minlength=groups)[group] == 0
        return alone


def _renumber(keys: Whole, most: int) -> tuple[Whole, int]:
    """Return keys as numbers from 0 that all occur, and how many these are."""
    if most <= 4 * len(keys):
        occurs = np.bincount(keys, minlength=most) > 0
        return (np.cumsum(occurs, dtype=np.int32) - 1)[keys], int(np.count_nonzero(occurs))
    distinct, numbers = np.unique(keys, return_inverse=True)
    return numbers, len(distinct)


def _find_run_starts(ordered: Whole) -> NDArray[np.int64]:
    """Return where each run of equal keys starts."""
    changes = np.flatnonzero(ordered[1:] != ordered[:-1]) + 1
    return np.concatenate(([0], changes)) if len(ordered) else changes


def _group_dense_keys(keys: Whole) -> tuple[NDArray[Any], NDArray[Any], Whole, int]:
    """Return the rows that share their key, the other rows, the group of each shared row, and the number of groups."""
    shared = np.bincount(keys) > 1
    kept = shared[keys]
    group_of = np.cumsum(shared, dtype=np.int32) - 1
    return np.flatnonzero(kept), np.flatnonzero(~kept), group_of[keys[kept]], int(np.count_nonzero(shared))


def _group_sparse_keys(keys: Whole) -> tuple[NDArray[Any], NDArray[Any], Whole, int]:
    """Return the same by sorting, where there may be far more keys than rows."""
    order = np.argsort(keys)
    lengths = np.diff(_find_run_starts(keys[order]), append=len(keys))
    shared = lengths > 1
    kept = np.repeat(shared, lengths)
    groups = int(np.count_nonzero(shared))
    group = np.repeat(np.arange(groups, dtype=np.int32), lengths[shared])
    return order[kept], order[~kept], group, groups


# The search of all subsets of columns by ascending size: identifiers, and the groups of all others.

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
            (*self.columns, column),
            lambda: self.partition.refine_by_column(column),
            lambda: self.every.refine_by_column(column),
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
        self._sizes: dict[Subset, SubsetSizes] = {(): _make_group_sizes(self._complete.records)}
        self._in_every: dict[Subset, SubsetSizes] = {(): _make_group_sizes(self._every.records)}
        self._identifiers: list[Subset] = []
        self.counted = 0
        """How often the groups of a subset were counted, in the complete records or in all; all else followed."""

    def run(self) -> None:
        """Measure the subsets."""
        root = _Prefix((), lambda: Partition.whole(self._complete), lambda: Partition.whole(self._every))
        for size in range(1, min(self._most, len(self._order)) + 1):
            for subset, prefix in self._list_candidates(root, size):
                self._look_at(subset, prefix)

    @property
    def identifiers(self) -> list[Subset]:
        """The minimal identifiers: no part of them is an identifier."""
        return sorted(map(self._named, self._identifiers), key=lambda subset: (len(subset), subset))

    @property
    def sizes(self) -> dict[Subset, SubsetSizes]:
        """The groups of every subset that contains no identifier, by ascending size; of no column, one group."""
        named = {self._named(subset): sizes for subset, sizes in self._sizes.items()}
        return dict(sorted(named.items(), key=lambda item: (len(item[0]), item[0])))

    def _named(self, subset: Subset) -> Subset:
        return tuple(sorted(self._order[column] for column in subset))

    def _list_candidates(self, prefix: _Prefix, more: int) -> Iterator[tuple[Subset, _Prefix]]:
        """Yield each subset that adds `more` columns, with the prefix of all except its last one; depth first."""
        first = prefix.columns[-1] + 1 if prefix.columns else 0
        for column in range(first, len(self._order) - more + 1):
            if more == 1:
                yield (*prefix.columns, column), prefix
            elif (*prefix.columns, column) in self._sizes:
                if more == 2 or not prefix.columns:
                    self._report(f"subsets of {len(prefix.columns) + more} columns, {self.counted:,} counted")
                yield from self._list_candidates(prefix.longer(column), more - 1)

    def _look_at(self, subset: Subset, prefix: _Prefix) -> None:
        parts = [subset[:position] + subset[position + 1 :] for position in range(len(subset))]
        if any(part not in self._sizes for part in parts):
            return
        sizes = _infer_sizes(subset, parts, self._sizes, by_person=self._complete.persons is not None)
        if sizes is None:
            sizes = prefix.partition.count(subset[-1])
            self.counted += 1
        if sizes.largest == 1 and self._is_identifier(subset, parts, prefix):
            self._identifiers.append(subset)
        else:
            self._sizes[subset] = sizes

    def _is_identifier(self, subset: Subset, parts: list[Subset], prefix: _Prefix) -> bool:
        """Return whether all records differ where the complete ones do."""
        if self._complete.rows == self._every.rows:
            return True
        sizes = _infer_sizes(subset, parts, self._in_every, by_person=self._every.persons is not None)
        if sizes is None:
            sizes = prefix.every.count(subset[-1])
            self.counted += 1
        self._in_every[subset] = sizes
        return sizes.largest == 1


def _make_group_sizes(records: int) -> SubsetSizes:
    return SubsetSizes(1, int(records == 1), records**2, records, records)


def _infer_sizes(
    subset: Subset, parts: list[Subset], known: Mapping[Subset, SubsetSizes], *, by_person: bool
) -> SubsetSizes | None:
    """Return the sizes that follow from known smaller subsets; None if they do not follow.

    More columns leave records as they are that all differ. They may still cut groups of one person.
    """
    for position, part in enumerate(parts):
        if part not in known:
            continue
        if known[part].largest == 1 and not by_person:
            return known[part]
        # Without the column at this position, does another column tell anything apart?
        for other, column in enumerate(subset):
            if other != position and parts[other] in known:
                fewer = known.get(tuple(left for left in part if left != column))
                if fewer is not None and fewer.distinct == known[part].distinct:
                    return known[parts[other]]
    return None
