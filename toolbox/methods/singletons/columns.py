"""The ways to generalise a quasi-identifier for the people who stand out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from sqlalchemy import select

from toolbox.errors import UsageError, quote
from toolbox.methods.arrays.codes import codes_of
from toolbox.methods.arrays.combinations import combinations_of
from toolbox.methods.arrays.types import Numbers, Whole
from toolbox.methods.singletons.rules import DATE_RULES, NUMBER_RULES
from toolbox.queries.calendar import Calendar
from toolbox.store.tables import QuasiIdentifierTables, Tables


@dataclass(frozen=True)
class Generalisation:
    """One way to generalise the values of a column."""

    rule: str
    group: Whole
    """Of each value, in their order."""
    labels: tuple[str, ...]
    """What each group is called."""
    intervals: Whole | None
    """What each group is called, as an interval that is there already; None for groups of numbers."""

    @property
    def covers(self) -> bool:
        """Whether its labels cover the values that they stand for: a centroid stands for others as well."""
        return self.intervals is not None or self.rule.endswith("ranges")


@dataclass(frozen=True)
class Column:
    """A quasi-identifier, with all ways to generalise it."""

    name: str
    labels: tuple[str, ...]
    """Of its values, in their order."""
    generalisations: tuple[Generalisation, ...]

    @cached_property
    def codes(self) -> Numbers:
        """The code of each value: first as it is, then by each generalisation. Equal texts have equal codes."""
        texts: dict[str, int] = {}
        shown = ([way.labels[group] for group in way.group] for way in self.generalisations)
        named = [self.labels, *shown]
        return np.array([[texts.setdefault(label, len(texts)) for label in labels] for labels in named], np.int64)


@dataclass(frozen=True)
class Rows:
    """The distinct combinations of a table, as numbers of values, with the records of each."""

    columns: tuple[Column, ...]
    values: tuple[Whole, ...]
    """Of each column, for each combination the number of its value."""
    sizes: Numbers
    combination_ids: Whole

    @property
    def records(self) -> int:
        """Number of records."""
        return int(self.sizes.sum())


def rows_of(
    tables: Tables, k: int, rules: Mapping[str, Sequence[str]] | None = None, *, leave_out: Sequence[str] = ()
) -> Rows:
    """Read the combinations of a table, and what their values can become.

    Parameters
    ----------
    tables : Tables
    k : int
        Fewest records of a range of `row-ranges`.
    rules : mapping of column to rules, optional
        The only ways to generalise a column, where not all of them are wanted.
    leave_out : sequence of str
        Rules that are wanted of no column.

    Raises
    ------
    UsageError
        If a column cannot be generalised as is wanted.
    """
    ids, sizes, values = combinations_of(tables)
    columns = []
    for quasi_identifier, ranks in zip(tables.quasi_identifiers, values, strict=True):
        counts = np.bincount(ranks, weights=sizes, minlength=quasi_identifier.values).astype(np.int64)
        asked = None if rules is None else rules.get(quasi_identifier.name)
        column = _column(tables, quasi_identifier, counts, k, asked)
        kept = [generalisation for generalisation in column.generalisations if generalisation.rule not in leave_out]
        columns.append(replace(column, generalisations=tuple(kept)))
    return Rows(tuple(columns), tuple(values), sizes.astype(np.int64, copy=False), ids)


def require_rules(column: str, asked: Sequence[str], known: Sequence[str]) -> None:
    """Stop where a column cannot be generalised as somebody wants.

    Raises
    ------
    UsageError
    """
    for rule in asked:
        if rule not in known:
            raise UsageError(f"{column} cannot be generalised by {quote(rule)}. Its rules: {', '.join(known)}.")


def _column(
    tables: Tables, quasi_identifier: QuasiIdentifierTables, counts: Numbers, k: int, asked: Sequence[str] | None
) -> Column:
    ground, named = quasi_identifier.ground.c, quasi_identifier.intervals.c
    ordered = tables.store.rows(select(ground.label, ground.value).order_by(ground.level_0))
    called = dict(tables.store.rows(select(named.interval_id, named.label)))
    labels = [str(label) for label, _ in ordered]
    generalisations: list[Generalisation] = []
    if quasi_identifier.height > 1:
        parents, group = np.unique(codes_of(tables, quasi_identifier)[1], return_inverse=True)
        generalisations.append(_known("parent", group, parents.tolist(), called))
    generalisations.append(_known("any", np.zeros(len(labels), np.int64), [quasi_identifier.root], called))
    if quasi_identifier.kind == "number":
        numbers = np.array([value for _, value in ordered], np.float64)
        rules = DATE_RULES if isinstance(quasi_identifier.scale, Calendar) else NUMBER_RULES
        for rule, make in rules.items():
            groups = make(numbers, counts, labels, k)
            generalisations.append(Generalisation(rule, groups.group, groups.labels, None))
    require_rules(quasi_identifier.name, asked or (), [generalisation.rule for generalisation in generalisations])
    kept = [generalisation for generalisation in generalisations if asked is None or generalisation.rule in asked]
    return Column(quasi_identifier.name, tuple(labels), tuple(kept))


def _known(rule: str, group: Whole, intervals: Sequence[int], called: Mapping[int, str]) -> Generalisation:
    return Generalisation(rule, group, tuple(called[code] for code in intervals), np.array(intervals, np.int32))
