"""The distinct combinations of a table as arrays: codes at every level, numbers for rows, and runs of equal ones."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Integer, SmallInteger, cast, select

from toolbox.store.tables import PopulationTables, QuasiIdentifierTables, Tables

# The kinds of arrays of which searches in memory are made.

Whole = NDArray[np.integer[Any]]
"""Whole numbers of any width."""
Numbers = NDArray[np.int64]
"""Whole numbers of eight bytes, such as positions, sums and numbers of classes."""
Codes = NDArray[np.int32]
"""Whole numbers of four bytes, such as the ranks of values."""
Reals = NDArray[np.float64]
"""Numbers with decimals."""
Flags = NDArray[np.bool_]
"""Truth values."""


# The generalisations of each value of a quasi-identifier at every level, as arrays.


def list_level_codes(tables: Tables, column: QuasiIdentifierTables) -> list[Whole]:
    """Return, for each level from 0 to the root, the interval of each value that occurs.

    Parameters
    ----------
    tables : Tables
    column : QuasiIdentifierTables
        The leaves of its hierarchy may lie at different depths.
    """
    if not column.height:
        return _list_uneven_codes(tables, column)
    levels = [column.level(level) for level in range(column.height + 1)]
    fetched = tables.store.to_arrays(select(*levels).order_by(column.ground.c.level_0))
    return [fetched[level.name] for level in levels]


def _list_uneven_codes(tables: Tables, column: QuasiIdentifierTables) -> list[Whole]:
    """Return the codes where leaves lie at different depths: below its leaf a value stays as it is.

    Levels count down from the root to the deepest leaf, and nodes are numbered parents first, each before what is below
    it: so of the nodes of one level the last that does not come after a leaf is above it. Of leaves that share a
    boundary the first takes the value there.
    """
    ground, nodes = column.ground.c, column.intervals.c
    values = tables.store.to_arrays(select(ground.value).order_by(ground.level_0))["value"]
    listed = select(nodes.interval_id, nodes.level, nodes.low, nodes.high, nodes.low_closed, nodes.high_closed)
    node = tables.store.to_arrays(listed.where(nodes.interval_id >= column.values).order_by(nodes.interval_id))
    ids, levels = node["interval_id"].astype(np.int64), node["level"].astype(np.int64)
    below, to_low = (np.searchsorted(values, node["low"], side) for side in ("left", "right"))
    to_high, to_end = (np.searchsorted(values, node["high"], side) for side in ("left", "right"))
    first, end = np.where(node["low_closed"], below, to_low), np.where(node["high_closed"], to_end, to_high)
    leaf = np.full(column.values, -1)
    for index in np.flatnonzero(np.append(levels[1:] >= levels[:-1], True))[::-1]:
        leaf[first[index] : end[index]] = index
    top = int(levels.max())
    codes: list[Whole] = [np.arange(column.values)]
    for level in range(1, top + 1):
        last = np.maximum.accumulate(np.where(levels == level, np.arange(len(levels)), 0))
        # What is in no leaf is below the root alone.
        is_below = (leaf >= 0) & (levels[leaf] <= level) | (level == top)
        codes.append(np.where(is_below, ids[last[leaf]], codes[-1]))
    return codes


# The distinct combinations of a table as arrays, in an order that does not depend on that of its records.


class Combinations(NamedTuple):
    """The distinct combinations of quasi-identifier values, in the order of these values."""

    ids: Whole
    sizes: Whole
    """Records of each combination, or people."""
    values: list[Whole]
    """For each quasi-identifier the rank of the value, in two bytes where that is enough."""


def combinations_of(tables: Tables, people: PopulationTables | None = None) -> Combinations:
    """Fetch the initial combinations, or those of a population."""
    combination = (tables if people is None else people).combinations.c
    columns = [
        cast(combination[name], SmallInteger if column.values < 2**15 else Integer).label(name)
        for name, column in zip(tables.interval_names, tables.quasi_identifiers, strict=True)
    ]
    fetched = tables.store.to_arrays(select(combination.combination_id, combination.size, *columns))
    ids = fetched["combination_id"]
    # Combinations are numbered in the order of their values. A table nearly always comes as it is stored; but an engine
    # may return rows in any order, and to sort them there would take longer than to look.
    if (ids[1:] < ids[:-1]).any():
        order = np.argsort(ids)
        fetched = {name: column[order] for name, column in fetched.items()}
    return Combinations(fetched["combination_id"], fetched["size"], [fetched[name] for name in tables.interval_names])


# Numbers for rows of several columns: equal rows have equal numbers.

LARGEST = 2**62
"""Numbers of rows, and what is sorted with them, stay below."""


def number_rows(columns: Iterable[Whole]) -> tuple[Numbers, int]:
    """Return equal numbers for equal rows, without gaps and in the order of their values, and the count of numbers.

    Parameters
    ----------
    columns : iterable of array of int, >= 0
        At least one. They are read one after the other, so that they need not be in memory together.

    Examples
    --------
    >>> numbers, count = number_rows([np.array([1, 0, 1, 0]), np.array([0, 5, 0, 2])])
    >>> numbers.tolist(), count
    ([2, 1, 2, 0], 3)
    """
    numbers, span = np.zeros(1, np.int64), 1
    for column in columns:
        count = int(column.max(initial=0)) + 1
        numbers, span = make_room(numbers, span, count)
        numbers, span = numbers * count + column, span * count
    return _close_gaps(numbers)


def make_room(numbers: Numbers, span: int, count: int) -> tuple[Numbers, int]:
    """Return numbers that can be multiplied by a count, in the same order: without gaps if they are too large now.

    Parameters
    ----------
    numbers : array
    span : int
        One above all of them.
    count : int

    Returns
    -------
    numbers : array
    span : int
    """
    return (numbers, span) if span * count <= LARGEST else _close_gaps(numbers)


def encode_pairs(first: Whole, second: Whole, span: int) -> Numbers:
    """Return one number for each pair, in the order of the pairs.

    Parameters
    ----------
    first, second : array of int, >= 0
    span : int
        One above all of the second, at least.

    Examples
    --------
    >>> pairs = encode_pairs(np.array([2, 0]), np.array([1, 3]), 4)
    >>> pairs.tolist(), [part.tolist() for part in decode_pairs(pairs, 4)]
    ([9, 3], [[2, 0], [1, 3]])
    """
    pairs: Numbers = first.astype(np.int64) * span + second
    return pairs


def decode_pairs(pairs: Numbers, span: int) -> tuple[Numbers, Numbers]:
    """Return the pairs from which `paired` has made numbers."""
    return np.divmod(pairs, span)


def _close_gaps(numbers: Numbers) -> tuple[Numbers, int]:
    distinct, ranks = np.unique(numbers, return_inverse=True)
    return ranks.astype(np.int64, copy=False), len(distinct)


# Runs of neighbouring rows in arrays, such as the members of classes: where each starts, and its total.


def find_starts(lengths: Whole) -> Numbers:
    """Return where each run starts.

    Examples
    --------
    >>> find_starts(np.array([2, 3, 1])).tolist()
    [0, 2, 5]
    """
    starts = np.zeros(len(lengths), np.int64)
    np.cumsum(lengths[:-1], out=starts[1:])
    return starts


def totals(column: NDArray[Any], starts: Numbers) -> Numbers:
    """Return the sum of a column in each run.

    Examples
    --------
    >>> totals(np.array([1, 2, 3, 4]), np.array([0, 3])).tolist()
    [6, 4]
    """
    sums: Numbers = np.add.reduceat(column, starts, dtype=np.int64)
    return sums


def list_run_positions(starts: Numbers, lengths: Numbers) -> Numbers:
    """Return the positions in several runs, one run after the other.

    Examples
    --------
    >>> list_run_positions(np.array([7, 2]), np.array([2, 3])).tolist()
    [7, 8, 2, 3, 4]
    """
    positions = np.repeat(starts - find_starts(lengths), lengths)
    positions += np.arange(len(positions))
    return positions


def is_first(values: NDArray[Any]) -> Flags:
    """Mark each value that differs from the one before it: in sorted values, the first of those that are equal.

    Examples
    --------
    >>> is_first(np.array([3, 3, 5, 8, 8])).tolist()
    [True, False, True, True, False]
    """
    marked = np.empty(len(values), np.bool_)
    marked[:1] = True
    np.not_equal(values[1:], values[:-1], out=marked[1:])
    return marked


# The persons of combinations, where one person may have several of these.


class PersonPairs:
    """The persons of each combination, where a person may have several."""

    def __init__(self, tables: Tables) -> None:
        assert tables.person_pairs is not None and tables.persons is not None, "persons are counted by pairs"
        pairs = tables.person_pairs.c
        fetched = tables.store.to_arrays(select(pairs.combination_id, pairs.person).order_by(pairs.combination_id))
        self._persons = fetched["person"]
        self._lengths = np.bincount(fetched["combination_id"])
        self._starts = find_starts(self._lengths)
        self._span = tables.persons.count
        # A person counts one over the number of combinations: so no class of any combinations has fewer persons.
        shares = 1 / np.bincount(self._persons, minlength=self._span)
        self._least = np.add.reduceat(shares[self._persons], self._starts)

    def count(self, combination_ids: Whole, classes: Whole, count: int) -> Numbers:
        """Count the different persons of each class.

        Parameters
        ----------
        combination_ids : array
            The members of all classes; a combination may be in several.
        classes : array
            The class of each, numbered from 0.
        count : int
            Number of classes.
        """
        lengths = self._lengths[combination_ids]
        persons = self._persons[list_run_positions(self._starts[combination_ids], lengths)]
        pairs = encode_pairs(np.repeat(classes, lengths), persons, self._span)
        pairs.sort()
        members, _ = decode_pairs(pairs[is_first(pairs)], self._span)
        return np.bincount(members, minlength=count)

    def mark_few(self, combination_ids: Whole, classes: Whole, count: int, least: int) -> Flags:
        """Mark the classes of fewer persons than a number; only those are counted that bounds leave in doubt."""
        bound = np.bincount(classes, self._least[combination_ids], count)
        few: Flags = np.bincount(classes, self._lengths[combination_ids], count) < least
        # What is above this whole number is at least the next one, however sums are rounded.
        doubtful = ~few & (bound < least - 0.5)
        if doubtful.any():
            number = np.cumsum(doubtful) - 1
            asked = doubtful[classes]
            counted = self.count(combination_ids[asked], number[classes[asked]], int(doubtful.sum()))
            few[doubtful] = counted < least
        return few


def find_pairs(tables: Tables) -> PersonPairs | None:
    """Return the persons of each combination; None where sizes say how many there are."""
    return None if tables.person_pairs is None else PersonPairs(tables)
