"""Moves of single combinations between the classes of a release: whatever loses less by prices that are given."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from toolbox.methods.arrays.combinations import Flags, Numbers, Reals, number_rows

_LESS = 1e-6
"""The share of what a suppressed record pays that is no difference."""
_AT_ONCE = 2_000_000
"""Prices that are compared at once."""
_MOST_IN_TABLE = 4_000_000
"""Values times classes up to which a table tells what joining costs; else it is computed for the rows at hand."""

# What bundles of rows pay in one column: classes, or what is left of them without one row.


class MoveColumn(ABC):
    """A quasi-identifier in some rows.

    What it makes of bundles of rows is its own affair: a named tuple of arrays, whose last axis is that of the bundles.
    """

    values: Numbers
    """The value of each row, numbered from 0."""
    count: int
    """Number of values."""

    @abstractmethod
    def bundle(self, of_row: Numbers, sizes: Numbers, count: int) -> Any:
        """Describe classes, of which some may be empty.

        Parameters
        ----------
        of_row : array
            The class of each row.
        sizes : array
            The records of each row.
        count : int
            Number of classes.
        """

    @abstractmethod
    def bundle_others(self, classes: Any, of_row: Numbers, sizes: Numbers) -> Any:
        """Describe, for each row, the others of its class; of a row alone, anything."""

    @abstractmethod
    def compute_costs(self, bundles: Any) -> Reals:
        """Return what bundles pay."""

    @abstractmethod
    def charge(self, bundles: Any, values: Numbers, sizes: Numbers | int) -> Reals:
        """Return what is lost in addition if a row joins a bundle: each its own, or each (axis 0) each (axis 1)."""


@dataclass(frozen=True)
class _Bundles:
    """Rows that are together, in all columns."""

    columns: Sequence[MoveColumn]
    each: list[Any]
    """What each column makes of them."""
    sizes: Numbers
    """Their records."""

    @property
    def costs(self) -> Reals:
        """What they pay."""
        each = zip(self.columns, self.each, strict=True)
        return np.sum([column.compute_costs(bundles) for column, bundles in each], axis=0)  # type: ignore[no-any-return]

    def some(self, which: Numbers) -> _Bundles:
        """Return the bundles of these numbers."""
        each = [type(bundles)(*(array[..., which] for array in bundles)) for bundles in self.each]
        return _Bundles(self.columns, each, self.sizes[which])


# Ways to change the classes.


class _Steps(NamedTuple):
    """Ways to change the classes, each by itself."""

    change: Reals
    """By how much more is lost then: less than nothing."""
    number: Numbers
    """The way to which each of these moves belongs."""
    rows: Numbers
    targets: Numbers
    """The class to which each row moves."""

    def some(self, which: Numbers) -> _Steps:
        """Return the ways of these numbers, ascending."""
        stays = np.isin(self.number, which)
        number = np.searchsorted(which, self.number[stays])
        return _Steps(self.change[which], number, self.rows[stays], self.targets[stays])


def _join_steps(parts: Sequence[_Steps]) -> _Steps:
    starts = np.cumsum([0, *(len(part.change) for part in parts)])
    number = [part.number + start for part, start in zip(parts, starts, strict=False)]
    change, rows, targets = (
        np.concatenate(each) for each in zip(*((part.change, part.rows, part.targets) for part in parts), strict=True)
    )
    return _Steps(change, np.concatenate(number), rows, targets)


def _pick_steps(steps: _Steps, of_row: Numbers) -> _Steps:
    """Return the best steps of which no two share a class."""
    count = len(steps.change)
    rank = np.empty(count, np.int64)
    rank[np.argsort(steps.change, kind="stable")] = np.arange(count)
    touched = np.concatenate([of_row[steps.rows], steps.targets])
    by = np.concatenate([steps.number, steps.number])
    chosen, waits = np.zeros(count, np.bool_), np.ones(count, np.bool_)
    while waits.any():
        open_ = waits[by]
        first = np.full(int(touched.max()) + 1, count)
        np.minimum.at(first, touched[open_], rank[by[open_]])
        later = first[touched] < rank[by]
        chosen_now = waits & (np.bincount(by, later, count) == 0)
        chosen |= chosen_now
        taken = np.zeros(len(first), np.bool_)
        taken[touched[chosen_now[by]]] = True
        waits &= np.bincount(by, taken[touched], count) == 0
    return steps.some(np.flatnonzero(chosen))


class Moves:
    """Some rows, which move between the classes that they form, as long as less is lost.

    A row moves to the class where it loses least: alone; or while another row fills its place, of a class that has
    more than it needs or of the class that it joins; or with all rows of its class, which is then gone. Of all steps
    that gain, the best that share no class are made together, and then all are looked for again (sequential
    clustering, Goldberger and Tassa 2010).

    Parameters
    ----------
    columns : sequence of MoveColumn
    sizes : array
        The records of each row.
    least : int
        Fewest records of a class.
    highest : float
        What a suppressed record pays.
    refused : callable, optional
        Marks the classes that violate a model, given row numbers and the class of each, numbered from 0.
    beat : callable, optional
        Is called again and again.
    """

    def __init__(
        self,
        columns: Sequence[MoveColumn],
        sizes: Numbers,
        least: int,
        highest: float,
        refused: Callable[[Numbers, Numbers], Flags] | None = None,
        beat: Callable[[], None] = lambda: None,
    ) -> None:
        self._columns, self._sizes, self._least, self._refused, self._beat = columns, sizes, least, refused, beat
        self._less = _LESS * highest
        # A row that is enough for a class is looked at by the searches; and there are many different sizes.
        self._may_move = sizes < least
        self.work = 0
        """So many rows were compared with a class in one column."""

    def improve(self, of_row: Numbers, most: int, rounds: int | None = None) -> Numbers:
        """Return the class of each row, numbered from 0.

        Parameters
        ----------
        of_row : array
            The class of each row, numbered from 0; none is empty.
        most : int
            Most work.
        rounds : int, optional
            How often steps are looked for at most; None: until none gains.
        """
        of_row, left = of_row.copy(), np.inf if rounds is None else rounds
        classes = self._bundle(of_row)
        joins, targets = np.full(len(of_row), np.inf), np.zeros(len(of_row), np.int64)
        self._look(classes, np.arange(len(classes.sizes)), of_row, np.flatnonzero(self._may_move), joins, targets)
        while self.work < most and len(classes.sizes) > 1 and left > 0:
            left -= 1
            steps = self._list_steps(classes, of_row, joins, targets)
            if not len(steps.change):
                break
            picked = self._accept(_pick_steps(steps, of_row), of_row)
            touched = np.zeros(len(classes.sizes), np.bool_)
            touched[of_row[picked.rows]] = touched[picked.targets] = True
            of_row[picked.rows] = picked.targets
            # Of a class that is gone no row is left; its number stays, so that all others keep theirs.
            classes = self._bundle(of_row, len(touched))
            stale = touched[targets] & self._may_move
            joins[stale] = np.inf
            self._look(classes, np.arange(len(touched)), of_row, np.flatnonzero(stale), joins, targets)
            fresh = np.flatnonzero(self._may_move & ~stale)
            self._look(classes, np.flatnonzero(touched), of_row, fresh, joins, targets)
            # Rows of a step that was refused do not try again.
            joins[~self._may_move] = np.inf
        return np.unique(of_row, return_inverse=True)[1]

    def _accept(self, picked: _Steps, of_row: Numbers) -> _Steps:
        """Return the steps after which every class that they touch satisfies the models."""
        if self._refused is None:
            return picked
        after, step_of = of_row.copy(), np.full(int(of_row.max()) + 1, -1)
        after[picked.rows] = picked.targets
        step_of[of_row[picked.rows]] = step_of[picked.targets] = picked.number
        members = np.flatnonzero(step_of[after] >= 0)
        numbers, own = np.unique(after[members], return_inverse=True)
        refused = np.unique(step_of[numbers[self._refused(members, own)]])
        self._may_move[picked.rows[np.isin(picked.number, refused)]] = False
        return picked.some(np.setdiff1d(np.arange(len(picked.change)), refused))

    def _bundle(self, of_row: Numbers, count: int | None = None) -> _Bundles:
        """Return the classes."""
        count = int(of_row.max()) + 1 if count is None else count
        each = [column.bundle(of_row, self._sizes, count) for column in self._columns]
        return _Bundles(self._columns, each, np.bincount(of_row, self._sizes, count))

    def _bundle_others(self, classes: _Bundles, of_row: Numbers) -> _Bundles:
        """Return, for each row, the others of its class; of a row alone, nothing that pays."""
        pairs = zip(self._columns, classes.each, strict=True)
        each = [column.bundle_others(bundles, of_row, self._sizes) for column, bundles in pairs]
        return _Bundles(self._columns, each, classes.sizes[of_row] - self._sizes)

    def _compare(self, bundles: _Bundles, rows: Numbers) -> Iterator[tuple[Numbers, NDArray[np.float32]]]:
        """Yield some rows and what is lost in addition if each (axis 0) joins each bundle (axis 1)."""
        several = max(1, _AT_ONCE // max(1, len(bundles.sizes)))
        self.work += len(rows) * len(bundles.sizes) * len(self._columns)
        for size in np.unique(self._sizes[rows]):
            alike = rows[self._sizes[rows] == size]
            tables = [
                self._charge(index, bundles, np.arange(column.count), size)
                if column.count * len(bundles.sizes) <= _MOST_IN_TABLE and len(alike) > several // 4
                else None
                for index, column in enumerate(self._columns)
            ]
            for start in range(0, len(alike), several):
                self._beat()
                some = alike[start : start + several]
                total = np.zeros((len(some), len(bundles.sizes)), np.float32)
                for index, (column, table) in enumerate(zip(self._columns, tables, strict=True)):
                    values = column.values[some]
                    if table is None:
                        occurring, values = np.unique(values, return_inverse=True)
                        total += self._charge(index, bundles, occurring, size)[values]
                    else:
                        total += table[values]
                yield some, total

    def _charge(self, index: int, bundles: _Bundles, values: Numbers, size: int) -> NDArray[np.float32]:
        """Return what is lost in addition in one column if a row of each value (axis 0) joins a bundle (axis 1)."""
        charged: NDArray[np.float32] = (
            self._columns[index].charge(bundles.each[index], values[:, None], size).astype(np.float32)
        )
        return charged

    def _look(
        self, classes: _Bundles, which: Numbers, of_row: Numbers, rows: Numbers, joins: Reals, targets: Numbers
    ) -> None:
        """Note for rows which of some other classes they may join best, if that is better than what is noted."""
        if not len(which):
            return
        place = np.full(len(classes.sizes), -1)
        place[which] = np.arange(len(which))
        gone = np.flatnonzero(classes.sizes[which] == 0)
        for some, total in self._compare(classes.some(which), rows):
            own = place[of_row[some]]
            total[np.flatnonzero(own >= 0), own[own >= 0]] = np.inf
            total[:, gone] = np.inf
            best = total.argmin(axis=1)
            lost = total[np.arange(len(some)), best]
            better = lost < joins[some]
            joins[some[better]], targets[some[better]] = lost[better], which[best[better]]

    def _list_steps(self, classes: _Bundles, of_row: Numbers, joins: Reals, targets: Numbers) -> _Steps:
        others, cost = self._bundle_others(classes, of_row), classes.costs
        left = cost[of_row] - others.costs
        change = joins - left
        can_leave = (others.sizes >= self._least) & self._may_move
        alone = np.flatnonzero(can_leave & (change < -self._less))
        steps = [_Steps(change[alone], np.arange(len(alone)), alone, targets[alone])]
        wants = np.flatnonzero(~can_leave & (change < -self._less) & (others.sizes > 0))
        donors = np.flatnonzero(can_leave)
        if len(wants) and len(donors):
            steps.append(self._fill_places(others, of_row, targets, change, left, wants, donors))
        steps.append(self._exchange(others, cost, of_row, targets, np.flatnonzero(np.isfinite(joins))))
        steps.append(self._dissolve(cost, of_row, joins, targets))
        return _join_steps(steps)

    def _fill_places(
        self,
        others: _Bundles,
        of_row: Numbers,
        targets: Numbers,
        change: Reals,
        left: Reals,
        wants: Numbers,
        donors: Numbers,
    ) -> _Steps:
        """List moves of rows whose classes have no record too many, with the best row that fills the place."""
        best, filler = np.full(len(wants), np.inf), np.zeros(len(wants), np.int64)
        waiting, each = others.some(wants), np.arange(len(wants))
        for some, joined in self._compare(waiting, donors):
            total = joined - left[some][:, None].astype(np.float32)
            own = of_row[some][:, None]
            few = waiting.sizes + self._sizes[some][:, None] < self._least
            total[few | (own == targets[wants]) | (own == of_row[wants])] = np.inf
            lowest = total.argmin(axis=0)
            lost = total[lowest, each]
            better = lost < best
            best[better], filler[better] = lost[better], some[lowest[better]]
        changed = change[wants] + best
        good = changed < -self._less
        rows, number = wants[good], np.arange(int(good.sum()))
        return _Steps(
            changed[good],
            np.concatenate([number, number]),
            np.concatenate([rows, filler[good]]),
            np.concatenate([targets[rows], of_row[rows]]),
        )

    def _exchange(self, others: _Bundles, cost: Reals, of_row: Numbers, targets: Numbers, rows: Numbers) -> _Steps:
        """List exchanges of a row with one of the class that it would join."""
        order = np.argsort(of_row, kind="stable")
        counts = np.bincount(of_row, minlength=len(cost))
        starts = np.cumsum(counts) - counts
        # Classes of very many rows would be most of the work.
        rows = rows[counts[targets[rows]] <= 4 * self._least]
        several = counts[targets[rows]]
        one = np.repeat(rows, several)
        within = np.arange(several.sum()) - np.repeat(np.cumsum(several) - several, several)
        other = order[np.repeat(starts[targets[rows]], several) + within]
        enough = [others.sizes[a] + self._sizes[b] >= self._least for a, b in ((one, other), (other, one))]
        keeps = enough[0] & enough[1] & self._may_move[other]
        one, other = one[keeps], other[keeps]
        self.work += 2 * len(one) * len(self._columns)
        paid = self._pay_together(others, one, other) + self._pay_together(others, other, one)
        changed = paid - cost[of_row[one]] - cost[of_row[other]]
        good = np.flatnonzero(changed < -self._less)
        one, other, number = one[good], other[good], np.arange(len(good))
        return _Steps(
            changed[good],
            np.concatenate([number, number]),
            np.concatenate([one, other]),
            np.concatenate([of_row[other], of_row[one]]),
        )

    def _pay_together(self, others: _Bundles, gone: Numbers, come: Numbers) -> Reals:
        """Return what a class pays if a row of it is gone and another has come."""
        left = others.some(gone)
        total = left.costs
        for column, bundles in zip(self._columns, left.each, strict=True):
            total += column.charge(bundles, column.values[come], self._sizes[come])
        return total

    def _dissolve(self, cost: Reals, of_row: Numbers, joins: Reals, targets: Numbers) -> _Steps:
        """List classes all rows of which lose less in others, each in another one."""
        changed = np.bincount(of_row, joins, len(cost)) - cost
        gone = changed[of_row] < -self._less
        rows = np.flatnonzero(gone)
        together = number_rows([of_row[rows], targets[rows]])[0] if len(rows) else rows
        twice = np.bincount(together)[together] > 1 if len(rows) else np.zeros(0, np.bool_)
        rows = rows[np.bincount(of_row[rows], twice, len(cost))[of_row[rows]] == 0]
        numbers, own = np.unique(of_row[rows], return_inverse=True)
        return _Steps(changed[numbers], own, rows, targets[rows])
