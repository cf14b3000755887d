"""Hierarchies from the data alone, for those who have nothing: halves of halves, with about as many records each.

The values are put in order, numbers by size and words by the alphabet, which is the only order that holds for any words
and in which a range of neighbours can be named by its ends. They are cut into two, four, eight parts and so on, each
cut where the records before it come nearest to a half, a quarter, an eighth of all. Numbers are cut at the roundest
number near there, within a quarter of a part. Nothing is random: the same table has the same hierarchy. Other records
move the cuts, so that two releases can be compared only with a hierarchy that is written down.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import accumulate, pairwise
from types import MappingProxyType
from typing import ClassVar, Final

from toolbox.hierarchy.builders.builder import Builder, BuilderError, FormField, Kind, Setting, Takes, Wrong, count
from toolbox.hierarchy.builders.dates import Dates
from toolbox.hierarchy.builders.numbers import Bands, NumberBuilder, Write, find_cut_places, make_band_finder
from toolbox.hierarchy.builders.texts import Naming, TextBuilder, format_range_name
from toolbox.hierarchy.date_formats import Period
from toolbox.messages import mark, say

_MOST: Final = 20
_PERIODS: Final[tuple[Period, ...]] = ("day", "month", "year", "decade")


def _find_depth(levels: int, values: int) -> int:
    """Return how many levels are of use: the lowest has fewer parts than there are values."""
    return min(levels, max(0, (values - 1).bit_length() - 1))


def _parse_levels(text: str) -> int:
    """Read a whole number; 0 leaves the values and the root."""
    return 0 if text.strip() == "0" else count(text)


@dataclass(frozen=True, kw_only=True)
class Auto(Builder):
    """Takes what a column holds, and hands it to the builder of such values."""

    name: ClassVar[str] = "auto"
    title: ClassVar[str] = mark("Halves of halves")
    sentence: ClassVar[str] = mark("From the data alone, with about as many records each.")
    rank: ClassVar[int] = 130
    form: ClassVar[Mapping[str, FormField]] = MappingProxyType(
        {
            "levels": FormField(mark("Levels below the root"), mark("0: a value, or nothing."), "3", "number"),
        }
    )
    takes: ClassVar[Takes] = "anything"
    main: ClassVar[str | None] = "levels"
    sample: ClassVar[str] = "3"
    is_needed: ClassVar[bool] = False
    counts_records: ClassVar[bool] = True
    settings: ClassVar[Mapping[str, Setting]] = MappingProxyType({"levels": Setting(_parse_levels)})

    levels: int = 3
    """How many levels lie between the values and the root; fewer where there are few values, and none with 0."""

    def _find_setting_faults(self) -> Iterator[Wrong]:
        if self.levels > _MOST:
            found = say("levels='%(levels)s' is too many.", levels=self.levels)
            yield Wrong(found, say("Write at most %(most)s.", most=_MOST))

    def of(self, kind: Kind) -> Builder:
        if kind == "number":
            return AutoNumbers(levels=self.levels, other=self.other, root=self.root)
        if kind == "date":
            return Dates(periods=_PERIODS[-max(1, self.levels) :], other=self.other, root=self.root)
        return AutoTexts(levels=self.levels, other=self.other, root=self.root)

    def rows(self, values: Iterable[object]) -> list[tuple[str, ...]]:
        known = [value for value in values if value is not None]
        try:
            return self.of("number").rows(known)
        except BuilderError:
            pass
        try:
            return self.of("date").rows(known)
        except BuilderError:
            return self.of("category").rows(known)


@dataclass(frozen=True, kw_only=True)
class AutoNumbers(NumberBuilder):
    """Intervals with round bounds."""

    name: ClassVar[str] = "auto"
    counts_records: ClassVar[bool] = True

    levels: int

    def bands(self, counts: Mapping[float, int], write: Write) -> Bands:
        depth = _find_depth(self.levels, len(counts))
        levels = [_round_cuts(counts, 2**depth, 2**level) for level in range(depth, 0, -1)]
        return make_band_finder(_drop_equal_levels(levels), write)


def _round_cuts(counts: Mapping[float, int], parts: int, classes: int) -> list[float]:
    """Return where numbers are cut into some classes, within a quarter of the smallest part of where they should be."""
    numbers = list(counts)
    before = [0, *accumulate(counts.values())]
    slack = Fraction(before[-1], 4 * parts)
    found = set()
    for number in range(1, classes):
        wanted = Fraction(before[-1] * number, classes)
        first, last = bisect_left(before, wanted - slack), bisect_right(before, wanted + slack) - 1
        if first > last:  # one number has more records than a part
            below = bisect_left(before, wanted)
            first = last = min((below - 1, below), key=lambda place: abs(before[place] - wanted))
        first, last = max(first, 1), min(last, len(numbers) - 1)
        if first <= last:
            found.add(_find_roundest_number(numbers[first - 1], numbers[last]))
    return sorted(found)


def _drop_equal_levels(levels: Sequence[list[float]]) -> list[list[float]]:
    """Leave out levels that cut nothing, or only what the level before cuts."""
    kept: list[list[float]] = []
    for level in levels:
        if level and level not in kept[-1:]:
            kept.append(level)
    return kept


@dataclass(frozen=True, kw_only=True)
class AutoTexts(TextBuilder):
    """Neighbours in the alphabet."""

    name: ClassVar[str] = "auto"
    counts_records: ClassVar[bool] = True

    levels: int

    def choose_sort_key(self, text: str) -> object:
        return text.casefold()

    def naming(self, counts: Mapping[str, int]) -> Naming:
        texts = sorted(counts, key=self._key)
        records = [counts[text] for text in texts]
        depth = _find_depth(self.levels, len(texts))
        cuts = [find_cut_places(records, 2**level) for level in range(depth, 0, -1)]
        different = [level for level, above in pairwise([*cuts, []]) if level and level != above]
        named: dict[str, list[str]] = {text: [] for text in texts}
        for level in different:
            for first, last in pairwise([0, *level, len(texts)]):
                label = format_range_name(texts[first:last], root=self.root)
                for text in texts[first:last]:
                    named[text].append(label)
        return lambda text: tuple(named[text])


def _find_roundest_number(low: float, high: float) -> float:
    """Return a number above one and at most another with as few digits as can be.

    Parameters
    ----------
    low, high : float
        Different, the smaller first.

    Examples
    --------
    >>> [_find_roundest_number(low, high) for low, high in ((17, 23), (18.2, 18.9), (-3, 4), (31, 32))]
    [20.0, 18.5, 0.0, 32.0]
    """
    if low < 0 <= high:
        return 0.0
    below, above = Fraction(repr(low)), Fraction(repr(high))
    exponent = Decimal(repr(high if abs(high) > abs(low) else low)).adjusted() + 1
    # The difference of two doubles has a digit at most some 1,100 places behind the point.
    while exponent > -400:
        for part in (1, 2, 5):
            step = Fraction(10) ** exponent / part
            found = above // step * step
            if found > below and low < float(found) <= high:
                return float(found) + 0.0
        exponent -= 1
    return high
