"""Cuts of partitions, and the bounds that they leave: -1 for uncut, else twice the median, plus one if it is inside."""

from __future__ import annotations

import numpy as np

from toolbox.methods.mondrian.partitions import PartitionCuts, Regions


def cuts_of(partitions: int, *noted: tuple[int, int, int, bool]) -> PartitionCuts:
    """Cut partitions: which one, in which dimension, at which median, with the median to the left or not."""
    cuts = PartitionCuts.make_none(partitions)
    for which, dimension, median, inclusive in noted:
        cuts.note(np.array([which]), np.array([dimension]), np.array([median]), inclusive=inclusive)
    return cuts


def bounds(regions: Regions) -> list[list[list[int]]]:
    """List for each partition the lower and the upper bound of each dimension."""
    return np.stack([regions.lower, regions.upper]).transpose(2, 1, 0).tolist()


def uncut(partitions: int) -> Regions:
    return Regions(
        np.full((2, partitions), -1, np.int32), np.full((2, partitions), -1, np.int32), np.zeros(partitions, np.int64)
    )


def test_to_begin_with_nothing_is_cut() -> None:
    assert PartitionCuts.make_none(3).made.tolist() == [False, False, False]
    assert bounds(uncut(3).cut(PartitionCuts.make_none(3))) == []


def test_the_median_is_the_last_on_the_left_or_the_first_on_the_right() -> None:
    cuts = cuts_of(3, (0, 1, 7, True), (2, 0, 4, False))
    assert cuts.made.tolist() == [True, False, True]
    assert cuts.last_left[cuts.made].tolist() == [7, 3]


def test_both_sides_of_a_cut_share_its_bound_and_one_of_them_the_median() -> None:
    cuts = cuts_of(3, (0, 1, 7, True), (2, 0, 4, False))
    assert bounds(uncut(3).cut(cuts)) == [
        # <= 7 and > 7 in the second dimension
        [[-1, -1], [-1, 15]],
        [[-1, -1], [14, -1]],
        # < 4 and >= 4 in the first
        [[-1, 8], [-1, -1]],
        [[9, -1], [-1, -1]],
    ]


def test_a_later_cut_keeps_the_bounds_of_the_earlier_one() -> None:
    left = uncut(1).cut(cuts_of(1, (0, 0, 6, True))).some(np.array([True, False]))
    assert bounds(left.cut(cuts_of(1, (0, 0, 2, False)))) == [[[-1, 4], [-1, -1]], [[5, 13], [-1, -1]]]


def test_cutting_leaves_the_regions_before_as_they_are() -> None:
    before = uncut(1)
    before.cut(cuts_of(1, (0, 0, 6, True)))
    assert bounds(before) == [[[-1, -1], [-1, -1]]]
