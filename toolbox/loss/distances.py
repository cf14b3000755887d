"""Distances between tables: of columns by their level, and of numbers by what is released of them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from sqlalchemy import Subquery, and_, case, exists, func, or_, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.loss.cells import NO_HIERARCHY
from toolbox.loss.metric import Direction, LeftOut, LossMetric, Measure, cache_by_comparison
from toolbox.loss.sizes import summarise_class_sizes
from toolbox.messages import say
from toolbox.published.tables import Comparison, Domain
from toolbox.queries.dialect import Query, sum_stably


@dataclass(frozen=True, kw_only=True)
class LevelMetric(LossMetric):
    """A function of the level to which each column has been generalised.

    Suppressed records do not count when the level of a column is found. Where its cells are of several levels, there is
    none, and the metric is left out.
    """

    needs_true_values: ClassVar[bool] = True
    needs_hierarchy: ClassVar[bool] = True
    averages: ClassVar[bool] = False
    """Whether the table has the average of the columns, not their sum."""

    @abstractmethod
    def score(self, level: int, domain: Domain, suppressed: float) -> float:
        """Measure one column.

        Parameters
        ----------
        level : int
        domain : Domain
        suppressed : float
            Share of suppressed records.
        """

    def values(self, comparison: Comparison) -> Iterator[Measure | LeftOut]:
        sizes, scores = summarise_class_sizes(comparison), []
        reasons: dict[str, str] = {}
        for index, domain in enumerate(comparison.people.domains):
            level = find_common_level(comparison, index)
            if isinstance(level, str):
                reasons[domain.name] = level
            else:
                scores.append(self.score(level, domain, sizes.suppressed / sizes.total))
                yield self.measure(scores[-1], domain.name)
        yield from self.columns_left_out(reasons)
        if not reasons:
            yield self.measure(sum(scores) / (len(scores) if self.averages else 1))


@dataclass(frozen=True, kw_only=True)
class AbsoluteDistance(LevelMetric):
    """The number of times that columns have been generalised by one level.

    Examples
    --------
    >>> from pyarrow import table
    >>> from toolbox import measure
    >>> people = table({"sex": ["f", "f", "m", "m"], "city": ["Graz", "Linz", "Graz", "Linz"]})
    >>> release = table({"sex": ["f", "f", "m", "m"], "city": ["*", "*", "*", "*"]})
    >>> measure(people, release, quasi_identifiers=["sex", "city"]).value("absolute distance")
    1.0
    """

    name: ClassVar[str] = "absolute distance"
    meaning: ClassVar[str] = "Levels by which the columns were raised, added up."
    rank: ClassVar[int] = 70
    unit: ClassVar[str] = "levels"
    range: ClassVar[str] = "0 .. sum of heights"
    direction: ClassVar[Direction] = "lower"
    reference: ClassVar[str] = "Samarati 2001, doi:10.1109/69.971193; Marchand 2019, eq. 1"

    def score(self, level: int, domain: Domain, suppressed: float) -> float:
        return level


@dataclass(frozen=True, kw_only=True)
class RelativeDistance(LevelMetric):
    """The levels of the columns, each as a share of the height of its hierarchy, summed up.

    Examples
    --------
    >>> from pyarrow import table
    >>> from toolbox import measure
    >>> people = table({"sex": ["f", "f", "m", "m"], "city": ["Graz", "Linz", "Graz", "Linz"]})
    >>> release = table({"sex": ["f", "f", "m", "m"], "city": ["*", "*", "*", "*"]})
    >>> measure(people, release, quasi_identifiers=["sex", "city"]).value("relative distance")
    1.0
    """

    name: ClassVar[str] = "relative distance"
    meaning: ClassVar[str] = "Levels by which the columns were raised, each as a share of its height."
    rank: ClassVar[int] = 80
    unit: ClassVar[str] = "columns"
    range: ClassVar[str] = "0 .. number of quasi-identifiers"
    direction: ClassVar[Direction] = "lower"
    reference: ClassVar[str] = "Samarati 2001, doi:10.1109/69.971193; Marchand 2019, eq. 2"

    def score(self, level: int, domain: Domain, suppressed: float) -> float:
        return level / domain.height


@dataclass(frozen=True, kw_only=True)
class FullDomainPrecision(LevelMetric):
    """Precision where every cell counts the level of its column, and a suppressed record the height.

    Examples
    --------
    >>> from pyarrow import table
    >>> from toolbox import measure
    >>> people = table({"sex": ["f", "f", "m", "m"], "city": ["Graz", "Linz", "Graz", "Linz"]})
    >>> release = table({"sex": ["f", "f", "m", "m"], "city": ["*", "*", "*", "*"]})
    >>> measure(people, release, quasi_identifiers=["sex", "city"]).value("full-domain precision")
    0.5
    """

    name: ClassVar[str] = "full-domain precision"
    meaning: ClassVar[str] = "How low each column stands in its hierarchy, if it has one level."
    rank: ClassVar[int] = 60
    unit: ClassVar[str] = "share"
    range: ClassVar[str] = "0 .. 1"
    direction: ClassVar[Direction] = "higher"
    reference: ClassVar[str] = "Sweeney 2002, doi:10.1142/S021848850200165X; Marchand 2019, eq. 3"
    averages: ClassVar[bool] = True

    def score(self, level: int, domain: Domain, suppressed: float) -> float:
        return 1 - (level / domain.height * (1 - suppressed) + suppressed)


@dataclass(frozen=True, kw_only=True)
class SquaredError(LossMetric):
    """The squares of what released numbers differ from the original ones, as a share of the variance of the column.

    A released number stands for itself, as the mean of a group does; a range for its midpoint, and the root for the
    mean of the column. The table has the average of its columns of numbers and dates: SSE/SST of standardised values.
    1 is what a release without any number loses; midpoints far from the values may lose more.

    Examples
    --------
    >>> from pyarrow import table
    >>> from toolbox import measure
    >>> people, release = table({"age": [20, 22, 40, 42]}), table({"age": ["21", "21", "41", "41"]})
    >>> round(measure(people, release, quasi_identifiers=["age"]).value("SSE/SST"), 4)
    0.0099
    """

    name: ClassVar[str] = "SSE/SST"
    meaning: ClassVar[str] = "How far released numbers are from the original ones, as a share of their variance."
    rank: ClassVar[int] = 105
    unit: ClassVar[str] = "share"
    range: ClassVar[str] = "0 .. 1, seldom more"
    direction: ClassVar[Direction] = "lower"
    reference: ClassVar[str] = "Domingo-Ferrer and Mateo-Sanz 2002, doi:10.1109/69.979982"
    needs_pairs: ClassVar[bool] = True

    def values(self, comparison: Comparison) -> Iterator[Measure | LeftOut]:
        domains = comparison.people.domains
        numbers = [index for index, domain in enumerate(domains) if domain.kind == "number"]
        shares = list(map(float, comparison.store.each(_divide_squares(comparison, index) for index in numbers)))
        for index, share in zip(numbers, shares, strict=True):
            yield self.measure(share, domains[index].name)
        yield from self.columns_left_out(
            {domain.name: say("categories have no distance") for domain in domains if domain.kind != "number"}
        )
        if numbers:
            yield self.measure(sum(shares) / len(numbers))


def _divide_squares(comparison: Comparison, index: int) -> Query:
    """Divide the squares of the errors of a column by those around its mean; 0 where all its numbers are one."""
    domain, changes = comparison.people.domains[index], comparison.changes[index]
    values, meanings = domain.values, comparison.cells[index].meanings
    low, high = domain.low or 0.0, domain.high or 0.0

    def place(number: ColumnElement[float]) -> ColumnElement[float]:
        # From 0 to 1 within the column, so that no square is too large; halves, as a difference may be.
        return (number / 2 - low / 2) / ((high / 2 - low / 2) or 1.0)

    joined = changes.join(values, values.c.value_id == changes.c.value_id)
    joined = joined.join(meanings, meanings.c.cell_id == changes.c.cell_id)
    middle = (place(meanings.c.low) + place(meanings.c.high)) / 2
    is_root = (meanings.c.form == "root").label("is_root")
    columns = place(values.c.number).label("original"), middle.label("middle"), is_root, changes.c.records
    rows = select(*columns).select_from(joined).where(values.c.number.is_not(None)).subquery()
    mean = select(func.sum(rows.c.original * rows.c.records) / func.sum(rows.c.records)).scalar_subquery()
    error = rows.c.original - case((rows.c.is_root, mean), else_=rows.c.middle)
    within, total = (
        sum_stably(each * each * rows.c.records).label(name)
        for name, each in (("within", error), ("total", rows.c.original - mean))
    )
    sums = select(within, total).subquery()
    return select(case((sums.c.total > 0, sums.c.within / sums.c.total), else_=0.0))


@cache_by_comparison
def find_common_level(comparison: Comparison, index: int) -> int | str:
    """Find the one level of all cells of a column, or say why there is none.

    Every cell must stand for the same values as some node of the highest level among them; so a value may stand for
    itself where it is the only one below its node, or where it has none.
    """
    domain, store = comparison.people.domains[index], comparison.store
    shown = _select_shown_cells(comparison, index)
    lowest, highest, unplaced = _find_levels(comparison)[index]
    if unplaced and not domain.has_hierarchy:
        return NO_HIERARCHY
    if not unplaced and lowest == highest:
        return int(highest)
    spans, nodes = comparison.cells[index].spans, domain.nodes
    ends = select(spans.c.cell_id, func.min(spans.c.first).label("first"), func.max(spans.c.last).label("last"))
    alone = ends.group_by(spans.c.cell_id).having(func.count() == 1).subquery()
    same = (nodes.c.level == highest) & (nodes.c.first == alone.c.first) & (nodes.c.last == alone.c.last)
    above = (nodes.c.level == highest) & alone.c.first.between(nodes.c.first, nodes.c.last)
    # As a missing value, which no level but the root generalises.
    stays = and_(alone.c.first == alone.c.last, ~exists().where(above))
    standing = select(alone.c.cell_id).where(or_(exists().where(same), stays)).subquery()
    unknown = select(func.count()).where(shown.c.cell_id.not_in(select(standing.c.cell_id)))
    if unplaced or store.scalar(unknown):
        return say("not generalised to one level")
    return int(highest)


@cache_by_comparison
def _find_levels(comparison: Comparison) -> list[tuple[int, int, int]]:
    """Find the lowest and the highest level of the shown cells of each column, and count those without one."""
    levels = (_select_shown_cells(comparison, index).c.level for index, _ in enumerate(comparison.cells))
    figures = ((func.min(level), func.max(level), func.count().filter(level.is_(None))) for level in levels)
    return comparison.store.each(select(*each) for each in figures)


def _select_shown_cells(comparison: Comparison, index: int) -> Subquery:
    """Select the cells of records that are not suppressed; all, if all are: ``cell_id, level``."""
    classes, meanings = comparison.release.classes, comparison.cells[index].meanings
    cell = classes.c[comparison.release.cell_names[index]]
    regular = select(cell).where(~classes.c.suppressed)
    rows = select(meanings.c.cell_id, meanings.c.level)
    if summarise_class_sizes(comparison).classes:
        rows = rows.where(meanings.c.cell_id.in_(regular))
    return rows.subquery()
