"""The search: sweeps at the prices of the release before, parts formed again, and the best of what is found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from toolbox.errors import UnsatisfiableError
from toolbox.methods.arrays.combinations import Flags, Numbers, Reals, Whole, number_rows
from toolbox.methods.arrays.models import ClassJudge, Keys
from toolbox.methods.local_recoding.rows import Nodes, RecodingObjective, RecodingRows, compute_node_prices, list_nodes
from toolbox.methods.local_recoding.sweep import (
    Left,
    NodeGroups,
    Queue,
    draw_keys,
    find_best_nodes,
    improve_classes,
    select_all_rows,
    select_left_rows,
    sweep_anew,
    sweep_by_price,
    sweep_nodes,
)
from toolbox.privacy.model import ReleaseModel

# Parts of a release formed again: all classes below a node drawn at random, kept where they lose less than before.

_SPREAD = 0.1
"""How far the prices are moved that decide the order: the standard deviation, as a share."""
_OPTIMISM = 0.5
_LESS = 1e-9
"""The share of a loss that is no difference."""


@dataclass(frozen=True)
class Parts:
    """What is needed to form classes again."""

    rows: RecodingRows
    keys: list[list[Keys]]
    nodes: Nodes
    least: int
    best: Nodes
    """The levels of each row where it would be in a class if it had first choice; see `find_best_nodes`."""
    generator: np.random.Generator

    def form_again(self, classes: _RowClasses, prices: list[Reals], most: int) -> tuple[Numbers | None, int]:
        """Form the classes below a random node again, at prices that are moved a little.

        What is in one class at that node is a part; each keeps its new classes if they lose less by the true prices.

        Parameters
        ----------
        prices : list of arrays
            What a record of each value (axis 1) pays at each level (axis 0) of each quasi-identifier.
        most : int
            See `sweep_by_price`.

        Returns
        -------
        of_row : array, optional
            The number of the class of each row; None if no part loses less.
        work : int
        """
        above = self._draw_node()
        below_it = np.flatnonzero((classes.levels > above[:, None]).sum(axis=0) == 0)
        within = np.isin(classes.of_row, below_it)
        moved = [price * self.generator.normal(1, _SPREAD, (len(price), 1)) for price in prices]
        if not within.any():
            return None, 0
        places, below = np.flatnonzero(within), self.nodes[(self.nodes <= above).all(axis=1)]
        # The node itself may be one that is not visited; there, every part is a class.
        below = np.vstack([below, above.astype(below.dtype)])
        queue = Queue(select_left_rows(self.rows, self.keys, places), below, self.least, moved, self.best, _OPTIMISM)
        swept = sweep_by_price(queue, most)[places]
        part = self._find_parts(places, above)
        # Whoever is left goes with the last class of the part.
        last = np.full(int(part.max()) + 1, -1)
        np.maximum.at(last, part, swept)
        rows = self.rows.some(places)
        again = _make_row_classes(rows, np.where(swept < 0, last[part], swept))
        paid = (_compute_row_prices(rows, levels, prices) for levels in (again.of_rows, classes.of_rows[:, places]))
        new, old = (np.bincount(part, each) for each in paid)
        better = (new < old * (1 - _LESS))[part]
        if not better.any():
            return None, queue.work
        of_row = classes.of_row.copy()
        of_row[places[better]] = classes.count + again.of_row[better]
        return of_row, queue.work

    def _draw_node(self) -> Numbers:
        """Draw a node: some quasi-identifiers at a level below their roots, all others there."""
        heights = np.array([column.height for column in self.rows.columns])
        some = self.generator.permutation(len(heights))[: self.generator.integers(1, len(heights) + 1)]
        heights[some] = self.generator.integers(0, heights[some])
        return heights

    def _find_parts(self, places: Numbers, above: Numbers) -> Numbers:
        """Return the part of each of some rows: those that agree at a node are one."""
        keys = np.zeros(len(places), np.uint64)
        for key, level, value in zip(self.keys, above, self.rows.values, strict=True):
            keys += key[level][value[places]]
        part: Numbers = np.unique(keys, return_inverse=True)[1]
        return part


def _compute_row_prices(rows: RecodingRows, levels: Numbers, prices: list[Reals]) -> Reals:
    """Return what the records of each row pay."""
    paid = np.zeros(len(rows.sizes))
    for price, level, value in zip(prices, levels, rows.values, strict=True):
        paid += price[level, value]
    return paid * rows.sizes


# The last records, too few or too similar to be a class: they join the classes that lose least by it.


@dataclass(frozen=True)
class Hosts:
    """Classes that other rows may join; all members are then generalised together."""

    rows: RecodingRows
    classes: _RowClasses
    prices: list[Reals]
    """What a record of each value (axis 1) pays at each level (axis 0) of each quasi-identifier."""

    @cached_property
    def _first(self) -> Numbers:
        """The first row of each class."""
        return self.classes.first

    @cached_property
    def _paid(self) -> list[Reals]:
        """What the members of each class (axis 1) pay at each level (axis 0) of each quasi-identifier."""
        sizes, of_row, count = self.rows.sizes, self.classes.of_row, self.classes.count
        return [
            np.array([np.bincount(of_row, paid[value] * sizes, count) for paid in price])
            for value, price in zip(self.rows.values, self.prices, strict=True)
        ]

    def costs(self, joining: RecodingRows) -> Reals:
        """Return the cost of adding rows to each class: the loss of its members plus that of the joining rows."""
        total, classes = np.zeros(self.classes.count), np.arange(self.classes.count)
        for index, column in enumerate(self.rows.columns):
            level, paid, new = self.classes.levels[index], self._paid[index], joining.values[index]
            first = self.rows.values[index][self._first]
            together = level.copy()
            for step, code in enumerate(column.codes):
                shown = code[new]
                apart = (code[first] != shown[0]) | (shown != shown[0]).any()
                together[apart] = np.maximum(together[apart], step + 1)
            own = self.prices[index][:, new] @ joining.sizes
            total += paid[together, classes] - paid[level, classes] + own[together]
        return total


def place_all_rows(rows: RecodingRows, of_row: Numbers, prices: list[Reals], judge: ClassJudge | None) -> _RowClasses:
    """Return classes of all rows: those that are in no class yet join one.

    Without a judge each row joins the class where that is cheapest. With a judge all rows join together: one class,
    then two, four, .. of those that lose least, until these may be one class; at the latest all of them.

    Parameters
    ----------
    of_row : array
        The class of each row, -1 for none.
    """
    left, inside = np.flatnonzero(of_row < 0), np.flatnonzero(of_row >= 0)
    if not len(left):
        return _make_row_classes(rows, of_row)
    if not len(inside):
        return _make_row_classes(rows, np.zeros_like(of_row))
    formed, placed = rows.some(inside), of_row.copy()
    hosts = Hosts(formed, _make_row_classes(formed, of_row[inside]), prices)
    placed[inside] = hosts.classes.of_row
    if judge is None:
        for row in left:
            placed[row] = hosts.costs(rows.some(np.array([row]))).argmin()
        return _make_row_classes(rows, placed)
    order, several = np.argsort(hosts.costs(rows.some(left)), kind="stable"), 1
    while True:
        members = np.flatnonzero(np.isin(placed, order[:several]) | (placed < 0))
        if several >= len(order) or not rows.mark_refused(judge, members, np.zeros_like(members)).any():
            placed[members] = order[0]
            return _make_row_classes(rows, placed)
        several *= 2


# The best full-domain release: a local recoding must not lose more.


def find_cheapest_node(
    everybody: Left, nodes: Nodes, paid: Reals, least: int, judge: ClassJudge | None
) -> Numbers | None:
    """Find the cheapest node at which all records are in classes, and return the class of each row.

    If a node leaves a record out, so does every node below it. So the search halves the remaining nodes again and
    again, at the node of median price.

    Parameters
    ----------
    paid : array
        What a record pays at each node on average; those that are no option are not listed.

    Returns
    -------
    array, optional
        None if there is no such node.
    """
    best: Numbers | None = None
    while len(nodes):
        order = np.argsort(paid, kind="stable")
        middle = order[(len(nodes) - 1) // 2]
        groups = everybody.groups(tuple(nodes[middle].tolist()), least)
        if groups is not None and _is_everyone_accepted(everybody, groups, judge):
            best = np.empty(len(everybody.places), np.int64)
            best[groups.members] = groups.of_member
            stay = paid < paid[middle]
        else:
            stay = (nodes > nodes[middle]).any(axis=1)
        nodes, paid = nodes[stay], paid[stay]
    return best


def _is_everyone_accepted(everybody: Left, groups: NodeGroups, judge: ClassJudge | None) -> bool:
    if len(groups.members) < len(everybody.places):
        return False
    return judge is None or not everybody.rows.mark_refused(judge, groups.members, groups.of_member).any()


# The search: sweeps at the prices of the release before, and the best of what they find.

_MOST_NODES = 20_000
_SWEEPS = 4
"""Most sweeps over the nodes."""
_MOST_ROWS = 800_000
"""Most rows in all of them, so that a table on which nearly every record is unique takes no longer."""
_FEW_LOOKS = 10_000_000
"""Rows at all nodes, up to which nodes are also put in order anew after each class."""
_SOME_LOOKS = 40_000_000
"""Most rows at all nodes in all sweeps by node, where groups are priced after them."""
_MANY_LOOKS = 100_000_000
"""Rows at all nodes, from which on the most hasty sweep by price is not left out."""
_MOST_LOOKS = 1_000_000_000
"""Most rows at all nodes for which groups are priced."""
_MOST_JUDGED = 10_000_000
"""The same where other models are asked: beyond it next to nothing is gained, for several times the time."""
_PLAN = ((0.9, True), (0.8, True), (0.5, True), (0.3, True), (0.0, True), (0.0, False))
"""One sweep by price after the other: its optimism (see `Queue`), and whether its prices are those of the best release;
otherwise they are those of the input, once more, as what no release shows is dear at its margin."""
_MOST_WORK = 390_000_000
"""Most work of sweeps by price: about three seconds."""
_WORK = (20_000_000, 100_000)
"""Most of it for a table of few rows, whatever its lattice: for all, and for each row."""
_BEYOND = 1.3
"""How far a sweep may go beyond it before it hurries."""
_GROWS = 1.8
"""How much more work the next of them is at least, as a rule."""
_MOST_AGAIN, _AGAIN = 25_000_000, 20_000
"""Most work of forming parts again, for a table of many rows and for each row: less than a second."""
_MOST_MOVES = 4_000_000_000
"""Most work of moving rows between classes: so many prices are compared in a few seconds."""
_TRY = 100_000
"""The work of one part besides its sweep."""
_GAINED = 1e-3
"""The share of a loss that moves must gain, so that they are made again at new prices."""
_SAME = 1e-9
"""The share of a loss that is no difference."""


@dataclass
class _Found:
    """The release that loses least so far, and the prices at its margin."""

    rows: RecodingRows
    objective: RecodingObjective
    judge: ClassJudge | None
    charged: list[Reals]
    """What cells cost at the margin of the last release, or of the best."""
    best: _RowClasses | None = None
    lost: float = np.inf
    best_charged: list[Reals] = field(default_factory=list)

    def add(self, of_row: Numbers) -> None:
        """Place the records that are left, and keep the release if it loses less than all before."""
        classes = place_all_rows(self.rows, of_row, self.charged, self.judge)
        histograms = self.rows.histograms(classes.of_rows)
        lost = self.objective.lost(histograms)
        self.charged = self.objective.prices(histograms)
        if lost < self.lost and self._is_allowed(classes):
            self.best, self.lost, self.best_charged = classes, lost, self.charged

    def _is_allowed(self, classes: _RowClasses) -> bool:
        """Return whether the classes, as a reader tells them apart, satisfy models that may refuse two of them as one.

        Two classes to which records were added may show the same: then they are one, which covers the people of one,
        and in which a person counts once.
        """
        if self.judge is None or not (self.judge.asks_people or self.judge.may_refuse_unions):
            return True
        shown, _ = number_rows(classes.intervals(self.rows))
        members = np.arange(len(self.rows.sizes))
        return not self.rows.mark_refused(self.judge, members, shown[classes.of_row], exactly=True).any()


@dataclass(frozen=True)
class RecodingSearch:
    """The search, with all that decides which classes are formed."""

    objective: RecodingObjective
    least: int
    """Fewest records of a class."""
    judge: ClassJudge | None
    report: Callable[[str], None]

    def best(self, rows: RecodingRows) -> _RowClasses:
        """Form classes of all rows in several sweeps, and return those that lose least.

        If whole columns at one level each, at a node that is visited, lose less, those are returned.
        """
        keys, prices = draw_keys(rows), self.objective.prices(None)
        averages = select_all_rows(rows, keys).averages(prices)
        nodes = list_nodes(averages, _MOST_NODES)
        paid = compute_node_prices(nodes, averages)
        found, looks = _Found(rows, self.objective, self.judge, prices), len(nodes) * len(rows.sizes)
        by_price = looks <= (_MOST_LOOKS if self.judge is None else _MOST_JUDGED)
        is_priced_alone = by_price and self.judge is None
        self._sweep_by_node(found, keys, nodes, min(_SWEEPS, _SOME_LOOKS // looks) if is_priced_alone else _SWEEPS)
        if by_price:
            self._sweep_by_price(found, keys, nodes, find_best_nodes(rows, keys, nodes, paid, self.least))
        options = paid * rows.records < found.lost * (1 - _SAME)
        whole = find_cheapest_node(select_all_rows(rows, keys), nodes[options], paid[options], self.least, self.judge)
        if whole is not None:
            found.add(whole)
        if found.best is None:
            return self._form_one_class(rows)
        self._move(found)
        return found.best

    def _move(self, found: _Found) -> None:
        """Move rows between the classes of the best release, at the prices of its margin."""
        rows, judge, spent = found.rows, self.judge, 0

        def mark_refused(members: Numbers, classes: Numbers) -> Flags:
            assert judge is not None
            return rows.mark_refused(judge, members, classes)

        while spent < _MOST_MOVES:
            self.report("moves between classes")
            assert found.best is not None
            before, classes = found.lost, found.best.of_row
            of_row, work = improve_classes(
                rows,
                classes,
                found.best_charged,
                self.least,
                _MOST_MOVES - spent,
                None if judge is None else mark_refused,
            )
            found.charged = found.best_charged
            found.add(of_row)
            spent += work
            if not self.objective.learns or found.lost >= before * (1 - _GAINED):
                break

    def _form_one_class(self, rows: RecodingRows) -> _RowClasses:
        """Put all rows into one class, if nothing else is allowed.

        Raises
        ------
        UnsatisfiableError
            If that is no class either, by the values that its records have in common.
        """
        everybody = np.zeros(len(rows.sizes), np.int64)
        if (
            self.judge is not None
            and rows.mark_refused(self.judge, np.arange(len(everybody)), everybody, exactly=True).any()
        ):
            if not self.judge.asks_people:
                raise UnsatisfiableError(
                    "All records together do not satisfy every model, because persons have several combinations of "
                    "quasi-identifiers, and no other classes were found. Choose Flash, or other models."
                )
            raise UnsatisfiableError(
                "The lowest generalisations of all records together cover too few people of the population, and no "
                "other class satisfies every model. Choose Flash, which goes up to the roots, or other models."
            )
        return _make_row_classes(rows, everybody)

    def _sweep_by_node(self, found: _Found, keys: list[list[Keys]], nodes: Nodes, most: int) -> None:
        """Sweep over the nodes in the order of what a record pays there on average."""
        rows, prices = found.rows, found.charged
        sweeps = max(1, min(most, self._count_sweeps(rows))) if self.objective.learns else 1
        for index in range(1, sweeps + 1):
            self.report(f"sweep {index} of {sweeps}")
            order = np.argsort(
                compute_node_prices(nodes, select_all_rows(rows, keys).averages(found.charged)), kind="stable"
            )
            found.add(sweep_nodes(select_all_rows(rows, keys), nodes[order], self.least, self.judge))
        if self.judge is None and len(nodes) * len(rows.sizes) <= _FEW_LOOKS:
            found.charged = prices
            found.add(sweep_anew(rows, keys, nodes, self.least, prices))

    def _sweep_by_price(self, found: _Found, keys: list[list[Keys]], nodes: Nodes, best: Nodes) -> None:
        """Sweep over the groups in the order of what their own records pay, again and again more exactly."""
        rows, spent, expected = found.rows, 0, 0.0
        most = min(_MOST_WORK, _WORK[0] + _WORK[1] * len(rows.sizes))
        plan = _PLAN[len(nodes) * len(rows.sizes) < _MANY_LOOKS : None if self.objective.learns else -1]
        if self.judge is not None:
            # Each of these is followed by one by node, which asks the models.
            plan = plan[: self._count_sweeps(rows)]
        for optimism, is_learnt in plan:
            if spent + expected > most:
                return
            self.report(f"groups by price, {optimism:g}")
            is_known = is_learnt and found.best is not None
            found.charged = found.best_charged if is_known else self.objective.prices(None)
            queue = Queue(select_all_rows(rows, keys), nodes, self.least, found.charged, best, optimism)
            of_row = sweep_by_price(queue, int(most * _BEYOND) - spent)
            found.add(of_row if self.judge is None else self._judged(found, keys, nodes, of_row, self.judge))
            spent, expected = spent + queue.work, _GROWS * queue.work
        if self.judge is None:
            parts = Parts(rows, keys, nodes, self.least, best, np.random.default_rng(0))
            self._improve_by_part(found, parts, min(_MOST_AGAIN, _AGAIN * len(rows.sizes), most - spent))

    def _improve_by_part(self, found: _Found, parts: Parts, again: int) -> None:
        """Form parts of the best release again, for so much work."""
        self.report("parts of the release")
        while again > 0:
            assert found.best is not None
            of_row, work = parts.form_again(found.best, found.best_charged, again)
            again -= work + _TRY
            if of_row is not None:
                found.charged = found.best_charged
                found.add(of_row)

    def _judged(
        self, found: _Found, keys: list[list[Keys]], nodes: Nodes, of_row: Numbers, judge: ClassJudge
    ) -> Numbers:
        """Take apart the classes that violate a model, and form others of their rows and those left, node by node."""
        rows, formed = found.rows, np.flatnonzero(of_row >= 0)
        is_refused = rows.mark_refused(judge, formed, of_row[formed])[of_row[formed]]
        kept = of_row.copy()
        kept[formed[is_refused]] = -1
        if (kept >= 0).all():
            return kept
        left = select_left_rows(rows, keys, np.flatnonzero(kept < 0))
        order = np.argsort(compute_node_prices(nodes, left.averages(found.charged)), kind="stable")
        again = sweep_nodes(left, nodes[order], self.least, judge)
        return np.where(again < 0, kept, again + of_row.max() + 1)

    def _count_sweeps(self, rows: RecodingRows) -> int:
        """Return how many sweeps by node a table with this number of rows may take."""
        return max(1, min(_SWEEPS, _MOST_ROWS // len(rows.sizes)))


# Models of the whole release: they are not asked while classes are formed, but of what a search has found. If it is too
# much, the search forms larger classes, and at last one of all records.


def search_for_release(search: RecodingSearch, rows: RecodingRows, models: Sequence[ReleaseModel]) -> _RowClasses:
    """Return the release that a search finds with the smallest classes that satisfy models of the whole release.

    Raises
    ------
    UnsatisfiableError
        If no release that was found satisfies them.
    """

    def find(least: int) -> _RowClasses | None:
        found = replace(search, least=least).best(rows)
        return found if _is_enough(found, rows, models) else None

    if (best := find(search.least)) is not None:
        return best
    few, enough = search.least, search.least
    while best is None:
        if enough >= rows.records:
            names = " and ".join(map(str, models))
            raise UnsatisfiableError(f"No release was found that satisfies {names}. Choose a larger threshold.")
        few, enough = enough, min(2 * enough, rows.records)
        best = find(enough)
    while enough - few > 1:
        between = (few + enough) // 2
        found = find(between)
        few, enough, best = (between, enough, best) if found is None else (few, between, found)
    return best


def _is_enough(classes: _RowClasses, rows: RecodingRows, models: Sequence[ReleaseModel]) -> bool:
    """Return whether the classes, as a reader tells them apart, satisfy models of the whole release together."""
    shown, _ = number_rows(classes.intervals(rows))
    seen = np.bincount(shown, classes.sizes(rows)).astype(np.int64)
    sizes, counts = np.unique(seen, return_counts=True)
    histogram = list(zip(sizes.tolist(), counts.tolist(), strict=True))
    return all(model.judge(histogram)[1] for model in models)


@dataclass(frozen=True)
class _RowClasses:
    """A class for every row."""

    of_row: Numbers
    """The class of each row, numbered from 0; none is empty."""
    levels: Numbers
    """The level of each quasi-identifier (axis 0) in each class (axis 1): the lowest at which its rows agree."""

    @property
    def count(self) -> int:
        """Number of classes."""
        return int(self.levels.shape[1])

    @property
    def first(self) -> Numbers:
        """The first row of each class."""
        return np.unique(self.of_row, return_index=True)[1]

    @property
    def of_rows(self) -> Numbers:
        """The level of each quasi-identifier (axis 0) in each row (axis 1)."""
        return self.levels[:, self.of_row]

    def sizes(self, rows: RecodingRows) -> Numbers:
        """Return the records of each class."""
        return np.bincount(self.of_row, rows.sizes).astype(np.int64)

    def intervals(self, rows: RecodingRows) -> list[Whole]:
        """Return, for each quasi-identifier, the interval of each class."""
        first = self.first
        each = zip(rows.columns, rows.values, self.levels, strict=True)
        return [np.stack(column.codes)[level, value[first]] for column, value, level in each]


def _make_row_classes(rows: RecodingRows, of_row: Numbers) -> _RowClasses:
    """Return classes numbered by their first rows, with the lowest levels at which their rows agree."""
    _, first, ranks = np.unique(of_row, return_index=True, return_inverse=True)
    numbers = np.empty(len(first), np.int64)
    numbers[np.argsort(first)] = np.arange(len(first))
    numbered = numbers[ranks]
    first.sort()
    return _RowClasses(numbered, rows.find_lowest_levels(np.arange(len(of_row)), numbered, first))
