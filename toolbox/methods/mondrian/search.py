"""The search of Mondrian: rounds in which every partition is cut in two at a median, or finished."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from toolbox.errors import UnsatisfiableError
from toolbox.methods.arrays.combinations import Codes, Flags, Numbers, Reals, Whole, find_starts, list_run_positions
from toolbox.methods.arrays.models import ClassJudge, Covered
from toolbox.methods.mondrian.naming import RegionDomain, read_domain
from toolbox.methods.mondrian.partitions import CutTree, PartitionCuts, Partitions
from toolbox.store.tables import Tables

# The medians of many partitions at once, each in a dimension of its own.

_BITS = 62
"""How many bits a whole number holds beside its sign, less one to spare."""


class Medians(NamedTuple):
    """The median is the first value with half of the records up to it."""

    rank: Numbers
    up_to: Numbers
    """Records with the median or a lower value."""
    below: Numbers
    """Records with a lower value."""


def find_medians(parts: Partitions, which: Numbers, dimension: Whole, records: Numbers) -> Medians:
    """Find the medians of some partitions.

    All their rows are put into the order of partition and rank by one sort of whole numbers that hold both, and the
    size of the row if there is room for it: sorting numbers is several times as fast as finding an order.

    Parameters
    ----------
    which : array of partition numbers
    dimension : array of int
        For each of them, which of its columns.
    records : array of int
        The records of each.
    """
    rows = parts.rows[which]
    bits = max(int(parts.columns[column].max()) for column in np.unique(dimension)).bit_length()
    room = int(parts.sizes.max()).bit_length()
    if len(which).bit_length() + bits + room > _BITS:
        room = 0
    keys, sizes = _pack_keys(parts, which, dimension, rows, bits, room)
    until = np.zeros(len(keys) + 1, np.int64)
    if room:
        keys.sort()
        np.cumsum(keys & ((1 << room) - 1), out=until[1:])
    else:
        order = np.argsort(keys)
        keys = keys[order]
        np.cumsum(sizes[order], out=until[1:])
    before = find_starts(records)
    median = keys[np.searchsorted(until[1:], before + (records + 1) // 2)] >> room
    first, beyond = (np.searchsorted(keys, (median + step) << room) for step in (0, 1))
    return Medians(median & ((1 << bits) - 1), until[beyond] - before, until[first] - before)


def _pack_keys(
    parts: Partitions, which: Numbers, dimension: Whole, rows: Numbers, bits: int, room: int
) -> tuple[Numbers, Whole]:
    """Pack partition, rank and, if there is room, size of each row into one number; return the sizes as well."""
    keys, sizes = np.empty(int(rows.sum()), np.int64), np.empty(int(rows.sum()), parts.sizes.dtype)
    filled = 0
    for column in np.unique(dimension):
        here = np.flatnonzero(dimension == column)
        places = list_run_positions(parts.starts[which[here]], rows[here])
        filling = slice(filled, filled + len(places))
        packed, sizes[filling] = keys[filling], parts.sizes[places]
        packed[:] = parts.columns[column][places]
        packed <<= room
        packed |= np.repeat(here << (bits + room), rows[here])
        if room:
            packed |= sizes[filling]
        filled += len(places)
    return keys, sizes


# How wide partitions are in each dimension: the rules by which a column is chosen to be cut.

Measure = Callable[[Partitions, Codes, Codes], Reals]
"""Measures partitions (axis 1) in each dimension (axis 0), given their lowest and their highest ranks."""


def measure_of(dimension: str, tables: Tables) -> Measure:
    """Return the rule of this name: ``range``, ``distinct`` or ``interval``; widths are shares of the whole table."""
    if dimension == "distinct":
        return _measure_by_distinct([column.values for column in tables.quasi_identifiers])
    domains = [read_domain(tables, column) for column in tables.quasi_identifiers]
    if dimension == "range":
        return _measure_by_range(domains)
    return _measure_by_region(domains)


def _measure_by_range(domains: Sequence[RegionDomain]) -> Measure:
    # Halves, because the difference of two large numbers may be beyond the largest.
    halves = [domain.values / 2 for domain in domains]
    whole = np.array([half[-1] - half[0] for half in halves])[:, None]

    def measured(parts: Partitions, lowest: Codes, highest: Codes) -> Reals:
        each = zip(halves, lowest, highest, strict=True)
        return _divide_widths(np.stack([half[high] - half[low] for half, low, high in each]), whole)

    return measured


def _measure_by_distinct(values: Sequence[int]) -> Measure:
    whole = np.array(values, np.float64)[:, None]

    def measured(parts: Partitions, lowest: Codes, highest: Codes) -> Reals:
        return _divide_widths(np.stack([parts.distinct(index) for index, _ in enumerate(values)]), whole)

    return measured


def _measure_by_region(domains: Sequence[RegionDomain]) -> Measure:
    whole = np.array([domain.high / 2 - domain.low / 2 for domain in domains])[:, None]

    def measured(parts: Partitions, lowest: Codes, highest: Codes) -> Reals:
        regions = parts.regions
        assert regions is not None
        each = zip(domains, regions.lower, regions.upper, strict=True)
        return _divide_widths(
            np.stack([domain.find_upper_bounds(upper) / 2 - domain.lows(lower) / 2 for domain, lower, upper in each]),
            whole,
        )

    return measured


def _divide_widths(widths: NDArray[Any], whole: Reals) -> Reals:
    """Divide widths by that of the whole. If the quotient is too large for a double, any width counts as the widest."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.nan_to_num(widths / whole, nan=np.inf, posinf=np.inf)


