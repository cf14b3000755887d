"""Hierarchies of numbers: intervals of equal widths, between given cuts, or with about as many records each."""

from __future__ import annotations

import math
from abc import abstractmethod
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import accumulate, groupby, pairwise
from types import MappingProxyType
from typing import ClassVar, Final, NamedTuple

from toolbox.hierarchy.builders.builder import (
    COUNTS,
    NUMBER,
    NUMBERS,
    NUMBERS_BY_LEVEL,
    Builder,
    BuilderError,
    FormField,
    Setting,
    Takes,
    Wrong,
    format_setting_number,
)
from toolbox.hierarchy.hierarchy import Hierarchy, Interval, Node, format_number
from toolbox.messages import mark, say

# Hierarchies of ordered numbers, built from a rule that names the bands in which each lies.

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
        return build_banded_hierarchy(list(counts), self.bands(counts, write), self.root)

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
            raise self._refuse(say("A value is not a number."), say("Correct it, or choose a builder of texts."))
        return number + 0.0  # -0 and 0 are one


def build_banded_hierarchy(values: Sequence[float], bands: Bands, root: str, *, is_closed: bool = False) -> Banded:
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
    children = _make_nodes(leaves, 0, is_closed=is_closed)
    whole = Interval(values[0], values[-1])
    if children:
        first, last = children[0].interval, children[-1].interval
        reaches = last.high > whole.high
        high, high_closed = (last.high, last.high_closed) if reaches else (whole.high, True)
        whole = Interval(min(first.low, whole.low), high, True, high_closed)
    return Banded(Hierarchy(Node(whole, root, children)), tuple(unplaced))


def _make_nodes(leaves: Sequence[_Leaf], depth: int, *, is_closed: bool) -> tuple[Node, ...]:
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
                _make_interval(low, last, band[0].high, is_closed=is_closed),
                band[0].label,
                _make_nodes(below, depth + 1, is_closed=is_closed),
            )
        )
    return tuple(nodes)


def _make_interval(low: float, last: float, high: float, *, is_closed: bool) -> Interval:
    if not math.isfinite(high):
        return Interval(low, last)
    return Interval(low, high - 1.0) if is_closed else Interval(low, high, True, False)


# Intervals of equal widths: ``[20:25)``, below ``[20:30)``, with all below a bottom and from a top on as one.


def find_width_faults(
    width: Sequence[Decimal], bottom: Decimal | None, top: Decimal | None, setting: str = "width"
) -> Iterator[Wrong]:
    """Yield the faults of widths, and of the ends of their range."""
    for each in width:
        if each <= 0:
            words = mark("%(setting)s= holds %(number)s, which is no width.")
            found = say(words, setting=setting, number=format_setting_number(each))
            yield Wrong(found, say("Write a number above 0."))
    for narrow, wide in pairwise(width):
        if narrow > 0 and wide > 0 and (wide <= narrow or Fraction(wide) % Fraction(narrow)):
            pair = {"wide": format_setting_number(wide), "narrow": format_setting_number(narrow)}
            found = say(
                "%(setting)s= has %(wide)s after %(narrow)s, and is no multiple of it.", setting=setting, **pair
            )
            yield Wrong(found, say("Write each width as a multiple of the one before, such as 5,10,20."))
    if bottom is not None and top is not None and top <= bottom:
        ends = {"top": format_setting_number(top), "bottom": format_setting_number(bottom)}
        found = say("top='%(top)s' is not above bottom='%(bottom)s'.", **ends)
        yield Wrong(found, say("Write a larger top."))


