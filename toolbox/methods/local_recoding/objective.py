"""What a search loses as little of as it can: an amount for each release, and the price of each cell at the margin."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from toolbox.methods.arrays.types import Numbers, Reals
from toolbox.methods.local_recoding.loss import bits_lost, prices
from toolbox.methods.local_recoding.rows import Column

Histograms = Sequence[Numbers]
"""For each quasi-identifier the records of each value (axis 0) at each level (axis 1)."""


class Objective(ABC):
    """The loss of a release, from the records of each value at each level."""

    learns: ClassVar[bool]
    """Whether prices depend on the release at hand, so that those of one release help to find the next."""

    @abstractmethod
    def lost(self, histograms: Histograms) -> float:
        """Return what a release loses."""

    @abstractmethod
    def prices(self, histograms: Histograms | None) -> list[Reals]:
        """Return what one more record of each value (axis 1) loses at each level (axis 0) of each quasi-identifier.

        Parameters
        ----------
        histograms : sequence of array, optional
            Of the release at hand; None: all records at all levels.
        """


@dataclass(frozen=True)
class Entropy(Objective):
    """The bits that columns lose, each by its importance."""

    columns: Sequence[Column]
    importances: Reals
    """What a bit of each column counts."""

    learns: ClassVar[bool] = True

    def lost(self, histograms: Histograms) -> float:
        each = zip(self.columns, histograms, self.importances, strict=True)
        return float(sum(importance * bits_lost(column, histogram) for column, histogram, importance in each))

    def prices(self, histograms: Histograms | None) -> list[Reals]:
        shown = [None] * len(self.columns) if histograms is None else histograms
        each = zip(self.columns, shown, self.importances, strict=True)
        return [importance * prices(column, histogram) for column, histogram, importance in each]


@dataclass(frozen=True)
class CellCosts(Objective):
    """A cost for each cell, whatever the others are."""

    costs: list[Reals]
    """What a cell of each value (axis 1) costs at each level (axis 0) of each quasi-identifier."""

    learns: ClassVar[bool] = False

    def lost(self, histograms: Histograms) -> float:
        return float(sum((cost * histogram.T).sum() for cost, histogram in zip(self.costs, histograms, strict=True)))

    def prices(self, histograms: Histograms | None) -> list[Reals]:
        return self.costs
