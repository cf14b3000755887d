"""Intervals as the UT Dallas toolbox writes them: ``[a:b] [a:b) (a:b] (a:b)``, or a single ``[a]``."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Final

from toolbox.errors import quote

# No digit can belong to two parts of it, so that the time to refuse a text grows with its length, not with its square.
NUMBER: Final = r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?"
"""A regular expression for a number, with digits of any script."""
_RANGE = re.compile(rf"([\[(])\s*({NUMBER})\s*:\s*({NUMBER})\s*([\])])")
_SINGLE = re.compile(rf"\[\s*({NUMBER})\s*\]")


class IntervalSyntaxError(ValueError):
    """A text is not an interval; the message says why and what an interval looks like."""


@dataclass(frozen=True)
class Interval:
    """A set of numbers between two bounds, each of which may belong to it or not.

    Examples
    --------
    >>> ages = Interval.parse("[ 25 : 50 )")
    >>> 25.0 in ages, 50.0 in ages, str(ages)
    (True, False, '[25:50)')
    """

    low: float
    high: float
    low_closed: bool = True
    high_closed: bool = True

    @classmethod
    def parse(cls, text: str) -> Interval:
        """Read an interval; blanks around its parts do not matter.

        Raises
        ------
        IntervalSyntaxError
            If the text is no interval, a bound is not finite, or no number lies within it.
        """
        stripped, shown = text.strip(), quote(text)
        if match := _SINGLE.fullmatch(stripped):
            interval = cls(float(match[1]), float(match[1]))
        elif match := _RANGE.fullmatch(stripped):
            interval = cls(float(match[2]), float(match[3]), match[1] == "[", match[4] == "]")
        else:
            raise IntervalSyntaxError(f"{shown} is not an interval. Write it as [a:b], [a:b), (a:b], (a:b) or [a].")
        if not (math.isfinite(interval.low) and math.isfinite(interval.high)):
            raise IntervalSyntaxError(f"{shown} has a bound beyond the largest number (1.8e308). Write a finite one.")
        if interval.is_empty:
            raise IntervalSyntaxError(f"{shown} contains no number. Write the smaller bound first.")
        return interval

    @property
    def is_empty(self) -> bool:
        """Whether no number lies between the bounds."""
        return self.low > self.high or (self.low == self.high and not (self.low_closed and self.high_closed))

    def __contains__(self, value: float) -> bool:
        above = value > self.low or (self.low_closed and value == self.low)
        below = value < self.high or (self.high_closed and value == self.high)
        return above and below

    def covers(self, other: Interval) -> bool:
        """Return whether every number of the other interval lies in this one."""
        starts = self.low < other.low or (self.low == other.low and (self.low_closed or not other.low_closed))
        ends = self.high > other.high or (self.high == other.high and (self.high_closed or not other.high_closed))
        return starts and ends

    def __str__(self) -> str:
        low, high = format_number(self.low), format_number(self.high)
        if self.low == self.high:
            return f"[{low}]"
        return f"{'[' if self.low_closed else '('}{low}:{high}{']' if self.high_closed else ')'}"


def format_number(value: float) -> str:
    """Write a number in the shortest way that reads back as the same one: ``25``, not ``25.0``."""
    value = float(value)
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
