"""Datafly as a short program over plain lists: what the toolbox must agree with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

Path = Sequence[str]
"""A value and its generalisations, the narrowest first."""


@dataclass(frozen=True)
class Outcome:
    levels: list[int]
    rows: list[tuple[str, ...]]
    """The release: a suppressed record has all its values at the root."""
    suppressed: set[int]
    """Row numbers."""

    @property
    def classes(self) -> Counter[tuple[str, ...]]:
        return Counter(row for number, row in enumerate(self.rows) if number not in self.suppressed)


def datafly(
    rows: Sequence[Sequence[str]], hierarchies: Sequence[Mapping[str, Path]], k: int, threshold: int
) -> Outcome:
    """While more than ``threshold`` records are in classes smaller than k, raise the column with most values."""
    levels = [0] * len(hierarchies)
    original = list(zip(*rows, strict=True))
    columns = [[paths[value][0] for value in values] for values, paths in zip(original, hierarchies, strict=True)]
    heights = [len(next(iter(paths.values()))) - 1 for paths in hierarchies]
    while True:
        shown = list(zip(*columns, strict=True))
        sizes = Counter(shown)
        small = {number for number, row in enumerate(shown) if sizes[row] < k}
        if len(small) <= threshold:
            break
        distinct = [len(set(column)) for column in columns]
        can_rise = [number for number, height in enumerate(heights) if levels[number] < height]
        chosen = min(can_rise, key=lambda number: (-distinct[number], number))
        levels[chosen] += 1
        columns[chosen] = [hierarchies[chosen][value][levels[chosen]] for value in original[chosen]]
    roots = tuple(next(iter(paths.values()))[-1] for paths in hierarchies)
    return Outcome(levels, [roots if n in small else row for n, row in enumerate(shown)], small)
