"""What analysts ask of a release: each pair of columns before and after, correlations, and what lies within classes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations, combinations_with_replacement
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from sqlalchemy import (
    BigInteger,
    Double,
    FromClause,
    and_,
    case,
    cast,
    func,
    literal,
    select,
)
from sqlalchemy.sql.elements import ColumnElement

from toolbox.loss.pair_columns import KnownValues, PairTables, lay_out_pairs
from toolbox.published.tables import Comparison
from toolbox.queries.dialect import Query, Table, sum_stably
from toolbox.queries.scales import Calendar

_MOST_CELLS: Final = 20
"""Most cells of a two-way table that a report tells: those that have changed most."""

# What is found.

Association: TypeAlias = Literal["Pearson", "Cramér's V"]
"""How the association of two columns is measured: of numbers by Pearson's correlation."""


@dataclass(frozen=True, kw_only=True)
class FigureChange:
    """One figure of the original records and of the release."""

    before: float | None
    """Of the original records; None where it has no value, as of a column that does not vary, or is unknown."""
    after: float | None
    """Of the release, each record spread evenly over the values that it may have."""
    lowest: float | None = None
    """No table that fits the release has less; None where no bound is known."""
    highest: float | None = None
    """No table that fits the release has more."""

    @property
    def figures(self) -> tuple[float | None, ...]:
        """All of them, in their order."""
        return self.before, self.after, self.lowest, self.highest


@dataclass(frozen=True, kw_only=True)
class NumberChange:
    """Mean and variance of a column of numbers, and the share of the variance that lies within classes."""

    mean: FigureChange
    variance: FigureChange
    within_classes: FigureChange
    """Before: of the original values of those who became a class, where that is known."""


@dataclass(frozen=True, kw_only=True)
class ColumnChange:
    """The values of one column before and after."""

    name: str
    kind: Literal["number", "category"]
    unit: str
    """Of the numbers: ``days since 1970`` for dates, otherwise empty."""
    groups: int
    """Rows that it has in two-way tables."""
    is_grouped: bool
    """Whether several of its values stand in one row, as there are many."""
    distance: float
    """Total variation distance of its values."""
    exact: float | None
    """Share of the records of the release whose value is the original one; None if values are not true."""
    numbers: NumberChange | None


@dataclass(frozen=True, kw_only=True)
class CellChange:
    """One cell of a two-way table."""

    values: tuple[str, str]
    before: int
    after: float
    """Expected records: each is spread evenly over the values that it may have."""
    lowest: int | None
    """Records of the release that can be nowhere else; None if values are not true."""
    highest: int | None
    """Records of the release that may be here; None if values are not true."""


@dataclass(frozen=True, kw_only=True)
class PairChange:
    """Two columns before and after."""

    columns: tuple[str, str]
    distance: float
    """Total variation distance of both two-way tables: the share of records that would have to be moved."""
    exact: float | None
    """Share of the records of the release whose values are both the original ones; None if values are not true."""
    measure: Association
    association: FigureChange
    middles: float | None
    """Pearson's correlation if each number is taken for the middle of the numbers that it may be."""
    cells: tuple[CellChange, ...]
    """The cells that have changed most, the most changed one first."""
    more_cells: int
    """Cells that are not told, as there are many."""


@dataclass(frozen=True, kw_only=True)
class PairChanges:
    """All pairs of columns, those that have changed most first, and the columns themselves."""

    records_before: int
    records_after: int
    columns: tuple[ColumnChange, ...]
    pairs: tuple[PairChange, ...]
    left_out: tuple[str, ...] = ()
    """Columns that are not compared, as there are too many."""

    def document(self) -> dict[str, Any]:
        """Return its part of the document; the names are stable."""
        return asdict(self)


