"""The ways to generalise a quasi-identifier for the people who stand out, and their combinations: variants."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import Literal, NamedTuple

import numpy as np
from sqlalchemy import select

from toolbox.errors import UsageError, quote
from toolbox.methods.arrays.combinations import (
    Numbers,
    PersonPairs,
    Reals,
    Whole,
    combinations_of,
    find_pairs,
    list_level_codes,
)
from toolbox.queries.scales import Calendar
from toolbox.store.tables import QuasiIdentifierTables, Tables

# Rules that group numbers, such as years of birth, and name the groups.

WIDTH = 4
"""Distinct values in a range."""
CHUNKS = 4
"""Number of parts into which the records are cut."""


class ValueGroups(NamedTuple):
    """The group of each value, and what each group is called."""

    group: Whole
    labels: tuple[str, ...]


def group_by_range(values: Reals, counts: Whole, texts: Sequence[str], k: int) -> ValueGroups:
    """Group four neighbouring values (`WIDTH`); call each group by its least and largest value."""
    group = np.arange(len(values)) // WIDTH
    return ValueGroups(group, _format_ranges(group, texts))


def group_by_records(values: Reals, counts: Whole, texts: Sequence[str], k: int) -> ValueGroups:
    """Group neighbouring values until they have k records; what is left over joins the last group.

    A value that has k records of its own stays as it is.
    """
    group, records, part = np.zeros(len(values), np.int64), 0, 0
    for position, count in enumerate(counts):
        if records >= k:
            part, records = part + 1, 0
        group[position] = part
        records += int(count)
    if records < k and part:
        group[group == part] = part - 1
    ends = zip(*find_group_ends(group), strict=True)
    return ValueGroups(
        group, tuple(texts[first] if first == last else _format_range(first, last, texts) for first, last in ends)
    )


def group_by_middle(values: Reals, counts: Whole, texts: Sequence[str], k: int) -> ValueGroups:
    """Make the same groups as `ranges`; call each by its middle value, the upper one of two."""
    group = np.arange(len(values)) // WIDTH
    first, last = find_group_ends(group)
    return ValueGroups(group, tuple(texts[middle] for middle in (first + last + 1) // 2))


def group_by_median(values: Reals, counts: Whole, texts: Sequence[str], k: int) -> ValueGroups:
    """Cut the records in their order into four parts; call the values of a part by the median of its records.

    A value whose records are in two parts goes to the first of them.
    """
    part, size = _find_quarter(counts)
    ends, records = np.cumsum(counts), int(counts.sum())
    labels = []
    for index in np.unique(part):
        first, last = int(index) * size, min((int(index) + 1) * size, records) - 1
        places = np.searchsorted(ends, [(first + last) // 2, (first + last + 1) // 2], side="right")
        labels.append(_format_number(float(values[places].mean())))
    return ValueGroups(np.unique(part, return_inverse=True)[1], tuple(labels))


def group_by_mean(values: Reals, counts: Whole, texts: Sequence[str], k: int) -> ValueGroups:
    """Make the same groups as `medians`; call each by the mean of its records, rounded where values are whole."""
    _, group = np.unique(_find_quarter(counts)[0], return_inverse=True)
    mean = np.bincount(group, values * counts) / np.bincount(group, counts)
    if np.all(values == np.floor(values)):
        mean = np.floor(mean + 0.5)
    return ValueGroups(group, tuple(_format_number(float(value)) for value in mean))


def _find_quarter(counts: Whole) -> tuple[Whole, int]:
    """Return the part in which the first record of each value lies, and the records of a part."""
    size = -(-int(counts.sum()) // CHUNKS)
    return (np.cumsum(counts) - counts) // size, size


def find_group_ends(group: Whole) -> tuple[Whole, Whole]:
    """Return the first and the last position of each group; the groups follow each other."""
    numbers = np.arange(int(group[-1]) + 1)
    return np.searchsorted(group, numbers), np.searchsorted(group, numbers, side="right") - 1


def _format_ranges(group: Whole, texts: Sequence[str]) -> tuple[str, ...]:
    return tuple(_format_range(first, last, texts) for first, last in zip(*find_group_ends(group), strict=True))


def _format_range(first: int, last: int, texts: Sequence[str]) -> str:
    return f"[{texts[first]}:{texts[last]}]"


def _format_number(number: float) -> str:
    return str(int(number)) if number.is_integer() else repr(number)


NUMBER_RULES: Mapping[str, Callable[[Reals, Whole, Sequence[str], int], ValueGroups]] = MappingProxyType(
    {
        "ranges": group_by_range,
        "row-ranges": group_by_records,
        "middles": group_by_middle,
        "medians": group_by_median,
        "means": group_by_mean,
    }
)
"""The rules for numbers, by the names that users write.

