"""How many values of a release follow from the statistics that it publishes with its classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, kw_only=True)
class SolvedStatistics:
    """What the statistics of one column give back."""

    column: str
    kind: Literal["moments", "distribution"]
    """Mean and variance of numbers, or the share of each category."""
    step: float | None
    """Values are taken for multiples of it, from the smallest on; None for categories, and where no step fits."""
    ends_are_values: bool
    """Whether intervals are taken to begin and end with values of their class, as all classes allow."""
    without_ends: int
    """Classes for which that cannot be, where it is told of all intervals: from one on, none is taken to."""
    classes: int
    """Those with statistics; classes with the same labels and other statistics are told apart."""
    solved: int
    """Of these, classes whose values follow: one multiset fits size, interval and statistics, several the interval."""
    undecided: int
    """Classes too large to try all multisets, or that none fits. They are not safe: nothing is known of them."""
    cells: int
    """Records of the release."""
    cells_disclosed: int
    """Records of classes that are solved."""

    @property
    def share_disclosed(self) -> float:
        """The same, as a share of all cells of the column."""
        return self.cells_disclosed / self.cells


@dataclass(frozen=True, kw_only=True)
class StatisticsRisk:
    """What the statistics of all columns give back."""

    columns: tuple[SolvedStatistics, ...]
    """Those of quasi-identifiers that have statistics."""

    @property
    def cells(self) -> int:
        """Cells of these columns."""
        return sum(column.cells for column in self.columns)

    @property
    def cells_disclosed(self) -> int:
        """Of these, cells of classes that are solved."""
        return sum(column.cells_disclosed for column in self.columns)

    @property
    def share_disclosed(self) -> float:
        """The same, as a share."""
        return self.cells_disclosed / self.cells