class Grid:
    """Cells of one width, with all below a bottom and from a top on cut off."""

    def __init__(self, width: Decimal, origin: Decimal, bottom: float = -math.inf, top: float = math.inf) -> None:
        # Whole numbers are as exact as fractions, and ten times as fast.
        (self._step, of_step), (start, of_start) = width.as_integer_ratio(), origin.as_integer_ratio()
        self._parts = math.lcm(of_step, of_start)
        self._step *= self._parts // of_step
        self._start = start * (self._parts // of_start)
        self._ends = bottom, top

    def cell(self, value: float) -> tuple[float, float]:
        """Return the bounds of the cell of a number that is neither below the bottom nor from the top on.

        Bounds are exact until they are rounded to a double, so that none becomes 0.30000000000000004.
        """
        over, under = Decimal(repr(value)).as_integer_ratio()
        place = (over * self._parts - self._start * under) // (self._step * under)
        low, high = self._find_cell_bound(place), self._find_cell_bound(place + 1)
        # A bound with more digits than a double may be rounded to the other side of the number.
        if value >= high > low:
            low, high = high, self._find_cell_bound(place + 2)
        elif value < low < high:
            low, high = self._find_cell_bound(place - 1), low
        bottom, top = self._ends
        return max(low, bottom), min(high, top)

    def _find_cell_bound(self, place: int) -> float:
        exact = self._start + place * self._step
        try:
            return exact / self._parts + 0.0
        except OverflowError:
            return math.inf if exact > 0 else -math.inf


ENDS: Final[Mapping[str, FormField]] = MappingProxyType(
    {
        "bottom": FormField(mark("One interval for all below"), mark("Leave it out if there is none."), wants="number"),
        "top": FormField(mark("One interval for all from"), mark("90 makes “90 or older” one."), wants="number"),
    }
)
"""How forms ask for the ends of a range."""


@dataclass(frozen=True, kw_only=True)
class Intervals(NumberBuilder):
    """Intervals of equal widths, each width a multiple of the one before."""

    name: ClassVar[str] = "intervals"
    title: ClassVar[str] = mark("Intervals of equal width")
    sentence: ClassVar[str] = mark("20 to 25, then 20 to 30, and so on.")
    rank: ClassVar[int] = 10
    form: ClassVar[Mapping[str, FormField]] = MappingProxyType(
        {
            "width": FormField(
                mark("Widths, the narrowest first"), mark("Each a multiple of the one before."), "5,10,20"
            ),
            **ENDS,
            "origin": FormField(mark("Where an interval begins"), wants="number"),
        }
    )
    main: ClassVar[str | None] = "width"
    sample: ClassVar[str] = "5,10,20"
    settings: ClassVar[Mapping[str, Setting]] = MappingProxyType(
        {"width": NUMBERS, "origin": NUMBER, "bottom": NUMBER, "top": NUMBER}
    )

    width: tuple[Decimal, ...]
    """Of each level, the narrowest first."""
    origin: Decimal = Decimal(0)
    """Where an interval begins."""
    bottom: Decimal | None = None
    """All numbers below are one, on every level."""
    top: Decimal | None = None
    """All numbers from here on are one, on every level."""

    def _find_setting_faults(self) -> Iterator[Wrong]:
        yield from find_width_faults(self.width, self.bottom, self.top)

    def bands(self, counts: Mapping[float, int], write: Write) -> Bands:
        bottom = -math.inf if self.bottom is None else float(self.bottom)
        top = math.inf if self.top is None else float(self.top)
        levels = [self._make_level_finder(width, bottom, top, write) for width in reversed(self.width)]
        below = [Band(-math.inf, bottom, f"<{write(bottom)}")] * len(levels)
        above = [Band(top, math.inf, f">={write(top)}")] * len(levels)

        def find(value: float) -> list[Band]:
            if value < bottom:
                return below
            return above if value >= top else [level(value) for level in levels]

        return find

    def _make_level_finder(self, width: Decimal, bottom: float, top: float, write: Write) -> Callable[[float], Band]:
        """Return what finds the bands of one level."""
        grid = Grid(width, self.origin, bottom, top)
        last = Band(math.inf, -math.inf, "")

        def find(value: float) -> Band:
            nonlocal last
            # Numbers come in their order, and many lie in the band of the one before.
            if not last.low <= value < last.high:
                low, high = grid.cell(value)
                if not low <= value < high:
                    raise self._make_coarse_error(width)
                last = Band(low, high, format_range(low, high, write))
            return last

        return find

    def _make_coarse_error(self, width: Decimal) -> BuilderError:
        words = mark(
            "Numbers as large as some of these have no intervals of width %(width)s, which is below their digits."
        )
        found = say(words, width=format_setting_number(width))
        return self._refuse(found, say("Write wider ones, or top= and bottom= for the largest."))


def format_range(low: float, high: float, write: Write) -> str:
    """Write a band: ``[20:25)``, ``<18`` or ``>=90``."""
    if not math.isfinite(low):
        return f"<{write(high)}"
    return f"[{write(low)}:{write(high)})" if math.isfinite(high) else f">={write(low)}"


# Intervals between given numbers: ``<18``, ``[18:65)``, ``>=65``, on one level or several.


def make_band_finder(levels: Sequence[Sequence[float]], write: Write) -> Bands:
    """Return what finds the bands between numbers.

    Parameters
    ----------
    levels : sequence of sequences of float
        Where each level is cut, the narrowest first, each ascending and within the one before.
    """
    wide = [[-math.inf, *level, math.inf] for level in reversed(levels)]

    def find(value: float) -> list[Band]:
        found = []
        for ends in wide:
            place = bisect_right(ends, value)
            low, high = ends[place - 1], ends[place]
            found.append(Band(low, high, format_range(low, high, write)))
        return found

    return find


@dataclass(frozen=True, kw_only=True)
class Cuts(NumberBuilder):
    """Intervals between given numbers; the first and the last are open, so that no number is left out."""

    name: ClassVar[str] = "cuts"
    title: ClassVar[str] = mark("Intervals between numbers that you name")
    sentence: ClassVar[str] = mark("Below 18, 18 to 65, 65 and more.")
    rank: ClassVar[int] = 20
    form: ClassVar[Mapping[str, FormField]] = MappingProxyType(
        {
            "at": FormField(
                mark("Where it is cut"), mark("Commas between the numbers, a slash between levels."), "18,65/65"
            ),
        }
    )
    main: ClassVar[str | None] = "at"
    sample: ClassVar[str] = "18,30,65/18,65"
    settings: ClassVar[Mapping[str, Setting]] = MappingProxyType({"at": NUMBERS_BY_LEVEL})

    at: tuple[tuple[Decimal, ...], ...]
    """Where each level is cut, the narrowest first."""

    def _find_setting_faults(self) -> Iterator[Wrong]:
        for level in self.at:
            for first, second in pairwise(level):
                if float(second) <= float(first):
                    pair = {"second": format_setting_number(second), "first": format_setting_number(first)}
                    found = say("at= has %(second)s after %(first)s.", **pair)
                    yield Wrong(found, say("Write the numbers of a level in their order, each once."))
        for narrow, wide in pairwise(self.at):
            if strange := [number for number in wide if number not in narrow]:
                listed = ", ".join(map(format_setting_number, strange))
                found = say("at= cuts a level at %(numbers)s, where the level before it is not cut.", numbers=listed)
                yield Wrong(found, say("Let each level leave some cuts of the one before it out, and add none."))
            elif len(wide) == len(narrow):
                yield Wrong(say("at= has the same level twice."), say("Leave one of them out."))

    def bands(self, counts: Mapping[float, int], write: Write) -> Bands:
        return make_band_finder([[float(number) + 0.0 for number in level] for level in self.at], write)


# Intervals with about as many records each: ``<23``, ``[23:31)``, .., ``>=60``.


def find_cut_places(records: Sequence[int], classes: int) -> list[int]:
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
    >>> find_cut_places([1, 1, 1, 1, 1, 1], 3), find_cut_places([1, 9, 1], 2)
    ([2, 4], [1])
    """
    before = [0, *accumulate(records)]
    found = {_find_nearest_place(before, Fraction(before[-1] * number, classes)) for number in range(1, classes)}
    return sorted(place for place in found if 0 < place < len(records))


def _find_nearest_place(before: Sequence[int], wanted: Fraction) -> int:
    """Return the place before which the number of records is the nearest, the first of two."""
    place = bisect_left(before, wanted)
    if place and (place == len(before) or wanted - before[place - 1] <= before[place] - wanted):
        return place - 1
    return place


@dataclass(frozen=True, kw_only=True)
class Quantiles(NumberBuilder):
    """Intervals of equal frequency, each number of classes a multiple of the next."""

    name: ClassVar[str] = "quantiles"
    title: ClassVar[str] = mark("Intervals with as many records each")
    sentence: ClassVar[str] = mark("A fourth of the records in each, then a half.")
    rank: ClassVar[int] = 30
    form: ClassVar[Mapping[str, FormField]] = MappingProxyType(
        {
            "classes": FormField(mark("How many on each level"), mark("Each a multiple of the next."), "8,4,2"),
        }
    )
    main: ClassVar[str | None] = "classes"
    sample: ClassVar[str] = "8,4,2"
    counts_records: ClassVar[bool] = True
    settings: ClassVar[Mapping[str, Setting]] = MappingProxyType({"classes": COUNTS})

    classes: tuple[int, ...]
    """Of each level, the most first."""

    def _find_setting_faults(self) -> Iterator[Wrong]:
        for many, few in pairwise(self.classes):
            if few >= many or many % few:
                words = mark("classes= has %(few)s after %(many)s, which is no multiple of it.")
                remedy = say("Write each number of classes as a part of the one before, such as 8,4,2.")
                yield Wrong(say(words, few=few, many=many), remedy)
        if 1 in self.classes:
            yield Wrong(say("classes= holds 1, which is the root."), say("Write 2 or more; the root is always there."))

    def bands(self, counts: Mapping[float, int], write: Write) -> Bands:
        numbers, records = list(counts), list(counts.values())
        levels = [[numbers[place] for place in find_cut_places(records, classes)] for classes in self.classes]
        return make_band_finder([level for level in levels if level], write)
