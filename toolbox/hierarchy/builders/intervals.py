"""Intervals of equal widths: ``[20:25)``, below ``[20:30)``, with all below a bottom and from a top on as one."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from types import MappingProxyType
from typing import ClassVar

from toolbox.hierarchy.builders.bands import Band, Bands, NumberBuilder, Write
from toolbox.hierarchy.builders.builder import BuilderError, Wrong
from toolbox.hierarchy.builders.settings import NUMBER, NUMBERS, Setting, written_number


def width_faults(
    width: Sequence[Decimal], bottom: Decimal | None, top: Decimal | None, setting: str = "width"
) -> Iterator[Wrong]:
    """Yield the faults of widths, and of the ends of their range."""
    for each in width:
        if each <= 0:
            yield Wrong(f"{setting}= holds {written_number(each)}, which is no width.", "Write a number above 0.")
    for narrow, wide in pairwise(width):
        if narrow > 0 and wide > 0 and (wide <= narrow or Fraction(wide) % Fraction(narrow)):
            found = f"{setting}= has {written_number(wide)} after {written_number(narrow)}, and is no multiple of it."
            yield Wrong(found, "Write each width as a multiple of the one before, such as 5,10,20.")
    if bottom is not None and top is not None and top <= bottom:
        found = f"top='{written_number(top)}' is not above bottom='{written_number(bottom)}'."
        yield Wrong(found, "Write a larger top.")


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
        low, high = self._bound(place), self._bound(place + 1)
        # A bound with more digits than a double may be rounded to the other side of the number.
        if value >= high > low:
            low, high = high, self._bound(place + 2)
        elif value < low < high:
            low, high = self._bound(place - 1), low
        bottom, top = self._ends
        return max(low, bottom), min(high, top)

    def _bound(self, place: int) -> float:
        exact = self._start + place * self._step
        try:
            return exact / self._parts + 0.0
        except OverflowError:
            return math.inf if exact > 0 else -math.inf


@dataclass(frozen=True, kw_only=True)
class Intervals(NumberBuilder):
    """Intervals of equal widths, each width a multiple of the one before."""

    name: ClassVar[str] = "intervals"
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

    def _faults(self) -> Iterator[Wrong]:
        yield from width_faults(self.width, self.bottom, self.top)

    def bands(self, counts: Mapping[float, int], write: Write) -> Bands:
        bottom = -math.inf if self.bottom is None else float(self.bottom)
        top = math.inf if self.top is None else float(self.top)
        levels = [self._level(width, bottom, top, write) for width in reversed(self.width)]
        below = [Band(-math.inf, bottom, f"<{write(bottom)}")] * len(levels)
        above = [Band(top, math.inf, f">={write(top)}")] * len(levels)

        def find(value: float) -> list[Band]:
            if value < bottom:
                return below
            return above if value >= top else [level(value) for level in levels]

        return find

    def _level(self, width: Decimal, bottom: float, top: float, write: Write) -> Callable[[float], Band]:
        """Return what finds the bands of one level."""
        grid = Grid(width, self.origin, bottom, top)
        last = Band(math.inf, -math.inf, "")

        def find(value: float) -> Band:
            nonlocal last
            # Numbers come in their order, and many lie in the band of the one before.
            if not last.low <= value < last.high:
                low, high = grid.cell(value)
                if not low <= value < high:
                    raise self._too_coarse(width)
                last = Band(low, high, range_label(low, high, write))
            return last

        return find

    def _too_coarse(self, width: Decimal) -> BuilderError:
        found = f"Numbers as large as some of these have no intervals of width {written_number(width)}, which is below"
        return self._refuse(f"{found} their digits.", "Write wider ones, or top= and bottom= for the largest.")


def range_label(low: float, high: float, write: Write) -> str:
    """Write a band: ``[20:25)``, ``<18`` or ``>=90``."""
    if not math.isfinite(low):
        return f"<{write(high)}"
    return f"[{write(low)}:{write(high)})" if math.isfinite(high) else f">={write(low)}"
