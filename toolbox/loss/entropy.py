"""Conditional entropy: how many bits it takes to tell the original values from the released ones."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from sqlalchemy import case, func, select

from toolbox.loss.cells import CellMetric
from toolbox.loss.covered import covered, occurs, self_information, summed
from toolbox.loss.metric import Direction, LeftOut, Measure
from toolbox.loss.sizes import lacking
from toolbox.published.tables import Comparison
from toolbox.queries.dialect import binary_logarithm
from toolbox.queries.query import Query


@dataclass(frozen=True, kw_only=True)
class ConditionalEntropy(CellMetric):
    """The entropy of the original value of each cell, given the values that it may be, summed over all records.

    The values that a cell may be are as likely as they are frequent among the original records.

    Examples
    --------
    >>> from pyarrow import table
    >>> from toolbox import measure
    >>> people = table({"city": ["Graz", "Linz", "Linz", "Wien"]})
    >>> release = table({"city": ["{Graz,Linz}", "{Graz,Linz}", "Linz", "*"]})
    >>> report = measure(people, release, quasi_identifiers=["city"])
    >>> round(report.value("conditional entropy"), 4)
    3.3366
    """

    name: ClassVar[str] = "conditional entropy"
    unit: ClassVar[str] = "bits"
    range: ClassVar[str] = "0 .. N log2(values)"
    direction: ClassVar[Direction] = "lower"
    reference: ClassVar[str] = "Gionis and Tassa 2009, doi:10.1109/TKDE.2008.129"

    def costs(self, comparison: Comparison, index: int) -> Query:
        meanings = comparison.cells[index].meanings
        cells = covered(comparison, index, {"values": occurs, "information": self_information})
        people = meanings.c.people
        entropy = func.greatest(0.0, binary_logarithm(people) - cells.c.information / people)
        # One value alone leaves no doubt, whatever rounding says.
        cost = case((cells.c["values"] > 1, entropy), else_=0.0)
        return select(meanings.c.cell_id, cost.label("cost")).join_from(
            meanings, cells, cells.c.cell_id == meanings.c.cell_id
        )

    def suppressed_cost(self, comparison: Comparison, index: int) -> float:
        domain, people = comparison.people.domains[index], comparison.people.records
        if summed(comparison, domain, occurs) <= 1:
            return 0.0
        return max(0.0, math.log2(people) - summed(comparison, domain, self_information) / people)

    def coefficients(self, comparison: Comparison) -> list[float]:
        return [1.0 for _ in comparison.people.domains]

    def values(self, comparison: Comparison) -> Iterator[Measure | LeftOut]:
        totals = [self.total(comparison, index) for index, _ in enumerate(comparison.people.domains)]
        for domain, total in zip(comparison.people.domains, totals, strict=True):
            yield self.measure(total, domain.name)
        yield self.measure(math.fsum(totals))


@dataclass(frozen=True, kw_only=True)
class NormalisedConditionalEntropy(ConditionalEntropy):
    """Conditional entropy as a share of what would be lost if every record were suppressed.

    Examples
    --------
    >>> from pyarrow import table
    >>> from toolbox import measure
    >>> people = table({"city": ["Graz", "Linz", "Linz", "Wien"]})
    >>> release = table({"city": ["{Graz,Linz}", "{Graz,Linz}", "Linz", "*"]})
    >>> report = measure(people, release, quasi_identifiers=["city"])
    >>> round(report.value("normalised conditional entropy"), 4)
    0.5561
    """

    name: ClassVar[str] = "normalised conditional entropy"
    unit: ClassVar[str] = "share"
    range: ClassVar[str] = "0 .. 1, seldom more"

    def coefficients(self, comparison: Comparison) -> list[float]:
        records = comparison.release.records + lacking(comparison)
        indexes = range(len(comparison.people.domains))
        most = math.fsum(records * self.suppressed_cost(comparison, index) for index in indexes)
        return [1 / most if most else 0.0 for _ in indexes]

    def values(self, comparison: Comparison) -> Iterator[Measure | LeftOut]:
        records = comparison.release.records + lacking(comparison)
        indexes = range(len(comparison.people.domains))
        totals = [self.total(comparison, index) for index in indexes]
        most = [records * self.suppressed_cost(comparison, index) for index in indexes]
        for domain, total, worst in zip(comparison.people.domains, totals, most, strict=True):
            yield self.measure(total / worst if worst else 0.0, domain.name)
        yield self.measure(math.fsum(totals) / math.fsum(most) if any(most) else 0.0)
