"""The generalisation lattice: what is known of its nodes, and their classes, rolled up from those of lower nodes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import FromClause, Integer, cast, func, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.methods.arrays import combinations as grouping
from toolbox.methods.arrays.combinations import (
    Codes,
    Flags,
    Numbers,
    Reals,
    Whole,
    combinations_of,
    is_first,
    list_level_codes,
    make_room,
)
from toolbox.methods.arrays.few_columns import PersonRows, ShownColumns
from toolbox.privacy.model import PrivacyModel
from toolbox.queries.dialect import Table
from toolbox.store.tables import QuasiIdentifierTables, Tables

# The generalisation lattice, and what is known of its nodes.
#
# A node gives each quasi-identifier a level. One at its root tells nothing apart: the node has the classes that the
# other quasi-identifiers make alone. So the lattices of all subsets of the quasi-identifiers are parts of this one,
# and the subset property of Incognito is its generalisation property: a node without some of its quasi-identifiers is
# the node above it that has these at their roots.
#
# The nodes are the cells of an array with one axis for each quasi-identifier, so that both prunings are a few
# operations on whole arrays.

Levels = tuple[int, ...]


class Lattice:
    """A lattice whose nodes are checked round by round.

    Parameters
    ----------
    heights : sequence of int
        The highest level of each quasi-identifier, its root where nothing else is declared.
    lowest : sequence of int, optional
        Its lowest level; 0 where nothing else is declared.
    """

    def __init__(self, heights: Sequence[int], lowest: Sequence[int] | None = None) -> None:
        self.lowest: Levels = tuple(0 for _ in heights) if lowest is None else tuple(lowest)
        self.highest: Levels = tuple(heights)
        self._shape = tuple(high - low + 1 for high, low in zip(self.highest, self.lowest, strict=True))
        self.satisfying: Flags = np.zeros(self._shape, dtype=bool)
        self.failing: Flags = np.zeros(self._shape, dtype=bool)

    def rounds(self) -> Iterator[list[Levels]]:
        """Yield the nodes that must be checked, round by round; between two rounds, call `mark` with the results.

        Nodes with fewer quasi-identifiers below their roots come first, and of these the lower ones. The nodes of a
        round are equally high, so that no result follows from another.
        """
        sizes = self._sum_parts([np.arange(length) < length - 1 for length in self._shape])
        heights = self.compute_heights()
        rounds = (sizes * (int(heights.max()) + 1) + heights).ravel()
        order = np.argsort(rounds, kind="stable")
        for cells in np.split(order, np.flatnonzero(np.diff(rounds[order])) + 1):
            is_open = ~(self.satisfying.flat[cells] | self.failing.flat[cells])
            if len(nodes := self.list_node_levels(cells[is_open])):
                yield nodes

    @property
    def size(self) -> int:
        """Number of nodes."""
        return self.satisfying.size

    @property
    def open(self) -> Flags:
        """The nodes of which nothing is known."""
        return ~(self.satisfying | self.failing)

    def compute_heights(self) -> Codes:
        """Return how far up each node is."""
        return self._sum_parts([np.arange(length) for length in self._shape])

    def list_node_levels(self, cells: Numbers) -> list[Levels]:
        """Return the levels of nodes that are given by their places in the array."""
        nodes = np.stack(np.unravel_index(cells, self._shape), axis=-1) + np.array(self.lowest)
        return [tuple(levels) for levels in nodes.tolist()]

    def place(self, levels: Levels) -> Levels:
        """Return the place of a node in the array."""
        return tuple(level - low for level, low in zip(levels, self.lowest, strict=True))

    def sum_by_level(self, by_level: Sequence[Reals]) -> Reals:
        """Return, for every node, the sum of a number for each quasi-identifier and all of its levels."""
        total = np.zeros(())
        for numbers, low, high in zip(by_level, self.lowest, self.highest, strict=True):
            total = total[..., np.newaxis] + numbers[low : high + 1]
        return total

    def _sum_parts(self, axes: Sequence[NDArray[np.generic]]) -> Codes:
        """Return, for every node, the sum of one number for each quasi-identifier at its level."""
        total = np.zeros((), dtype=np.int32)
        for numbers in axes:
            total = total[..., np.newaxis] + numbers.astype(np.int32)
        return total

    def mark(self, satisfying: Iterable[Levels], failing: Iterable[Levels]) -> None:
        """Note checked nodes.

        A node above a satisfying one satisfies the models too, and a node below a failing one fails.
        """
        for levels in satisfying:
            self.satisfying[self.place(levels)] = True
        for levels in failing:
            self.failing[self.place(levels)] = True
        falling = np.flip(self.failing)
        for axis in range(len(self._shape)):
            np.logical_or.accumulate(self.satisfying, axis=axis, out=self.satisfying)
            np.logical_or.accumulate(falling, axis=axis, out=falling)

    def mark_satisfying(self, levels: Levels, *, everything_above: bool = True) -> None:
        """Note one node that satisfies the models, and unless they are not monotone all above it."""
        place = self.place(levels)
        self.satisfying[tuple(slice(each, None) for each in place) if everything_above else place] = True

    def mark_failing(self, levels: Levels, *, everything_below: bool = True) -> None:
        """Note one node that fails, and if that follows, all below it."""
        place = self.place(levels)
        self.failing[tuple(slice(None, each + 1) for each in place) if everything_below else place] = True

    def list_next_higher(self, levels: Levels) -> Iterator[Levels]:
        """Yield the nodes that have one quasi-identifier one level higher."""
        for position, (level, high) in enumerate(zip(levels, self.highest, strict=True)):
            if level < high:
                yield (*levels[:position], level + 1, *levels[position + 1 :])

    def covered(self) -> Flags:
        """Mark the nodes that satisfy the models or are above one that does."""
        covered = self.satisfying.copy()
        for axis in range(covered.ndim):
            np.logical_or.accumulate(covered, axis=axis, out=covered)
        return covered

    def minimal(self) -> list[Levels]:
        """List the satisfying nodes below which none satisfies."""
        covered, above = self.covered(), np.zeros_like(self.satisfying)
        for axis in range(above.ndim):
            upper, lower = [slice(None)] * above.ndim, [slice(None)] * above.ndim
            upper[axis], lower[axis] = slice(1, None), slice(None, -1)
            above[tuple(upper)] |= covered[tuple(lower)]
        return self.list_node_levels(np.flatnonzero(self.satisfying & ~above))


def rank_breadth_first(levels: Levels) -> tuple[int, ...]:
    """Return the rank of a node in a breadth-first walk from the bottom, the first attribute incremented first.

    The walk meets lower nodes first, and of equally high ones those that are larger in the first attribute in which
    they differ.

    Examples
    --------
    >>> sorted([(0, 2), (1, 1), (2, 0), (0, 1)], key=rank_breadth_first)
    [(0, 1), (2, 0), (1, 1), (0, 2)]
    """
    return (sum(levels), *(-level for level in levels))


# The combinations of a table as arrays, of which `toolbox.methods.lattice.nodes` counts the classes of nodes.


class NodeHistogram(NamedTuple):
    """How often each sensitive value occurs in each class of a node."""

    classes: Numbers
    """Which class, from 0."""
    values: Numbers
    """Which value, by its number."""
    records: Numbers


class LatticeColumn(NamedTuple):
    """One quasi-identifier of all combinations."""

    values: Whole
    """Its ground value in each combination."""
    generalised: tuple[Numbers, ...]
    """For each level, the code of every ground value; codes count from 0."""


@dataclass(frozen=True)
class Frequencies:
    """The initial combinations, or each of them once for each of its sensitive values."""

    columns: tuple[LatticeColumn, ...]
    records: Numbers
    sensitive: Codes | None = None
    """The number of the sensitive value, if there is one; or of a person, or of a pair of both."""
    value_of: Numbers | None = None
    """The number of the value of each such pair."""


def fetch_frequencies(tables: Tables) -> Frequencies:
    """Fetch the initial combinations."""
    _, sizes, values = combinations_of(tables)
    return Frequencies(_make_columns(tables, values), sizes.astype(np.int64, copy=False))


def fetch_sensitive_frequencies(tables: Tables, attribute: str) -> tuple[Frequencies, Table]:
    """Fetch the initial combinations with their sensitive values; number these in a table, ``number, value``."""
    store, combination = tables.store, tables.combinations
    held, overall = tables.sensitive[attribute].histogram, tables.sensitive[attribute].overall
    code = cast(func.row_number().over(order_by=overall.c.value) - 1, Integer).label("number")
    values = store.create("values", select(code, overall.c.value))
    if tables.person_pairs is not None:
        return _fetch_person_values(tables, attribute, values), values
    columns = [combination.c[name] for name in tables.interval_names]
    fetched = store.to_arrays(
        select(*columns, values.c.number, held.c.records)
        .join_from(held, values, values.c.value == held.c.value)
        .join(combination, combination.c.combination_id == held.c.combination_id)
    )
    ranks = [fetched[name] for name in tables.interval_names]
    return Frequencies(_make_columns(tables, ranks), fetched["records"], fetched["number"]), values


def _fetch_person_frequencies(tables: Tables) -> Frequencies | None:
    """Fetch the initial combinations with each of their persons; None where sizes say how many these are."""
    if tables.person_pairs is None:
        return None
    fetched = _fetch_with_combinations(tables, tables.person_pairs, [tables.person_pairs.c.person])
    ranks = [fetched[name] for name in tables.interval_names]
    return Frequencies(_make_columns(tables, ranks), np.ones(len(fetched["person"]), np.int64), fetched["person"])


def _fetch_person_values(tables: Tables, attribute: str, values: Table) -> Frequencies:
    """Fetch the initial combinations with each pair of a sensitive value and a person who has it."""
    assert tables.persons is not None, "the caller knows that there are persons"
    held = tables.persons.values[attribute]
    numbered = select(held.c.combination_id, values.c.number, held.c.person)
    rows = numbered.join_from(held, values, values.c.value == held.c.value).subquery()
    fetched = _fetch_with_combinations(tables, rows, [rows.c.number, rows.c.person])
    pairs = grouping.encode_pairs(fetched["number"], fetched["person"], tables.persons.count)
    distinct, codes = np.unique(pairs, return_inverse=True)
    ranks = [fetched[name] for name in tables.interval_names]
    columns, value_of = _make_columns(tables, ranks), distinct // tables.persons.count
    return Frequencies(columns, np.ones(len(codes), np.int64), codes.astype(np.int32), value_of)


def _fetch_with_combinations(
    tables: Tables, rows: FromClause, columns: Sequence[ColumnElement[int]]
) -> dict[str, NDArray[Any]]:
    combination = tables.combinations
    same = combination.c.combination_id == rows.c.combination_id
    intervals = [combination.c[name] for name in tables.interval_names]
    return tables.store.to_arrays(select(*intervals, *columns).join_from(rows, combination, same))


def _count_class_persons(histogram: NodeHistogram, count: int) -> Numbers:
    """Return the different persons of each class, from a histogram of what `_fetch_person_frequencies` has fetched."""
    return np.bincount(histogram.classes, minlength=count)


_RECORD, _PERSON = 0, 1


def _fetch_with_people(tables: Tables) -> Frequencies:
    """Fetch the initial combinations and those of the population; what stands for a value tells them apart."""
    assert tables.population is not None, "the caller knows that there is one"
    sides = [combinations_of(tables), combinations_of(tables, tables.population)]
    # People who are estimated are no whole numbers.
    records = np.concatenate([sizes.astype(np.result_type(sizes, np.int64), copy=False) for _, sizes, _ in sides])
    values = [np.concatenate(both) for both in zip(*(values for *_, values in sides), strict=True)]
    origin = np.repeat(np.array([_RECORD, _PERSON], np.int32), [len(sizes) for _, sizes, _ in sides])
    return Frequencies(_make_columns(tables, values), records, origin)


def _count_histogram_people(histogram: NodeHistogram) -> Numbers:
    """Return the people of each class that has records, from a histogram of what `_fetch_with_people` has fetched."""
    people = np.zeros(int(histogram.classes.max()) + 1, histogram.records.dtype)
    is_person = histogram.values == _PERSON
    people[histogram.classes[is_person]] = histogram.records[is_person]
    covered: Numbers = people[histogram.classes[~is_person]]
    return covered


def _make_columns(tables: Tables, values: Sequence[Whole]) -> tuple[LatticeColumn, ...]:
    each = zip(tables.quasi_identifiers, values, strict=True)
    return tuple(LatticeColumn(ranks, _number_codes(tables, column)) for column, ranks in each)


def _number_codes(tables: Tables, column: QuasiIdentifierTables) -> tuple[Numbers, ...]:
    """Return the codes of the values at each level, numbered from 0: a small radix leaves room for more columns."""
    codes = list_level_codes(tables, column)
    return tuple(np.unique(code, return_inverse=True)[1].astype(np.int64) for code in codes)


# The classes of lattice nodes, rolled up from those of lower nodes that were counted before.
#
# The class of a combination at a node is one number: the codes of its generalised values in a mixed radix. Equal
# numbers are brought together by sorting whole numbers, which numpy does with vector instructions, or by counting
# where there are few. So a node of ten thousand combinations takes less time than a statement takes to plan.
#
# Neighbouring columns of few values are looked at together, as one column of all their pairs or triples: so a node of
# nine columns is three additions. Of the nodes counted before, the one with fewest classes that lies below is rolled
# up.
#
# LeFevre, DeWitt and Ramakrishnan (2005). Incognito: efficient full-domain k-anonymity. doi:10.1145/1066157.1066164

_TOGETHER = 8192
"""Most values that a group of columns may have together."""
_REMEMBERED = 400
"""Most nodes whose classes are kept to be rolled up."""
_SHOWN = 1.5
"""Combinations that are looked at, for each class that a node may have, to show that it has more."""
_LEAST_ROWS = 4_000_000
"""Rows of such classes that are kept in any case; more, if the combinations are many."""


class NodeClasses(NamedTuple):
    """The classes of a node."""

    values: tuple[Codes, ...]
    """For each group of columns, the value of one member of each class."""
    sizes: Numbers
    """The records of each class."""
    numbers: Numbers
    """Ascending; classes of the node come in the same order, with and without their sensitive values."""


class Group:
    """Neighbouring columns whose values are numbered together."""

    def __init__(self, columns: Sequence[LatticeColumn], positions: Sequence[int]) -> None:
        self.positions = tuple(positions)
        self.columns = columns
        self._known: dict[Levels, tuple[Numbers, int]] = {}
        self.size = 1
        for column in columns:
            self.size *= len(column.generalised[0])

    @cached_property
    def parts(self) -> tuple[Numbers, ...]:
        """For each column, its value in every value of the group."""
        rest, parts = np.arange(self.size), []
        for column in reversed(self.columns):
            rest, part = np.divmod(rest, len(column.generalised[0]))
            parts.append(part)
        return tuple(reversed(parts))

    def values(self) -> Codes:
        """Return the value of the group in each combination."""
        total = np.zeros(len(self.columns[0].values), np.int64)
        for column in self.columns:
            total = total * len(column.generalised[0]) + column.values
        return total.astype(np.int32)

    def codes(self, levels: Levels) -> tuple[Numbers, int]:
        """Return, for each value of the group, its number at a node, and how many numbers there may be."""
        own = tuple(levels[position] for position in self.positions)
        if own not in self._known:
            numbers, span = np.zeros(self.size, np.int64), 1
            for column, part, level in zip(self.columns, self.parts, own, strict=True):
                codes = column.generalised[level]
                count = int(codes.max()) + 1
                numbers, span = numbers * count + codes[part], span * count
            self._known[own] = numbers, span
        return self._known[own]


class NodeCounter:
    """Counts the classes of nodes of one table."""

    def __init__(self, frequencies: Frequencies) -> None:
        self.groups = _group_columns(frequencies.columns)
        values = [group.values() for group in self.groups]
        self.own, self._value_of = 1, frequencies.value_of
        if frequencies.sensitive is not None:
            self.own = int(frequencies.sensitive.max()) + 1
            values.append(frequencies.sensitive.astype(np.int32))
        records = frequencies.records.astype(np.result_type(frequencies.records, np.int64), copy=False)
        self.base = NodeClasses(tuple(values), records, np.arange(len(records)))
        self._history = _History(len(frequencies.columns), max(_LEAST_ROWS, 4 * len(records)))

    def classes(self, levels: Levels) -> NodeClasses:
        """Count the records of each class of a node; with a sensitive attribute, of each of its values there."""
        below = self._below(levels)
        numbers, span = self.number_rows(below.values, levels)
        if self.own > 1:
            numbers, span = make_room(numbers, span, self.own)
            numbers, span = numbers * self.own + below.values[-1], span * self.own
        distinct, sizes, members = _sum_records(numbers, span, below.sizes)
        counted = NodeClasses(tuple(values[members] for values in below.values), sizes, distinct)
        self._history.keep(levels, counted, len(below.sizes))
        return counted

    def has_more_classes(self, levels: Levels, most: int) -> bool:
        """Return whether a few of the combinations are enough to show that a node has more than `most` classes.

        Where this is false, the node may still have more.
        """
        values = self._below(levels).values
        step = int(len(values[0]) / (_SHOWN * max(1, most)))
        if step < 2 or prod(group.codes(levels)[1] for group in self.groups) <= most:
            return False
        numbers, _ = self.number_rows([column[::step] for column in values], levels)
        numbers.sort()
        return int(np.count_nonzero(is_first(numbers))) > most

    def _below(self, levels: Levels) -> NodeClasses:
        """Return what a node is rolled up from."""
        return self._history.find_best_below(levels) or self.base

    def number_rows(self, below: Sequence[Codes], levels: Levels) -> tuple[Numbers, int]:
        """Return the number of the class of each row at a node, and a bound above all of these numbers."""
        numbers, span = np.zeros(len(below[0]), np.int64), 1
        for group, values in zip(self.groups, below, strict=False):
            codes, count = group.codes(levels)
            if count > 1:
                numbers, span = make_room(numbers, span, count)
                if span == 1:
                    numbers = codes[values]
                else:
                    numbers *= count
                    numbers += codes[values]
                span *= count
        return numbers, span

    def list_codes(self, levels: Levels, counted: NodeClasses) -> list[Numbers]:
        """Return, for each quasi-identifier, the code of what each class of a node shows."""
        codes: dict[int, Numbers] = {}
        for group, values in zip(self.groups, counted.values, strict=False):
            for position, column, part in zip(group.positions, group.columns, group.parts, strict=True):
                codes[position] = column.generalised[levels[position]][part[values]]
        return [codes[position] for position in sorted(codes)]

    def histogram(self, levels: Levels) -> NodeHistogram:
        """Count the records of each class by sensitive value; classes are numbered in the order of their sizes.

        Of pairs of value and person, the different persons who have a value are counted.
        """
        counted = self.classes(levels)
        classes = np.cumsum(is_first(counted.numbers // self.own), dtype=np.int64) - 1
        values = counted.values[-1].astype(np.int64)
        if self._value_of is None:
            return NodeHistogram(classes, values, counted.sizes)
        span = int(self._value_of.max()) + 1
        held, persons = np.unique(grouping.encode_pairs(classes, self._value_of[values], span), return_counts=True)
        return NodeHistogram(*grouping.decode_pairs(held, span), persons)


class _History:
    """The classes of the nodes that were counted last."""

    def __init__(self, columns: int, most_rows: int) -> None:
        self._levels = np.full((_REMEMBERED, columns), 127, np.int16)
        self._rows = np.zeros(_REMEMBERED, np.int64)
        self._classes: list[NodeClasses | None] = [None] * _REMEMBERED
        self._next, self._total, self._most = 0, 0, most_rows

    def find_best_below(self, levels: Levels) -> NodeClasses | None:
        """Return the classes of the lower node, or the node itself, that has fewest."""
        below = np.flatnonzero((self._levels <= np.array(levels, np.int16)).all(axis=1))
        return self._classes[below[self._rows[below].argmin()]] if len(below) else None

    def keep(self, levels: Levels, classes: NodeClasses, made_of: int) -> None:
        """Keep classes, unless there are hardly fewer than what they were rolled up from."""
        rows = len(classes.sizes)
        if 5 * rows > 4 * made_of or rows > self._most:
            return
        self._forget(self._next)
        oldest = self._next
        while self._total + rows > self._most:
            oldest = (oldest + 1) % _REMEMBERED
            self._forget(oldest)
        self._levels[self._next], self._rows[self._next] = levels, rows
        self._classes[self._next] = classes
        self._total += rows
        self._next = (self._next + 1) % _REMEMBERED

    def _forget(self, place: int) -> None:
        self._total -= int(self._rows[place])
        self._levels[place], self._rows[place], self._classes[place] = 127, 0, None


def _group_columns(columns: Sequence[LatticeColumn]) -> list[Group]:
    groups: list[list[int]] = []
    size = _TOGETHER + 1
    for position, column in enumerate(columns):
        count = len(column.generalised[0])
        if size * count > _TOGETHER:
            groups.append([])
            size = 1
        groups[-1].append(position)
        size *= count
    return [Group([columns[position] for position in group], group) for group in groups]


def _sum_records(numbers: Numbers, span: int, records: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """Find the distinct numbers, ascending, the sum of the records of each, and one place of each."""
    count = len(numbers)
    if span <= 2 * count:
        sums = np.bincount(numbers, weights=records, minlength=span)
        member = np.zeros(span, np.int64)
        member[numbers] = np.arange(count)
        distinct = np.flatnonzero(sums)
        return distinct, sums[distinct].astype(records.dtype), member[distinct]
    bits = count.bit_length()
    if span << bits <= grouping.LARGEST:
        # Sorting values is several times as fast as sorting places, so the places travel in the lower bits.
        packed = numbers << bits
        packed |= np.arange(count)
        packed.sort()
        order = packed & ((1 << bits) - 1)
        numbers = packed >> bits
    else:
        order = np.argsort(numbers)
        numbers = numbers[order]
    starts: NDArray[np.int64] = np.flatnonzero(is_first(numbers))
    return numbers[starts], np.add.reduceat(records[order], starts), order[starts]


# What the models see of a node, counted from combinations, from their sensitive values and from their persons.


class FrequencySet(NamedTuple):
    """What the models see of a node."""

    sizes: Numbers
    """The records of each class."""
    histograms: Sequence[NodeHistogram]
    """One for each sensitive attribute that is judged."""
    people: Numbers | None = None
    """The people of the population whom each class covers; None if no model asks for them."""
    persons: Numbers | None = None
    """The different persons of each class, where they are declared and not what sizes count."""
    shown: ShownColumns | None = None
    """What the classes show in each quasi-identifier; None if no model compares them there."""

    @property
    def judged_sizes(self) -> Numbers:
        """The sizes that models judge: persons, where these are counted."""
        return self.sizes if self.persons is None else self.persons


class FrequencySource:
    """Counts what models must be shown of nodes.

    Parameters
    ----------
    tables : Tables
    models : sequence of PrivacyModel
    """

    def __init__(self, tables: Tables, models: Sequence[PrivacyModel]) -> None:
        judged = dict.fromkeys(model.attribute for model in models if model.attribute is not None)
        fetched = {attribute: fetch_sensitive_frequencies(tables, attribute) for attribute in judged}
        self._with_values = [NodeCounter(frequencies) for frequencies, _ in fetched.values()]
        self.values: Mapping[str, Table] = {attribute: values for attribute, (_, values) in fetched.items()}
        asks_people = any(model.needs_population for model in models)
        self._with_people = NodeCounter(_fetch_with_people(tables)) if asks_people else None
        persons = _fetch_person_frequencies(tables)
        self._with_persons = None if persons is None else NodeCounter(persons)
        self._asks_columns = any(model.needs_columns for model in models)

    def describe(self, levels: Levels, counter: NodeCounter, counted: NodeClasses) -> FrequencySet:
        """Return what the models see of a node.

        Parameters
        ----------
        counter : NodeCounter
            Of the combinations.
        counted : NodeClasses
            The classes that it has counted.
        """
        histograms = [one.histogram(levels) for one in self._with_values]
        people = None if self._with_people is None else _count_histogram_people(self._with_people.histogram(levels))
        persons = None if self._with_persons is None else self._with_persons.histogram(levels)
        sizes, shown = counted.sizes, None
        if self._asks_columns:
            rows = None if persons is None else PersonRows(persons.classes, persons.values)
            shown = ShownColumns(levels, counter.list_codes(levels, counted), rows)
        count = None if persons is None else _count_class_persons(persons, len(sizes))
        return FrequencySet(sizes, histograms, people, count, shown)

    def count_persons(self, levels: Levels, sizes: Numbers) -> Numbers | None:
        """Return the different persons of each class of a node; None where its sizes say it all."""
        if self._with_persons is None:
            return None
        return _count_class_persons(self._with_persons.histogram(levels), len(sizes))
