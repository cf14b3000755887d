"""Entropy: how many bits it takes to tell the original values from the released ones, in two variants."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from sqlalchemy import BigInteger, Subquery, and_, case, cast, func, literal, select, union_all
from sqlalchemy.sql.elements import ColumnElement

from toolbox.loss.cells import NO_HIERARCHY, CellMetric, count_if_present, sum_column_amount, sum_covered_amounts
from toolbox.loss.metric import Direction, LeftOut, LossMetric, Measure, cache_by_comparison
from toolbox.loss.sizes import count_missing_records
from toolbox.messages import say
from toolbox.published.tables import Comparison
from toolbox.queries.dialect import Query, Table, binary_logarithm, sum_stably

# Conditional entropy: how many bits it takes to tell the original values from the released ones.


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
    meaning: ClassVar[str] = "Bits that a reader lacks to know the original values."
    rank: ClassVar[int] = 90
    unit: ClassVar[str] = "bits"
    range: ClassVar[str] = "0 .. N log2(values)"
    direction: ClassVar[Direction] = "lower"
    reference: ClassVar[str] = "Gionis and Tassa 2009, doi:10.1109/TKDE.2008.129"

    def costs(self, comparison: Comparison, index: int) -> Query:
        meanings = comparison.cells[index].meanings
        cells = sum_covered_amounts(
            comparison, index, {"values": count_if_present, "information": _compute_self_information}
        )
        people = meanings.c.people
        entropy = func.greatest(0.0, binary_logarithm(people) - cells.c.information / people)
        # One value alone leaves no doubt, whatever rounding says.
        cost = case((cells.c["values"] > 1, entropy), else_=0.0)
        return select(meanings.c.cell_id, cost.label("cost")).join_from(
            meanings, cells, cells.c.cell_id == meanings.c.cell_id
        )

    def suppressed_cost(self, comparison: Comparison, index: int) -> float:
        people = comparison.people.records
        if sum_column_amount(comparison, index, count_if_present) <= 1:
            return 0.0
        return max(0.0, math.log2(people) - sum_column_amount(comparison, index, _compute_self_information) / people)

    def coefficients(self, comparison: Comparison) -> list[float]:
        return [1.0 for _ in comparison.people.domains]

    def values(self, comparison: Comparison) -> Iterator[Measure | LeftOut]:
        totals = self.totals(comparison, range(len(comparison.people.domains)))
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
    meaning: ClassVar[str] = "Bits that a reader lacks, as a share of all bits."
    rank: ClassVar[int] = 100
    unit: ClassVar[str] = "share"
    range: ClassVar[str] = "0 .. 1, seldom more"

    def coefficients(self, comparison: Comparison) -> list[float]:
        records = comparison.release.records + count_missing_records(comparison)
        indexes = range(len(comparison.people.domains))
        most = math.fsum(records * self.suppressed_cost(comparison, index) for index in indexes)
        return [1 / most if most else 0.0 for _ in indexes]

    def values(self, comparison: Comparison) -> Iterator[Measure | LeftOut]:
        records = comparison.release.records + count_missing_records(comparison)
        indexes = range(len(comparison.people.domains))
        totals = self.totals(comparison, indexes)
        most = [records * self.suppressed_cost(comparison, index) for index in indexes]
        for domain, total, worst in zip(comparison.people.domains, totals, most, strict=True):
            yield self.measure(total / worst if worst else 0.0, domain.name)
        yield self.measure(math.fsum(totals) / math.fsum(most) if any(most) else 0.0)


# Non-uniform entropy, in the variant that can judge local recoding: 1 where nothing is lost.


@dataclass(frozen=True, kw_only=True)
class NonUniformEntropy(LossMetric):
    """1 less the share of the information about each record that generalising it has lost.

    Level after level, those records that are generalised at least so far lose what tells their values apart there.
    The table counts what all columns lose over all that they could lose.

    Examples
    --------
    >>> from pyarrow import table
    >>> from toolbox import measure
    >>> people = table({"sex": ["f", "f", "m", "m"], "city": ["Graz", "Linz", "Graz", "Linz"]})
    >>> release = table({"sex": ["f", "f", "m", "m"], "city": ["*", "*", "*", "*"]})
    >>> measure(people, release, quasi_identifiers=["sex", "city"]).value("non-uniform entropy")
    0.5
    """

    name: ClassVar[str] = "non-uniform entropy"
    meaning: ClassVar[str] = "How well original values can be guessed from the released ones."
    rank: ClassVar[int] = 110
    meaning_of_share: ClassVar[str] = (
        "of what the values tell is kept, rare values counting more. 100 % is the table as it was."
    )
    unit: ClassVar[str] = "share"
    range: ClassVar[str] = "0 .. 1"
    direction: ClassVar[Direction] = "higher"
    reference: ClassVar[str] = (
        "Prasser et al. 2016, doi:10.3233/978-1-61499-678-1-312, after De Waal and Willenborg 1999"
    )
    needs_pairs: ClassVar[bool] = True
    needs_true_values: ClassVar[bool] = True
    needs_hierarchy: ClassVar[bool] = True

    def values(self, comparison: Comparison) -> Iterator[Measure | LeftOut]:
        domains, known = comparison.people.domains, _explain_unmeasured(comparison)
        reasons = {domain.name: reason for domain, reason in zip(domains, known, strict=True) if reason is not None}
        measured = tuple(index for index, domain in enumerate(domains) if domain.name not in reasons)
        losses = _compute_lost_bits(comparison, measured)
        for index, lost in zip(measured, losses, strict=True):
            yield self.measure(_compute_kept_share(*lost), domains[index].name)
        yield from self.columns_left_out(reasons)
        if not reasons:
            yield self.measure(_compute_kept_share(sum(lost for lost, _ in losses), sum(most for _, most in losses)))


@dataclass(frozen=True, kw_only=True)
class WeightedNonUniformEntropy(LossMetric):
    """The average of the columns' non-uniform entropies by their weights.

    Examples
    --------
    >>> from pyarrow import table
    >>> from toolbox import measure
    >>> people = table({"sex": ["f", "f", "m", "m"], "city": ["Graz", "Linz", "Graz", "Linz"]})
    >>> release = table({"sex": ["f", "f", "m", "m"], "city": ["*", "*", "*", "*"]})
    >>> report = measure(people, release, quasi_identifiers=["sex", "city"], weights={"sex": 3})
    >>> report.value("weighted non-uniform entropy")
    0.75
    """

    name: ClassVar[str] = "weighted non-uniform entropy"
    meaning: ClassVar[str] = "How well original values can be guessed, with the weights of the columns."
    rank: ClassVar[int] = 120
    unit: ClassVar[str] = "share"
    range: ClassVar[str] = "0 .. 1"
    direction: ClassVar[Direction] = "higher"
    reference: ClassVar[str] = "Bampoulidis et al. 2019, doi:10.1145/3358695.3360918"
    needs_pairs: ClassVar[bool] = True
    needs_true_values: ClassVar[bool] = True
    needs_hierarchy: ClassVar[bool] = True

    def values(self, comparison: Comparison) -> Iterator[Measure | LeftOut]:
        weights = [domain.weight for domain in comparison.people.domains]
        results = list(NonUniformEntropy().values(comparison))
        columns = [result.value for result in results if isinstance(result, Measure) and result.attribute is not None]
        yield from (self.left_out(result.reason) for result in results if isinstance(result, LeftOut))
        if len(columns) == len(weights):
            weighted = sum(value * weight for value, weight in zip(columns, weights, strict=True))
            yield self.measure(weighted / sum(weights))


def _compute_kept_share(lost: float, most: float) -> float:
    """Return the share that is not lost; of nothing, nothing is lost."""
    return 1 - lost / most if most else 1.0


def _explain_unmeasured(comparison: Comparison) -> list[str | None]:
    """Return why each column cannot be measured; None if it can."""
    return [
        None
        if not count
        else say("some values are no nodes of the hierarchy")
        if domain.has_hierarchy
        else NO_HIERARCHY
        for count, domain in zip(comparison.without_level, comparison.people.domains, strict=True)
    ]


@cache_by_comparison
def _compute_lost_bits(comparison: Comparison, indexes: Sequence[int]) -> list[tuple[float, float]]:
    """Return the bits that each of some columns has lost, and those that it could lose."""
    if not indexes:
        return []
    store = comparison.store
    moved = store.create(
        "moved", select(union_all(*(_count_value_levels(comparison, index) for index in indexes)).subquery())
    )
    taken = select(moved.c.column, moved.c.level, func.sum(moved.c.records)).group_by(moved.c.column, moved.c.level)
    records: dict[int, dict[int, int]] = {index: {} for index in indexes}
    for index, level, count in store.rows(taken):
        records[index][level] = int(count)
    steps = [(index, *step) for index in indexes for step in _list_steps(records[index])]
    asked = (
        _sum_group_information(comparison, index, _count_from_level(moved, index, least), level)
        for index, least, level in steps
    )
    information = dict(zip(steps, map(float, store.each(asked)), strict=True))
    store.drop(moved)
    losses = []
    for index in indexes:
        lost, before, everyone = 0.0, 0, sum(records[index].values())
        for level in sorted(level for level in records[index] if level > 0):
            lost += max(0.0, information[index, level, level] - information[index, level, before])
            before = level
        losses.append((lost, max(0.0, everyone * math.log2(everyone) - information[index, 0, 0])))
    return losses


def _list_steps(levels: Iterable[int]) -> list[tuple[int, int]]:
    """List what is asked of a column: the records that were taken so far at least, and the level of their groups."""
    higher = sorted(level for level in levels if level > 0)
    return [(0, 0), *((level, level) for level in higher), *zip(higher, [0, *higher], strict=False)]


def _count_value_levels(comparison: Comparison, index: int) -> Query:
    """Count how many records with a value were taken to which level: ``column, value_id, level, records``."""
    changes, meanings = comparison.changes[index], comparison.cells[index].meanings
    records = cast(func.sum(changes.c.records), BigInteger).label("records")
    rows = select(literal(index).label("column"), changes.c.value_id, meanings.c.level, records)
    joined = rows.join_from(changes, meanings, meanings.c.cell_id == changes.c.cell_id)
    return joined.group_by(changes.c.value_id, meanings.c.level)


def _count_from_level(moved: Table, index: int, level: int) -> Subquery:
    """Count the records of each value of a column that were taken to a level or higher: ``value_id, records``."""
    records = cast(func.sum(moved.c.records), BigInteger).label("records")
    those = select(moved.c.value_id, records).where(moved.c.column == index, moved.c.level >= level)
    return those.group_by(moved.c.value_id).subquery()


def _sum_group_information(comparison: Comparison, index: int, counted: Subquery, level: int) -> Query:
    """Sum n log2 n over the groups of n records that have one value at a level."""
    records = func.sum(counted.c.records).label("records")
    if level == 0:
        groups = select(records).group_by(counted.c.value_id)
    else:
        nodes = comparison.people.domains[index].nodes
        below = and_(nodes.c.level == level, counted.c.value_id.between(nodes.c.first, nodes.c.last))
        # Where two nodes share a boundary, the first has it; a value without a node on this level stays what it is.
        first = select(counted.c.value_id, counted.c.records, func.min(nodes.c.node_id).label("node_id"))
        joined = first.join_from(counted, nodes, below, isouter=True)
        placed = joined.group_by(counted.c.value_id, counted.c.records).subquery()
        group = func.coalesce(placed.c.node_id, -1 - placed.c.value_id)
        groups = select(func.sum(placed.c.records).label("records")).group_by(group)
    sizes = groups.subquery()
    return select(sum_stably(sizes.c.records * binary_logarithm(sizes.c.records)))


def _compute_self_information(values: Table) -> ColumnElement[float]:
    """Return r log2 r for a value of r people."""
    return case((values.c.records > 0, values.c.records * binary_logarithm(values.c.records)), else_=0.0)
