"""The last step of local recoding: single combinations move between the classes that a search has formed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from toolbox.methods.arrays.combinations import Flags, Numbers, Reals
from toolbox.methods.arrays.moves import MoveColumn, Moves
from toolbox.methods.local_recoding.rows import RecodingRows

_CLASSES = 500, 20_000
"""Fewest and most classes among which a row may move."""
_PASSES = 4
"""How often all rows are compared with all classes, as a rule, until nothing loses less."""


def improve_classes(
    rows: RecodingRows,
    of_row: Numbers,
    prices: list[Reals],
    least: int,
    most: int,
    refused: Callable[[Numbers, Numbers], Flags] | None = None,
) -> tuple[Numbers, int]:
    """Move rows between classes as long as less is lost, and return the class of each row and the work it took.

    Many classes are looked at in parts: those that show similar values.

    Parameters
    ----------
    of_row : array
        The class of each row, numbered from 0; none is empty.
    prices : list of arrays
        What a record of each value (axis 1) pays at each level (axis 0) of each quasi-identifier.
    least : int
        Fewest records of a class.
    most : int
        Most work; see `Moves`.
    refused : callable, optional
        Marks the classes that violate a model, given row numbers and the class of each, numbered from 0.
    """
    of_row, spent = of_row.copy(), 0
    for places in _list_parts(rows, of_row, prices, most):
        if spent >= most:
            break
        moves = _make_moves(rows, places, prices, least, refused)
        classes, own = np.unique(of_row[places], return_inverse=True)
        of_row[places] = classes[moves.improve(own, most - spent)]
        spent += moves.work
    return np.unique(of_row, return_inverse=True)[1], spent


def _list_parts(rows: RecodingRows, of_row: Numbers, prices: list[Reals], most: int) -> Iterator[Numbers]:
    """Yield the rows of some classes that show similar values, by the columns in which most can be lost."""
    _, first = np.unique(of_row, return_index=True)
    several = int(np.clip(most // (_PASSES * len(of_row) * len(prices)), *_CLASSES))
    dearest = np.argsort([-(column.counts @ price[-1]) for column, price in zip(rows.columns, prices, strict=True)])
    order = np.lexsort([rows.values[index][first] for index in dearest[::-1]])
    parts = -(-len(first) // several)
    part = np.empty(len(first), np.int64)
    part[order] = np.arange(len(first)) * parts // len(first)
    by_part = np.argsort(part[of_row], kind="stable")
    yield from np.split(by_part, np.cumsum(np.bincount(part[of_row]))[:-1])


def _make_moves(
    rows: RecodingRows,
    places: Numbers,
    prices: list[Reals],
    least: int,
    refused: Callable[[Numbers, Numbers], Flags] | None,
) -> Moves:
    columns, highest = [], 0.0
    for column, value, price in zip(rows.columns, rows.values, prices, strict=True):
        occurring, own = np.unique(value[places], return_inverse=True)
        codes = np.stack([code[occurring] for code in column.codes]).astype(np.int64)
        columns.append(_LevelColumn(codes, price[:, occurring], own))
        highest += float(price[:, occurring].max(initial=0))

    def refused_here(members: Numbers, classes: Numbers) -> Flags:
        assert refused is not None
        return refused(places[members], classes)

    return Moves(columns, rows.sizes[places], least, highest, None if refused is None else refused_here, beat=rows.beat)


class _Climbed(NamedTuple):
    """Bundles of rows, each of which shows the lowest interval that its rows have in common."""

    values: Numbers
    """The value of one of the rows."""
    levels: Numbers
    """The lowest level at which the rows agree."""
    paid: Reals
    """What they would pay at each level (axis 0)."""


@dataclass(frozen=True)
class _LevelColumn(MoveColumn):
    """A quasi-identifier that is generalised level by level."""

    codes: Numbers
    """The interval of each value (axis 1) at each level (axis 0)."""
    prices: Reals
    """What a record of each value (axis 1) pays at each level (axis 0)."""
    values: Numbers

    @property
    def count(self) -> int:  # type: ignore[override]
        return int(self.codes.shape[1])

    def bundle(self, of_row: Numbers, sizes: Numbers, count: int) -> _Climbed:
        first = np.zeros(count, np.int64)
        first[of_row[::-1]] = np.arange(len(of_row))[::-1]
        own, level = self.values[first], np.zeros(count, np.int64)
        np.maximum.at(level, of_row, self._find_common_levels(self.values, own[of_row]))
        each = [np.bincount(of_row, price[self.values] * sizes, count) for price in self.prices]
        return _Climbed(own, level, np.stack(each).astype(np.float64))

    def bundle_others(self, classes: _Climbed, of_row: Numbers, sizes: Numbers) -> _Climbed:
        count, own = len(classes.levels), self.values
        order = np.argsort(of_row, kind="stable")
        counts = np.bincount(of_row, minlength=count)
        starts = np.cumsum(counts) - counts
        first, second = (order[np.minimum(starts + place, len(order) - 1)][of_row] for place in (0, 1))
        is_first = first == np.arange(len(of_row))
        common = self._find_common_levels(own, own[first])
        highest, next_one, from_second = (np.zeros(count, np.int64) for _ in range(3))
        np.maximum.at(highest, of_row, common)
        is_highest = common == highest[of_row]
        np.maximum.at(next_one, of_row, np.where(is_highest, 0, common))
        is_alone = is_highest & (np.bincount(of_row, is_highest, count)[of_row] == 1)
        np.maximum.at(from_second, of_row, np.where(is_first, 0, self._find_common_levels(own, own[second])))
        without = np.where(is_alone, next_one[of_row], highest[of_row])
        levels = np.where(is_first, from_second[of_row], without)
        paid = classes.paid[:, of_row] - self.prices[:, own] * sizes
        return _Climbed(np.where(is_first, own[second], own[first]), levels, paid)

    def compute_costs(self, bundles: _Climbed) -> Reals:
        paid: Reals = bundles.paid[bundles.levels, np.arange(len(bundles.levels))]
        return paid

    def charge(self, bundles: _Climbed, values: Numbers, sizes: Numbers | int) -> Reals:
        common = self._find_common_levels(values, bundles.values)
        together, each = np.maximum(common, bundles.levels.astype(np.int8)), np.arange(len(bundles.levels))
        grown: Reals = bundles.paid[together, each] - bundles.paid[bundles.levels, each]
        return grown + sizes * self.prices[together, values]

    def _find_common_levels(self, values: Numbers, others: Numbers) -> NDArray[np.int8]:
        """Return the lowest level at which values agree with others."""
        common: NDArray[np.int8] = np.zeros(np.broadcast_shapes(values.shape, others.shape), np.int8)
        for code in self.codes:
            common += code[values] != code[others]
        return common