def measure_pairs(
    comparison: Comparison,
    known: KnownValues | None = None,
    *,
    only: Sequence[str] | None = None,
    most_cells: int = _MOST_CELLS,
) -> PairChanges:
    """Compare each pair of columns of a release with the same pair of the original records.

    Parameters
    ----------
    comparison : Comparison
        The release beside the records that it was made from.
    known : KnownValues, optional
        Of its sensitive attributes; without it, only the quasi-identifiers are compared.
    only : sequence of str, optional
        The names of two columns, if no other pair is asked for; or of none, for the columns alone.
    most_cells : int
        Cells of a two-way table that are told at most.
    """
    with comparison.store.scope():
        return _PairMeasurer(comparison, lay_out_pairs(comparison, known), most_cells).measure(only)


class _PairMeasurer:
    """Measures the columns of two tables, and all pairs of them."""

    def __init__(self, comparison: Comparison, tables: PairTables, most_cells: int) -> None:
        self._most_cells = most_cells
        self._comparison, self._store = comparison, comparison.store
        self._columns, self._before, self._after = tables.columns, tables.before, tables.after
        self._records, self._released, self._left_out = tables.records, tables.released, tables.left_out

    def measure(self, only: Sequence[str] | None) -> PairChanges:
        """Measure all columns and all pairs of them, or only one pair."""
        places = range(len(self._columns))
        names = [column.domain.name for column in self._columns]
        wanted = places if only is None else sorted(map(names.index, only))
        pairs = [self._measure_pair(first, second) for first, second in combinations(wanted, 2)]
        return PairChanges(
            records_before=self._records,
            records_after=self._released,
            columns=tuple(self._measure_column(place) for place in places),
            pairs=tuple(sorted(pairs, key=lambda pair: -pair.distance)),
            left_out=self._left_out,
        )

    # One column.

    def _measure_column(self, place: int) -> ColumnChange:
        column, after, store = self._columns[place], self._after.c, self._store
        table = store.create("one_way", self._join_tables([place]))
        distance = store.scalar(select(self._measure_distance(table)))
        exact = store.scalar(select(func.sum(after.size).filter(after[f"is_exact_{place}"])))
        domain, groups = column.domain, store.count(column.groups)
        return ColumnChange(
            name=domain.name,
            kind=domain.kind,
            unit="days since 1970" if isinstance(domain.scale, Calendar) else "",
            groups=groups,
            is_grouped=groups < domain.size,
            distance=float(distance),
            exact=int(exact or 0) / self._released if self._are_true([place]) else None,
            numbers=self._measure_numbers(place) if domain.kind == "number" else None,
        )

    def _measure_numbers(self, place: int) -> NumberChange | None:
        """Compare means and variances; None where one of the tables has no number."""
        before, after, center = self._before.c, self._after.c, self._columns[place].center
        shown, within = after[f"mean_{place}"] - center, after[f"within_{place}"]
        middle, half = after[f"middle_{place}"] - center, after[f"half_{place}"]
        old = self._sum_up(self._before, _multiply(x=before[f"number_{place}"] - center))
        new = self._sum_up(self._after, {**_multiply(x=shown), **_multiply(m=middle, h=half), "w": within})
        if not old.weight or not new.weight:
            return None
        means = variances = None
        if self._is_bounded(place):
            middle_of_all, half_of_all = center + new.mean("m"), new.mean("h")
            means = middle_of_all - half_of_all, middle_of_all + half_of_all
            deviation, error = math.sqrt(new.covary("m", "m")), math.sqrt(new.mean("hh"))
            least, most = max(0.0, deviation - error), deviation + error
            variances = least * least, most * most
        rows = select(after.equivalence_id, after.size, shown.label("number"), within.label("within"))
        return NumberChange(
            mean=_make_change(center + old.mean("x"), center + new.mean("x"), means),
            variance=_make_change(old.covary("x", "x"), new.covary("x", "x") + new.mean("w"), variances),
            within_classes=_make_change(self._find_original_share(place), self._find_share_within(rows)),
        )

    def _find_original_share(self, place: int) -> float | None:
        """Return the share of the original variance that is within classes; None if it is unknown who became what."""
        comparison = self._comparison
        pairs, combination, column = comparison.pairs, comparison.people.combinations, self._columns[place]
        if pairs is None or place >= len(comparison.people.domains):
            return None
        placed, value = column.placed, combination.c[comparison.people.value_names[place]]
        joined = pairs.join(combination, combination.c.combination_id == pairs.c.combination_id)
        joined = joined.join(placed, placed.c.value_id == value)
        number = (placed.c.number - column.center).label("number")
        rows = select(pairs.c.equivalence_id, pairs.c.records.label("size"), number, literal(0.0).label("within"))
        return self._find_share_within(rows.select_from(joined))

    def _find_share_within(self, rows: Query) -> float | None:
        """Return the share of a variance that is within classes, of ``equivalence_id, size, number, within``."""
        each = rows.subquery()
        number, size = each.c.number, each.c.size
        weight, total = func.sum(size).label("weight"), func.sum(size * number).label("total")
        squares = func.sum(size * (number * number + each.c.within)).label("squares")
        of_classes = select(weight, total, squares).where(number.is_not(None)).group_by(each.c.equivalence_id)
        classes = of_classes.subquery().c
        within = sum_stably(classes.squares - classes.total * classes.total / classes.weight)
        sums = (within, *(sum_stably(classes[name] * 1.0) for name in ("squares", "total", "weight")))
        inside, all_squares, sum_of_all, count = self._store.row(select(*sums))
        variance = all_squares - sum_of_all * sum_of_all / count if count else 0.0
        return max(0.0, min(1.0, inside / variance)) if count and variance > _NOTHING * all_squares else None

    # Two columns.

    def _measure_pair(self, first: int, second: int) -> PairChange:
        places, store, after = (first, second), self._store, self._after.c
        table = store.create("two_way", self._join_tables(places))
        is_exact = and_(*(after[f"is_exact_{place}"] for place in places))
        distance, exact = store.each(
            [select(self._measure_distance(table)), select(func.coalesce(func.sum(after.size).filter(is_exact), 0))]
        )
        columns = [self._columns[place].domain for place in places]
        if is_pearson := all(domain.kind == "number" for domain in columns):
            association, middles = self._correlate(first, second)
        else:
            association, middles = _make_change(*self._measure_dependence(table)), None
        cells = self._list_cells(table, places)
        count = store.count(table)
        store.drop(table)
        return PairChange(
            columns=(columns[0].name, columns[1].name),
            distance=float(distance),
            exact=int(exact) / self._released if self._are_true(places) else None,
            measure="Pearson" if is_pearson else "Cramér's V",
            association=association,
            middles=middles,
            cells=cells,
            more_cells=count - len(cells),
        )

    def _join_tables(self, places: Sequence[int]) -> Query:
        """Count the records of each cell of a table, before and after: ``group_0 .., before, after, lowest, highest``.

        The release is spread column by column, as the product of all values of two cells may be large.
        """
        groups, before, after = [f"group_{place}" for place in places], self._before.c, self._after.c
        known = select(*(before[name] for name in groups), _add_up(before.size).label("records"))
        old = known.group_by(*(before[name] for name in groups)).subquery()
        size = _add_up(after.size)
        names = [f"cell_{place}" for place in places]
        counted = select(
            *(after[name] for name in names), *(size.label(name) for name in ("after", "lowest", "highest"))
        )
        new = counted.group_by(*(after[name] for name in names)).subquery()
        for place in places:
            shares = self._columns[place].shares.alias()
            kept = [
                column
                for column in new.c
                if column.name.startswith(("cell_", "group_")) and column.name != f"cell_{place}"
            ]
            keys = [shares.c.group_id.label(f"group_{place}"), *kept]
            figures = (
                func.sum(new.c.after * shares.c.share).label("after"),
                _add_up(case((shares.c.share == 1, new.c.lowest), else_=0)).label("lowest"),
                _add_up(new.c.highest).label("highest"),
            )
            joined = select(*keys, *figures).join_from(new, shares, shares.c.cell_id == new.c[f"cell_{place}"])
            new = joined.group_by(shares.c.group_id, *kept).subquery()
        same = and_(*(old.c[name] == new.c[name] for name in groups))
        found = (func.coalesce(old.c[name], new.c[name]).label(name) for name in groups)
        counts = {"before": old.c.records, **{name: new.c[name] for name in ("after", "lowest", "highest")}}
        told = (func.coalesce(count, 0).label(name) for name, count in counts.items())
        return select(*found, *told).select_from(old.join(new, same, full=True))

    def _difference(self, table: Table) -> ColumnElement[float]:
        """Return by how much the share of records in a cell differs."""
        return func.abs(table.c.before / float(self._records) - table.c.after / float(self._released))

    def _measure_distance(self, table: Table) -> ColumnElement[float]:
        """Return the total variation distance."""
        return sum_stably(self._difference(table)) / 2

    def _list_cells(self, table: Table, places: Sequence[int]) -> tuple[CellChange, ...]:
        """List the cells that have changed most."""
        rows: FromClause = table
        labels, order = [], [self._difference(table).desc()]
        for place in places:
            groups = self._columns[place].groups.alias()
            rows = rows.join(groups, groups.c.group_id == table.c[f"group_{place}"])
            labels.append(groups.c.label.label(f"label_{place}"))
            order.append(groups.c.first.asc())
        figures = (table.c[name] for name in ("before", "after", "lowest", "highest"))
        found = self._store.rows(select(*labels, *figures).select_from(rows).order_by(*order).limit(self._most_cells))
        are_true = self._are_true(places)
        return tuple(
            CellChange(
                values=(one, other),
                before=int(old),
                after=float(new),
                lowest=int(low) if are_true else None,
                highest=int(high) if are_true else None,
            )
            for one, other, old, new, low, high in found
        )

    def _measure_dependence(self, table: Table) -> tuple[float | None, float | None]:
        """Return Cramér's V before and after; None where a column does not vary."""
        first, second, old, new = list(table.c)[:4]
        squares: list[ColumnElement[Any]] = []
        for place, records in enumerate((old, new)):
            count = cast(records, Double)
            row, column = (func.sum(count).over(partition_by=side) for side in (first, second))
            # Of the counts that independent columns would have; an empty cell adds nothing.
            squares.append((count * count / func.nullif(row * column, 0.0)).label(f"square_{place}"))
        each = select(first.label("first"), second.label("second"), *squares).subquery().c
        figures: list[ColumnElement[Any]] = [sum_stably(square) for square in each[2:]]
        figures += [func.count(side.distinct()) for side in each[:2]]
        known, shown, height, width = self._store.row(select(*figures))
        ways = min(int(height), int(width)) - 1
        if ways < 1:
            return None, None
        return math.sqrt(min(1.0, max(0.0, known - 1) / ways)), math.sqrt(min(1.0, max(0.0, shown - 1) / ways))

    def _correlate(self, first: int, second: int) -> tuple[FigureChange, float | None]:
        """Return Pearson's correlation of two columns of numbers, and the one of the middles of released numbers."""
        before, after = self._before.c, self._after.c
        one, other = (self._columns[place].center for place in (first, second))
        old = self._sum_up(
            self._before, _multiply(x=before[f"number_{first}"] - one, y=before[f"number_{second}"] - other)
        )
        new = self._sum_up(
            self._after,
            {
                **_multiply(x=after[f"mean_{first}"] - one, y=after[f"mean_{second}"] - other),
                **_multiply(m=after[f"middle_{first}"] - one, n=after[f"middle_{second}"] - other),
                **_multiply(h=after[f"half_{first}"]),
                **_multiply(g=after[f"half_{second}"]),
                "v": after[f"within_{first}"],
                "w": after[f"within_{second}"],
            },
        )
        if not old.weight or not new.weight:
            return FigureChange(before=None, after=None), None
        spans = [self._columns[place].width for place in (first, second)]
        known = _compute_correlation(old.covary("x", "y"), [old.covary("x", "x"), old.covary("y", "y")], spans)
        spread = [new.covary("x", "x") + new.mean("v"), new.covary("y", "y") + new.mean("w")]
        expected = _compute_correlation(new.covary("x", "y"), spread, spans)
        inner = [new.covary("m", "m"), new.covary("n", "n")]
        middles = _compute_correlation(new.covary("m", "n"), inner, spans)
        bounds = None
        if self._is_bounded(first) and self._is_bounded(second):
            bounds = _bound_correlation(middles, inner, [new.mean("hh"), new.mean("gg")])
        return _make_change(known, expected, bounds), middles

    # Sums.

    def _is_bounded(self, place: int) -> bool:
        """Return whether each number of the release is known to be among those of its cell."""
        mixed = self._columns[place].facts.c.is_unsure
        return self._are_true([place]) and not self._store.scalar(select(func.count()).where(mixed))

    def _are_true(self, places: Sequence[int]) -> bool:
        """Return whether the values of columns are those of the records: neither means nor numbers with noise."""
        return {self._columns[place].domain.name for place in places}.isdisjoint(self._comparison.untrue)

    def _sum_up(self, table: Table, terms: Mapping[str, ColumnElement[float]]) -> _Sums:
        """Sum terms up over the records in which all of them have a value."""
        sums = (func.coalesce(sum_stably(term * table.c.size), 0.0) for term in terms.values())
        known = and_(*(term.is_not(None) for term in terms.values()))
        weight, *found = self._store.row(select(func.coalesce(func.sum(table.c.size), 0), *sums).where(known))
        return _Sums(float(weight), dict(zip(terms, map(float, found), strict=True)))


