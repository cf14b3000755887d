"""Metrics of the sizes of classes, as costs of nodes."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

import numpy as np

from toolbox.loss.sizes import OriginalSizes, SizeMetric, Sizes
from toolbox.methods.arrays.types import Flags
from toolbox.methods.lattice.checking import Checked, Checker
from toolbox.methods.lattice.labels import Labels
from toolbox.methods.lattice.objective import Objective


class SizeCosts(Objective):
    """A metric of the sizes of classes.

    Parameters
    ----------
    metric : SizeMetric
    checker : Checker
    labels : sequence of Labels
    original : OriginalSizes
    """

    def __init__(self, metric: SizeMetric, checker: Checker, labels: Sequence[Labels], original: OriginalSizes) -> None:
        self.name, self._metric, self._checker = metric.name, metric, checker
        self._labels, self._original = labels, original
        self._sign = 1.0 if metric.direction == "lower" else -1.0

    def cost(self, node: Checked) -> float:
        hidden = self._hidden(node)
        sizes = node.classes.sizes[~hidden]
        total, grouped = self._original.records, int(sizes.sum())
        small = sizes[sizes < (self._metric.fewest or 0)]
        seen = len(sizes) + (grouped < total)
        squares, small_squares = int((sizes * sizes).sum()), int((small * small).sum())
        return self._cost(
            Sizes(total, 0, len(sizes), grouped, squares, int(small.sum()), small_squares, seen), nothing=inf
        )

    def value(self, cost: float) -> float:
        return self._sign * cost

    def refusal(self) -> str:
        records, combinations, squares = self._original
        score = self._metric.score(
            Sizes(records, 0, combinations, records, squares, 0, 0, combinations), self._original
        )
        return score if isinstance(score, str) else ""

    def bound(self, node: Checked) -> float:
        """Return the cost of the best sizes that a node above may have.

        A class that is released there holds one that is released here, or only records that are suppressed here. The
        records of two classes that are apart there are apart here, so that the squares grow, except by suppression.
        """
        total, limit, least = self._original.records, self._checker.limit, self._checker.least
        levels = node.node
        most = max(1, min(levels.classes, levels.released + levels.suppressed // least, total // least))
        squares = int((node.classes.sizes * node.classes.sizes).sum())
        # Fewer records than the least that so many classes have are not in classes.
        left = max(total - limit, min(total, least * most))
        corners = {total: squares, left: max(0, squares - (total - left) ** 2)}
        return min(
            self._cost(Sizes(total, 0, most, grouped, least_squares, 0, 0, most), nothing=-inf)
            for grouped, least_squares in corners.items()
        )

    def _cost(self, sizes: Sizes, *, nothing: float) -> float:
        score = self._metric.score(sizes, self._original)
        return nothing if isinstance(score, str) else self._sign * score

    def _hidden(self, node: Checked) -> Flags:
        """Mark the classes of which nothing is to be seen: the suppressed ones, and one that is at all roots."""
        levels = node.node.levels
        at_root = [names.is_root[level] for names, level in zip(self._labels, levels, strict=True)]
        if not all(flags.any() for flags in at_root):
            return node.violating
        is_root = np.ones(len(node.classes.sizes), np.bool_)
        for group, values in zip(self._checker.counter.groups, node.classes.values, strict=False):
            for position, part in zip(group.positions, group.parts, strict=True):
                is_root &= at_root[position][part[values]]
        return node.violating | is_root
