"""Intervals with about as many records each: ``<23``, ``[23:31)``, .., ``>=60``."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, pairwise
from types import MappingProxyType
from typing import ClassVar

from toolbox.hierarchy.builders.bands import Bands, NumberBuilder, Write
from toolbox.hierarchy.builders.builder import Wrong
from toolbox.hierarchy.builders.cuts import between
from toolbox.hierarchy.builders.settings import COUNTS, Setting


def places(records: Sequence[int], classes: int) -> list[int]:
    """Return where a sequence is cut so that its parts have about as many records each.

    Parameters
    ----------
    records : sequence of int
        The records of each value, in the order of the values.

    Returns
    -------
    list of int
        The places of the values with which the second class, the third and so on begin; fewer where a value has more
        records than a class should. Of k classes they are among those of any multiple of k.

    Examples
    --------
    >>> places([1, 1, 1, 1, 1, 1], 3), places([1, 9, 1], 2)
    ([2, 4], [1])
    """
    before = [0, *accumulate(records)]
    found = {_nearest(before, Fraction(before[-1] * number, classes)) for number in range(1, classes)}
    return sorted(place for place in found if 0 < place < len(records))


def _nearest(before: Sequence[int], wanted: Fraction) -> int:
    """Return the place before which the number of records is the nearest, the first of two."""
    place = bisect_left(before, wanted)
    if place and (place == len(before) or wanted - before[place - 1] <= before[place] - wanted):
        return place - 1
    return place


@dataclass(frozen=True, kw_only=True)
class Quantiles(NumberBuilder):
    """Intervals of equal frequency, each number of classes a multiple of the next."""

    name: ClassVar[str] = "quantiles"
    main: ClassVar[str | None] = "classes"
    sample: ClassVar[str] = "8,4,2"
    counts_records: ClassVar[bool] = True
    settings: ClassVar[Mapping[str, Setting]] = MappingProxyType({"classes": COUNTS})

    classes: tuple[int, ...]
    """Of each level, the most first."""

    def _faults(self) -> Iterator[Wrong]:
        for many, few in pairwise(self.classes):
            if few >= many or many % few:
                found = f"classes= has {few} after {many}, which is no multiple of it."
                yield Wrong(found, "Write each number of classes as a part of the one before, such as 8,4,2.")
        if 1 in self.classes:
            yield Wrong("classes= holds 1, which is the root.", "Write 2 or more; the root is always there.")

    def bands(self, counts: Mapping[float, int], write: Write) -> Bands:
        numbers, records = list(counts), list(counts.values())
        levels = [[numbers[place] for place in places(records, classes)] for classes in self.classes]
        return between([level for level in levels if level], write)
