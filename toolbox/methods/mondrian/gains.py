"""What cells of partitions cost by a loss metric: what a cut takes off, and what combinations that move take off."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
from sqlalchemy import select, union

from toolbox.methods.arrays.combinations import Codes, Flags, Numbers, Reals, Whole, find_starts, is_first, totals
from toolbox.methods.arrays.models import ClassJudge
from toolbox.methods.arrays.moves import MoveColumn, Moves
from toolbox.methods.mondrian.partitions import Partitions
from toolbox.store.tables import QuasiIdentifierTables, Tables

# What a cell costs by a loss metric that is a sum over cells, in classes that have some of the values of a column.

_Cost: TypeAlias = Callable[..., Reals]
"""From what the values of cells add up to, to what these cost; both finite, also where there is no value."""


class Price(ABC):
    """The cost of a cell of one column in some classes, by the values that occur in them."""

    @abstractmethod
    def of(self, ranks: Whole, held: Flags, starts: Numbers) -> Reals:
        """Return what a cell of each class costs; anything finite for one without values.

        Parameters
        ----------
        ranks : array
            Ascending ranks of values, class by class.
        held : array of bool
            Which of them the class has.
        starts : array
            Where each class begins.
        """


@dataclass(frozen=True)
class RangePrice(Price):
    """Of a class that is named by its lowest and its highest value, and covers all between."""

    ends: tuple[tuple[Reals, Reals], ...]
    """For each amount, from where it counts if a rank is the lowest, and to where if it is the highest."""
    cost: _Cost

    def of(self, ranks: Whole, held: Flags, starts: Numbers) -> Reals:
        lowest = np.minimum.reduceat(np.where(held, ranks, len(self.ends[0][0]) - 1), starts)
        highest = np.maximum.reduceat(np.where(held, ranks, 0), starts)
        return self.cost(*(until[highest] - since[lowest] for since, until in self.ends))


@dataclass(frozen=True)
class SetPrice(Price):
    """Of a class that is named by the set of its values."""

    amounts: tuple[Reals, ...]
    """What adds up, of each rank."""
    cost: _Cost

    def of(self, ranks: Whole, held: Flags, starts: Numbers) -> Reals:
        return self.cost(*(np.add.reduceat(np.where(held, amount[ranks], 0.0), starts) for amount in self.amounts))


def compute_column_prices(
    tables: Tables, columns: Sequence[Whole], sizes: Whole, metric: str
) -> list[tuple[Price, float]]:
    """Return for each column what its cells cost, and by how much they count beside those of others.

    Parameters
    ----------
    columns : sequence of array
        The rank of the value of each combination.
    sizes : array
        The records of each combination.
    metric : str
        ``lm``, ``granularity``, ``ncp``, ``conditional-entropy`` or ``normalised-conditional-entropy``.
    """
    found = []
    for column, ranks in zip(tables.quasi_identifiers, columns, strict=True):
        if metric.endswith("conditional-entropy"):
            found.append((_price_by_entropy(column, np.bincount(ranks, sizes, column.values).astype(np.float64)), 1.0))
        elif metric == "ncp":
            found.append((_price_by_certainty(tables, column), 1.0 if column.weight is None else column.weight))
        else:
            known = _count_known_values(tables, column)
            found.append(
                (_price_by_others(tables, column, known), 1 - 1 / len(known) if metric == "granularity" else 1.0)
            )
    return found


def _price_by_entropy(column: QuasiIdentifierTables, records: Reals) -> Price:
    """Charge the bits that it takes to tell the value of a record of the input that is among those of a cell."""
    amounts = records, records * np.log2(np.maximum(records, 1))

    def bits(covered: Reals, information: Reals) -> Reals:
        some = np.maximum(covered, 1)
        return np.maximum(np.log2(some) - information / some, 0)

    return RangePrice(tuple(map(_sum_running, amounts)), bits) if _is_range(column) else SetPrice(amounts, bits)


def _price_by_certainty(tables: Tables, column: QuasiIdentifierTables) -> Price:
    """Cost of a cell: the share of occurring values that it covers, or of the width for numbers."""
    if (width := _price_by_width(tables, column)) is not None:
        return width
    each = np.ones(column.values)

    def share(count: Reals) -> Reals:
        return np.where(count > 1, count / column.values, 0.0)

    return RangePrice((_sum_running(each),), share) if _is_range(column) else SetPrice((each,), share)


def _price_by_others(tables: Tables, column: QuasiIdentifierTables, known: Reals) -> Price:
    """Charge the other values that a cell covers as a share of all others, or the share of the width of numbers."""
    if (width := _price_by_width(tables, column)) is not None:
        return width
    others = max(len(known) - 1, 1)
    if not _is_range(column):
        return SetPrice((np.ones(column.values),), lambda count: (count - 1) / others)
    places = np.searchsorted(known, _fetch_values(tables, column)).astype(np.float64)
    return RangePrice(((places, places),), lambda between: between / others)


def _price_by_width(tables: Tables, column: QuasiIdentifierTables) -> Price | None:
    """Charge the share of the width of numbers; None for a column whose values are counted."""
    if column.kind != "number" or column.has_hierarchy:
        return None
    # Halves, because the difference of two large numbers may be beyond the largest.
    halves = _fetch_values(tables, column) / 2
    whole = halves[-1] - halves[0]
    if not whole > 0:
        return None
    return RangePrice(((halves, halves),), lambda between: between / whole)


def _is_range(column: QuasiIdentifierTables) -> bool:
    """Return whether a class is named by its ends, and not by the set of its values."""
    return column.kind == "number" or (column.is_ordered and not column.has_hierarchy)


def _sum_running(amounts: Reals) -> tuple[Reals, Reals]:
    until = np.cumsum(amounts)
    return until - amounts, until


def _fetch_values(tables: Tables, column: QuasiIdentifierTables) -> Reals:
    ground = column.ground.c
    values: Reals = tables.store.to_arrays(select(ground.value).order_by(ground.level_0))["value"]
    return values


def _count_known_values(tables: Tables, column: QuasiIdentifierTables) -> Reals:
    """Return all values of a column, those among them that only its hierarchy lists."""
    known = union(select(column.ground.c.value), select(column.codes.c.value)).subquery()
    listed = tables.store.to_arrays(select(known.c.value))["value"]
    every: Reals = np.union1d(listed, np.array(column.listed, np.float64))
    return every


# How much cutting partitions at their medians gains by a loss metric: the rule that looks one cut ahead.
#
# All columns become narrower by a cut, so that each of them is looked at on both sides of each of them. The rows of
# each partition are put in the order of each column once. Then the values of a side are the runs of equal values that
# have a row on it, and no other sort is needed.

_SEEN = 256
"""Rows of a partition that are looked at, as a rule: more of them seldom choose another column."""
_BLOCK = 2**16
"""Rows that are dealt with at once; the fastest memory holds them."""
_BITS = 62
"""How many bits a whole number holds beside its sign, less one to spare."""


class Ordered(NamedTuple):
    """The rows of all partitions in the order of one column, and their runs of equal values."""

    rows: Numbers
    """Row numbers, partition by partition."""
    starts: Numbers
    """The first of each run."""
    values: Whole
    """The rank of each run."""
    parts: Numbers
    """The first run of each partition."""

    @property
    def lengths(self) -> Numbers:
        """Rows of each run."""
        return np.diff(self.starts, append=len(self.rows))

    def counts(self, marked: Flags) -> Numbers:
        """Count the rows of each run that are marked."""
        until = np.zeros(len(marked) + 1, np.int64)
        np.cumsum(marked[self.rows], out=until[1:])
        counts: Numbers = until[self.starts + self.lengths] - until[self.starts]
        return counts


@dataclass(frozen=True)
class Gains:
    """Measures what cutting each partition (axis 1) in each dimension (axis 0) takes off the cost of its cells.

    Partitions of many rows are measured by some of them.
    """

    prices: Sequence[tuple[Price, float]]
    """What a cell of each column costs, and by how much it counts."""
    least: int
    """Fewest records of a side."""

    def __call__(self, parts: Partitions, lowest: Codes, highest: Codes) -> Reals:
        gains = np.zeros(lowest.shape)
        is_large = parts.records >= 2 * self.least
        if is_large.any():
            gains[:, is_large] = self._compute_gains(parts.some(is_large))
        return gains

    def _compute_gains(self, parts: Partitions) -> Reals:
        if parts.count > 1 and len(parts.sizes) > _BLOCK:
            return np.concatenate([self._compute_gains(block) for block in parts.halves()], axis=1)
        seen = parts.sampled(_SEEN)
        # The same share of the records that are seen must be on each side.
        least = self.least * seen.records / parts.records
        each = [order_rows(column, seen.starts) for column in seen.columns]
        gains = np.empty((len(each), seen.count))
        everything = np.ones(len(seen.sizes), np.bool_)
        before = self._sum_costs(seen, each, everything)
        for dimension, column in enumerate(each):
            left, is_allowable = _cut(seen, column, least)
            after = self._sum_costs(seen, each, left) + self._sum_costs(seen, each, ~left)
            gains[dimension] = np.where(is_allowable, np.maximum(before - after, 0), 0)
        return gains

    def _sum_costs(self, parts: Partitions, each: Sequence[Ordered], marked: Flags) -> Reals:
        """Add up what the cells of the marked rows of each partition cost, if they are classes."""
        costs = np.zeros(parts.count)
        for column, (price, share) in zip(each, self.prices, strict=True):
            costs += share * price.of(column.values, column.counts(marked) > 0, column.parts)
        return costs * totals(np.where(marked, parts.sizes, 0), parts.starts)


def order_rows(column: Whole, starts: Numbers) -> Ordered:
    """Put the rows of each partition in the order of a column.

    Partition, rank and row are packed into one whole number where there is room, because numpy sorts these several
    times as fast as it finds an order.
    """
    count, rows = len(column), np.arange(len(column))
    part = np.repeat(np.arange(len(starts)), np.diff(starts, append=count))
    room, bits = count.bit_length(), int(column.max()).bit_length()
    if len(starts).bit_length() + bits + room <= _BITS:
        keys = part << (bits + room)
        keys |= column.astype(np.int64) << room
        keys |= rows
        keys.sort()
        order = keys & ((1 << room) - 1)
    else:
        order = np.lexsort((column, part))
    values = column[order]
    first = is_first(values)
    first[starts] = True
    runs = np.flatnonzero(first)
    return Ordered(order, runs, values[runs], np.searchsorted(runs, starts))


def _cut(parts: Partitions, column: Ordered, least: Reals) -> tuple[Flags, Flags]:
    """Cut each partition at its median in one column: up to it, or where that is not allowable, below it.

    Returns
    -------
    left : array of bool
        Which rows are on the left side.
    is_allowable : array of bool
        Which partitions have enough records on both sides.
    """
    records = parts.records
    until = np.cumsum(parts.sizes[column.rows])[column.starts + column.lengths - 1]
    before = find_starts(records)
    median = np.searchsorted(until, before + (records + 1) // 2)
    up_to = until[median] - before
    is_below = (records - up_to < least) & (median > column.parts)
    last = median - is_below
    lefts = np.where(is_below, until[last] - before, up_to)
    runs = np.diff(column.parts, append=len(column.starts))
    goes_left = np.arange(len(column.starts)) <= np.repeat(last, runs)
    left = np.empty(len(column.rows), np.bool_)
    left[column.rows] = np.repeat(goes_left, column.lengths)
    return left, (lefts >= least) & (records - lefts >= least)


# The last step of relaxed partitioning: single combinations move between the classes that the cuts have left.


class _Spanned(NamedTuple):
    """Bundles of rows, each of which shows its lowest and its highest value."""

    lowest: Numbers
    highest: Numbers
    records: Numbers


@dataclass(frozen=True)
class _RangeColumn(MoveColumn):
    """A quasi-identifier of which classes show a range."""

    price: RangePrice
    share: float
    values: Numbers
    count: int

    def bundle(self, of_row: Numbers, sizes: Numbers, count: int) -> _Spanned:
        lowest, highest = np.full(count, self.count - 1), np.zeros(count, np.int64)
        np.minimum.at(lowest, of_row, self.values)
        np.maximum.at(highest, of_row, self.values)
        return _Spanned(np.minimum(lowest, highest), highest, np.bincount(of_row, sizes, count))

    def bundle_others(self, classes: _Spanned, of_row: Numbers, sizes: Numbers) -> _Spanned:
        order = np.lexsort((self.values, of_row))
        ordered, last = of_row[order], len(order) - 1
        first = np.flatnonzero(np.diff(ordered, prepend=-1))
        ends = [first, np.append(first[1:], len(order)) - 1]
        found = []
        for shown, place, step in zip((classes.lowest, classes.highest), ends, (1, -1), strict=True):
            without = shown[of_row]
            # A row alone has no others: whatever stands next to it does no harm.
            without[order[place]] = self.values[order[np.clip(place + step, 0, last)]]
            found.append(without)
        lowest, highest = found
        return _Spanned(np.minimum(lowest, highest), highest, classes.records[of_row] - sizes)

    def compute_costs(self, bundles: _Spanned) -> Reals:
        return bundles.records * self._pay(bundles.lowest, bundles.highest)

    def charge(self, bundles: _Spanned, values: Numbers, sizes: Numbers | int) -> Reals:
        together = self._pay(np.minimum(bundles.lowest, values), np.maximum(bundles.highest, values))
        return (bundles.records + sizes) * together - self.compute_costs(bundles)

    def _pay(self, lowest: Numbers, highest: Numbers) -> Reals:
        paid: Reals = self.share * self.price.cost(
            *(until[highest] - since[lowest] for since, until in self.price.ends)
        )
        return paid


class _Gathered(NamedTuple):
    """Bundles of rows, each of which shows the set of its values."""

    held: Numbers
    """How many rows of each value (axis 0) each has."""
    amounts: Reals
    """What the values of each add up to, amount by amount (axis 0)."""
    records: Numbers


@dataclass(frozen=True)
class _SetColumn(MoveColumn):
    """A quasi-identifier of which classes show a set."""

    price: SetPrice
    share: float
    values: Numbers
    count: int

    def bundle(self, of_row: Numbers, sizes: Numbers, count: int) -> _Gathered:
        held = np.bincount(self.values * count + of_row, minlength=self.count * count).reshape(self.count, count)
        return self._describe(held, np.bincount(of_row, sizes, count))

    def bundle_others(self, classes: _Gathered, of_row: Numbers, sizes: Numbers) -> _Gathered:
        held = classes.held[:, of_row]
        held[self.values, np.arange(len(of_row))] -= 1
        return self._describe(held, classes.records[of_row] - sizes)

    def compute_costs(self, bundles: _Gathered) -> Reals:
        return bundles.records * self._pay(bundles.amounts)

    def charge(self, bundles: _Gathered, values: Numbers, sizes: Numbers | int) -> Reals:
        is_new = bundles.held[values, np.arange(bundles.held.shape[1])] == 0
        together = [kept + own[values] * is_new for kept, own in zip(bundles.amounts, self.price.amounts, strict=True)]
        paid: Reals = (bundles.records + sizes) * self._pay(together) - self.compute_costs(bundles)
        return paid

    def _describe(self, held: Numbers, records: Numbers) -> _Gathered:
        return _Gathered(held, np.stack([amount @ (held > 0) for amount in self.price.amounts]), records)

    def _pay(self, amounts: Sequence[Reals] | Reals) -> Reals:
        paid: Reals = self.share * self.price.cost(*amounts)
        return paid


def _make_column(price: Price, share: float, ranks: Whole) -> MoveColumn:
    occurring, own = np.unique(ranks, return_inverse=True)
    if isinstance(price, RangePrice):
        ends = tuple((since[occurring], until[occurring]) for since, until in price.ends)
        return _RangeColumn(RangePrice(ends, price.cost), share, own, len(occurring))
    assert isinstance(price, SetPrice), "there are two kinds"
    amounts = tuple(amount[occurring] for amount in price.amounts)
    return _SetColumn(SetPrice(amounts, price.cost), share, own, len(occurring))


# The step itself: classes that show similar values are looked at together, part by part.

_CLASSES = 400
"""Classes among which a row may move."""
_ROUNDS = 2
"""How often steps are looked for: the first ones gain most."""
_WORK = 150_000_000, 100
"""Most work, for all and for each row: it is done in about a second."""


def improve_partitions(
    parts: Partitions,
    prices: Sequence[tuple[Price, float]],
    least: int,
    judge: ClassJudge | None,
    report: Callable[[str], None],
) -> Partitions:
    """Move rows between the classes that cuts have left, if less is lost.

    A class shows the ends or the set of its values, so that it covers its records as before. But two classes may
    overlap, which cuts never do.

    Parameters
    ----------
    prices : sequence of (Price, float)
        What a cell of each column costs, and by how much it counts.
    least : int
        Fewest records of a class.
    judge : ClassJudge, optional
        Refuses classes for other reasons; it asks neither for people nor for persons who are in several classes.
    report : callable
        Is told what the search is at.
    """
    of_row, most = np.repeat(np.arange(parts.count), parts.rows), _WORK[0] + _WORK[1] * len(parts.sizes)
    for places in _list_parts(parts, of_row):
        if most <= 0:
            break
        report("moves between classes")
        moves = _make_moves(parts, places, prices, least, judge)
        classes, own = np.unique(of_row[places], return_inverse=True)
        of_row[places] = classes[moves.improve(own, most, _ROUNDS)]
        most -= moves.work
    return parts.regroup(of_row)


def _list_parts(parts: Partitions, of_row: Numbers) -> Iterator[Numbers]:
    """Yield the rows of some classes that show similar values, by the columns with fewest values first."""
    most_values = np.argsort([-int(ranks.max()) for ranks in parts.columns], kind="stable")
    order = np.lexsort([parts.columns[index][parts.starts] for index in most_values])
    count = -(-parts.count // _CLASSES)
    part = np.empty(parts.count, np.int64)
    part[order] = np.arange(parts.count) * count // parts.count
    by_part = np.argsort(part[of_row], kind="stable")
    yield from np.split(by_part, np.cumsum(np.bincount(part[of_row]))[:-1])


def _make_moves(
    parts: Partitions,
    places: Numbers,
    prices: Sequence[tuple[Price, float]],
    least: int,
    judge: ClassJudge | None,
) -> Moves:
    sizes, ids = parts.sizes[places].astype(np.int64), parts.combination_ids[places]
    each = zip(prices, parts.columns, strict=True)
    columns = [_make_column(price, share, ranks[places]) for (price, share), ranks in each]
    together = [column.compute_costs(column.bundle(np.zeros_like(places), sizes, 1)) for column in columns]

    def mark_refused(members: Numbers, classes: Numbers) -> Flags:
        assert judge is not None
        return judge.mark_refused(ids[members], sizes[members], classes, int(classes.max(initial=-1)) + 1)

    highest = float(np.sum(together)) / int(sizes.sum())
    return Moves(columns, sizes, least, highest, None if judge is None else mark_refused)
