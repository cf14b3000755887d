"""The columns of pairs: how the values that a released cell stands for are put into the rows of two-way tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from sqlalchemy import (
    Double,
    FromClause,
    Integer,
    Subquery,
    and_,
    case,
    cast,
    func,
    literal,
    null,
    or_,
    select,
    union_all,
)
from sqlalchemy.sql.elements import ColumnElement

from toolbox.loss.cells import Amount, sum_covered_amounts
from toolbox.published.tables import Comparison, Domain
from toolbox.queries.dialect import Query, Table, find_first_by, find_last_by
from toolbox.queries.scales import DAY, Calendar

MOST_COLUMNS: Final = 20
"""Most columns of which all pairs are compared."""
_MOST_NUMBERS: Final = 20
"""Most rows of a two-way table for the numbers of a column; more are put into groups of about as many records."""
_MOST_CATEGORIES: Final = 100
"""The same for categories, which are grouped in the order of their hierarchy."""
_MISSING: Final = "(missing)"
"""What the row of a missing value is called."""
_FIGURES: Final = ("mean", "middle", "half", "within")
"""What is known of the numbers of a cell."""


# The columns of both tables: what is true of people, and what the release shows of them.


class KnownValues(NamedTuple):
    """What the original records hold in the sensitive attributes of a release."""

    domains: tuple[Domain, ...]
    """With the values of the release as well."""
    truth: FromClause
    """``combination_id, value_1 .. (texts), size``."""


class PairColumn(NamedTuple):
    """A column that is compared."""

    domain: Domain
    placed: Table
    """``placed(value_id, group_id, number)``: the row of each value in two-way tables, and its number, else null."""
    groups: Table
    """``groups(group_id, first, last, label)``: the values of a row."""
    facts: Table
    """``facts(cell_id, is_exact, is_unsure, mean, middle, half, within)``: whether a cell stands for one value alone;
    whether for numbers and a missing value, or for none of the values, as a mean does. The mean of its numbers, the
    middle of the smallest and the largest of them, how far these are from it, and the variance of the numbers; null
    where it stands for none."""
    shares: Table
    """``shares(cell_id, group_id, share)``: the values of a cell in a row, as a share of all its values."""

    @property
    def unit(self) -> float:
        """What one of its numbers is in a report: timestamps are told in days, as dates are."""
        return _find_unit(self.domain)

    @property
    def center(self) -> float:
        """A number in the middle, from which sums of squares are exact enough."""
        return ((self.domain.low or 0.0) / 2 + (self.domain.high or 0.0) / 2) * self.unit

    @property
    def width(self) -> float:
        """From the smallest to the largest number."""
        return ((self.domain.high or 0.0) - (self.domain.low or 0.0)) * self.unit


class PairTables(NamedTuple):
    """Both tables of a comparison, with the columns that are compared."""

    columns: tuple[PairColumn, ...]
    before: Table
    """``before(size, group_0, number_0 ..)``: the original records, by the rows and the numbers of their values."""
    after: Table
    """``after(equivalence_id, size, cell_0, is_exact_0, is_unsure_0, mean_0, middle_0, half_0, within_0 ..)``: those of
    the release, by their cells and what these stand for."""
    records: int
    """Of the original."""
    released: int
    left_out: tuple[str, ...]
    """Columns that are too many."""


def lay_out_pairs(comparison: Comparison, known: KnownValues | None) -> PairTables:
    """Prepare the columns of a release and of the original records, and both tables of them."""
    store, quasi = comparison.store, comparison.people.domains
    domains = (*quasi, *(() if known is None else known.domains))
    columns = tuple(
        _prepare_column(comparison, domain, place if place < len(quasi) else None)
        for place, domain in enumerate(domains[:MOST_COLUMNS])
    )
    before = store.create("before", _select_before(comparison, columns, known))
    after = store.create("after", _select_after(comparison, columns, known))
    records, released = map(int, store.each(select(func.sum(table.c.size)) for table in (before, after)))
    left_out = tuple(domain.name for domain in domains[MOST_COLUMNS:])
    return PairTables(columns, before, after, records, released, left_out)


def _find_unit(domain: Domain) -> float:
    return 1 / DAY if isinstance(domain.scale, Calendar) and domain.scale.unit == "timestamp" else 1.0


def _prepare_column(comparison: Comparison, domain: Domain, index: int | None) -> PairColumn:
    """Prepare a quasi-identifier, or a sensitive attribute, whose cells are its values."""
    create, values = comparison.store.create, domain.values
    placed = create("placed", _place_values(domain))
    groups = create("groups", _select_groups(placed, values))
    if index is None:
        value = values.c.value_id
        ends = (value.label(name) for name in ("cell_id", "first", "last"))
        spans: FromClause = select(*ends).subquery()
        facts = create("facts", _describe_values(placed))
    else:
        spans = comparison.cells[index].spans
        facts = create("facts", _describe_cells(comparison, index, placed))
    return PairColumn(domain, placed, groups, facts, create("shares", _share_out(spans, groups, placed, facts)))


def _describe_cells(comparison: Comparison, index: int, placed: Table) -> Query:
    """Describe what the cells of a quasi-identifier stand for; see `PairColumn.facts`."""
    domain, cells = comparison.people.domains[index], comparison.cells[index]
    meanings = cells.meanings
    is_exact = (meanings.c["values"] == 1).label("is_exact")
    if domain.kind == "category":
        nothing = (cast(null(), Double).label(name) for name in _FIGURES)
        return select(meanings.c.cell_id, is_exact, literal(False).label("is_unsure"), *nothing)
    unit = _find_unit(domain)
    center = ((domain.low or 0.0) / 2 + (domain.high or 0.0) / 2) * unit
    sums = sum_covered_amounts(comparison, index, _list_amounts(center, unit))
    ends = _select_ends(cells.spans, placed, (domain.high or 0.0) * unit)
    low, high = (func.coalesce(ends.c[name], meanings.c[name] * unit) for name in ("low", "high"))
    count = func.nullif(sums.c.numbers, 0)
    offset = sums.c.total / count
    # A mean, or a number with noise, may be none of the values.
    figures = {
        "mean": func.coalesce(center + offset, low / 2 + high / 2),
        "middle": low / 2 + high / 2,
        "half": high / 2 - low / 2,
        "within": func.greatest(0.0, func.coalesce(sums.c.squares / count - offset * offset, 0.0)),
    }
    is_missing = and_(count.is_(None), meanings.c["values"] > 0)
    told = (case((is_missing, null()), else_=figures[name]).label(name) for name in _FIGURES)
    is_mixed, is_none = and_(count.is_not(None), sums.c.missing > 0), meanings.c["values"] == 0
    joined = meanings.join(sums, sums.c.cell_id == meanings.c.cell_id)
    joined = joined.outerjoin(ends, ends.c.cell_id == meanings.c.cell_id)
    return select(meanings.c.cell_id, is_exact, or_(is_mixed, is_none).label("is_unsure"), *told).select_from(joined)


def _select_before(comparison: Comparison, columns: Sequence[PairColumn], known: KnownValues | None) -> Query:
    """Select the original records: ``size, group_0, number_0 ..``."""
    people, combination = comparison.people, comparison.people.combinations
    rows: FromClause = combination
    size: ColumnElement[int] = combination.c.size
    values = [combination.c[name] for name in people.value_names]
    if known is not None:
        truth = known.truth
        rows, size = rows.join(truth, truth.c.combination_id == combination.c.combination_id), truth.c.size
        for place, domain in enumerate(known.domains, start=1):
            spelled = domain.spellings.alias()
            rows = rows.join(spelled, spelled.c.text.is_not_distinct_from(truth.c[f"value_{place}"]))
            values.append(spelled.c.value_id)
    shown: list[ColumnElement[Any]] = []
    for place, (column, value) in enumerate(zip(columns, values, strict=False)):
        placed = column.placed.alias()
        rows = rows.join(placed, placed.c.value_id == value)
        shown += [placed.c.group_id.label(f"group_{place}"), placed.c.number.label(f"number_{place}")]
    return select(size.label("size"), *shown).select_from(rows)


def _select_after(comparison: Comparison, columns: Sequence[PairColumn], known: KnownValues | None) -> Query:
    """Select the records of the release: ``equivalence_id, size, cell_0 ..``, with what each cell stands for."""
    release, classes = comparison.release, comparison.release.classes
    rows: FromClause = classes
    size: ColumnElement[int] = classes.c.size
    cells = [classes.c[name] for name in release.cell_names]
    if known is not None:
        held = release.held
        rows, size = rows.join(held, held.c.equivalence_id == classes.c.equivalence_id), held.c.records
        for domain in known.domains:
            spelled = domain.spellings.alias()
            rows = rows.join(spelled, spelled.c.text.is_not_distinct_from(held.c[release.sensitive[domain.name]]))
            cells.append(spelled.c.value_id)
    shown: list[ColumnElement[Any]] = []
    for place, (column, cell) in enumerate(zip(columns, cells, strict=False)):
        facts = column.facts.alias()
        rows = rows.join(facts, facts.c.cell_id == cell)
        told = (facts.c[name].label(f"{name}_{place}") for name in ("is_exact", "is_unsure", *_FIGURES))
        shown += [cell.label(f"cell_{place}"), *told]
    return select(classes.c.equivalence_id, size.label("size"), *shown).select_from(rows)


# Rows of two-way tables, and what the cells of a release stand for.


def _place_values(domain: Domain) -> Query:
    """Put each value into a row: its own, or where a column has many values, one of consecutive values."""
    values, is_number = domain.values.c, domain.kind == "number"
    number = values.number * _find_unit(domain) if is_number else cast(null(), Double)
    most = _MOST_NUMBERS if is_number else _MOST_CATEGORIES
    if domain.size <= most:
        group: ColumnElement[Any] = values.value_id
    else:
        is_missing = values.number.is_(None) if is_number else values.label.is_(None)
        total = func.nullif(func.sum(case((is_missing, 0), else_=values.records)).over(), 0)
        group = func.coalesce(cast(func.floor(values.before * float(most) / total), Integer), 0)
        group = case((is_missing, most), else_=func.least(most - 1, group))
    return select(values.value_id, cast(group, Integer).label("group_id"), number.label("number"))


def _select_groups(placed: Table, values: Table) -> Query:
    """Select the rows of two-way tables: ``group_id, first, last, label``."""
    value, label = values.c.value_id, func.coalesce(values.c.label, literal(_MISSING))
    first, last = find_first_by(label, value), find_last_by(label, value)
    name = case((func.min(value) == func.max(value), first), else_=func.concat(first, " .. ", last)).label("label")
    ends = func.min(value).label("first"), func.max(value).label("last")
    joined = select(placed.c.group_id, *ends, name).join_from(placed, values, value == placed.c.value_id)
    return joined.group_by(placed.c.group_id)


def _describe_values(placed: Table) -> Query:
    """Describe what values stand for that are released as they are; see `PairColumn.facts`."""
    number = placed.c.number
    nothing = case((number.is_not(None), 0.0))
    figures = {"mean": number, "middle": number, "half": nothing, "within": nothing}
    told = (figures[name].label(name) for name in _FIGURES)
    flags = literal(True).label("is_exact"), literal(False).label("is_unsure")
    return select(placed.c.value_id.label("cell_id"), *flags, *told)


def _list_amounts(center: float, unit: float) -> dict[str, Amount]:
    """List what is summed up over the values of a cell."""

    def off(values: Table) -> ColumnElement[float]:
        return func.coalesce(values.c.number * unit - center, 0.0)

    return {
        "numbers": lambda values: case((values.c.number.is_not(None), 1), else_=0),
        "missing": lambda values: case((values.c.number.is_(None), 1), else_=0),
        "total": off,
        "squares": lambda values: off(values) * off(values),
    }


def _select_ends(spans: FromClause, placed: Table, highest: float) -> Subquery:
    """Select the smallest and the largest number of each cell that stands for some: ``cell_id, low, high``."""
    start, end = placed.alias(), placed.alias()
    joined = spans.join(start, start.c.value_id == spans.c.first).join(end, end.c.value_id == spans.c.last)
    # A missing value comes behind all numbers.
    high = case((start.c.number.is_not(None), func.coalesce(end.c.number, highest)))
    figures = func.min(start.c.number).label("low"), func.max(high).label("high")
    return select(spans.c.cell_id, *figures).select_from(joined).group_by(spans.c.cell_id).subquery()


def _share_out(spans: FromClause, groups: Table, placed: Table, facts: Table) -> Query:
    """Share each cell out to the rows of its values: ``cell_id, group_id, share``."""
    first, last = func.greatest(spans.c.first, groups.c.first), func.least(spans.c.last, groups.c.last)
    overlap = and_(spans.c.first <= groups.c.last, spans.c.last >= groups.c.first)
    amount = func.sum(last - first + 1).label("amount")
    rows = select(spans.c.cell_id, groups.c.group_id, amount).join_from(spans, groups, overlap)
    counted = rows.group_by(spans.c.cell_id, groups.c.group_id).subquery()
    whole = func.sum(counted.c.amount).over(partition_by=counted.c.cell_id)
    shared = select(counted.c.cell_id, counted.c.group_id, (counted.c.amount * 1.0 / whole).label("share"))
    # A mean that is none of the values is where the next smaller one is.
    below = and_(placed.c.number <= facts.c.middle)
    least = select(func.min(groups.c.group_id)).scalar_subquery()
    group = func.coalesce(func.max(placed.c.group_id), least).label("group_id")
    lone = select(facts.c.cell_id, group, literal(1.0).label("share")).join_from(facts, placed, below, isouter=True)
    lone = lone.where(facts.c.cell_id.not_in(select(spans.c.cell_id))).group_by(facts.c.cell_id)
    return select(union_all(shared, lone).subquery())
