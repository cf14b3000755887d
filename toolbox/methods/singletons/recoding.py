"""From the choice for each value to the classes of a release."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from sqlalchemy import select

from toolbox.methods.arrays.naming import interval_rows, next_interval, range_ends, with_intervals
from toolbox.methods.arrays.recoding import recode
from toolbox.methods.arrays.types import Flags, Whole
from toolbox.methods.singletons.columns import Column, Rows
from toolbox.methods.singletons.rules import ends_of
from toolbox.store.tables import QuasiIdentifierTables, Tables


def recode_rows(tables: Tables, rows: Rows, choice: Sequence[Whole], suppressed: Flags) -> Tables:
    """Recode each combination to its new values; suppressed ones show their roots."""
    sizes = rows.sizes.astype(tables.store.to_arrays(select(tables.combinations.c.size).limit(1))["size"].dtype)
    intervals: list[Whole] = []
    named: list[QuasiIdentifierTables] = []
    each = zip(tables.quasi_identifiers, rows.columns, rows.values, choice, strict=True)
    for quasi_identifier, column, values, how in each:
        names, extended = _named(tables, quasi_identifier, column, values, how)
        intervals.append(np.where(suppressed, quasi_identifier.root, names))
        named.append(extended)
    return recode(tables, rows.combination_ids, sizes, intervals, suppressed=suppressed, quasi_identifiers=named)


def _named(
    tables: Tables, quasi_identifier: QuasiIdentifierTables, column: Column, values: Whole, how: Whole
) -> tuple[Whole, QuasiIdentifierTables]:
    """Return the interval of each row; new ranges get new intervals."""
    intervals = values.astype(np.int64)
    new: list[tuple[int, str, int, int]] = []
    first = next_interval(tables, quasi_identifier)
    for index, generalisation in enumerate(column.generalisations, start=1):
        chosen = how == index
        groups = generalisation.group[values[chosen]]
        if generalisation.intervals is not None:
            intervals[chosen] = generalisation.intervals[groups]
            continue
        used, position = np.unique(groups, return_inverse=True)
        intervals[chosen] = first + len(new) + position
        lowest, highest = ends_of(generalisation.group)
        for group in used.tolist():
            new.append((first + len(new), generalisation.labels[group], int(lowest[group]), int(highest[group])))
    return _by_label(column, values, how, intervals), _with_ranges(tables, quasi_identifier, new)


def _by_label(column: Column, values: Whole, how: Whole, intervals: Whole) -> Whole:
    """Replace intervals that share a label by the widest of them, if it covers the others.

    People who stand out are counted by labels, so classes must not differ in anything else: the town of Aosta and the
    province of Aosta are one label.
    """
    ids, rows = np.unique(intervals, return_index=True)
    labels = column.codes[how[rows], values[rows]]
    order = np.argsort(labels, kind="stable")
    widest = ids.copy()
    for same in np.split(order, np.flatnonzero(np.diff(labels[order])) + 1):
        if len(same) > 1:
            covered = [_covered(column, int(how[row]), int(values[row])) for row in rows[same]]
            largest = max(range(len(same)), key=lambda index: len(covered[index]))
            inside = [bool(np.isin(quasi_identifier, covered[largest]).all()) for quasi_identifier in covered]
            widest[same[inside]] = ids[same[largest]]
    numbered: Whole = widest[np.searchsorted(ids, intervals)]
    return numbered


def _covered(column: Column, how: int, value: int) -> Whole:
    """Return the values that are generalised together with this one."""
    if not how:
        return np.array([value])
    generalisation = column.generalisations[how - 1]
    group, code = generalisation.group, generalisation.group[value]
    if generalisation.intervals is None:  # Groups of numbers follow each other, and there may be very many.
        return np.arange(np.searchsorted(group, code), np.searchsorted(group, code, side="right"))
    return np.flatnonzero(group == code)


def _with_ranges(
    tables: Tables, quasi_identifier: QuasiIdentifierTables, new: Sequence[tuple[int, str, int, int]]
) -> QuasiIdentifierTables:
    """Add new ranges of numbers to the intervals."""
    if not new:
        return quasi_identifier
    store = tables.store
    numbers, labels, lowest, highest = (list(part) for part in zip(*new, strict=True))
    ranges = store.create_constant(
        "ranges",
        {"interval_id": (int, numbers), "label": (str, labels), "lowest": (int, lowest), "highest": (int, highest)},
    )
    low, high, joined = range_ends(ranges, quasi_identifier)
    rows = interval_rows(ranges, ranges.c.label, low.c.value, high.c.value).select_from(joined)
    extended = with_intervals(tables, quasi_identifier, rows)
    store.drop(ranges)
    return extended
