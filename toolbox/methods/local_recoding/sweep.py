"""Sweeps that form classes, node by node or the cheapest group first; and combinations that move in the end."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from toolbox.methods.arrays.combinations import Flags, Numbers, Reals
from toolbox.methods.arrays.models import ClassJudge, Keys
from toolbox.methods.arrays.moves import MoveColumn, Moves
from toolbox.methods.local_recoding.rows import Nodes, RecodingRows, compute_node_prices

# One sweep over lattice nodes: at each node, every group of remaining records that may be a class becomes one.

_PARTS = 3
"""Into how many sums a key is split, each of which is made once for many nodes."""
_MOST_KEPT = 2**25
"""Most numbers in the sums that are kept."""
_SHRINKS_AT = 0.9
"""The share of rows that are left below which those that are gone are thrown away."""
_NODES_JUDGED = 64
"""Nodes whose groups are judged together."""


def draw_keys(rows: RecodingRows) -> list[list[Keys]]:
    """Draw a random number for each interval of each quasi-identifier, the same in every run.

    A group of rows that agree at a node has one sum of these numbers. Should two groups ever have the same, they form
    a class together, which is then generalised to what they share: a loss, and no fault. A sum is made of parts that
    serve many nodes, and nearly every node is left without any sort; the exact numbers of `arrays.grouping` need both.
    """
    generator = np.random.default_rng(0)
    keys = []
    for column in rows.columns:
        numbers = generator.integers(0, 2**64, 1 + max(int(code.max()) for code in column.codes), np.uint64)
        keys.append([numbers[code] for code in column.codes])
    return keys


@dataclass(frozen=True)
class NodeGroups:
    """Some groups of rows that agree at a node."""

    members: Numbers
    """Row numbers."""
    of_member: Numbers
    """The group of each, numbered from 0."""

    @property
    def count(self) -> int:
        """Number of groups."""
        return int(self.of_member.max(initial=-1)) + 1

    def some(self, chosen: Flags) -> NodeGroups:
        """Return the groups that are marked."""
        stay, position = chosen[self.of_member], np.cumsum(chosen) - 1
        return NodeGroups(self.members[stay], position[self.of_member[stay]])


@dataclass
class Left:
    """The rows that are in no class yet, and some that have just joined one."""

    rows: RecodingRows
    keys: list[list[Keys]]
    places: Numbers
    """Their numbers, ascending."""
    sizes: Reals
    """Their records; 0 for a row that is gone."""
    records: float
    _sums: dict[tuple[int, ...], Keys] = field(default_factory=dict)

    def groups(self, node: tuple[int, ...], least: int, wanted: Flags | None = None) -> NodeGroups | None:
        """Find the groups of at least `least` records; None if there is none.

        Most nodes have few, so that first only upper bounds of their records are looked at: those of all groups that
        share some bits of their keys.

        Parameters
        ----------
        wanted : array of bool, optional
            Marks rows, one of which a group must have; some groups that have none may be found, too.
        """
        self.rows.beat()
        key = self._key(node)
        bits = np.uint64(64 - len(key).bit_length() - 2)
        slots = (key >> bits).view(np.int64)
        enough = np.bincount(slots, self.sizes) >= least
        if wanted is not None:
            asked = np.zeros(len(enough), np.bool_)
            asked[slots[wanted[self.places]]] = True
            enough &= asked
        if not enough.any():
            return None
        likely = np.flatnonzero(enough[slots] & (self.sizes > 0))
        _, places = np.unique(key[likely], return_inverse=True)
        large = np.bincount(places, self.sizes[likely]) >= least
        if not large.any():
            return None
        return NodeGroups(self.places[likely], places).some(large)

    def averages(self, prices: list[Reals]) -> list[Reals]:
        """Return what a record that is left pays on average at each level of each quasi-identifier.

        Parameters
        ----------
        prices : list of arrays
            What a record of each value (axis 1) pays at each level (axis 0).
        """
        each = zip(self.rows.values, prices, strict=True)
        counted = ((np.bincount(value[self.places], self.sizes, price.shape[1]), price) for value, price in each)
        return [price @ counts / self.records for counts, price in counted]

    def has_all(self, groups: NodeGroups) -> Flags:
        """Mark the groups of which all members are still left."""
        gone = np.isin(groups.members, self.places[self.sizes > 0], invert=True)
        whole: Flags = np.bincount(groups.of_member[gone], minlength=groups.count) == 0
        return whole

    def leave(self, groups: NodeGroups) -> None:
        """Remove the members of groups from the rows that are left."""
        gone = np.searchsorted(self.places, groups.members)
        self.records -= self.sizes[gone].sum()
        self.sizes[gone] = 0
        stay = self.sizes > 0
        if stay.sum() < _SHRINKS_AT * len(stay):
            self.places, self.sizes, self._sums = self.places[stay], self.sizes[stay], {}

    def _key(self, node: tuple[int, ...]) -> Keys:
        width = -(-len(node) // _PARTS)
        first, *rest = (self._sum(start, node[start : start + width]) for start in range(0, len(node), width))
        for other in rest:
            first = first + other
        return first

    def _sum(self, start: int, levels: tuple[int, ...]) -> Keys:
        named = (start, *levels)
        if named not in self._sums:
            if len(self._sums) * len(self.places) > _MOST_KEPT:
                self._sums = {}
            total = np.zeros(len(self.places), np.uint64)
            for index, level in enumerate(levels, start):
                total += self.keys[index][level][self.rows.values[index][self.places]]
            self._sums[named] = total
        return self._sums[named]


def select_all_rows(rows: RecodingRows, keys: list[list[Keys]]) -> Left:
    """Return all rows, of which none is in a class yet."""
    return select_left_rows(rows, keys, np.arange(len(rows.sizes)))


def select_left_rows(rows: RecodingRows, keys: list[list[Keys]], places: Numbers) -> Left:
    """Return the rows of these numbers, which ascend, as those that are left."""
    sizes = rows.sizes[places].astype(np.float64)
    return Left(rows, keys, places, sizes, float(sizes.sum()))


def sweep_nodes(left: Left, nodes: Nodes, least: int, judge: ClassJudge | None) -> Numbers:
    """Form classes at one node after the other.

    Parameters
    ----------
    left : Left
        The rows of which they are formed.
    nodes : array
        In the order in which they are visited.
    least : int
        Fewest records of a class.
    judge : Judge, optional
        Refuses classes for other reasons.

    Returns
    -------
    array
        The number of the class of each row, -1 for those that are left.
    """
    of_row, count = np.full(len(left.rows.sizes), -1), 0
    several = 1 if judge is None else _NODES_JUDGED
    for start in range(0, len(nodes), several):
        candidates = [left.groups(tuple(node), least) for node in nodes[start : start + several].tolist()]
        for groups in _list_accepted_groups(
            left, [candidate for candidate in candidates if candidate is not None], judge
        ):
            of_row[groups.members] = count + groups.of_member
            count += groups.count
            left.leave(groups)
        if left.records < least:
            break
    return of_row


def sweep_anew(rows: RecodingRows, keys: list[list[Keys]], nodes: Nodes, least: int, prices: list[Reals]) -> Numbers:
    """Form classes at one node after the other: the cheapest for the records that are left, on average.

    The nodes are put in order anew whenever one has had a class.

    Parameters
    ----------
    prices : list of arrays
        What a record of each value (axis 1) pays at each level (axis 0) of each quasi-identifier.

    Returns
    -------
    array
        The number of the class of each row, -1 for those that are left.
    """
    left, of_row, count = select_all_rows(rows, keys), np.full(len(rows.sizes), -1), 0
    while len(nodes) and left.records >= least:
        nodes = nodes[np.argsort(compute_node_prices(nodes, left.averages(prices)), kind="stable")]
        looked_at = ((place, left.groups(tuple(node), least)) for place, node in enumerate(nodes.tolist()))
        place, groups = next((found for found in looked_at if found[1] is not None), (len(nodes), None))
        if groups is not None:
            of_row[groups.members] = count + groups.of_member
            count += groups.count
            left.leave(groups)
        nodes = nodes[place + 1 :]
    return of_row


def _list_accepted_groups(
    left: Left, candidates: Sequence[NodeGroups], judge: ClassJudge | None
) -> Iterator[NodeGroups]:
    """Yield the groups that may be classes; of those that share a member, the first."""
    if judge is None or not candidates:
        yield from candidates
        return
    starts = np.cumsum([0, *(groups.count for groups in candidates)])
    members = np.concatenate([groups.members for groups in candidates])
    classes = np.concatenate([groups.of_member + start for groups, start in zip(candidates, starts, strict=False)])
    refused = left.rows.mark_refused(judge, members, classes)
    for groups, start in zip(candidates, starts, strict=False):
        yield groups.some(~refused[start : start + groups.count] & left.has_all(groups))


# A sweep over groups instead of nodes: whichever group of the remaining records costs least becomes a class next.

_BEST_COUNTS = 0.75
"""The part of what the records of a group would pay at best that is taken off its price."""
_ALIKE = 0.002
"""The share of the price of the roots that is no difference between two groups."""
_EXACT = 1e-9
"""The share of it to which prices are rounded, so that the order in which they are added up does not matter."""
_NODE, _MEMBER = 4000, 12
"""The work of a visit to a node, and of a row in a group: so many rows that are only looked at take as long."""


def find_best_nodes(rows: RecodingRows, keys: list[list[Keys]], nodes: Nodes, paid: Reals, least: int) -> Nodes:
    """Find, for each row, the node at which it would be in a class if it had first choice: the cheapest with a group.

    Parameters
    ----------
    paid : array
        What a record pays at each node on average.

    Returns
    -------
    array
        The levels of each row (axis 0) in each quasi-identifier (axis 1).
    """
    left, found = select_all_rows(rows, keys), np.repeat(nodes[-1:], len(rows.sizes), axis=0)
    waits = np.ones(len(rows.sizes), np.bool_)
    for node in nodes[np.argsort(paid, kind="stable")]:
        groups = left.groups(tuple(node.tolist()), least, waits)
        if groups is not None:
            found[groups.members[waits[groups.members]]] = node
            waits[groups.members] = False
            if not waits.any():
                break
    return found


class Priced(NamedTuple):
    """The groups of a node."""

    node: int
    """Its number."""
    groups: NodeGroups
    prices: Reals
    """What a record of each group pays on average, less what it would pay at best."""


class Queue:
    """Nodes by the price of the cheapest group that they may have, as far as that is known.

    What a record pays at best is mostly taken off: who has nothing better is not kept waiting by who has. A node is
    looked at when the price of its cheapest group is the lowest that is known. Of one that was never looked at, the
    average of all records says what to expect of it.

    Parameters
    ----------
    left : Left
        The rows of which classes are formed.
    prices : list of arrays
        What a record of each value (axis 1) pays at each level (axis 0) of each quasi-identifier.
    best : array
        The levels of each row where it would be in a class if it had first choice; see `find_best_nodes`.
    optimism : float
        At which share of the average price of a node its first group is expected, 0 to 1: the lower, the earlier each
        node is looked at, the better the order, and the longer it takes.
    """

    def __init__(
        self,
        left: Left,
        nodes: Nodes,
        least: int,
        prices: list[Reals],
        best: Nodes,
        optimism: float,
    ) -> None:
        self.left, self.least, self.work = left, least, 0
        self._nodes, self._values, self._prices = nodes.tolist(), left.rows.values, prices
        self._off = np.zeros(len(left.rows.sizes))
        for price, value, level in zip(prices, self._values, best.T, strict=True):
            self._off += _BEST_COUNTS * price[level, value]
        paid = compute_node_prices(nodes, left.averages(prices))
        self._highest = float(paid.max()) or 1.0
        expected = optimism * paid - self._off[left.places] @ left.sizes / left.records
        self._heap = list(zip(expected.tolist(), range(len(nodes)), strict=True))
        heapify(self._heap)

    def __bool__(self) -> bool:
        """Return whether there may be groups that are not looked at."""
        return bool(self._heap and self.left.records >= self.least)

    @property
    def cheap(self) -> float:
        """The price that no other node is expected to undercut."""
        return self._heap[0][0] + _ALIKE * self._highest if self._heap else np.inf

    def push(self, price: float, node: int) -> None:
        """Put a node back, with the price of the cheapest group that is left there."""
        heappush(self._heap, (price, node))

    def pop(self) -> Priced | None:
        """Take the first node out, with its groups; None if it has none."""
        _, number = heappop(self._heap)
        node = self._nodes[number]
        self.work += len(self.left.places) + _NODE
        groups = self.left.groups(tuple(node), self.least)
        if groups is None:
            return None
        members, sizes = groups.members, self.left.rows.sizes[groups.members]
        self.work += _MEMBER * len(members)
        each = zip(self._prices, self._values, node, strict=True)
        paid = sum((price[level][value[members]] for price, value, level in each), start=-self._off[members])
        averaged = np.bincount(groups.of_member, paid * sizes) / np.bincount(groups.of_member, sizes)
        exact = _EXACT * self._highest
        return Priced(number, groups, np.rint(averaged / exact) * exact)


def sweep_by_price(queue: Queue, most: int) -> Numbers:
    """Form one class after the other, the cheapest first.

    Parameters
    ----------
    most : int
        After so much work, each node that is looked at gives all groups that it has, so that the sweep soon ends.

    Returns
    -------
    array
        The number of the class of each row, -1 for those that are left.
    """
    of_row, count = np.full(len(queue.left.rows.sizes), -1), 0
    while queue:
        found = queue.pop()
        if found is None:
            continue
        cheap = found.prices <= (queue.cheap if queue.work < most else np.inf)
        if cheap.any():
            formed = found.groups.some(cheap)
            of_row[formed.members] = count + formed.of_member
            count += formed.count
            queue.left.leave(formed)
        if not cheap.all():
            queue.push(float(found.prices[~cheap].min()), found.node)
    return of_row


# The last step: single combinations move between the classes that were formed.

_CLASSES = 500, 20_000
"""Fewest and most classes among which a row may move."""
_PASSES = 4
"""How often all rows are compared with all classes, as a rule, until nothing loses less."""


def improve_classes(
    rows: RecodingRows,
    of_row: Numbers,
    prices: list[Reals],
    least: int,
    most: int,
    refused: Callable[[Numbers, Numbers], Flags] | None = None,
) -> tuple[Numbers, int]:
    """Move rows between classes as long as less is lost, and return the class of each row and the work it took.

    Many classes are looked at in parts: those that show similar values.

    Parameters
    ----------
    of_row : array
        The class of each row, numbered from 0; none is empty.
    prices : list of arrays
        What a record of each value (axis 1) pays at each level (axis 0) of each quasi-identifier.
    least : int
        Fewest records of a class.
    most : int
        Most work; see `Moves`.
    refused : callable, optional
        Marks the classes that violate a model, given row numbers and the class of each, numbered from 0.
    """
    of_row, spent = of_row.copy(), 0
    for places in _list_parts(rows, of_row, prices, most):
        if spent >= most:
            break
        moves = _make_moves(rows, places, prices, least, refused)
        classes, own = np.unique(of_row[places], return_inverse=True)
        of_row[places] = classes[moves.improve(own, most - spent)]
        spent += moves.work
    return np.unique(of_row, return_inverse=True)[1], spent


def _list_parts(rows: RecodingRows, of_row: Numbers, prices: list[Reals], most: int) -> Iterator[Numbers]:
    """Yield the rows of some classes that show similar values, by the columns in which most can be lost."""
    _, first = np.unique(of_row, return_index=True)
    several = int(np.clip(most // (_PASSES * len(of_row) * len(prices)), *_CLASSES))
    dearest = np.argsort([-(column.counts @ price[-1]) for column, price in zip(rows.columns, prices, strict=True)])
    order = np.lexsort([rows.values[index][first] for index in dearest[::-1]])
    parts = -(-len(first) // several)
    part = np.empty(len(first), np.int64)
    part[order] = np.arange(len(first)) * parts // len(first)
    by_part = np.argsort(part[of_row], kind="stable")
    yield from np.split(by_part, np.cumsum(np.bincount(part[of_row]))[:-1])


def _make_moves(
    rows: RecodingRows,
    places: Numbers,
    prices: list[Reals],
    least: int,
    refused: Callable[[Numbers, Numbers], Flags] | None,
) -> Moves:
    columns, highest = [], 0.0
    for column, value, price in zip(rows.columns, rows.values, prices, strict=True):
        occurring, own = np.unique(value[places], return_inverse=True)
        codes = np.stack([code[occurring] for code in column.codes]).astype(np.int64)
        columns.append(_LevelColumn(codes, price[:, occurring], own))
        highest += float(price[:, occurring].max(initial=0))

    def refused_here(members: Numbers, classes: Numbers) -> Flags:
        assert refused is not None
        return refused(places[members], classes)

    return Moves(columns, rows.sizes[places], least, highest, None if refused is None else refused_here, beat=rows.beat)


class _Climbed(NamedTuple):
    """Bundles of rows, each of which shows the lowest interval that its rows have in common."""

    values: Numbers
    """The value of one of the rows."""
    levels: Numbers
    """The lowest level at which the rows agree."""
    paid: Reals
    """What they would pay at each level (axis 0)."""


@dataclass(frozen=True)
class _LevelColumn(MoveColumn):
    """A quasi-identifier that is generalised level by level."""

    codes: Numbers
    """The interval of each value (axis 1) at each level (axis 0)."""
    prices: Reals
    """What a record of each value (axis 1) pays at each level (axis 0)."""
    values: Numbers

    @property
    def count(self) -> int:  # type: ignore[override]
        return int(self.codes.shape[1])

    def bundle(self, of_row: Numbers, sizes: Numbers, count: int) -> _Climbed:
        first = np.zeros(count, np.int64)
        first[of_row[::-1]] = np.arange(len(of_row))[::-1]
        own, level = self.values[first], np.zeros(count, np.int64)
        np.maximum.at(level, of_row, self._find_common_levels(self.values, own[of_row]))
        each = [np.bincount(of_row, price[self.values] * sizes, count) for price in self.prices]
        return _Climbed(own, level, np.stack(each).astype(np.float64))

    def bundle_others(self, classes: _Climbed, of_row: Numbers, sizes: Numbers) -> _Climbed:
        count, own = len(classes.levels), self.values
        order = np.argsort(of_row, kind="stable")
        counts = np.bincount(of_row, minlength=count)
        starts = np.cumsum(counts) - counts
        first, second = (order[np.minimum(starts + place, len(order) - 1)][of_row] for place in (0, 1))
        is_first = first == np.arange(len(of_row))
        common = self._find_common_levels(own, own[first])
        highest, next_one, from_second = (np.zeros(count, np.int64) for _ in range(3))
        np.maximum.at(highest, of_row, common)
        is_highest = common == highest[of_row]
        np.maximum.at(next_one, of_row, np.where(is_highest, 0, common))
        is_alone = is_highest & (np.bincount(of_row, is_highest, count)[of_row] == 1)
        np.maximum.at(from_second, of_row, np.where(is_first, 0, self._find_common_levels(own, own[second])))
        without = np.where(is_alone, next_one[of_row], highest[of_row])
        levels = np.where(is_first, from_second[of_row], without)
        paid = classes.paid[:, of_row] - self.prices[:, own] * sizes
        return _Climbed(np.where(is_first, own[second], own[first]), levels, paid)

    def compute_costs(self, bundles: _Climbed) -> Reals:
        paid: Reals = bundles.paid[bundles.levels, np.arange(len(bundles.levels))]
        return paid

    def charge(self, bundles: _Climbed, values: Numbers, sizes: Numbers | int) -> Reals:
        common = self._find_common_levels(values, bundles.values)
        together, each = np.maximum(common, bundles.levels.astype(np.int8)), np.arange(len(bundles.levels))
        grown: Reals = bundles.paid[together, each] - bundles.paid[bundles.levels, each]
        return grown + sizes * self.prices[together, values]

    def _find_common_levels(self, values: Numbers, others: Numbers) -> NDArray[np.int8]:
        """Return the lowest level at which values agree with others."""
        common: NDArray[np.int8] = np.zeros(np.broadcast_shapes(values.shape, others.shape), np.int8)
        for code in self.codes:
            common += code[values] != code[others]
        return common
