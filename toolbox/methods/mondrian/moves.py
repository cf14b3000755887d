"""The last step of Mondrian: single combinations move between the classes that the cuts have left."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from toolbox.methods.arrays.combinations import Flags, Numbers, Reals, Whole
from toolbox.methods.arrays.models import ClassJudge
from toolbox.methods.arrays.moves import MoveColumn, Moves
from toolbox.methods.mondrian.gains import Price, RangePrice, SetPrice
from toolbox.methods.mondrian.partitions import Partitions


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
