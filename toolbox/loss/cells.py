"""Metrics that charge every cell of a release by itself: granularity, certainty penalty, precision."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal, TypeAlias, final, get_args

from sqlalchemy import FromClause, Subquery, case, func, literal, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.errors import SettingError
from toolbox.loss.metric import Direction, LeftOut, LossMetric, Measure, cache_by_comparison
from toolbox.loss.sizes import count_missing_records
from toolbox.messages import mark
from toolbox.published.tables import Comparison, Domain
from toolbox.queries.dialect import Query, Table, sum_stably

# Metrics that charge every cell of a release by itself.


@dataclass(frozen=True, kw_only=True)
class CellMetric(LossMetric):
    """The average cost of a cell in each column, and the average of the columns; 1 less this cost if higher is better.

    A record that the release lacks costs what a suppressed one does.
    """

    needs_true_values: ClassVar[bool] = True

    @abstractmethod
    def costs(self, comparison: Comparison, index: int) -> Query:
        """Charge each cell of a column: ``cell_id, cost``, never null.

        Nothing but the arguments and the fields of the metric may matter: what is summed up once is kept.

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
        whole = sum(shares) * (comparison.release.records + count_missing_records(comparison))
        return [share / whole if whole else 0.0 for share in shares]

    def values(self, comparison: Comparison) -> Iterator[Measure | LeftOut]:
        records, domains = comparison.release.records + count_missing_records(comparison), comparison.people.domains
        known = {domain.name: self.unmeasured(comparison, index) for index, domain in enumerate(domains)}
        reasons = {name: reason for name, reason in known.items() if reason is not None}
        measured = [index for index, domain in enumerate(domains) if domain.name not in reasons]
        costs: list[tuple[float, float]] = []
        for index, total in zip(measured, self.totals(comparison, measured), strict=True):
            costs.append((total / records, self.share(domains[index])))
            yield self.measure(self._convert_cost_to_score(total / records), domains[index].name)
        yield from self.columns_left_out(reasons)
        if not reasons:
            shares = sum(share for _, share in costs)
            average = sum(cost * share for cost, share in costs) / shares if shares else 0.0
            yield self.measure(self._convert_cost_to_score(average))

    @final
    def total(self, comparison: Comparison, index: int) -> float:
        """Sum up the costs of all cells of a column."""
        return self.totals(comparison, [index])[0]

    @final
    def totals(self, comparison: Comparison, indexes: Sequence[int]) -> list[float]:
        """Sum up the costs of all cells of each of some columns."""
        # What a metric inherits without a change has been summed up for its parent.
        settings = {field.name: getattr(self, field.name) for field in fields(self)} | vars(self)
        question = type(self).costs, repr(sorted(settings.items())), tuple(indexes)
        if question not in comparison.known:
            sums = (self._sum(comparison, index) for index in indexes)
            comparison.known[question] = [float(total) for total in comparison.store.each(sums)]
        released: Any = comparison.known[question]
        missing = count_missing_records(comparison)
        if not missing:
            return list(released)
        suppressed = (missing * self.suppressed_cost(comparison, index) for index in indexes)
        return [total + more for total, more in zip(released, suppressed, strict=True)]

    def _sum(self, comparison: Comparison, index: int) -> Query:
        costs, cells = self.costs(comparison, index).subquery(), comparison.release.cells[index]
        # A sum with a correction, so that the order of the cells does not matter.
        return select(sum_stably(costs.c.cost * cells.c.records)).join_from(
            cells, costs, costs.c.cell_id == cells.c.cell_id
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

    def _convert_cost_to_score(self, cost: float) -> float:
        return 1 - cost if self.direction == "higher" else cost


# Iyengar's loss metric, and ARX's granularity: which share of the other values a cell may stand for as well.


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
    meaning: ClassVar[str] = "How many other values a released value could be, as a share of all others."
    rank: ClassVar[int] = 20
    unit: ClassVar[str] = "share"
    range: ClassVar[str] = "0 .. 1"
    direction: ClassVar[Direction] = "lower"
    reference: ClassVar[str] = "Iyengar 2002, doi:10.1145/775047.775089"

    def costs(self, comparison: Comparison, index: int) -> Query:
        domain, meanings = comparison.people.domains[index], comparison.cells[index].meanings
        if not domain.has_hierarchy and (whole := _find_number_ends(comparison, domain)):
            return select(meanings.c.cell_id, _divide_cell_width(meanings, whole).label("cost"))
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
    meaning: ClassVar[str] = "What the loss metric leaves of everything."
    rank: ClassVar[int] = 30
    direction: ClassVar[Direction] = "higher"
    reference: ClassVar[str] = (
        "Iyengar 2002, doi:10.1145/775047.775089; Prasser and Kohlmayer 2015, doi:10.1007/978-3-319-23633-9_6"
    )

    def share(self, domain: Domain) -> float:
        return 1 - 1 / domain.size


# Normalised certainty penalty: which share of a column each cell may stand for.

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
    meaning: ClassVar[str] = "How wide the released values are, as a share of all that a column may hold."
    rank: ClassVar[int] = 10
    meaning_of_share: ClassVar[str] = (
        "of the certainty of values is lost. 0 % is the table as it was; at 100 % no value says anything."
    )
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
            return select(meanings.c.cell_id, _divide_cell_width(meanings, whole).label("cost"))
        cells = sum_covered_amounts(comparison, index, {"values": count_if_present})
        share = cells.c["values"] / literal(sum_column_amount(comparison, index, count_if_present))
        return select(cells.c.cell_id, case((cells.c["values"] > 1, share), else_=0.0).label("cost"))

    def suppressed_cost(self, comparison: Comparison, index: int) -> float:
        return 1.0 if sum_column_amount(comparison, index, count_if_present) > 1 else 0.0

    def share(self, domain: Domain) -> float:
        return domain.weight

    def _ends(self, comparison: Comparison, domain: Domain) -> Ends | None:
        """Return the ends of a column that is measured by its width; None if its values are counted."""
        by_width = self.numbers == "width" or (self.numbers == "auto" and not domain.has_hierarchy)
        return _find_number_ends(comparison, domain) if by_width else None


# Precision: how far up its hierarchy each cell has been taken.

NO_HIERARCHY = mark("no hierarchy says how far the values are generalised")


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
    meaning: ClassVar[str] = "How low in its hierarchy a released value stands, on average."
    rank: ClassVar[int] = 40
    unit: ClassVar[str] = "share"
    range: ClassVar[str] = "0 .. 1"
    direction: ClassVar[Direction] = "higher"
    reference: ClassVar[str] = "Sweeney 2002, doi:10.1142/S021848850200165X"
    needs_hierarchy: ClassVar[bool] = True

    def costs(self, comparison: Comparison, index: int) -> Query:
        domain, meanings = comparison.people.domains[index], comparison.cells[index].meanings
        if not comparison.without_level[index]:
            return select(meanings.c.cell_id, (meanings.c.level / float(domain.height)).label("cost"))
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
        if comparison.people.domains[index].has_hierarchy:
            return None
        return NO_HIERARCHY if comparison.without_level[index] else None


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
    meaning: ClassVar[str] = "How low in its hierarchy a released value stands; precision, as ARX calls it."
    rank: ClassVar[int] = 50
    reference: ClassVar[str] = "Prasser and Kohlmayer 2015, doi:10.1007/978-3-319-23633-9_6"


def _find_number_ends(comparison: Comparison, domain: Domain) -> Ends | None:
    """Return the smallest and the largest number that somebody has; None for categories, and if they are one."""
    values = domain.values
    if domain.kind != "number":
        return None
    extremes = select(func.min(values.c.number), func.max(values.c.number)).where(values.c.records > 0)
    low, high = comparison.store.row(extremes)
    return None if low == high else (low, high)


def _divide_cell_width(meanings: Table, whole: Ends) -> ColumnElement[Any]:
    """Divide the width of each cell, as far as it lies within two numbers, by theirs."""
    low, high = whole
    first, last = (func.greatest(low, func.least(high, meanings.c[name])) for name in ("low", "high"))
    # Halves, because the difference of two huge numbers is none.
    return (last / 2 - first / 2) / (high / 2 - low / 2)


# What the cells of a released column cover, counted without looking at a record.

Amount: TypeAlias = Callable[[Table], ColumnElement[Any]]
"""From `Domain.values` to an amount for each value."""
Ends: TypeAlias = tuple[float, float]


def count_if_present(values: Table) -> ColumnElement[int]:
    """Count 1 for a value that people have, and 0 for one that only the hierarchy lists."""
    return case((values.c.records > 0, 1), else_=0)


def sum_covered_amounts(comparison: Comparison, index: int, amounts: Mapping[str, Amount]) -> Subquery:
    """Sum amounts over the values that each cell covers: ``cell_id, <name> ..``.

    A sum over a range of values is the difference of two running sums.
    """
    values, spans = comparison.people.domains[index].values, comparison.cells[index].spans
    amount_of = {name: amount(values) for name, amount in amounts.items()}
    until = (
        func.sum(amount).over(order_by=values.c.value_id).label(f"until_{name}") for name, amount in amount_of.items()
    )
    running = select(values.c.value_id, *(amount.label(name) for name, amount in amount_of.items()), *until).subquery()
    start, end = running.alias(), running.alias()
    joined = spans.join(start, start.c.value_id == spans.c.first).join(end, end.c.value_id == spans.c.last)
    sums = (func.sum(end.c[f"until_{name}"] - start.c[f"until_{name}"] + start.c[name]).label(name) for name in amounts)
    sums_of_cells = select(spans.c.cell_id, *sums).select_from(joined).group_by(spans.c.cell_id).subquery()
    # A cell may cover no value at all.
    cells = comparison.release.cells[index]
    filled = (func.coalesce(sums_of_cells.c[name], 0).label(name) for name in amounts)
    return (
        select(cells.c.cell_id, *filled)
        .join_from(cells, sums_of_cells, sums_of_cells.c.cell_id == cells.c.cell_id, isouter=True)
        .subquery()
    )


def sum_column_amount(comparison: Comparison, index: int, amount: Amount) -> float:
    """Sum an amount over all values of a column."""
    return _sum_covered(comparison, amount)[index]


@cache_by_comparison
def _sum_covered(comparison: Comparison, amount: Amount) -> list[float]:
    domains = comparison.people.domains
    return [float(total) for total in comparison.store.each(select(func.sum(amount(each.values))) for each in domains)]
