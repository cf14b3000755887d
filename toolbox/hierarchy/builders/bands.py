"""Hierarchies of ordered numbers, built from a rule that names the bands in which each lies."""

from __future__ import annotations

import math
from abc import abstractmethod
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import ClassVar, NamedTuple

from toolbox.hierarchy.builders.builder import Builder, Takes
from toolbox.hierarchy.hierarchy import Hierarchy, Node
from toolbox.hierarchy.interval import Interval, format_number

Write = Callable[[float], str]
"""How a column writes its numbers."""


class Band(NamedTuple):
    """Neighbouring numbers with one label."""

    low: float
    """The first one; minus infinity if it is open."""
    high: float
    """The first one behind it; infinity if it is open."""
    label: str


Bands = Callable[[float], Sequence[Band] | None]
"""From a number to its bands, the widest first, each within the one before; None if it has no place."""


class Banded(NamedTuple):
    """A hierarchy of numbers."""

    hierarchy: Hierarchy
    unplaced: tuple[float, ...] = ()
    """Numbers that lie in no band."""


class _Leaf(NamedTuple):
    bands: Sequence[Band]
    first: float
    last: float


@dataclass(frozen=True, kw_only=True)
class NumberBuilder(Builder):
    """A builder of bands of numbers; a subclass supplies `bands`."""

    takes: ClassVar[Takes] = "numbers"

    @abstractmethod
    def bands(self, counts: Mapping[float, int], write: Write) -> Bands:
        """Return what finds the bands of each number.

        Parameters
        ----------
        counts : mapping of float to int
            All numbers, each with the number of its records, ascending.
        """

    def hierarchy(self, counts: Mapping[float, int], write: Write = format_number) -> Banded:
        """Return the hierarchy of numbers, at least one, ascending; of its nodes those that hold one."""
        return banded(list(counts), self.bands(counts, write), self.root)

    def rows(self, values: Iterable[object]) -> list[tuple[str, ...]]:
        texts: dict[float, str] = {}
        counts: Counter[float] = Counter()
        for value in values:
            if value is None:
                continue
            number = self._number(value)
            counts[number] += 1
            texts[number] = min(texts.get(number, str(value)), str(value), key=lambda text: (len(text), text))
        ascending = {number: counts[number] for number in sorted(counts)}
        named = self.bands(ascending, format_number)
        return [
            (texts[number], *(band.label for band in reversed(named(number) or ())), self.root) for number in ascending
        ]

    def _number(self, value: object) -> float:
        try:
            number = float(str(value))
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            raise self._refuse("A value is not a number.", "Correct it, or choose a builder of texts.")
        return number + 0.0  # -0 and 0 are one


def banded(values: Sequence[float], bands: Bands, root: str, *, is_closed: bool = False) -> Banded:
    """Make the hierarchy of some ascending numbers.

    Parameters
    ----------
    is_closed : bool
        Whether the numbers are whole, so that a band ends with the last one in it.

    Returns
    -------
    Banded
        The root takes in all numbers, also those without a place.
    """
    leaves, unplaced, at = [], [], 0
    while at < len(values):
        found = bands(values[at])
        end = at + 1
        if found is None:
            unplaced.append(values[at])
        elif found:
            end = bisect_left(values, found[-1].high, at + 1)
            leaves.append(_Leaf(found, values[at], values[end - 1]))
        at = end
    children = _nodes(leaves, 0, is_closed=is_closed)
    whole = Interval(values[0], values[-1])
    if children:
        first, last = children[0].interval, children[-1].interval
        reaches = last.high > whole.high
        high, high_closed = (last.high, last.high_closed) if reaches else (whole.high, True)
        whole = Interval(min(first.low, whole.low), high, True, high_closed)
    return Banded(Hierarchy(Node(whole, root, children)), tuple(unplaced))


def _nodes(leaves: Sequence[_Leaf], depth: int, *, is_closed: bool) -> tuple[Node, ...]:
    """Make the nodes of one level, each with those below it."""
    nodes = []
    for band, group in groupby(leaves, key=lambda leaf: leaf.bands[depth : depth + 1]):
        if not band:
            continue
        below = list(group)
        first, last = below[0].first, below[-1].last
        low = band[0].low if math.isfinite(band[0].low) else first
        nodes.append(
            Node(
                _interval(low, last, band[0].high, is_closed=is_closed),
                band[0].label,
                _nodes(below, depth + 1, is_closed=is_closed),
            )
        )
    return tuple(nodes)


def _interval(low: float, last: float, high: float, *, is_closed: bool) -> Interval:
    if not math.isfinite(high):
        return Interval(low, last)
    return Interval(low, high - 1.0) if is_closed else Interval(low, high, True, False)
