"""The rule of PrioPrivacy: of all groups that rules could form, make the largest first."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from toolbox.methods.arrays.grouping import numbered
from toolbox.methods.arrays.runs import ranges, starts_of
from toolbox.methods.arrays.types import Numbers, Whole
from toolbox.methods.prioprivacy.combinations import Combinations, Node
from toolbox.methods.prioprivacy.state import State


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

    def members_of(self, group: int) -> Whole:
        return self.members[self.member_starts[group] : self.member_starts[group + 1]]

    def leave(self, rows: Whole, sizes: Whole) -> None:
        """Remove combinations from all groups that they are in."""
        counts = self.group_starts[rows + 1] - self.group_starts[rows]
        groups = self.groups[ranges(self.group_starts[rows], counts)]
        np.subtract.at(self.sizes, groups, np.repeat(sizes, counts))


def make_largest(combinations: Combinations, state: State, nodes: Sequence[Node], k: int) -> None:
    """Make classes of groups of at least k open records at these nodes, the largest first, until none is left.

    Of groups of one size that of the first node is made, and there that of the first values. The groups at all nodes
    are counted once; when one is made its members leave the others, which shrink.
    """
    candidates = _candidates(combinations, state, nodes, k)
    if candidates is None:
        return
    waiting = [(-int(size), group) for group, size in enumerate(candidates.sizes)]
    heapq.heapify(waiting)
    while waiting:
        size, group = heapq.heappop(waiting)
        left = int(candidates.sizes[group])
        if left < k:
            continue
        if left < -size:
            heapq.heappush(waiting, (-left, group))
            continue
        members = candidates.members_of(group)
        members = members[state.is_open[members]]
        state.settle(members, nodes[candidates.nodes[group]])
        candidates.leave(members, combinations.sizes[members])


def _candidates(combinations: Combinations, state: State, nodes: Sequence[Node], k: int) -> _Candidates | None:
    rows, count = state.rows, 0
    of_node, sizes, members, groups = [], [], [], []
    for position, node in enumerate(nodes):
        class_, classes = numbered(combinations.at(node, rows))
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
        _bounds(np.bincount(group, minlength=count)),
        group[by_member],
        _bounds(np.bincount(member, minlength=combinations.count)),
    )


def _bounds(lengths: Whole) -> Numbers:
    """Return where each of some runs starts, and where the last one ends."""
    return starts_of(np.append(lengths, 0))
