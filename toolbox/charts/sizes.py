"""How many records are in classes of each size: several sizes in one bar, and those below k apart."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from toolbox.charts.bins import binned
from toolbox.charts.pictures import before_after
from toolbox.charts.tables import figure, table

SIZES = "Records by the size of their class"


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


def size_bars(sizes: Iterable[Sequence[int]], k: int) -> list[SizeBar]:
    """Group classes by size into bars, the smallest first; leave out bars without a class.

    Parameters
    ----------
    sizes : iterable of (size, classes)
        How many classes there are of each size.
    k : int
        Records of smaller classes are at risk.

    Examples
    --------
    >>> list(map(tuple, size_bars([(2, 1), (6, 1), (9, 2)], 3)))
    [(2, '2', 1, 0, 2), (6, '6 to 9', 3, 24, 0)]
    """
    counted = [(size, classes, size * classes) for size, classes in sizes]
    small = {row.first: row.amount for row in binned((size, records) for size, _, records in counted if size < k)}
    classes = {row.first: row.amount for row in binned((size, classes) for size, classes, _ in counted)}
    return [
        SizeBar(row.first, row.name, classes[row.first], row.amount - small.get(row.first, 0), small.get(row.first, 0))
        for row in binned((size, records) for size, _, records in counted)
    ]


def aligned(before: Iterable[SizeBar], after: Iterable[SizeBar]) -> list[tuple[SizeBar, SizeBar]]:
    """Pair the bars of both, so that they can stand on one scale; where one has no such classes, its bar is empty."""
    sides = [{bar.first: bar for bar in side} for side in (before, after)]
    names = {bar.first: bar.name for side in sides for bar in side.values()}
    pairs = [[side.get(first, SizeBar(first, names[first], 0, 0, 0)) for side in sides] for first in sorted(names)]
    return [(old, new) for old, new in pairs]


def sizes_figure(before: Iterable[SizeBar], after: Iterable[SizeBar], *, key: str, caption: str) -> str:
    """Draw the classes before and after on one scale, with the same as a table below.

    Parameters
    ----------
    key : str
        A word that no other chart of the page has.
    """
    pairs = aligned(before, after)
    drawn = before_after(
        [old.drawn for old, _ in pairs], [new.drawn for _, new in pairs], key=key, title=SIZES, upright=True
    )
    figures = [(old.name, old.records, new.records) for old, new in pairs]
    shown = table(["records in the class", "records before", "records after"], figures)
    return figure(drawn, shown, caption=caption, label=SIZES)