References
----------
Pastore, Pellegrino and Scarano (2020): `row-ranges` as in the text, `ranges` and `middles` as in the published program,
`medians` as in Table 1, `means` as the text describes them.
"""
DATE_RULES: Mapping[str, Callable[[Reals, Whole, Sequence[str], int], ValueGroups]] = MappingProxyType(
    {name: NUMBER_RULES[name] for name in ("ranges", "row-ranges")}
)
"""Those of them that write no number of their own."""


# The ways to generalise a quasi-identifier for the people who stand out.


@dataclass(frozen=True)
class ValueGeneralisation:
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
class SingletonsColumn:
    """A quasi-identifier, with all ways to generalise it."""

    name: str
    labels: tuple[str, ...]
    """Of its values, in their order."""
    generalisations: tuple[ValueGeneralisation, ...]

    @cached_property
    def codes(self) -> Numbers:
        """The code of each value: first as it is, then by each generalisation. Equal texts have equal codes."""
        texts: dict[str, int] = {}
        shown = ([way.labels[group] for group in way.group] for way in self.generalisations)
        named = [self.labels, *shown]
        return np.array([[texts.setdefault(label, len(texts)) for label in labels] for labels in named], np.int64)


@dataclass(frozen=True)
class SingletonsRows:
    """The distinct combinations of a table, as numbers of values, with the records of each."""

    columns: tuple[SingletonsColumn, ...]
    values: tuple[Whole, ...]
    """Of each column, for each combination the number of its value."""
    sizes: Numbers
    combination_ids: Whole
    persons: PersonPairs | None = None
    """Of each combination, where classes count persons, and one may have several combinations."""

    @property
    def records(self) -> int:
        """Number of records."""
        return int(self.sizes.sum())


def read_rows(
    tables: Tables, k: int, rules: Mapping[str, Sequence[str]] | None = None, *, leave_out: Sequence[str] = ()
) -> SingletonsRows:
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
        column = _read_column(tables, quasi_identifier, counts, k, asked)
        kept = [generalisation for generalisation in column.generalisations if generalisation.rule not in leave_out]
        columns.append(replace(column, generalisations=tuple(kept)))
    return SingletonsRows(tuple(columns), tuple(values), sizes.astype(np.int64, copy=False), ids, find_pairs(tables))


def require_rules(column: str, asked: Sequence[str], known: Sequence[str]) -> None:
    """Stop where a column cannot be generalised as somebody wants."""
    for rule in asked:
        if rule not in known:
            raise UsageError(f"{column} cannot be generalised by {quote(rule)}. Its rules: {', '.join(known)}.")


def _read_column(
    tables: Tables, quasi_identifier: QuasiIdentifierTables, counts: Numbers, k: int, asked: Sequence[str] | None
) -> SingletonsColumn:
    ground, named = quasi_identifier.ground.c, quasi_identifier.intervals.c
    ordered = tables.store.rows(select(ground.label, ground.value).order_by(ground.level_0))
    called = dict(tables.store.rows(select(named.interval_id, named.label)))
    labels = [str(label) for label, _ in ordered]
    generalisations: list[ValueGeneralisation] = []
    if quasi_identifier.height > 1:
        parents, group = np.unique(list_level_codes(tables, quasi_identifier)[1], return_inverse=True)
        generalisations.append(_make_known_generalisation("parent", group, parents.tolist(), called))
    generalisations.append(
        _make_known_generalisation("any", np.zeros(len(labels), np.int64), [quasi_identifier.root], called)
    )
    if quasi_identifier.kind == "number":
        numbers = np.array([value for _, value in ordered], np.float64)
        rules = DATE_RULES if isinstance(quasi_identifier.scale, Calendar) else NUMBER_RULES
        for rule, make in rules.items():
            groups = make(numbers, counts, labels, k)
            generalisations.append(ValueGeneralisation(rule, groups.group, groups.labels, None))
    require_rules(quasi_identifier.name, asked or (), [generalisation.rule for generalisation in generalisations])
    kept = [generalisation for generalisation in generalisations if asked is None or generalisation.rule in asked]
    return SingletonsColumn(quasi_identifier.name, tuple(labels), tuple(kept))


def _make_known_generalisation(
    rule: str, group: Whole, intervals: Sequence[int], called: Mapping[int, str]
) -> ValueGeneralisation:
    return ValueGeneralisation(rule, group, tuple(called[code] for code in intervals), np.array(intervals, np.int32))


# Variants: which columns are generalised, how, for whom and in which order.

Scope = Literal["local", "global"]