# The search of Mondrian: rounds in which every partition is cut in two, or finished.

_GIVEN_UP = -1.0
"""Less than any width."""
_BLOCK = 2**19
"""Rows that are dealt with at once."""


@dataclass(frozen=True)
class MondrianSearch:
    """The search, with all that decides which cuts are made."""

    measure: Measure
    least: int
    """Fewest records of a side."""
    tries_below: bool
    """Whether to cut below the median, too."""
    judge: ClassJudge | None
    """Refuses cuts for other reasons; None: the number of records says it all."""
    report: Callable[[str], None]
    tree: CutTree | None = None
    """Where all cuts are noted, if somebody wants them."""

    def finished(self, parts: Partitions) -> Partitions:
        """Cut until no cut is allowable. Very many rows are cut block by block, to save memory."""
        if self.judge is not None:
            _require_allowable(self.judge, parts)
        done, waiting = [], [parts]
        while waiting:
            block = waiting.pop()
            if block.count > 1 and len(block.sizes) > _BLOCK:
                waiting += block.halves()
                continue
            cuts = self._chosen(block)
            done.append(block.some(~cuts.made))
            sides = block.cut(cuts)
            if sides.count:
                waiting.append(self._note(block, cuts, sides))
            self.report(f"{sides.count // 2:,} cuts")
        return Partitions.join(done)

    def _note(self, block: Partitions, cuts: PartitionCuts, sides: Partitions) -> Partitions:
        """Note cuts in the tree, and return their sides with their nodes."""
        if self.tree is None or block.regions is None or sides.regions is None:
            return sides
        return replace(sides, regions=self.tree.grow(cuts, block.regions, sides.regions))

    def _chosen(self, parts: Partitions) -> PartitionCuts:
        """Choose the cut of every partition: on its widest dimension, at best with the median to the left.

        Each partition proposes its widest dimension; those whose proposal is not allowable, the next, and so on.
        """
        lowest, highest, records = parts.lowest(), parts.highest(), parts.records
        widths = np.where(lowest < highest, self.measure(parts, lowest, highest), _GIVEN_UP)
        cuts = PartitionCuts.make_none(parts.count)
        waiting = np.flatnonzero(records >= 2 * self.least)
        while True:
            widest = widths[:, waiting].argmax(axis=0)
            is_left = widths[widest, waiting] != _GIVEN_UP
            waiting, widest = waiting[is_left], widest[is_left]
            if not len(waiting):
                return cuts
            self._try(parts, cuts, waiting, widest, records[waiting])
            widths[widest, waiting] = _GIVEN_UP
            waiting = waiting[~cuts.made[waiting]]

    def _try(
        self, parts: Partitions, cuts: PartitionCuts, waiting: Numbers, dimension: Whole, records: Numbers
    ) -> None:
        """Try the cuts in these dimensions, and note those that are allowable."""
        medians = find_medians(parts, waiting, dimension, records)
        for inclusive, left in ((True, medians.up_to), (False, medians.below))[: 1 + self.tries_below]:
            fine = ~cuts.made[waiting] & (left >= self.least) & (records - left >= self.least)
            if self.judge is not None and fine.any():
                proposed = PartitionCuts.make_none(parts.count)
                proposed.note(waiting[fine], dimension[fine], medians.rank[fine], inclusive=inclusive)
                fine &= ~_mark_refused_cuts(self.judge, parts, proposed)[waiting]
            cuts.note(waiting[fine], dimension[fine], medians.rank[fine], inclusive=inclusive)


def _require_allowable(judge: ClassJudge, whole: Partitions) -> None:
    """Stop where even all records together, as Mondrian names them, are no class that satisfies every model."""
    everybody = whole.combination_ids, whole.sizes, np.zeros(len(whole.sizes), np.int64), 1
    if whole.people is None or not judge.asks_people:
        if judge.may_refuse_unions and judge.mark_refused(*everybody).any():
            raise UnsatisfiableError(
                "All records together do not satisfy every model, because persons have several combinations of "
                "quasi-identifiers, and Mondrian begins with them. Choose Flash, or other models."
            )
        return
    covered = whole.people_covered()
    people = Covered(covered, int(whole.people.sizes.sum()) - covered)
    if judge.mark_refused(*everybody, people).any():
        raise UnsatisfiableError(
            f"The values of all records together cover {covered[0]:,} people of the population, and a class of them "
            "does not satisfy every model. Mondrian names classes after their values: choose Flash, or other models."
        )


def _mark_refused_cuts(judge: ClassJudge, parts: Partitions, cuts: PartitionCuts) -> Flags:
    """Mark the partitions whose cut leaves a side that does not satisfy every model."""
    covered = _count_covered_people(judge, parts, cuts) if judge.asks_people else None
    order, rows = parts.sides(cuts)
    sides = np.repeat(np.arange(len(rows)), rows)
    refused = np.zeros(len(cuts.made), np.bool_)
    is_refused = judge.mark_refused(parts.combination_ids[order], parts.sizes[order], sides, len(rows), covered)
    refused[cuts.made] = is_refused.reshape(-1, 2).any(axis=1)
    return refused


def _count_covered_people(judge: ClassJudge, parts: Partitions, cuts: PartitionCuts) -> Covered:
    """Count the people of both sides of all cuts, and those whom a cut would leave on neither."""
    people = parts.cut(cuts).people_covered()
    if not judge.counts_outside:
        return Covered(people, np.zeros_like(people))
    lost = parts.people_covered()[cuts.made] - people.reshape(-1, 2).sum(axis=1)
    return Covered(people, np.repeat(lost, 2))


# From the partitions that are found to the classes of a release.
