"""What a search of the lattice minimises: the cost of a node, and the least cost of all that lies above it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from math import inf

from toolbox.methods.arrays.types import Reals
from toolbox.methods.lattice.checking import Checked


class Objective(ABC):
    """A loss metric as a cost of nodes: the lower the better, whatever the direction of the metric."""

    name: str
    """That of the metric."""
    is_cheap = True
    """Whether a cost takes less time than a check."""

    @abstractmethod
    def cost(self, node: Checked) -> float:
        """Return the cost of the release at a node, its violating classes suppressed; infinite if it has none."""

    @abstractmethod
    def value(self, cost: float) -> float:
        """Return the value of the metric for a cost."""

    def refusal(self) -> str:
        """Return why the metric has no value even for the records as they are; empty if it has one."""
        return ""

    @property
    def column_bounds(self) -> list[Reals] | None:
        """For each column, by its level, a cost: their sum is a lower bound for a node and all nodes above it.

        None if nothing is known before a node is counted.
        """
        return None

    def bound(self, node: Checked) -> float:
        """Return a lower bound of the cost of a node that was checked, and of all above it."""
        return -inf