class _Sums(NamedTuple):
    """Sums of terms over records; the name of a product has a letter for each factor."""

    weight: float
    terms: Mapping[str, float]

    def mean(self, name: str) -> float:
        """Return the mean of a term."""
        return self.terms[name] / self.weight

    def covary(self, one: str, other: str) -> float:
        """Return the covariance of two terms, or the variance of one."""
        found = self.mean(one + other) - self.mean(one) * self.mean(other)
        return found if one != other or math.isnan(found) else max(0.0, found)


_NOTHING: Final = 1e-12
"""A variance that is this share of a squared width, or less, is none."""


def _multiply(**terms: ColumnElement[float]) -> dict[str, ColumnElement[float]]:
    """Return terms with all their products, by their letters."""
    products = {f"{one}{other}": terms[one] * terms[other] for one, other in combinations_with_replacement(terms, 2)}
    return {**terms, **products}


def _make_change(before: float | None, after: float | None, bounds: tuple[float, float] | None = None) -> FigureChange:
    """Return a change of figures; one that is beyond all floats, as the variance of 1e308 and -1e308, is unknown."""
    figures = (before, after, *(bounds or (None, None)))
    known = (figure if figure is not None and math.isfinite(figure) else None for figure in figures)
    return FigureChange(**dict(zip(("before", "after", "lowest", "highest"), known, strict=True)))


