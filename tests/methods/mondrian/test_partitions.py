"""Partitions of rows that stand side by side: what they hold, and how they are cut, divided and joined."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.small_tables import load

from toolbox.methods.mondrian.partitions import PartitionCuts, Partitions, Regions, make_one_partition
from toolbox.store.engine.store import Store

# Row by row its records, and its ranks in two columns: two partitions of three rows, one of one row.
ROWS = [(2, 5, 0), (1, 3, 1), (1, 5, 1), (4, 9, 2), (1, 0, 2), (1, 4, 2), (3, 7, 7)]
STARTS = [0, 3, 6]


@pytest.fixture
def parts() -> Partitions:
    """Partitions whose regions are told apart by their first bound."""
    sizes, *columns = (np.array(column) for column in zip(*ROWS, strict=True))
    regions = Regions(np.array([[10, 20, 30], [-1, -1, -1]]), np.full((2, 3), -1), np.zeros(3, np.int64))
    return Partitions(np.arange(100, 107), sizes, columns, np.array(STARTS), regions)


def members(parts: Partitions) -> list[list[int]]:
    """List the combinations of each partition, and see that sizes, values and regions went with them."""
    ids = parts.combination_ids - 100
    assert parts.sizes.tolist() == [ROWS[row][0] for row in ids]
    assert [column.tolist() for column in parts.columns] == [[ROWS[row][place] for row in ids] for place in (1, 2)]
    return [rows.tolist() for rows in np.split(ids, parts.starts[1:])] if parts.count else []


def lower(parts: Partitions) -> list[int]:
    assert parts.regions is not None
    return parts.regions.lower[0].tolist()


def cuts_of(*noted: tuple[int, int, int, bool]) -> PartitionCuts:
    cuts = PartitionCuts.make_none(3)
    for which, dimension, median, inclusive in noted:
        cuts.note(np.array([which]), np.array([dimension]), np.array([median]), inclusive=inclusive)
    return cuts


def test_each_partition_has_its_rows_records_ends_and_values(parts: Partitions) -> None:
    assert (parts.count, parts.rows.tolist(), parts.records.tolist()) == (3, [3, 3, 1], [4, 6, 3])
    assert parts.lowest().tolist() == [[3, 0, 7], [0, 2, 7]]
    assert parts.highest().tolist() == [[5, 9, 7], [1, 2, 7]]
    assert [parts.distinct(0).tolist(), parts.distinct(1).tolist()] == [[2, 3, 1], [2, 1, 1]]


def test_a_cut_puts_the_left_side_first_and_leaves_out_who_is_not_cut(parts: Partitions) -> None:
    cut = parts.cut(cuts_of((0, 1, 0, True), (1, 0, 4, True)))
    assert members(cut) == [[0], [1, 2], [4, 5], [3]]
    assert lower(cut) == [10, 10, 20, 2 * 4]


def test_the_median_may_go_to_the_right(parts: Partitions) -> None:
    assert members(parts.cut(cuts_of((1, 0, 4, False)))) == [[4], [3, 5]]


def test_without_cuts_nothing_is_left(parts: Partitions) -> None:
    assert parts.cut(cuts_of()).count == 0


def test_the_sides_of_cuts_are_listed_without_making_them(parts: Partitions) -> None:
    order, rows = parts.sides(cuts_of((0, 0, 3, True), (1, 0, 0, True)))
    assert (order.tolist(), rows.tolist()) == ([1, 0, 2, 4, 3, 5], [1, 2, 1, 2])


def test_some_partitions_keep_their_rows_and_regions(parts: Partitions) -> None:
    some = parts.some(np.array([True, False, True]))
    assert (members(some), lower(some)) == ([[0, 1, 2], [6]], [10, 30])
    assert members(parts.some(np.array([True, True, True]))) == [[0, 1, 2], [3, 4, 5], [6]]


def test_halves_are_neighbours_and_together_what_they_were(parts: Partitions) -> None:
    first, others = parts.halves()
    assert (members(first), lower(first)) == ([[0, 1, 2]], [10])
    assert (members(others), lower(others)) == ([[3, 4, 5], [6]], [20, 30])
    joined = Partitions.join([others, first])
    assert (members(joined), lower(joined)) == ([[3, 4, 5], [6], [0, 1, 2]], [20, 30, 10])


def test_each_half_has_a_partition_however_the_rows_are_shared_out() -> None:
    rows = np.arange(9)
    for starts in ([0, 8], [0, 1]):
        first, others = Partitions(rows, rows, [rows], np.array(starts)).halves()
        assert (first.count, others.count) == (1, 1)
        assert [*first.combination_ids, *others.combination_ids] == list(range(9))


@pytest.mark.parametrize("with_regions", [False, True])
def test_at_first_all_combinations_are_in_one_partition(store: Store, with_regions: bool) -> None:
    tables = load(store, "a b\n7 1\n3 1\n7 1\n5 2", "a b").tables
    whole = make_one_partition(tables, with_regions=with_regions)
    found = zip(whole.sizes.tolist(), *(column.tolist() for column in whole.columns), strict=True)
    assert sorted(found) == [(1, 0, 0), (1, 1, 1), (2, 2, 0)]
    assert (whole.count, whole.records.tolist()) == (1, [4])
    assert (whole.regions is not None) == with_regions
    if whole.regions is not None:
        assert (whole.regions.lower.tolist(), whole.regions.upper.tolist()) == ([[-1], [-1]], [[-1], [-1]])
