"""Normalised certainty penalty: which share of a column each cell may stand for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias, get_args

from sqlalchemy import case, literal, select

from toolbox.errors import SettingError
from toolbox.loss.cells import CellMetric
from toolbox.loss.covered import Ends, covered, ends, occurs, share_of_width, summed
from toolbox.loss.metric import Direction
from toolbox.published.tables import Comparison, Domain
from toolbox.queries.query import Query

Numbers: TypeAlias = Literal["auto", "width", "count"]


@dataclass(frozen=True, kw_only=True)
class NormalisedCertaintyPenalty(CellMetric):
    """The share of a column that a cell may stand for: of its distinct values, or of the width of its numbers.

    Parameters
    ----------
    numbers : {'auto', 'width', 'count'}
        How numbers are measured: ``width`` by what lies between the bounds of the cell (equation 6), ``count`` by the
        distinct values of the original that it covers (equation 5), as categories are; ``auto`` by the count where a
        hierarchy is declared, otherwise by the width.

    Examples
    --------
    >>> from pyarrow import table
    >>> from toolbox import measure
    >>> people, release = table({"age": [20, 25, 30, 40]}), table({"age": ["[20:25]", "[20:25]", "30", "*"]})
    >>> measure(people, release, quasi_identifiers=["age"]).value("normalised certainty penalty")
    0.375
    """

    name: ClassVar[str] = "normalised certainty penalty"
    unit: ClassVar[str] = "share"
    range: ClassVar[str] = "0 .. 1"
    direction: ClassVar[Direction] = "lower"
    reference: ClassVar[str] = "Xu et al. 2006, doi:10.1145/1150402.1150504; Ghinita et al. 2007 (VLDB, 758-769)"

    numbers: Numbers = "auto"

    def __post_init__(self) -> None:
        if self.numbers not in get_args(Numbers):
            raise SettingError("numbers", self.numbers, "one of " + ", ".join(map(repr, get_args(Numbers))))

    def costs(self, comparison: Comparison, index: int) -> Query:
        domain, meanings = comparison.people.domains[index], comparison.cells[index].meanings
        if whole := self._ends(comparison, domain):
            return select(meanings.c.cell_id, share_of_width(meanings, whole).label("cost"))
        cells = covered(comparison, index, {"values": occurs})
        share = cells.c["values"] / literal(summed(comparison, domain, occurs))
        return select(cells.c.cell_id, case((cells.c["values"] > 1, share), else_=0.0).label("cost"))

    def suppressed_cost(self, comparison: Comparison, index: int) -> float:
        domain = comparison.people.domains[index]
        return 1.0 if summed(comparison, domain, occurs) > 1 else 0.0

    def share(self, domain: Domain) -> float:
        return domain.weight

    def _ends(self, comparison: Comparison, domain: Domain) -> Ends | None:
        """Return the ends of a column that is measured by its width; None if its values are counted."""
        by_width = self.numbers == "width" or (self.numbers == "auto" and not domain.has_hierarchy)
        return ends(comparison, domain) if by_width else None
