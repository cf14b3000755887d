"""Iyengar's loss metric, and ARX's granularity: which share of the other values a cell may stand for as well."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sqlalchemy import func, select

from toolbox.loss.cells import CellMetric
from toolbox.loss.covered import ends, share_of_width
from toolbox.loss.metric import Direction
from toolbox.published.tables import Comparison, Domain
from toolbox.queries.query import Query


@dataclass(frozen=True, kw_only=True)
class IyengarLoss(CellMetric):
    """The share of all other values that a cell may stand for, including values that nobody has.

    A column of numbers without a hierarchy is measured by the width of its cells.

    Examples
    --------
    >>> from pyarrow import table
    >>> from toolbox import measure
    >>> people = table({"city": ["Graz", "Linz", "Linz", "Wien"]})
    >>> release = table({"city": ["{Graz,Linz}", "{Graz,Linz}", "Linz", "*"]})
    >>> measure(people, release, quasi_identifiers=["city"]).value("loss metric (LM)")
    0.5
    """

    name: ClassVar[str] = "loss metric (LM)"
    unit: ClassVar[str] = "share"
    range: ClassVar[str] = "0 .. 1"
    direction: ClassVar[Direction] = "lower"
    reference: ClassVar[str] = "Iyengar 2002, doi:10.1145/775047.775089"

    def costs(self, comparison: Comparison, index: int) -> Query:
        domain, meanings = comparison.people.domains[index], comparison.cells[index].meanings
        if not domain.has_hierarchy and (whole := ends(comparison, domain)):
            return select(meanings.c.cell_id, share_of_width(meanings, whole).label("cost"))
        beside = func.greatest(meanings.c["values"] - 1, 0) / float(max(domain.size - 1, 1))
        return select(meanings.c.cell_id, beside.label("cost"))

    def suppressed_cost(self, comparison: Comparison, index: int) -> float:
        return 1.0 if comparison.people.domains[index].size > 1 else 0.0


@dataclass(frozen=True, kw_only=True)
class Granularity(IyengarLoss):
    """What the loss metric leaves, 1 at its best; in the average a column of m values counts 1 - 1/m, as in ARX.

    Examples
    --------
    >>> from pyarrow import table
    >>> from toolbox import measure
    >>> people = table({"city": ["Graz", "Linz", "Linz", "Wien"]})
    >>> release = table({"city": ["{Graz,Linz}", "{Graz,Linz}", "Linz", "*"]})
    >>> measure(people, release, quasi_identifiers=["city"]).value("granularity")
    0.5
    """

    name: ClassVar[str] = "granularity"
    direction: ClassVar[Direction] = "higher"
    reference: ClassVar[str] = (
        "Iyengar 2002, doi:10.1145/775047.775089; Prasser and Kohlmayer 2015, doi:10.1007/978-3-319-23633-9_6"
    )

    def share(self, domain: Domain) -> float:
        return 1 - 1 / domain.size
