"""Precision: how far up its hierarchy each cell has been taken."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sqlalchemy import func, select

from toolbox.loss.cells import CellMetric
from toolbox.loss.metric import Direction
from toolbox.published.tables import Comparison
from toolbox.queries.query import Query

NO_HIERARCHY = "no hierarchy says how far the values are generalised"


@dataclass(frozen=True, kw_only=True)
class Precision(CellMetric):
    """1 less the average share of the levels of its hierarchy that a cell has been taken up.

    Each cell counts by itself: one that is not generalised counts no level, whatever the rest of its column shows. A
    cell that is no node of the hierarchy counts as the lowest level that has a node of as many values.

    Examples
    --------
    >>> from pyarrow import table
    >>> from toolbox import measure
    >>> people, release = table({"sex": ["f", "f", "m", "m"]}), table({"sex": ["f", "f", "m", "*"]})
    >>> measure(people, release, quasi_identifiers=["sex"]).value("precision")
    0.75
    """

    name: ClassVar[str] = "precision"
    unit: ClassVar[str] = "share"
    range: ClassVar[str] = "0 .. 1"
    direction: ClassVar[Direction] = "higher"
    reference: ClassVar[str] = "Sweeney 2002, doi:10.1142/S021848850200165X"
    needs_hierarchy: ClassVar[bool] = True

    def costs(self, comparison: Comparison, index: int) -> Query:
        domain, meanings = comparison.people.domains[index], comparison.cells[index].meanings
        nodes = domain.nodes
        width = func.max(nodes.c.last - nodes.c.first + 1).label("width")
        levels = select(nodes.c.level, width).group_by(nodes.c.level).subquery()
        alike = select(meanings.c.cell_id, func.min(levels.c.level).label("level"))
        alike = alike.join_from(meanings, levels, levels.c.width >= meanings.c["values"])
        as_wide = alike.where(meanings.c.level.is_(None)).group_by(meanings.c.cell_id).subquery()
        level = func.coalesce(meanings.c.level, as_wide.c.level)
        joined = meanings.outerjoin(as_wide, as_wide.c.cell_id == meanings.c.cell_id)
        return select(meanings.c.cell_id, (level / float(domain.height)).label("cost")).select_from(joined)

    def suppressed_cost(self, comparison: Comparison, index: int) -> float:
        return 1.0

    def unmeasured(self, comparison: Comparison, index: int) -> str | None:
        domain, meanings = comparison.people.domains[index], comparison.cells[index].meanings
        if domain.has_hierarchy:
            return None
        between = comparison.store.scalar(select(func.count()).where(meanings.c.level.is_(None)))
        return NO_HIERARCHY if between else None


@dataclass(frozen=True, kw_only=True)
class GeneralisationIntensity(Precision):
    """Precision, under the name that ARX gives it.

    Examples
    --------
    >>> from pyarrow import table
    >>> from toolbox import measure
    >>> people, release = table({"sex": ["f", "f", "m", "m"]}), table({"sex": ["f", "f", "m", "*"]})
    >>> measure(people, release, quasi_identifiers=["sex"]).value("generalisation intensity")
    0.75
    """

    name: ClassVar[str] = "generalisation intensity"
    reference: ClassVar[str] = "Prasser and Kohlmayer 2015, doi:10.1007/978-3-319-23633-9_6"
