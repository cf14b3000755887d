"""What a loss metric is: a function of a release and of the people behind it, which knows nothing of the method."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple, TypeAlias

from toolbox.published.tables import Comparison

Direction: TypeAlias = Literal["lower", "higher"]
"""Which values are better."""


@dataclass(frozen=True)
class Measure:
    """One measured value."""

    name: str
    """That of the metric."""
    attribute: str | None
    """The quasi-identifier; None for the whole table."""
    value: float
    unit: str
    direction: Direction


class LeftOut(NamedTuple):
    """A metric that says nothing of a release, or nothing of one column, and why."""

    name: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class LossMetric(ABC):
    """A measure of what a release has lost, or has kept, of the original.

    A subclass is a frozen dataclass of the metric's parameters, each with a default. It supplies `values` and an entry
    point under ``toolbox.loss_metrics``.
    """

    name: ClassVar[str]
    unit: ClassVar[str]
    range: ClassVar[str]
    """Smallest and largest value, as in ``0 .. 1``."""
    direction: ClassVar[Direction]
    reference: ClassVar[str] = ""
    """Where it is published."""
    needs_pairs: ClassVar[bool] = False
    """Whether it must know which released record was which original one."""
    needs_hierarchy: ClassVar[bool] = False
    """Whether it counts levels; columns without a hierarchy then have two, the value and ``*``."""
    needs_label: ClassVar[bool] = False
    """Whether it must know a class label; then it has a field ``label``."""

    @abstractmethod
    def values(self, comparison: Comparison) -> Iterator[Measure | LeftOut]:
        """Measure the columns and the table, in this order; what cannot be measured is left out with a reason."""

    def measure(self, value: float, attribute: str | None = None) -> Measure:
        """Return a value as a `Measure`, with the name and the unit of the metric."""
        return Measure(self.name, attribute, value, self.unit, self.direction)

    def left_out(self, reason: str) -> LeftOut:
        """Return the reason why there is no value, beside the name of the metric."""
        return LeftOut(self.name, reason)

    def columns_left_out(self, reasons: Mapping[str, str]) -> Iterator[LeftOut]:
        """Yield why columns cannot be measured, those with the same reason together."""
        columns: dict[str, list[str]] = defaultdict(list)
        for column, reason in reasons.items():
            columns[reason].append(column)
        return (self.left_out(f"{', '.join(names)}: {reason}") for reason, names in columns.items())
