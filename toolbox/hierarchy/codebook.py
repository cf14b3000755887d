"""The codes of an attribute's categories, and which of them lie in an interval."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from dataclasses import dataclass

from toolbox.hierarchy.interval import Interval


@dataclass(frozen=True)
class CodeBook:
    """Categories in the order of their codes, which are all different.

    Examples
    --------
    >>> book = CodeBook.of({"Male": 1, "Female": 0})
    >>> book.names(book.within(Interval(0, 1)))
    ('Female', 'Male')
    """

    codes: tuple[int, ...]
    categories: tuple[str, ...]

    @classmethod
    def of(cls, categories: Mapping[str, int]) -> CodeBook:
        """Make a code book from the code of each category."""
        ordered = sorted(categories.items(), key=lambda item: item[1])
        return cls(tuple(code for _, code in ordered), tuple(name for name, _ in ordered))

    def within(self, interval: Interval) -> range:
        """Return the positions of the codes that lie in an interval."""
        start = (bisect_left if interval.low_closed else bisect_right)(self.codes, interval.low)
        end = (bisect_right if interval.high_closed else bisect_left)(self.codes, interval.high)
        return range(start, max(start, end))

    def names(self, positions: range) -> tuple[str, ...]:
        """Return the categories at these positions."""
        return self.categories[positions.start : positions.stop]
