"""Every loss metric again, record by record in plain Python, from its definition."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Cell:
    """One released value."""

    text: str | None
    values: frozenset[str | None]
    """The values that it may be, those that nobody has among them."""
    level: int | None
    low: float = 0.0
    high: float = 0.0
    is_root: bool = False


@dataclass(frozen=True)
class Column:
    """One quasi-identifier: what stood there, what was released, and what is known of it."""

    original: list[str | None]
    released: list[Cell]
    domain: frozenset[str | None]
    paths: dict[str | None, tuple[str, ...]]
    """For each value the groups that it is in on levels 0, 1, ..; the last is the root."""
    by_width: bool
    """Whether it holds numbers without a hierarchy."""
    has_hierarchy: bool
    weight: float

    @property
    def height(self) -> int:
        return len(next(iter(self.paths.values()))) - 1

    @property
    def people(self) -> Counter[str | None]:
        return Counter(self.original)

    def groups(self, level: int) -> set[frozenset[str | None]]:
        """Return the sets of values that are one at a level."""
        found: dict[str, set[str | None]] = defaultdict(set)
        for value, path in self.paths.items():
            found[path[level]].add(value)
        return {frozenset(group) for group in found.values()}


def is_suppressed(columns: Sequence[Column]) -> list[bool]:
    return [all(cell.is_root for cell in row) for row in zip(*(one.released for one in columns), strict=True)]


def class_sizes(columns: Sequence[Column]) -> list[int]:
    """Return the sizes of the classes of records that are not suppressed."""
    rows = zip(*([cell.text for cell in one.released] for one in columns), strict=True)
    return list(Counter(row for row, hidden in zip(rows, is_suppressed(columns), strict=True) if not hidden).values())


def wrong(columns: Sequence[Column], labels: Sequence[str], *, charges_suppressed: bool) -> int:
    held: dict[object, Counter[str]] = defaultdict(Counter)
    cost = 0
    rows = zip(*([cell.text for cell in one.released] for one in columns), strict=True)
    for row, hidden, label in zip(rows, is_suppressed(columns), labels, strict=True):
        if hidden and charges_suppressed:
            cost += 1
        else:
            held[row][label] += 1
    return cost + sum(sum(counts.values()) - max(counts.values()) for counts in held.values())


def penalty(column: Column, cell: Cell) -> float:
    """Normalised certainty penalty of a cell: equation 6 for numbers without a hierarchy, otherwise equation 5."""
    whole = _width(column)
    if column.by_width and whole:
        return (cell.high - cell.low) / whole
    known = set(column.original)
    covered = len(cell.values & known)
    return 0.0 if covered <= 1 else covered / len(known)


def iyengar(column: Column, cell: Cell) -> float:
    whole = _width(column)
    if column.by_width and whole:
        return (cell.high - cell.low) / whole
    return (len(cell.values) - 1) / (len(column.domain) - 1) if len(column.domain) > 1 else 0.0


def _width(column: Column) -> float:
    numbers = [float(value) for value in column.original if value is not None] if column.by_width else []
    return max(numbers) - min(numbers) if numbers else 0.0


def steps(column: Column, cell: Cell) -> float | None:
    """Share of its hierarchy that a cell has been taken up."""
    if cell.level is not None:
        return cell.level / column.height
    if not column.has_hierarchy:
        return None
    level = next(
        level for level in range(1, column.height + 1) if max(map(len, column.groups(level))) >= len(cell.values)
    )
    return level / column.height


def doubt(column: Column, cell: Cell) -> float:
    """Bits that it takes to tell the value of a cell."""
    counts = [column.people[value] for value in cell.values if column.people[value]]
    return -sum(count / sum(counts) * math.log2(count / sum(counts)) for count in counts)


def mean(column: Column, cost: Callable[[Column, Cell], float | None]) -> float | None:
    costs = [cost(column, cell) for cell in column.released]
    known = [one for one in costs if one is not None]
    return math.fsum(known) / len(costs) if len(known) == len(costs) else None


def column_level(columns: Sequence[Column], place: int) -> int | None:
    """Find the level at which every cell, but for those of suppressed records, is a group."""
    column = columns[place]
    cells = [
        cell for cell, hidden in zip(column.released, is_suppressed(columns), strict=True) if not hidden
    ] or column.released
    if any(cell.level is None for cell in cells):
        return None
    level = max(cell.level for cell in cells if cell.level is not None)
    if all(cell.level == level for cell in cells):
        return level
    return level if all(cell.values in column.groups(level) for cell in cells) else None


def entropy_loss(column: Column) -> tuple[float, float] | None:
    """Bits that generalising a column has lost, and those that it could lose, in the variant for local recoding."""
    if any(cell.level is None for cell in column.released):
        return None
    after = [cell.level or 0 for cell in column.released]
    lost, before = 0.0, 0
    for level in sorted(set(after)):
        paths = [column.paths[value] for value, taken in zip(column.original, after, strict=True) if taken >= level]
        fine, coarse = Counter(path[before] for path in paths), Counter(path[level] for path in paths)
        lost += math.fsum(-math.log2(fine[path[before]] / coarse[path[level]]) for path in paths)
        before = level
    size = len(column.original)
    return lost, math.fsum(-math.log2(column.people[value] / size) for value in column.original)
