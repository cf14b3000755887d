"""How far a release generalises each quasi-identifier."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import func, select

from toolbox.queries.dialect import first_by, last_by
from toolbox.store.tables import QuasiIdentifierTables, Tables


@dataclass(frozen=True, kw_only=True)
class QuasiIdentifierResult:
    """How far one quasi-identifier was generalised."""

    name: str
    level: int | None
    """Level of the whole column, 0 for ungeneralised; None if classes differ."""
    height: int | None
    """Highest level of its hierarchy; None if it has none that counts levels."""
    generalised_values: int
    """Number of distinct values in the classes of the release, suppressed records aside."""
    original_values: int
    range: str | None
    """Of numbers, the released value that begins lowest and the one that ends highest; None for categories."""

    @property
    def is_at_root(self) -> bool:
        """Whether the column shows one value where there were several, and so tells nothing."""
        return self.generalised_values <= 1 < self.original_values


def quasi_identifier_results(tables: Tables) -> tuple[QuasiIdentifierResult, ...]:
    """Measure how far the tables that a method has finished generalise each quasi-identifier."""
    columns = enumerate(tables.quasi_identifiers)
    if tables.by_number:
        return tuple(_as_it_was(column) for _, column in columns)
    return tuple(_generalised(tables, position, column) for position, column in columns)


def _as_it_was(column: QuasiIdentifierTables) -> QuasiIdentifierResult:
    return QuasiIdentifierResult(
        name=column.name,
        level=None,
        height=None,
        generalised_values=column.values,
        original_values=column.values,
        range=None,
    )


def _generalised(tables: Tables, position: int, column: QuasiIdentifierTables) -> QuasiIdentifierResult:
    used = tables.equivalence.c[tables.interval_names[position]]
    interval = column.intervals.c
    shown = select(interval.label, interval.low, interval.high).where(
        interval.interval_id.in_(select(used).where(~tables.equivalence.c.suppressed))
    )
    named = shown.subquery().c
    values, first, last = tables.store.row(
        select(func.count(), first_by(named.label, named.low), last_by(named.label, named.high))
    )
    return QuasiIdentifierResult(
        name=column.name,
        level=None if tables.levels is None else tables.levels[position],
        height=column.height if column.has_hierarchy and column.height else None,
        generalised_values=values,
        original_values=column.values,
        range=None if column.kind == "category" or not values else first if values == 1 else f"{first} .. {last}",
    )
