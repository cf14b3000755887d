"""The regions into which cuts divide the declared domains: their bounds and their names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import FromClause, and_, case, func, or_, select

from toolbox.methods.arrays.combinations import Flags, Reals, Whole, decode_pairs, encode_pairs
from toolbox.methods.arrays.recoding import (
    add_intervals,
    find_next_interval,
    recode,
    select_interval_rows,
)
from toolbox.methods.mondrian.partitions import Partitions, are_named_by_ends, name_values
from toolbox.queries.cells import format_java_number
from toolbox.queries.dialect import Table, find_first_by, find_last_by
from toolbox.queries.labels import build_set_label, is_within_bounds, mark_apart, name_range, write_member
from toolbox.store.tables import QuasiIdentifierTables, Tables


@dataclass(frozen=True)
class RegionDomain:
    """What the bounds of regions in one quasi-identifier stand for; see `Regions`."""

    values: Reals
    """The value of each rank."""
    low: float
    high: float
    low_closed: bool
    high_closed: bool

    def lows(self, lower: Whole) -> Reals:
        """Return the lower bounds as numbers."""
        return np.where(lower < 0, self.low, self.values[lower >> 1])

    def find_upper_bounds(self, upper: Whole) -> Reals:
        """Return the upper bounds as numbers."""
        return np.where(upper < 0, self.high, self.values[upper >> 1])

    def closed(self, lower: Whole, upper: Whole) -> tuple[Flags, Flags]:
        """Return whether the bounds themselves belong to the regions."""
        return (
            np.where(lower < 0, self.low_closed, lower & 1 == 1),
            np.where(upper < 0, self.high_closed, upper & 1 == 1),
        )


def read_domain(tables: Tables, column: QuasiIdentifierTables) -> RegionDomain:
    """Read the values of a quasi-identifier and the root of its hierarchy.

    A missing value that is kept as a category lies outside the declared root, which is widened for it.
    """
    ground, root = column.ground, column.intervals
    values = tables.store.to_arrays(select(ground.c.value).order_by(ground.c.level_0))["value"]
    bounds = select(root.c.low, root.c.high, root.c.low_closed, root.c.high_closed)
    low, high, low_closed, high_closed = tables.store.row(bounds.where(root.c.interval_id == column.root))
    lowest, highest = values[0], values[-1]
    return RegionDomain(
        values,
        min(low, lowest),
        max(high, highest),
        low_closed or lowest <= low,
        high_closed or highest >= high,
    )


def name_regions(
    tables: Tables, column: QuasiIdentifierTables, lower: Whole, upper: Whole
) -> tuple[Whole, QuasiIdentifierTables]:
    """Name each class after its region: ``(34.0:100.0]``; after the root if the region is uncut.

    Codes of categories tell a reader of a release nothing, so that categories are named, except as in 2010.

    Parameters
    ----------
    lower, upper : array
        The bounds of each class; see `Regions`.

    Returns
    -------
    intervals : array
        The interval of each class. Regions are numbered after all other intervals, in the order of their bounds.
    quasi_identifier : QuasiIdentifierTables
        With the regions among its intervals.
    """
    domain = read_domain(tables, column)
    span = 2 * len(domain.values) + 1
    pairs, places = np.unique(encode_pairs(lower + 1, upper + 1, span), return_inverse=True)
    lower, upper = (bounds - 1 for bounds in decode_pairs(pairs, span))
    lows, highs, (low_closed, high_closed) = (
        domain.lows(lower),
        domain.find_upper_bounds(upper),
        domain.closed(lower, upper),
    )
    first = find_next_interval(tables, column)
    numbers = np.empty(len(pairs), np.int32)
    numbers[np.lexsort((high_closed, low_closed, highs, lows))] = first + np.arange(len(pairs))
    is_cut = (lower >= 0) | (upper >= 0)
    new: dict[str, NDArray[Any]] = {
        "interval_id": numbers,
        "low": lows,
        "high": highs,
        "low_closed": low_closed,
        "high_closed": high_closed,
    }
    regions = tables.store.from_arrays("regions", {name: values[is_cut] for name, values in new.items()})
    labels, region = _name_regions(tables, regions, column), regions.c
    rows = select_interval_rows(
        regions,
        labels.c.label,
        region.low,
        region.high,
        low_closed=region.low_closed,
        high_closed=region.high_closed,
    ).join_from(regions, labels, labels.c.interval_id == region.interval_id)
    extended = add_intervals(tables, column, rows)
    tables.store.drop(regions)
    numbers[~is_cut] = column.root
    return numbers[places], extended


def _name_regions(tables: Tables, regions: Table, column: QuasiIdentifierTables) -> FromClause:
    """Name regions: ``interval_id, label``."""
    if not column.codes_are_known:
        return _name_by_categories(tables, regions, column)
    bounds = func.concat(
        case((regions.c.low_closed, "["), else_="("),
        column.scale.text(regions.c.low, format_java_number),
        ":",
        column.scale.text(regions.c.high, format_java_number),
        case((regions.c.high_closed, "]"), else_=")"),
    )
    nodes = column.intervals.alias()
    bounds_differ = (nodes.c[name] != regions.c[name] for name in ("low", "high", "low_closed", "high_closed"))
    is_other = or_(*bounds_differ, nodes.c.members.is_not(None))
    return select(regions.c.interval_id, mark_apart(bounds, nodes, is_other).label("label")).subquery()


def _name_by_categories(tables: Tables, regions: Table, column: QuasiIdentifierTables) -> FromClause:
    """Name regions by the categories in them: one keeps its name, several that a node has just so its label.

    Others with an order are named by both ends, and the rest one by one: nobody has a key to their codes.
    """
    ground = column.ground
    inside = regions.join(ground, is_within_bounds(regions, ground.c.value))
    ends = [find_first_by(ground.c.label, ground.c.value), find_last_by(ground.c.label, ground.c.value)]
    _, several = build_set_label(ground.c.level_0, write_member(ground.c.label))
    if are_named_by_ends(tables, column):
        several = name_range(*ends)
    held = [func.min(ground.c.value).label("first"), func.max(ground.c.value).label("last")]
    listed = (
        select(regions.c.interval_id, *held, several.label("several"), ends[0].label("one"))
        .select_from(inside)
        .group_by(regions.c.interval_id)
        .subquery()
    )
    node = column.intervals.alias()
    below = node.join(ground, is_within_bounds(node, ground.c.value))
    nodes = select(node.c.interval_id, node.c.label, *held).select_from(below).where(node.c.interval_id > column.root)
    placed = nodes.group_by(node.c.interval_id, node.c.label).subquery()
    lowest = select(placed.c.first, placed.c.last, find_last_by(placed.c.label, placed.c.interval_id).label("label"))
    same = lowest.group_by(placed.c.first, placed.c.last).subquery()
    apart = func.coalesce(same.c.label, mark_apart(listed.c.several, column.intervals.alias()))
    label = case((listed.c.first == listed.c.last, listed.c.one), else_=apart).label("label")
    is_same = and_(same.c.first == listed.c.first, same.c.last == listed.c.last)
    return select(listed.c.interval_id, label).select_from(listed.outerjoin(same, is_same)).subquery()


def recode_partitions(tables: Tables, partitions: Partitions, *, by_region: bool) -> Tables:
    """Make a class of each partition, named after its values or after its region."""
    intervals: list[Whole] = []
    named: list[QuasiIdentifierTables] = []
    for index, column in enumerate(tables.quasi_identifiers):
        if by_region:
            regions = partitions.regions
            assert regions is not None
            names, extended = name_regions(tables, column, regions.lower[index], regions.upper[index])
        else:
            names, extended = name_values(tables, column, partitions.columns[index], partitions.starts)
        intervals.append(names)
        named.append(extended)
    return recode(
        tables,
        partitions.combination_ids,
        partitions.records.astype(partitions.sizes.dtype),
        intervals,
        classes=np.repeat(np.arange(partitions.count, dtype=np.int32), partitions.rows),
        quasi_identifiers=named,
    )