def _add_up(number: ColumnElement[int]) -> ColumnElement[int]:
    return cast(func.sum(number), BigInteger)


# Correlations.


def _compute_correlation(product: float, variances: Sequence[float], widths: Sequence[float]) -> float | None:
    """Return a correlation from a covariance and two variances; None where a column does not vary, or beyond floats."""
    if not all(_NOTHING * width * width < each < math.inf for each, width in zip(variances, widths, strict=True)):
        return None
    return max(-1.0, min(1.0, product / math.prod(map(math.sqrt, variances))))


def _bound_correlation(
    middles: float | None, variances: Sequence[float], errors: Sequence[float]
) -> tuple[float, float] | None:
    """Return numbers between which every correlation lies that is possible.

    A correlation is the cosine of the angle between two vectors, of the deviations of each column from its mean. The
    true vector of a column differs from the one of the middles by at most the root of the sum of the squared half
    widths, so that the angle between these two is bounded; and angles fulfil the triangle inequality.

    Parameters
    ----------
    middles : float, optional
        The correlation of the middles.
    variances, errors : sequence of float
        Of both columns, the variance of the middles and the mean of the squared half widths.
    """
    if middles is None:
        return -1.0, 1.0
    turns = [
        math.asin(math.sqrt(error / variance)) if error < variance else math.pi
        for variance, error in zip(variances, errors, strict=True)
    ]
    angle, turn = math.acos(middles), math.fsum(turns)
    if not turn:
        return middles, middles
    return math.cos(min(math.pi, angle + turn)), math.cos(max(0.0, angle - turn))
