"""What it costs that records join a class."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from toolbox.methods.arrays.types import Numbers, Reals
from toolbox.methods.local_recoding.classes import Classes
from toolbox.methods.local_recoding.columns import Rows


@dataclass(frozen=True)
class Hosts:
    """Classes that others may join; their members rise with them."""

    rows: Rows
    classes: Classes
    prices: list[Reals]
    """What a record of each value (axis 1) pays at each level (axis 0) of each quasi-identifier."""

    @cached_property
    def _first(self) -> Numbers:
        """The first row of each class."""
        return self.classes.first

    @cached_property
    def _paid(self) -> list[Reals]:
        """What the members of each class (axis 1) pay at each level (axis 0) of each quasi-identifier."""
        sizes, of_row, count = self.rows.sizes, self.classes.of_row, self.classes.count
        return [
            np.array([np.bincount(of_row, one[value] * sizes, count) for one in price])
            for value, price in zip(self.rows.values, self.prices, strict=True)
        ]

    def costs(self, joining: Rows) -> Reals:
        """Tell of each class what is lost, by its members and by them, if some other rows join it."""
        total, places = np.zeros(self.classes.count), np.arange(self.classes.count)
        for number, column in enumerate(self.rows.columns):
            level, paid, new = self.classes.levels[number], self._paid[number], joining.values[number]
            first = self.rows.values[number][self._first]
            together = level.copy()
            for step, code in enumerate(column.codes):
                shown = code[new]
                apart = (code[first] != shown[0]) | (shown != shown[0]).any()
                together[apart] = np.maximum(together[apart], step + 1)
            own = self.prices[number][:, new] @ joining.sizes
            total += paid[together, places] - paid[level, places] + own[together]
        return total
