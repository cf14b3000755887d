"""How many records are in classes of each size, as a chart and a table show it: sizes together, those below k apart."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from toolbox.report.bins import binned
from toolbox.risks.attackers import ClassSize


class SizeBar(NamedTuple):
    """The classes of one size, or of several."""

    first: int
    """Their smallest size."""
    name: str
    """Such as ``6 to 9``."""
    classes: int
    safe: int
    """Records in those of k or more."""
    at_risk: int
    """Records in smaller ones."""

    @property
    def records(self) -> int:
        """In all of these classes."""
        return self.safe + self.at_risk

    @property
    def drawn(self) -> tuple[str, int, int]:
        """The row of a chart."""
        return self.name, self.safe, self.at_risk


def size_bars(sizes: Iterable[ClassSize], k: int) -> list[SizeBar]:
    """Put classes of several sizes together, the smallest first; bars without a class are left out.

    Examples
    --------
    >>> size_bars([ClassSize(2, 1), ClassSize(6, 1), ClassSize(9, 2)], 3)[0]
    SizeBar(first=2, name='2', classes=1, safe=0, at_risk=2)
    """
    counted = list(sizes)
    small = {row.first: row.amount for row in binned((size.size, size.records) for size in counted if size.size < k)}
    classes = {row.first: row.amount for row in binned((size.size, size.classes) for size in counted)}
    return [
        SizeBar(row.first, row.name, classes[row.first], row.amount - small.get(row.first, 0), small.get(row.first, 0))
        for row in binned((size.size, size.records) for size in counted)
    ]


def aligned(before: Iterable[SizeBar], after: Iterable[SizeBar]) -> list[tuple[SizeBar, SizeBar]]:
    """Pair the bars of both, so that they can stand on one scale; where one has no such classes, its bar is empty."""
    sides = [{bar.first: bar for bar in side} for side in (before, after)]
    names = {bar.first: bar.name for side in sides for bar in side.values()}
    pairs = [[side.get(first, SizeBar(first, names[first], 0, 0, 0)) for side in sides] for first in sorted(names)]
    return [(old, new) for old, new in pairs]
