"""Partitions of combinations as arrays: their cuts, their names, and the people of a population beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Integer, cast, func, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.methods.arrays.combinations import (
    Codes,
    Flags,
    Numbers,
    Whole,
    combinations_of,
    decode_pairs,
    encode_pairs,
    find_starts,
    is_first,
    list_run_positions,
    totals,
)
from toolbox.methods.arrays.recoding import (
    add_intervals,
    build_range_label,
    find_next_interval,
    find_range_ends,
    select_interval_rows,
)
from toolbox.queries.dialect import Query, Table, contains
from toolbox.queries.labels import SEPARATOR, build_set_label, mark_apart, write_member
from toolbox.store.tables import QuasiIdentifierTables, RegionTree, Tables

# The cuts of partitions, and the regions that they leave.


@dataclass(frozen=True)
class PartitionCuts:
    """At most one cut for each partition: ranks up to the median, or only those below it, go to the left."""

    made: Flags
    """Whether there is any."""
    dimension: Whole
    median: Numbers
    inclusive: Flags

    @classmethod
    def make_none(cls, partitions: int) -> PartitionCuts:
        """Return no cut for each partition, to begin with."""
        made, inclusive = np.zeros((2, partitions), np.bool_)
        dimension, median = np.zeros((2, partitions), np.int64)
        return cls(made, dimension, median, inclusive)

    @property
    def last_left(self) -> Numbers:
        """The highest rank that goes to the left."""
        return self.median - ~self.inclusive

    def note(self, which: Numbers, dimension: Whole, median: Numbers, *, inclusive: bool) -> None:
        """Note the cut of these partitions."""
        self.made[which], self.dimension[which] = True, dimension
        self.median[which], self.inclusive[which] = median, inclusive


@dataclass(frozen=True)
class Regions:
    """The region of each partition (axis 1) in each quasi-identifier (axis 0), by the cuts that bound it.

    A bound is written as -1 where there was no cut, otherwise as twice the rank of the median, plus one if the median
    itself belongs to the region.
    """

    lower: Codes
    upper: Codes
    node: Numbers
    """The node of each partition in a `CutTree`."""

    def some(self, which: Flags | slice) -> Regions:
        """Return the regions of some partitions."""
        return Regions(self.lower[:, which], self.upper[:, which], self.node[which])

    @classmethod
    def join(cls, parts: Sequence[Regions]) -> Regions:
        """Join the regions of partitions, one after the other."""
        lower, upper = (np.concatenate([getattr(part, name) for part in parts], axis=1) for name in ("lower", "upper"))
        return cls(lower, upper, np.concatenate([part.node for part in parts]))

    def cut(self, cuts: PartitionCuts) -> Regions:
        """Cut the regions of the partitions that are cut: ``<= median`` and ``>``, or ``<`` and ``>= median``."""
        lower, upper = (np.repeat(bounds[:, cuts.made], 2, axis=1) for bounds in (self.lower, self.upper))
        dimension, inclusive = cuts.dimension[cuts.made], cuts.inclusive[cuts.made]
        code, left = 2 * cuts.median[cuts.made], 2 * np.arange(len(dimension))
        upper[dimension, left] = code + inclusive
        lower[dimension, left + 1] = code + ~inclusive
        return Regions(lower, upper, np.repeat(self.node[cuts.made], 2))


@dataclass
class CutTree:
    """All cuts of a search: the whole table is node 0, and each cut leaves two nodes, the left one first."""

    count: int = 1
    """Number of nodes."""
    _grown: list[dict[str, NDArray[Any]]] = field(default_factory=list)

    def grow(self, cuts: PartitionCuts, parts: Regions, sides: Regions) -> Regions:
        """Add the sides of cuts, and return their regions with their nodes.

        Parameters
        ----------
        parts : Regions
            Of the partitions, some of which are cut.
        sides : Regions
            Those that the cuts leave.
        """
        made, node = cuts.made, self.count + np.arange(2 * int(cuts.made.sum()))
        self.count += len(node)
        of_cut = {name: getattr(cuts, name)[made] for name in ("dimension", "median", "inclusive")}
        self._grown.append({"node": parts.node[made], **of_cut, "lower": sides.lower, "upper": sides.upper})
        return replace(sides, node=node)

    def finished(self, columns: int) -> RegionTree:
        """Return all nodes.

        Parameters
        ----------
        columns : int
            Number of quasi-identifiers.
        """
        tree = RegionTree(
            dimension=np.full(self.count, -1),
            rank=np.zeros(self.count, np.int64),
            inclusive=np.zeros(self.count, np.bool_),
            left=np.full(self.count, -1),
            lower=np.full((columns, self.count), -1),
            upper=np.full((columns, self.count), -1),
        )
        first = 1
        for grown in self._grown:
            node, sides = grown["node"], slice(first, first + 2 * len(grown["node"]))
            tree.dimension[node], tree.rank[node] = grown["dimension"], grown["median"]
            tree.inclusive[node], tree.left[node] = grown["inclusive"], first + 2 * np.arange(len(node))
            tree.lower[:, sides], tree.upper[:, sides] = grown["lower"], grown["upper"]
            first = sides.stop
        return tree


# The distinct sets of values of many classes.


class Sets(NamedTuple):
    """Distinct sets of ranks."""

    members: Whole
    """The ranks in each set, ascending, set by set."""
    starts: Numbers
    """Where each set begins."""
    of_class: Numbers
    """The set of each class."""

    @property
    def lengths(self) -> Numbers:
        """Number of members of each set."""
        return np.diff(self.starts, append=len(self.members))

    @property
    def lowest(self) -> Whole:
        """The first member of each set."""
        return self.members[self.starts]

    @property
    def highest(self) -> Whole:
        """The last member of each set."""
        last: Whole = self.members[self.starts + self.lengths - 1]
        return last


def find_sets(ranks: Whole, starts: Numbers, which: Numbers) -> Sets:
    """Find the distinct sets of the values of some classes.

    Parameters
    ----------
    ranks : array
        The rank of each value, class by class.
    starts : array
        Where each class begins.
    which : array
        Numbers of the classes.
    """
    lengths = np.diff(starts, append=len(ranks))[which]
    members, first = _sort_runs(ranks[list_run_positions(starts[which], lengths)], lengths)
    sizes = totals(first, find_starts(lengths))
    return _find_distinct_sets(members[first].astype(ranks.dtype), find_starts(sizes), sizes)


def _find_distinct_sets(members: Whole, starts: Numbers, lengths: Numbers) -> Sets:
    """Find equal sets by a hash of their members. Sets with the same hash are then compared, so the result is exact."""
    generator = np.random.default_rng(0)
    while True:
        digits = generator.integers(0, 2**64, int(members.max()) + 1, np.uint64)
        hashes = np.add.reduceat(digits[members], starts)
        _, first, of_class = np.unique(hashes, return_index=True, return_inverse=True)
        same = first[of_class]
        if (lengths[same] == lengths).all() and (members[list_run_positions(starts[same], lengths)] == members).all():
            kept = lengths[first]
            return Sets(members[list_run_positions(starts[first], kept)], find_starts(kept), of_class)


# The names of locally recoded classes: the values that occur in a class, written as briefly as possible.


def are_named_by_ends(tables: Tables, column: QuasiIdentifierTables) -> bool:
    """Return whether ranges of categories are named by their ends: they have an order, and none looks like a range."""
    label = column.ground.c.label
    lacking = select(func.count()).where(~_is_nameable(label))
    return column.is_ordered and not column.has_hierarchy and not tables.store.scalar(lacking)


# The people of a population beside partitions: on which side of all cuts each is, and whom each partition covers.


@dataclass(frozen=True)
class PartitionPeople:
    """The combinations of a population, each in one partition."""

    columns: list[Whole]
    """For each quasi-identifier, the rank of a row's value."""
    sizes: Numbers
    """People of each row."""
    partition: Numbers
    """The partition of each row, from 0; a partition may have none."""
    listed: Flags
    """The quasi-identifiers of which classes list their values; others are named by their ends."""
    by_region: bool
    """Whether classes are named after all that the cuts have left to them."""

    def some(self, which: Flags) -> PartitionPeople:
        """Return the people of the partitions that are marked."""
        numbers = np.cumsum(which) - 1
        return self._take_rows(np.flatnonzero(which[self.partition]), numbers[self.partition])

    def between(self, first: int, end: int) -> PartitionPeople:
        """Return the people of partitions side by side."""
        rows = np.flatnonzero((self.partition >= first) & (self.partition < end))
        return self._take_rows(rows, self.partition - first)

    def cut(self, cuts: PartitionCuts) -> PartitionPeople:
        """Return the people of both sides of all cuts, the left side first."""
        goes_right, partition = np.zeros(len(self.sizes), np.bool_), self.partition
        for index in np.unique(cuts.dimension[cuts.made]):
            here = np.flatnonzero(cuts.made[partition] & (cuts.dimension[partition] == index))
            goes_right[here] = self.columns[index][here] > cuts.last_left[partition[here]]
        sides = 2 * (np.cumsum(cuts.made) - 1)
        return self._take_rows(np.flatnonzero(cuts.made[partition]), sides[partition] + goes_right)

    def covered(self, columns: Sequence[Whole], starts: Numbers) -> Numbers:
        """Count the people whom each partition covers by the name that it has as a class.

        Parameters
        ----------
        columns : sequence of arrays
            For each quasi-identifier, the ranks of the records' values, partition by partition.
        starts : array
            Where each partition begins.
        """
        partition = self.partition
        inside = np.ones(len(self.sizes), np.bool_)
        if not self.by_region:
            of_row = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(columns[0])))
            for own, column, is_listed in zip(self.columns, columns, self.listed, strict=True):
                lowest, highest = np.minimum.reduceat(column, starts), np.maximum.reduceat(column, starts)
                inside &= (own >= lowest[partition]) & (own <= highest[partition])
                if is_listed:
                    span = int(max(own.max(initial=0), column.max())) + 1
                    inside &= np.isin(encode_pairs(partition, own, span), encode_pairs(of_row, column, span))
        counted = np.bincount(partition[inside], self.sizes[inside], len(starts))
        return counted.astype(np.int64)

    def _take_rows(self, rows: Whole, partition: Numbers) -> PartitionPeople:
        columns = [column[rows] for column in self.columns]
        return PartitionPeople(columns, self.sizes[rows], partition[rows], self.listed, self.by_region)


