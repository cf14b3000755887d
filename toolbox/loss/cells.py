"""Metrics that charge every cell of a release by itself."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import final

from sqlalchemy import FromClause, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.loss.metric import LeftOut, LossMetric, Measure
from toolbox.loss.sizes import lacking
from toolbox.published.tables import Comparison, Domain
from toolbox.queries.dialect import stable_sum
from toolbox.queries.query import Query


@dataclass(frozen=True, kw_only=True)
class CellMetric(LossMetric):
    """The average cost of a cell in each column, and the average of the columns; 1 less this cost if higher is better.

    A record that the release lacks costs what a suppressed one does.
    """

    @abstractmethod
    def costs(self, comparison: Comparison, index: int) -> Query:
        """Charge each cell of a column: ``cell_id, cost``, never null.

        Parameters
        ----------
        comparison : Comparison
        index : int
            Which quasi-identifier, from 0.
        """

    @abstractmethod
    def suppressed_cost(self, comparison: Comparison, index: int) -> float:
        """Return what a suppressed cell of a column costs."""

    def share(self, domain: Domain) -> float:
        """Return the share of a column in the average of all."""
        return 1.0

    def unmeasured(self, comparison: Comparison, index: int) -> str | None:
        """Return why a column cannot be measured; None if it can."""
        return None

    def coefficients(self, comparison: Comparison) -> list[float]:
        """Return by how much the cost of all cells of each column counts in the cost of the table.

        A search for the release that costs least goes by it. Whoever overrides `values` overrides it, too.
        """
        shares = [self.share(domain) for domain in comparison.people.domains]
        whole = sum(shares) * (comparison.release.records + lacking(comparison))
        return [share / whole if whole else 0.0 for share in shares]

    def values(self, comparison: Comparison) -> Iterator[Measure | LeftOut]:
        records = comparison.release.records + lacking(comparison)
        costs: list[tuple[float, float]] = []
        reasons: dict[str, str] = {}
        for index, domain in enumerate(comparison.people.domains):
            if (reason := self.unmeasured(comparison, index)) is not None:
                reasons[domain.name] = reason
                continue
            cost = self.total(comparison, index) / records
            costs.append((cost, self.share(domain)))
            yield self.measure(self._scored(cost), domain.name)
        yield from self.columns_left_out(reasons)
        if not reasons:
            shares = sum(share for _, share in costs)
            average = sum(cost * share for cost, share in costs) / shares if shares else 0.0
            yield self.measure(self._scored(average))

    @final
    def total(self, comparison: Comparison, index: int) -> float:
        """Sum up the costs of all cells of a column."""
        costs, cells = self.costs(comparison, index).subquery(), comparison.release.cells[index]
        # A sum with a correction, so that the order of the cells does not matter.
        total = select(stable_sum(costs.c.cost * cells.c.records)).join_from(
            cells, costs, costs.c.cell_id == cells.c.cell_id
        )
        missing = lacking(comparison)
        return float(comparison.store.scalar(total)) + (
            missing * self.suppressed_cost(comparison, index) if missing else 0.0
        )

    @final
    def of_classes(self, comparison: Comparison) -> Query:
        """Charge each class the average of its cells: ``equivalence_id, cost``."""
        classes = comparison.release.classes
        joined: FromClause = classes
        terms: list[ColumnElement[float]] = []
        shares = [self.share(domain) for domain in comparison.people.domains]
        for index, (name, share) in enumerate(zip(comparison.release.cell_names, shares, strict=True)):
            costs = self.costs(comparison, index).subquery()
            joined = joined.join(costs, costs.c.cell_id == classes.c[name])
            terms.append(costs.c.cost * share)
        cost = sum(terms[1:], start=terms[0]) / (sum(shares) or 1.0)
        return select(classes.c.equivalence_id, cost.label("cost")).select_from(joined)

    def _scored(self, cost: float) -> float:
        return 1 - cost if self.direction == "higher" else cost
