"""The search of Mondrian: rounds in which every partition is cut in two, or finished."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from toolbox.errors import UnsatisfiableError
from toolbox.methods.arrays.judging import Covered, Judge
from toolbox.methods.arrays.types import Flags, Numbers, Whole
from toolbox.methods.mondrian.cuts import Cuts, no_cuts
from toolbox.methods.mondrian.medians import find_medians
from toolbox.methods.mondrian.partitions import Partitions, together
from toolbox.methods.mondrian.widths import Measure

_GIVEN_UP = -1.0
"""Less than any width."""
_BLOCK = 2**19
"""Rows that are dealt with at once."""


@dataclass(frozen=True)
class Search:
    """The search, with all that decides which cuts are made."""

    measure: Measure
    least: int
    """Fewest records of a side."""
    tries_below: bool
    """Whether to cut below the median, too."""
    judge: Judge | None
    """Refuses cuts for other reasons; None: the number of records says it all."""
    report: Callable[[str], None]

    def finished(self, parts: Partitions) -> Partitions:
        """Cut until no cut is allowable. Very many rows are cut block by block, to save memory."""
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
                waiting.append(sides)
            self.report(f"{sides.count // 2:,} cuts")
        return together(done)

    def _chosen(self, parts: Partitions) -> Cuts:
        """Choose the cut of every partition: on its widest dimension, at best with the median to the left.

        Each partition proposes its widest dimension; those whose proposal is not allowable, the next, and so on.
        """
        lowest, highest, records = parts.lowest(), parts.highest(), parts.records
        widths = np.where(lowest < highest, self.measure(parts, lowest, highest), _GIVEN_UP)
        cuts = no_cuts(parts.count)
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

    def _try(self, parts: Partitions, cuts: Cuts, waiting: Numbers, dimension: Whole, records: Numbers) -> None:
        """Try the cuts in these dimensions, and note those that are allowable."""
        medians = find_medians(parts, waiting, dimension, records)
        for inclusive, left in ((True, medians.up_to), (False, medians.below))[: 1 + self.tries_below]:
            fine = ~cuts.made[waiting] & (left >= self.least) & (records - left >= self.least)
            if self.judge is not None and fine.any():
                proposed = no_cuts(parts.count)
                proposed.note(waiting[fine], dimension[fine], medians.rank[fine], inclusive=inclusive)
                fine &= ~_refused(self.judge, parts, proposed)[waiting]
            cuts.note(waiting[fine], dimension[fine], medians.rank[fine], inclusive=inclusive)


def require_allowable(judge: Judge, whole: Partitions) -> None:
    """Stop where even all records together, as Mondrian names them, are no class that satisfies every model.

    Raises
    ------
    UnsatisfiableError
    """
    if whole.people is None or not judge.asks_people:
        return
    covered = whole.people_covered()
    people = Covered(covered, int(whole.people.sizes.sum()) - covered)
    if judge.refused(whole.combination_ids, whole.sizes, np.zeros(len(whole.sizes), np.int64), 1, people).any():
        raise UnsatisfiableError(
            f"The values of all records together cover {covered[0]:,} people of the population, and a class of them "
            "does not satisfy every model. Mondrian names classes after their values: choose Flash, or other models."
        )


def _refused(judge: Judge, parts: Partitions, cuts: Cuts) -> Flags:
    """Mark the partitions whose cut leaves a side that does not satisfy every model."""
    covered = _covered(judge, parts, cuts) if judge.asks_people else None
    order, rows = parts.sides(cuts)
    sides = np.repeat(np.arange(len(rows)), rows)
    refused = np.zeros(len(cuts.made), np.bool_)
    is_refused = judge.refused(parts.combination_ids[order], parts.sizes[order], sides, len(rows), covered)
    refused[cuts.made] = is_refused.reshape(-1, 2).any(axis=1)
    return refused


def _covered(judge: Judge, parts: Partitions, cuts: Cuts) -> Covered:
    """Count the people of both sides of all cuts, and those whom a cut would leave on neither."""
    people = parts.cut(cuts).people_covered()
    if not judge.counts_outside:
        return Covered(people, np.zeros_like(people))
    lost = parts.people_covered()[cuts.made] - people.reshape(-1, 2).sum(axis=1)
    return Covered(people, np.repeat(lost, 2))