def fetch_people(tables: Tables, *, by_region: bool) -> PartitionPeople | None:
    """Return all people in one partition; None where there is no population."""
    if tables.population is None:
        return None
    _, sizes, columns = combinations_of(tables, tables.population)
    is_listed = [
        column.kind != "number" and not are_named_by_ends(tables, column) for column in tables.quasi_identifiers
    ]
    everywhere = np.zeros(len(sizes), np.int64)
    return PartitionPeople(columns, sizes.astype(np.int64, copy=False), everywhere, np.array(is_listed), by_region)


# Partitions of combinations as arrays: the rows of a partition side by side, their values as ranks.


@dataclass(frozen=True)
class Partitions:
    """Some partitions of the initial combinations.

    Each column holds the rank of a row's value in one quasi-identifier, in two bytes where that is enough.
    """

    combination_ids: Whole
    sizes: Whole
    """Records of each row."""
    columns: list[Whole]
    """One for each quasi-identifier."""
    starts: Numbers
    """The first row of each partition; none is empty."""
    regions: Regions | None = None
    """What earlier cuts left of the declared domains, where it counts."""
    people: PartitionPeople | None = None
    """The population, where a model compares with it."""

    @property
    def count(self) -> int:
        """Number of partitions."""
        return len(self.starts)

    @property
    def rows(self) -> Numbers:
        """Number of rows of each partition."""
        return np.diff(self.starts, append=len(self.combination_ids))

    @property
    def records(self) -> Numbers:
        """Number of records of each partition."""
        return totals(self.sizes, self.starts)

    def lowest(self) -> Codes:
        """Return the lowest rank in each quasi-identifier (axis 0) of each partition (axis 1)."""
        return np.stack([np.minimum.reduceat(column, self.starts).astype(np.int32) for column in self.columns])

    def highest(self) -> Codes:
        """Return the highest ranks in the same way."""
        return np.stack([np.maximum.reduceat(column, self.starts).astype(np.int32) for column in self.columns])

    def distinct(self, dimension: int) -> Numbers:
        """Count the values of each partition in one quasi-identifier."""
        _, first = _sort_runs(self.columns[dimension], self.rows)
        return totals(first, self.starts)

    def people_covered(self) -> Numbers:
        """Count the people of the population whom each partition covers as a class."""
        assert self.people is not None, "the models ask for a population"
        return self.people.covered(self.columns, self.starts)

    def regroup(self, of_row: Numbers) -> Partitions:
        """Return other partitions of the same rows, without regions and people.

        Parameters
        ----------
        of_row : array
            The partition of each row.
        """
        order = np.argsort(of_row, kind="stable")
        return self._take_rows(order, np.flatnonzero(is_first(of_row[order])), None, None)

    def some(self, which: Flags) -> Partitions:
        """Return the partitions that are marked."""
        if which.all():
            return self
        rows = self.rows
        regions = None if self.regions is None else self.regions.some(which)
        people = None if self.people is None else self.people.some(which)
        return self._take_rows(np.flatnonzero(np.repeat(which, rows)), find_starts(rows[which]), regions, people)

    def sampled(self, rows: int) -> Partitions:
        """Return the same partitions with about this number of their rows, or all rows if they have fewer."""
        steps = -(-self.rows // rows)
        if steps.max() == 1:
            return self
        within = np.arange(len(self.sizes)) - np.repeat(self.starts, self.rows)
        taken = within % np.repeat(steps, self.rows) == 0
        return self._take_rows(np.flatnonzero(taken), find_starts(totals(taken, self.starts)), None, None)

    def halves(self) -> tuple[Partitions, Partitions]:
        """Return the first partitions and the others, of about as many rows, without a copy; at least one of each."""
        middle = int(np.searchsorted(self.starts, len(self.sizes) // 2))
        cut = min(max(middle, 1), self.count - 1)
        return self._slice_partitions(slice(0, cut)), self._slice_partitions(slice(cut, self.count))

    def _slice_partitions(self, which: slice) -> Partitions:
        """Return partitions side by side."""
        start = self.starts[which.start]
        rows = slice(start, self.starts[which.stop] if which.stop < self.count else None)
        regions = None if self.regions is None else self.regions.some(which)
        ids, sizes, columns = self.combination_ids[rows], self.sizes[rows], [column[rows] for column in self.columns]
        people = None if self.people is None else self.people.between(which.start, which.stop)
        return Partitions(ids, sizes, columns, self.starts[which] - start, regions, people)

    def cut(self, cuts: PartitionCuts) -> Partitions:
        """Cut partitions in two, the left side first, and leave out those that are not cut."""
        order, rows = self.sides(cuts)
        regions = None if self.regions is None else self.regions.cut(cuts)
        people = None if self.people is None else self.people.cut(cuts)
        return self._take_rows(order, find_starts(rows), regions, people)

    def sides(self, cuts: PartitionCuts) -> tuple[Whole, Numbers]:
        """List the rows of the sides of all cuts, the left one first, and how many rows each side has."""
        goes_left, is_cut = self._mark_left_rows(cuts), np.repeat(cuts.made, self.rows)
        goes_right = is_cut & ~goes_left
        goes_left &= is_cut
        rows = np.stack([totals(side, self.starts)[cuts.made] for side in (goes_left, goes_right)], axis=1).ravel()
        is_left = np.repeat(np.arange(len(rows)) % 2 == 0, rows)
        order = np.empty(len(is_left), np.intp)
        order[is_left] = np.flatnonzero(goes_left)
        order[~is_left] = np.flatnonzero(goes_right)
        return order, rows

    def _mark_left_rows(self, cuts: PartitionCuts) -> Flags:
        """Mark each row that goes to the left of the cut of its partition."""
        rows, last = self.rows, cuts.last_left
        goes_left = np.zeros(len(self.sizes), np.bool_)
        for column in np.unique(cuts.dimension[cuts.made]):
            here = np.flatnonzero(cuts.made & (cuts.dimension == column))
            places = list_run_positions(self.starts[here], rows[here])
            goes_left[places] = self.columns[column][places] <= np.repeat(last[here], rows[here])
        return goes_left

    def _take_rows(
        self, rows: Whole, starts: Numbers, regions: Regions | None, people: PartitionPeople | None
    ) -> Partitions:
        ids, sizes = self.combination_ids[rows], self.sizes[rows]
        return Partitions(ids, sizes, [column[rows] for column in self.columns], starts, regions, people)

    @classmethod
    def join(cls, parts: Sequence[Partitions]) -> Partitions:
        """Join partitions, one after the other. `parts` lose their columns meanwhile, to save memory."""
        counts = [len(part.combination_ids) for part in parts]
        shifts = find_starts(np.array(counts))
        starts = np.concatenate([part.starts + shift for part, shift in zip(parts, shifts, strict=True)])
        ids = np.concatenate([part.combination_ids for part in parts])
        sizes = np.concatenate([part.sizes for part in parts])
        columns = [np.concatenate([part.columns.pop(0) for part in parts]) for _ in list(parts[0].columns)]
        regions = [part.regions for part in parts if part.regions is not None]
        return cls(ids, sizes, columns, starts, Regions.join(regions) if regions else None)


def make_one_partition(tables: Tables, *, with_regions: bool, people: PartitionPeople | None = None) -> Partitions:
    """Return one partition of all combinations, and of all people."""
    ids, sizes, columns = combinations_of(tables)
    sizes = sizes.astype(np.int32 if tables.record_count < 2**31 else np.int64, copy=False)
    uncut = np.full((len(columns), 1), -1, np.int32)
    regions = Regions(uncut, uncut, np.zeros(1, np.int64)) if with_regions else None
    return Partitions(ids, sizes, columns, np.zeros(1, np.int64), regions, people)


def _sort_runs(values: Whole, lengths: Numbers) -> tuple[Numbers, Flags]:
    """Sort the values of each run, and mark the first of those that are equal there.

    Run and value are packed into one whole number, because numpy sorts these several times as fast as it finds an
    order.

    Parameters
    ----------
    values : array of int, >= 0
        Run by run.
    lengths : array of int
        The values in each run.

    Examples
    --------
    >>> values, first = _sort_runs(np.array([5, 2, 5, 1, 5]), np.array([3, 2]))
    >>> values.tolist(), first.tolist()
    ([2, 5, 5, 1, 5], [True, True, False, True, True])
    """
    bits = int(values.max()).bit_length()
    keys = np.repeat(np.arange(len(lengths)) << bits, lengths)
    keys |= values
    keys.sort()
    first = is_first(keys)
    keys &= (1 << bits) - 1
    return keys, first


def name_values(
    tables: Tables, column: QuasiIdentifierTables, ranks: Whole, starts: Numbers
) -> tuple[Whole, QuasiIdentifierTables]:
    """Name each class by the narrowest name that covers its values.

    One value keeps its own name. Several numbers become ``[min:max]``, several ordered categories ``low..mid``. Several
    other categories become the label of the hierarchy's node that covers just these of all that occur in the table,
    otherwise the set ``{a,b}``.

    Parameters
    ----------
    ranks : array
        The rank of each value, class by class.
    starts : array
        Where each class begins.

    Returns
    -------
    intervals : array
        The interval of each class.
    quasi_identifier : QuasiIdentifierTables
        With the new intervals among its own.
    """
    intervals = np.minimum.reduceat(ranks, starts).astype(np.int32)
    highest = np.maximum.reduceat(ranks, starts)
    several = np.flatnonzero(intervals < highest)
    if not len(several):
        return intervals, column
    first = find_next_interval(tables, column)
    if column.kind == "number" or are_named_by_ends(tables, column):
        intervals[several], named, new = _name_ranges(tables, column, intervals[several], highest[several], first)
    else:
        intervals[several], named, new = _name_sets(tables, column, find_sets(ranks, starts, several), first)
    extended = add_intervals(tables, column, new)
    tables.store.drop(named)
    return intervals, extended


def _name_ranges(
    tables: Tables, column: QuasiIdentifierTables, lowest: Whole, highest: Whole, first: int
) -> tuple[Whole, Table, Query]:
    """Name ranges of numbers ``[min:max]``, in the texts of the two values, and those of categories by both."""
    pairs, places = np.unique(encode_pairs(lowest, highest, column.values), return_inverse=True)
    numbers = np.arange(first, first + len(pairs), dtype=np.int32)
    lowest, highest = decode_pairs(pairs, column.values)
    ranges = tables.store.from_arrays("ranges", {"interval_id": numbers, "lowest": lowest, "highest": highest})
    ends = find_range_ends(ranges, column)
    label = build_range_label(column, ends)
    new = select_interval_rows(ranges, label, ends.low.c.value, ends.high.c.value).select_from(ends.joined)
    return numbers[places], ranges, new


def _name_sets(tables: Tables, column: QuasiIdentifierTables, sets: Sets, first: int) -> tuple[Whole, Table, Query]:
    """Name sets of categories by a node of the hierarchy, or else one by one, numbered in the order of their lists."""
    store = tables.store
    known = _find_lowest_nodes(tables, column, sets)
    is_new = known < 0
    members = store.from_arrays(
        "members",
        {
            "number": np.repeat(np.arange(len(known))[is_new], sets.lengths[is_new]),
            "level_0": sets.members[np.repeat(is_new, sets.lengths)],
        },
    )
    described = store.create("sets", _name_members(members, column))
    rank = func.row_number().over(order_by=described.c.members) - 1
    named = store.create("sets", select(cast(rank + first, Integer).label("interval_id"), *described.c))
    rows = store.to_arrays(select(named.c.number, named.c.interval_id))
    known[rows["number"]] = rows["interval_id"]
    store.drop(members, described)
    label = mark_apart(named.c.label, column.intervals.alias())
    new = select_interval_rows(named, label, named.c.low, named.c.high, members=named.c.members)
    return known[sets.of_class], named, new


def _find_lowest_nodes(tables: Tables, column: QuasiIdentifierTables, sets: Sets) -> Whole:
    """Find for each set the lowest node that stands for just these of the values that occur; -1 where there is none.

    The values below a node are neighbours. Nodes are numbered from the root down.
    """
    known = np.full(len(sets.starts), -1, np.int32)
    if not column.has_hierarchy:
        return known
    values = tables.store.to_arrays(select(column.ground.c.value).order_by(column.ground.c.level_0))["value"]
    interval = column.intervals.c
    bounds = select(interval.interval_id, interval.low, interval.high, interval.low_closed, interval.high_closed)
    node = tables.store.to_arrays(
        bounds.where(interval.interval_id >= column.root).order_by(interval.interval_id.desc())
    )
    low, high = ([np.searchsorted(values, node[end], side) for side in ("left", "right")] for end in ("low", "high"))
    lowest, beyond = np.where(node["low_closed"], *low), np.where(~node["high_closed"], *high)
    ends, lowest_node = np.unique(encode_pairs(lowest, beyond, column.values + 1), return_index=True)
    pairs = encode_pairs(sets.lowest, sets.highest, column.values + 1) + 1
    position = np.minimum(np.searchsorted(ends, pairs), len(ends) - 1)
    is_node = (ends[position] == pairs) & (sets.highest - sets.lowest + 1 == sets.lengths)
    known[is_node] = node["interval_id"][lowest_node[position[is_node]]]
    return known


def _name_members(members: Table, column: QuasiIdentifierTables) -> Query:
    """Name the members of each set one by one: ``number, members, label, low, high``."""
    value = column.ground.c
    # Each name is written once, not once for each set that has it.
    written = select(value.level_0, value.value, write_member(value.label).label("shown")).subquery()
    ranks, label = build_set_label(written.c.level_0, written.c.shown)
    each = members.join(written, written.c.level_0 == members.c.level_0)
    bounds = func.min(written.c.value).label("low"), func.max(written.c.value).label("high")
    sets = select(members.c.number, ranks.label("members"), label.label("label"), *bounds)
    return sets.select_from(each).group_by(members.c.number)


def _is_nameable(label: ColumnElement[str]) -> ColumnElement[bool]:
    """Test whether a category may be an end: not if ``..`` stands in it."""
    return ~contains(label, SEPARATOR)
