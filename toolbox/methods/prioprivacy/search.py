"""The rounds of PrioPrivacy: one quasi-identifier more in each, with its rules of which groups are made first."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations as subsets
from itertools import product
from math import prod

import numpy as np
from numpy.typing import NDArray

from toolbox.errors import UsageError
from toolbox.methods.arrays.combinations import (
    Flags,
    Numbers,
    PersonPairs,
    Reals,
    Whole,
    combinations_of,
    find_pairs,
    find_starts,
    list_level_codes,
    list_run_positions,
    number_rows,
)
from toolbox.methods.arrays.memory import compute_weights, rank_by_importance
from toolbox.store.tables import Tables

_Node = tuple[int, ...]
"""A level for each quasi-identifier, 0 for ungeneralised, the highest for suppressed."""

# Suppression and generalisation that leave nobody below k: make the classes that lose least, round by round.


def make_cheapest(combinations: _PrioCombinations, state: _State, nodes: Sequence[_Node], k: int) -> None:
    """Make, at each node in its turn, all classes of at least k open records.

    The nodes come in the order of what a whole table would lose at them: the sum, over quasi-identifiers, of their
    weight times the share of its information that the column loses.
    """
    for node in sorted(nodes, key=lambda node: (_compute_node_loss(combinations, node), node)):
        rows = state.rows
        if combinations.sizes[rows].sum() < k:
            return
        class_, count = number_rows(combinations.at(node, rows))
        is_small = combinations.mark_small(rows, class_, count, k)
        state.settle(rows[~is_small[class_]], node)


def _compute_node_loss(combinations: _PrioCombinations, node: _Node) -> float:
    columns = zip(combinations.weights, combinations.losses, node, strict=True)
    return float(sum(weight * losses[level] for weight, losses, level in columns))


def join_classes(combinations: _PrioCombinations, state: _State) -> None:
    """Add each open combination to the class that loses least by it; there must be a class.

    They are fewer than k records. A class that is joined is generalised until it covers the one who comes.
    """
    for row in state.rows:
        class_, sizes = _number_classes(combinations, state)
        settled = np.flatnonzero(~state.is_open)
        classes, first = np.unique(class_[settled], return_index=True)
        # All members of a class are alike: one stands for it.
        before = state.levels[:, settled[first]]
        after = _find_covering_levels(combinations, before, settled[first], int(row))
        added = _compute_losses(combinations, after) - _compute_losses(combinations, before)
        total = sizes[classes] * added + combinations.sizes[row] * _compute_losses(combinations, after)
        best = int(np.argmin(total))
        members = settled[class_[settled] == classes[best]]
        node = tuple(int(level) for level in after[:, best])
        state.settle(np.append(members, row), node)


def _find_covering_levels(
    combinations: _PrioCombinations, levels: NDArray[np.int16], rows: NDArray[np.intp], row: int
) -> NDArray[np.int16]:
    """Return the lowest levels at which each class, given by one of its members, covers a combination."""
    raised = levels.copy()
    for position, codes in enumerate(combinations.codes):
        for level, values in enumerate(codes[:-1]):
            differs = (raised[position] == level) & (values[rows] != values[row])
            raised[position, differs] = level + 1
    return raised


def _compute_losses(combinations: _PrioCombinations, levels: NDArray[np.int16]) -> Reals:
    lost = np.zeros(levels.shape[1])
    for weight, losses, of in zip(combinations.weights, combinations.losses, levels, strict=True):
        lost += weight * losses[of]
    return lost


# The rule of PrioPrivacy: of all groups that rules could form, make the largest first.


@dataclass(frozen=True)
class _Candidates:
    """All groups of at least k open records at some nodes. They overlap: a combination may be in one group per node."""

    nodes: Whole
    """Of each group, the number of its node."""
    sizes: Numbers
    """Of each group, the records in it that are still open; changes while groups are made."""
    members: Whole
    """Combinations, group by group."""
    member_starts: Numbers
    groups: Whole
    """Groups, combination by combination."""
    group_starts: Numbers

    def list_members(self, group: int) -> Whole:
        return self.members[self.member_starts[group] : self.member_starts[group + 1]]

    def leave(self, rows: Whole, sizes: Whole) -> None:
        """Remove combinations from all groups that they are in."""
        counts = self.group_starts[rows + 1] - self.group_starts[rows]
        groups = self.groups[list_run_positions(self.group_starts[rows], counts)]
        np.subtract.at(self.sizes, groups, np.repeat(sizes, counts))


def make_largest(combinations: _PrioCombinations, state: _State, nodes: Sequence[_Node], k: int) -> None:
    """Make classes of groups of at least k open records at these nodes, the largest first, until none is left.

    Of groups of one size that of the first node is made, and there that of the first values. The groups at all nodes
    are counted once; when one is made its members leave the others, which shrink.
    """
    candidates = _find_candidates(combinations, state, nodes, k)
    if candidates is None:
        return
    waiting = [(-int(size), group) for group, size in enumerate(candidates.sizes)]
    heapq.heapify(waiting)
    while waiting:
        size, group = heapq.heappop(waiting)
        left = int(candidates.sizes[group])
        if left < k:
            continue  # Fewer records cannot be k persons either.
        if left < -size:
            heapq.heappush(waiting, (-left, group))
            continue
        members = candidates.list_members(group)
        members = members[state.is_open[members]]
        if combinations.mark_small(members, np.zeros_like(members), 1, k)[0]:
            continue
        state.settle(members, nodes[candidates.nodes[group]])
        candidates.leave(members, combinations.sizes[members])


def _find_candidates(
    combinations: _PrioCombinations, state: _State, nodes: Sequence[_Node], k: int
) -> _Candidates | None:
    rows, count = state.rows, 0
    of_node, sizes, members, groups = [], [], [], []
    for position, node in enumerate(nodes):
        class_, classes = number_rows(combinations.at(node, rows))
        records = np.bincount(class_, weights=combinations.sizes[rows], minlength=classes).astype(np.int64)
        is_large = records >= k
        name = count + np.cumsum(is_large) - 1
        inside = is_large[class_]
        members.append(rows[inside])
        groups.append(name[class_[inside]])
        sizes.append(records[is_large])
        of_node.append(np.full(len(sizes[-1]), position))
        count += len(sizes[-1])
    if not count:
        return None
    member, group = np.concatenate(members), np.concatenate(groups)
    by_group, by_member = np.argsort(group, kind="stable"), np.argsort(member, kind="stable")
    return _Candidates(
        np.concatenate(of_node),
        np.concatenate(sizes),
        member[by_group],
        _find_run_bounds(np.bincount(group, minlength=count)),
        group[by_member],
        _find_run_bounds(np.bincount(member, minlength=combinations.count)),
    )


def _find_run_bounds(lengths: Whole) -> Numbers:
    """Return where each of some runs starts, and where the last one ends."""
    return find_starts(np.append(lengths, 0))


# The suppression of PrioPrivacy as it was published, which does not make records k-anonymous.
#
# It masks a record until enough records of the *original* table look like it. These are then released unmasked, or
# masked otherwise, so that whoever knows the person may find nobody else in the release. That is why a release needs
# `toolbox.methods.prioprivacy.search` instead.


def mark_anonymous_records(combinations: _PrioCombinations, state: _State, nodes: Sequence[_Node], k: int) -> None:
    """Mask every open record at the first of these nodes at which it counts as anonymous.

    Parameters
    ----------
    nodes : sequence of nodes
        All values at level 0 or at the root.
    """
    for node in nodes:
        rows = state.rows
        if not len(rows):
            return
        state.settle(rows[_is_anonymous(combinations, node, k)[rows]], node)


def _is_anonymous(combinations: _PrioCombinations, node: _Node, k: int) -> Flags:
    """Mark each combination that counts as anonymous when masked.

    At least k original records have its other values. And whoever sees which values stand beside these, and knows that
    none of them would have been masked, must be left with k candidates: the record's own values and all that do not
    occur there.

    The published program also requires that the masked columns could have more than k combinations of values. For a
    record that is open this follows: at least two of them occur beside its other values, or all that are alike would be
    its equals, and it would be in a class of k.
    """
    masked = [position for position, level in enumerate(node) if level]
    kept = [codes[0] for position, codes in enumerate(combinations.codes) if position not in masked]
    if kept:
        class_, _ = number_rows(kept)
    else:
        class_ = np.zeros(combinations.count, np.int64)
    alike = np.bincount(class_, weights=combinations.sizes)[class_]
    occurring = np.bincount(class_)[class_]
    possible = prod(combinations.distinct[position] for position in masked)
    return (alike >= k) & (occurring <= possible + 1 - k)


# The order in which a `java.util.HashMap` of texts is walked through, since Java 8.
#
# The program behind the PrioPrivacy paper keeps the sets of columns that it may suppress in such a map and takes the
# first one that will do. So its releases can only be repeated by walking through the sets as that map does.
#
# The order follows from the published source of the class. A text has the hash of ``String.hashCode``, whose upper
# half is mixed into the lower one. Its last bits are the number of the bucket, of as many buckets as the table has. A
# new text goes to the end of its bucket. The table begins with 16 buckets; it doubles when it holds more texts than
# three quarters of its buckets, and also when a bucket gets its ninth text while there are fewer than 64. Doubling
# splits each bucket in two and keeps the order within. The map is walked through bucket by bucket.
#
# OpenJDK, ``java.util.HashMap`` (``hash``, ``putVal``, ``treeifyBin``, ``resize``) and ``java.lang.String.hashCode``.

_FIRST_BUCKETS = 16
_MOST_IN_BUCKET = 8
"""More texts than these make a tree of a bucket, or of a small table a larger one."""
_LEAST_FOR_TREES = 64
_LOAD = 0.75


def hash_order(texts: Iterable[str]) -> list[str]:
    """Return texts in the order in which a HashMap holds them.

    Parameters
    ----------
    texts : iterable of str
        All different, in the order in which they are put into the map; no character beyond U+FFFF.

    Returns
    -------
    list of str

    Raises
    ------
    NotImplementedError
        If a bucket would become a tree, whose order is another. Sets of up to ten columns never make one.

    Examples
    --------
    >>> hash_order(["8 7", "8 0", "7 6"])
    ['8 0', '7 6', '8 7']
    """
    buckets: list[list[str]] = [[] for _ in range(_FIRST_BUCKETS)]
    for count, text in enumerate(texts, start=1):
        bucket = _find_bucket(text, buckets)
        bucket.append(text)
        if len(bucket) > _MOST_IN_BUCKET:
            if len(buckets) >= _LEAST_FOR_TREES:
                raise NotImplementedError(f"{len(bucket)} of {count} texts share a bucket, which Java makes a tree")
            buckets = _split_buckets(buckets)
        if count > _LOAD * len(buckets):
            buckets = _split_buckets(buckets)
    return [text for bucket in buckets for text in bucket]


def hash_of(text: str) -> int:
    """Hash a text as ``HashMap.hash`` does: 32 bits, not negative.

    Examples
    --------
    >>> hash_of("8 7")  # 56 * 31**2 + 32 * 31 + 55, which is below 2**16
    54863
    """
    code = 0
    for letter in text:
        code = (31 * code + ord(letter)) % 2**32
    return code ^ code >> 16


def _find_bucket(text: str, buckets: list[list[str]]) -> list[str]:
    return buckets[hash_of(text) % len(buckets)]


def _split_buckets(buckets: list[list[str]]) -> list[list[str]]:
    """Split each bucket in two; which half a text goes to is one more bit of its hash."""
    wider: list[list[str]] = [[] for _ in range(2 * len(buckets))]
    for bucket in buckets:
        for text in bucket:
            _find_bucket(text, wider).append(text)
    return wider


# The rounds of PrioPrivacy: one quasi-identifier more in each, the most important last.

_MOST_NODES = 300_000
"""Transformations that are tried at most: some minutes."""


def search(
    combinations: _PrioCombinations, k: int, *, published: bool, report: Callable[[str], None] = lambda message: None
) -> _State:
    """Find the level of every value.

    Parameters
    ----------
    combinations : Combinations
    k : int, >= 1
    published : bool
        Suppress as published, which leaves people with fewer than k; otherwise so that every class has k records.
    report : callable
        Is told each round.

    Returns
    -------
    State
        If published, records that can not be masked at all stay open, with their original values.

    Raises
    ------
    UsageError
        If there are more transformations than can be tried.
    """
    _require_few(combinations)
    state, changing = _make_first_state(combinations, k), []
    for index, newest in enumerate(combinations.rounds, start=1):
        changing.append(newest)
        places = sorted(changing)
        report(f"quasi-identifier {index} of {len(combinations.rounds)}: {int(state.is_open.sum()):,} combinations")
        for nodes in _list_generalising_nodes(combinations, places, newest):
            make_largest(combinations, state, nodes, k)
        if published:
            for nodes in _list_suppressing_nodes(combinations, changing):
                mark_anonymous_records(combinations, state, nodes, k)
        elif state.is_open.any():
            make_cheapest(combinations, state, _list_mixed_nodes(combinations, places, newest), k)
    if not published:
        join_classes(combinations, state)
    return state


def _require_few(combinations: _PrioCombinations) -> None:
    count = prod(root + 1 for root in combinations.roots)
    if count > _MOST_NODES:
        raise UsageError(
            f"PrioPrivacy tries every combination of levels, and {len(combinations.codes)} quasi-identifiers have "
            f"{count:,} of them; {_MOST_NODES:,} is the most. Declare fewer quasi-identifiers, or take Mondrian."
        )


def _list_generalising_nodes(combinations: _PrioCombinations, places: list[int], newest: int) -> Iterator[list[_Node]]:
    """List the nodes that generalise, level by level and by the number of columns that change, all to one level.

    A node that leaves the newest column as it is was tried in an earlier round, and forms no more groups.
    """
    for level in range(1, max(combinations.roots)):
        having = [position for position in places if level < combinations.roots[position]]
        if newest in having:
            targets = [level] * len(combinations.codes)
            for count in range(1, len(having) + 1):
                yield _list_nodes(targets, having, newest, count)


def _list_suppressing_nodes(combinations: _PrioCombinations, changing: Sequence[int]) -> Iterator[list[_Node]]:
    """List the nodes that suppress, by the number of columns, then in the order of the published program.

    That program names a set of columns by their numbers in the order of the rounds, and keeps these texts in a HashMap.
    """
    roots, newest = combinations.roots, changing[-1]
    for count in range(1, len(changing) + 1):
        chosen = {" ".join(map(str, subset)): set(subset) for subset in subsets(changing, count) if newest in subset}
        ordered = (chosen[text] for text in hash_order(chosen))
        yield [tuple(root if position in subset else 0 for position, root in enumerate(roots)) for subset in ordered]


def _list_nodes(targets: Sequence[int], places: list[int], newest: int, count: int) -> list[_Node]:
    """List the nodes at which `count` of these columns change, the newest among them, in the order of the columns."""
    chosen = (set(subset) for subset in subsets(places, count) if newest in subset)
    return [tuple(level if position in subset else 0 for position, level in enumerate(targets)) for subset in chosen]


def _list_mixed_nodes(combinations: _PrioCombinations, places: list[int], newest: int) -> list[_Node]:
    """List all nodes at which the newest column changes, and any other of these columns to any level."""
    levels = [
        range(int(position == newest), root + 1) if position in places else range(1)
        for position, root in enumerate(combinations.roots)
    ]
    return list(product(*levels))


@dataclass(frozen=True)
class _PrioCombinations:
    """The distinct combinations of quasi-identifier values, and what each becomes at every level.

    Parameters
    ----------
    sizes : array of int, one per combination
        Records that have it.
    codes : for each quasi-identifier, for each level, an array with a number per combination
        Equal numbers are equal values; the last level is the root, where all are equal.
    rounds : sequence of int
        The quasi-identifiers, the least important first; of equals that which is declared first.
    weights : array of float, one per quasi-identifier
    persons : PersonPairs, optional
        The persons of each combination, where classes count these, and one may have several combinations.
    """

    sizes: Whole
    codes: Sequence[Sequence[Whole]]
    rounds: Sequence[int]
    weights: Reals
    persons: PersonPairs | None = None

    @property
    def count(self) -> int:
        """Number of combinations."""
        return len(self.sizes)

    @property
    def roots(self) -> _Node:
        """The highest level of each quasi-identifier, at which it is suppressed."""
        return tuple(len(levels) - 1 for levels in self.codes)

    @cached_property
    def distinct(self) -> list[int]:
        """How many values of each quasi-identifier occur."""
        return [len(np.unique(levels[0])) for levels in self.codes]

    @cached_property
    def losses(self) -> list[Reals]:
        """What a whole column loses at each of its levels: the share of its information, 0 to 1."""
        return [self._shares(levels) for levels in self.codes]

    def _shares(self, levels: Sequence[Whole]) -> Reals:
        lost = np.array([self._compute_bits_lost(levels[0], values) for values in levels])
        return lost / lost[-1] if lost[-1] > 0 else lost

    def _compute_bits_lost(self, ground: Whole, values: Whole) -> float:
        """Return the bits that a record loses on average."""
        before, after = (np.bincount(codes, weights=self.sizes)[codes] for codes in (ground, values))
        return float((self.sizes * np.log2(after / before)).sum() / self.sizes.sum())

    def mark_small(self, rows: Whole, classes: Whole, count: int, k: int) -> Flags:
        """Mark the classes of fewer than k records of some combinations; or where these are declared, persons."""
        if self.persons is not None:
            return self.persons.mark_few(rows, classes, count, k)
        small: Flags = np.bincount(classes, weights=self.sizes[rows], minlength=count) < k
        return small

    def values(self, position: int, level: int, rows: Whole) -> Whole:
        """Return the values of some combinations in a quasi-identifier at a level."""
        return self.codes[position][level][rows]

    def at(self, node: _Node, rows: Whole) -> list[Whole]:
        """Return the values of some combinations at a node, the generalised columns first."""
        places = sorted(range(len(node)), key=lambda position: (node[position] == 0, position))
        return [self.values(position, node[position], rows) for position in places]


def list_rounds(ranks: Sequence[int]) -> list[int]:
    """List the quasi-identifiers from the least important to the most."""
    return sorted(range(len(ranks)), key=lambda position: -ranks[position])


def fetch_prio_combinations(tables: Tables) -> tuple[_PrioCombinations, Whole]:
    """Fetch the combinations, and beside them their ids.

    Raises
    ------
    UsageError
        If the leaves of a hierarchy lie at different depths: then values have no levels.
    """
    for column in tables.quasi_identifiers:
        if column.has_hierarchy and not column.height:
            raise UsageError(
                f"The hierarchy of {column.name} has values at different depths, and PrioPrivacy goes by levels. "
                "Repeat values until all have one depth, or take Mondrian."
            )
    ids, sizes, values = combinations_of(tables)
    root = np.zeros(len(sizes), np.int64)
    codes = [
        [*(code[ranks] for code in list_level_codes(tables, column)[:-1]), root]
        for column, ranks in zip(tables.quasi_identifiers, values, strict=True)
    ]
    importances = rank_by_importance([column.priority for column in tables.quasi_identifiers])
    weights = np.array(compute_weights(importances, [column.weight for column in tables.quasi_identifiers]))
    return _PrioCombinations(sizes, codes, list_rounds(importances), weights, find_pairs(tables)), ids


@dataclass(frozen=True)
class _State:
    """The levels, and what is settled; both arrays change during the search."""

    levels: NDArray[np.int16]
    """The level of each quasi-identifier (axis 0) of each combination (axis 1)."""
    is_open: Flags
    """Combinations that are in no class yet; they have their original values."""

    @property
    def rows(self) -> Whole:
        """The combinations that are in no class yet."""
        return np.flatnonzero(self.is_open)

    def settle(self, rows: Whole, node: _Node) -> None:
        """Move combinations to a node, where they stay."""
        self.levels[:, rows] = np.array(node, np.int16)[:, None]
        self.is_open[rows] = False


def _make_first_state(combinations: _PrioCombinations, k: int) -> _State:
    """Return the state before the first round: combinations of fewer than k records are open."""
    rows = np.arange(combinations.count)
    small = combinations.mark_small(rows, rows, len(rows), k)
    return _State(np.zeros((len(combinations.codes), combinations.count), np.int16), small)


def find_shown_values(combinations: _PrioCombinations, state: _State, position: int) -> Whole:
    """Return what each combination shows in a quasi-identifier: the codes of its values at their levels."""
    shown: Whole = combinations.codes[position][0].copy()
    for level, values in enumerate(combinations.codes[position]):
        is_here = state.levels[position] == level
        shown[is_here] = values[is_here]
    return shown


def find_released_intervals(tables: Tables, combinations: _PrioCombinations, state: _State) -> list[Whole]:
    """Return, for each quasi-identifier, the interval of each combination in a release."""
    return [
        np.where(
            state.levels[position] == combinations.roots[position],
            column.root,
            find_shown_values(combinations, state, position),
        )
        for position, column in enumerate(tables.quasi_identifiers)
    ]


def _number_classes(combinations: _PrioCombinations, state: _State) -> tuple[Whole, Whole]:
    """Return the number of the class of each combination, and the records of each class."""
    columns: list[Whole] = []
    for position, levels in enumerate(state.levels):
        columns += [levels, find_shown_values(combinations, state, position)]
    class_, _ = number_rows(columns)
    return class_, np.bincount(class_, weights=combinations.sizes).astype(np.int64)
