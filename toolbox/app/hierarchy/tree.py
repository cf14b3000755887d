"""A hierarchy as a tree whose branches are shown when they are opened."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, pairwise

MOST = 200
"""Branches that are shown of one that is opened, before the next ones are asked for."""
_AT_FIRST = 40
"""Branches that a page shows before anybody opens one."""


@dataclass(frozen=True)
class TreeBranch:
    """A value, or a label with what is below it."""

    level: int
    """0 for a value."""
    label: str
    values: int
    """Below it; 1 for a value."""
    records: int
    """That have one of these values."""
    below: int
    """Branches of the level below."""

    @property
    def key(self) -> str:
        """What a form calls it."""
        return f"{self.level}:{self.label}"


@dataclass(frozen=True)
class ShownBranch:
    """A branch as a page shows it, with what is open below it."""

    branch: TreeBranch
    children: tuple[ShownBranch, ...] = ()
    is_open: bool = False
    next_offset: int | None = None
    """Where the children that are not shown begin."""


@dataclass(frozen=True)
class BranchTree:
    """The branches of a hierarchy, each found by its level and its label.

    Parameters
    ----------
    rows : sequence of rows
        A value and its label on each level, the root last.
    counts : mapping of str to int
        The values of the column, each with its records.
    """

    rows: Sequence[Sequence[str]]
    counts: Mapping[str, int]
    _below: list[dict[str, dict[str, None]]] = field(default_factory=list, init=False, compare=False, repr=False)
    _values: list[Counter[str]] = field(default_factory=list, init=False, compare=False, repr=False)
    _records: list[Counter[str]] = field(default_factory=list, init=False, compare=False, repr=False)
    _parents: list[dict[str, str]] = field(default_factory=list, init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        columns = list(zip(*self.rows, strict=True))
        records = [self.counts.get(value, 0) for value in columns[0]]
        for column in columns:
            self._values.append(Counter(column))
            sums: Counter[str] = Counter()
            for label, count in zip(column, records, strict=True):
                sums[label] += count
            self._records.append(sums)
        self._below.append({})
        for low, high in pairwise(columns):
            below: dict[str, dict[str, None]] = {}
            for child, parent in zip(low, high, strict=True):
                below.setdefault(parent, {})[child] = None
            self._below.append(below)
            self._parents.append(dict(zip(low, high, strict=True)))

    @property
    def height(self) -> int:
        """The level of the root."""
        return len(self._values) - 1

    @property
    def root(self) -> TreeBranch:
        """The widest branch."""
        return self.branch(self.height, self.rows[0][-1])

    def branch(self, level: int, label: str) -> TreeBranch:
        """Return a branch.

        Raises
        ------
        KeyError
            If there is none.
        """
        if not 0 <= level <= self.height or label not in self._values[level]:
            raise KeyError(level, label)
        below = len(self._below[level][label]) if level else 0
        return TreeBranch(level, label, self._values[level][label], self._records[level][label], below)

    def labels(self, level: int) -> list[str]:
        """Return what stands on a level, in the order of the rows."""
        return list(self._values[level])

    def above(self, branch: TreeBranch) -> Iterator[TreeBranch]:
        """Yield what is above a branch, the root last."""
        label = branch.label
        for level in range(branch.level, self.height):
            label = self._parents[level][label]
            yield self.branch(level + 1, label)

    def find_open_keys(self) -> frozenset[str]:
        """Return the keys of the branches that are open at first: as many levels as fit on a screen."""
        found: set[str] = set()
        shown = 1
        for level in range(self.height, 0, -1):
            shown += len(self._values[level - 1])
            if shown > _AT_FIRST:
                break
            found |= {f"{level}:{label}" for label in self._values[level]}
        return frozenset(found)

    def shown(self, branch: TreeBranch, opened: Collection[str], offset: int = 0) -> ShownBranch:
        """Return a branch with what is below it, as far as that is open.

        Parameters
        ----------
        opened : collection of str
            Keys of those branches below it that are open; it is open itself.
        offset : int
            How many of its children to leave out.
        """
        if not branch.level:
            return ShownBranch(branch)
        labels = islice(self._below[branch.level][branch.label], offset, offset + MOST)
        children = (self.branch(branch.level - 1, label) for label in labels)
        shown = tuple(self.shown(child, opened) if child.key in opened else ShownBranch(child) for child in children)
        end = offset + MOST
        return ShownBranch(branch, shown, is_open=True, next_offset=end if end < branch.below else None)


def parse_branch_key(key: str) -> tuple[int, str]:
    """Read what a form calls a branch.

    Examples
    --------
    >>> parse_branch_key("1:a:b")
    (1, 'a:b')
    """
    level, _, label = key.partition(":")
    return (int(level) if level.isascii() and level.isdigit() and len(level) < 3 else -1), label
