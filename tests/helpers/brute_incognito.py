"""Full-domain generalisation by looking at every node of the lattice: what Incognito must agree with."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

Levels = tuple[int, ...]
Path = Sequence[str]
"""A value and its generalisations, the narrowest first; all paths of a column are equally long."""


class Counts(NamedTuple):
    """What a node of the lattice makes of the records."""

    classes: int
    """All classes, also those that are suppressed."""
    released: int
    """The classes that satisfy."""
    suppressed: int
    """The records of the others."""


@dataclass(frozen=True)
class Outcome:
    """Which nodes of the lattice satisfy, each with its counts."""

    satisfying: dict[Levels, Counts]
    """In the order of a walk from the bottom, breadth first."""

    @property
    def minimal(self) -> dict[Levels, Counts]:
        """The satisfying nodes above no other satisfying node."""
        return {node: count for node, count in self.satisfying.items() if not self._is_above_another(node)}

    @property
    def chosen(self) -> Levels | None:
        """The satisfying node that releases most classes; of equals that which suppresses fewest records.

        Of these the lowest, and of these the first of the walk.
        """

        def order(node: Levels) -> tuple[int, int, int]:
            return -self.satisfying[node].released, self.satisfying[node].suppressed, sum(node)

        return min(self.satisfying, key=order, default=None)  # the first of equals

    @property
    def chosen_in_2010(self) -> Levels | None:
        """The satisfying node with most classes, released or not; of equals the lowest, of these the first."""
        return min(self.satisfying, key=lambda node: (-self.satisfying[node].classes, sum(node)), default=None)

    def _is_above_another(self, node: Levels) -> bool:
        return any(other != node and is_generalisation(node, other) for other in self.satisfying)


def is_generalisation(upper: Levels, lower: Levels) -> bool:
    """Whether no attribute is lower in the one than in the other."""
    return all(high >= low for high, low in zip(upper, lower, strict=True))


def evaluate(
    rows: Sequence[Sequence[str]],
    hierarchies: Sequence[Mapping[str, Path]],
    satisfies: Callable[[Sequence[int]], bool],
    *,
    threshold: int = 0,
) -> Outcome:
    """Judge every node: at most ``threshold`` records may be in classes that do not satisfy.

    ``satisfies`` is asked about a class by the numbers of its rows.
    """
    satisfying: dict[Levels, Counts] = {}
    for node in breadth_first([len(next(iter(paths.values()))) - 1 for paths in hierarchies]):
        classes = list(classes_of(rows, hierarchies, node).values())
        violating = [len(members) for members in classes if not satisfies(members)]
        if sum(violating) <= threshold:
            satisfying[node] = Counts(len(classes), len(classes) - len(violating), sum(violating))
    return Outcome(satisfying)


def breadth_first(heights: Sequence[int]) -> Iterator[Levels]:
    """Walk the lattice from the bottom; from each node, raise the first attribute by one level, then the second, .."""
    bottom = (0,) * len(heights)
    waiting, seen = deque([bottom]), {bottom}
    while waiting:
        node = waiting.popleft()
        yield node
        for place, height in enumerate(heights):
            above = (*node[:place], node[place] + 1, *node[place + 1 :])
            if node[place] < height and above not in seen:
                seen.add(above)
                waiting.append(above)


def classes_of(
    rows: Sequence[Sequence[str]], hierarchies: Sequence[Mapping[str, Path]], node: Levels
) -> dict[tuple[str, ...], list[int]]:
    """Group row numbers by what the rows show at a node."""
    classes: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for number, row in enumerate(rows):
        classes[tuple(paths[value][at] for paths, value, at in zip(hierarchies, row, node, strict=True))].append(number)
    return dict(classes)
