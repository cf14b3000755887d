"""A sweep forms at each node all classes that the records left can form: by hand, and against a plain count."""

from __future__ import annotations

from collections import defaultdict
from itertools import product

import numpy as np
import pytest
from helpers.amounts import times
from helpers.illness import load_with_illness
from hypothesis import given, settings
from hypothesis import strategies as st

from toolbox.methods.arrays.models import ClassJudge
from toolbox.methods.local_recoding.rows import RecodingColumn, RecodingRows, compute_node_prices
from toolbox.methods.local_recoding.sweep import (
    Left,
    NodeGroups,
    draw_keys,
    select_all_rows,
    select_left_rows,
    sweep_anew,
    sweep_nodes,
)
from toolbox.privacy.models.l_diversity import DistinctLDiversity
from toolbox.store.engine.store import Store

CODES = [np.arange(4), np.array([4, 4, 5, 5]), np.full(4, 6)]
NODES = list(product(range(3), repeat=2))


def rows_of(sizes: list[int], *values: list[int]) -> RecodingRows:
    columns = [RecodingColumn(CODES, np.bincount(value, sizes, 4).astype(np.int64)) for value in values]
    return RecodingRows(np.arange(len(sizes)), np.array(sizes), [np.array(value) for value in values], columns)


def left_of(rows: RecodingRows) -> Left:
    return select_all_rows(rows, draw_keys(rows))


def members(groups: NodeGroups | None) -> list[list[int]]:
    if groups is None:
        return []
    return sorted(sorted(groups.members[groups.of_member == number].tolist()) for number in range(groups.count))


def test_values_have_one_key_exactly_where_they_have_one_interval() -> None:
    (keys,) = draw_keys(rows_of([1, 1], [0, 3]))
    assert [len(set(key.tolist())) for key in keys] == [4, 2, 1]
    assert keys[1][0] == keys[1][1] != keys[1][2]
    (again,) = draw_keys(rows_of([1, 1], [0, 3]))
    assert all(np.array_equal(key, other) for key, other in zip(keys, again, strict=True))


def test_groups_are_rows_that_agree_and_have_enough_records() -> None:
    """Pairs: values 0 and 1 with 2 + 1 records, 2 and 3 with 1 + 1."""
    left = left_of(rows_of([2, 1, 1, 1], [0, 1, 2, 3]))
    assert members(left.groups((0,), 2)) == [[0]]
    assert members(left.groups((1,), 2)) == [[0, 1], [2, 3]]
    assert members(left.groups((1,), 3)) == [[0, 1]]
    assert members(left.groups((2,), 5)) == [[0, 1, 2, 3]]
    assert left.groups((2,), 6) is None


def test_groups_without_a_row_that_is_wanted_need_not_be_found() -> None:
    left = left_of(rows_of([2, 1, 1, 1], [0, 1, 2, 3]))
    assert left.groups((1,), 2, np.array([False] * 4)) is None
    assert [2, 3] in members(left.groups((1,), 2, np.array([False, False, True, False])))
    assert left.groups((0,), 2, np.array([False, True, True, True])) is None


def test_rows_that_have_left_are_in_no_group_any_more() -> None:
    left = left_of(rows_of([2, 1, 1, 1], [0, 1, 2, 3]))
    pairs, alone = left.groups((1,), 2), left.groups((0,), 2)
    assert pairs is not None
    assert alone is not None
    assert left.has_all(pairs).tolist() == [True, True]
    left.leave(alone)
    assert sorted(left.has_all(pairs).tolist()) == [False, True]
    assert left.records == 3
    assert members(left.groups((1,), 1)) == [[1], [2, 3]]
    assert members(left.groups((2,), 1)) == [[1, 2, 3]]


def test_a_row_that_has_left_many_others_is_in_no_group_either() -> None:
    """Few that are gone are not thrown away."""
    left = left_of(rows_of([20, *[1] * 11], [0, *[1] * 11]))
    alone = left.groups((0,), 20)
    assert members(alone) == [[0]]
    assert alone is not None
    left.leave(alone)
    assert members(left.groups((2,), 11)) == [list(range(1, 12))]
    assert left.groups((2,), 12) is None


def test_the_groups_that_are_marked_are_numbered_anew() -> None:
    groups = NodeGroups(np.array([5, 6, 7, 8]), np.array([0, 1, 2, 1]))
    some = groups.some(np.array([False, True, True]))
    assert (some.members.tolist(), some.of_member.tolist(), some.count) == ([6, 7, 8], [0, 1, 0], 2)


@settings(max_examples=times(33, slow=100), deadline=None)
@given(
    st.lists(st.tuples(st.integers(1, 3), st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=12),
    st.permutations(NODES),
    st.integers(1, 5),
)
def test_node_by_node_whoever_is_left_and_has_enough_others_alike_is_in_a_class(
    given_rows: list[tuple[int, int, int]], nodes: list[tuple[int, int]], least: int
) -> None:
    left, expected = set(range(len(given_rows))), []
    for levels in nodes:
        alike = defaultdict(set)
        for row in left:
            pairs = zip(levels, given_rows[row][1:], strict=True)
            alike[tuple(int(CODES[level][value]) for level, value in pairs)].add(row)
        for together in alike.values():
            if sum(given_rows[row][0] for row in together) >= least:
                expected.append(together)
                left -= together
    rows = rows_of(*map(list, zip(*given_rows, strict=True)))
    of_row = sweep_nodes(select_all_rows(rows, draw_keys(rows)), np.array(nodes, np.int8), least, None)
    found = [set(np.flatnonzero(of_row == number).tolist()) for number in range(int(of_row.max()) + 1)]
    assert sorted(map(sorted, found)) == sorted(map(sorted, expected))
    assert set(np.flatnonzero(of_row < 0).tolist()) == left


def test_a_record_that_is_left_pays_on_average_what_those_of_all_values_pay() -> None:
    rows = rows_of([3, 1, 7], [0, 2, 3])
    prices = [np.array([[0.0, 9, 0, 9], [1, 9, 5, 9], [4, 9, 8, 9]])]
    assert select_left_rows(rows, draw_keys(rows), np.array([0, 1])).averages(prices)[0].tolist() == [0, 2, 5]


def test_nodes_are_put_in_order_anew_for_those_who_are_left() -> None:
    """Nine of value 0 leave at the bottom. They made the pairs dear, 7.5 on average; who is left pays 3 there, 8 at the root."""
    rows = rows_of([9, 1, 1, 1], [0, 1, 2, 3])
    prices = [np.array([[0.0] * 4, [9, 3, 3, 3], [1, 8, 8, 8]])]
    nodes = np.array([[2], [1], [0]], np.int8)
    assert sweep_anew(rows, draw_keys(rows), nodes, 2, prices).tolist() == [0, -1, 1, 1]
    order = np.argsort(compute_node_prices(nodes, select_all_rows(rows, draw_keys(rows)).averages(prices)))
    assert sweep_nodes(select_all_rows(rows, draw_keys(rows)), nodes[order], 2, None).tolist() == [0, 1, 1, 1]


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("levels", "expected"),
    [([0, 1, 2], [1, 1, 0]), ([1, 0, 2], [0, 0, 1]), ([0], [-1, -1, 0]), ([2, 0], [0, 0, 0])],
)
def test_what_a_model_refuses_waits_for_a_higher_node(store: Store, levels: list[int], expected: list[int]) -> None:
    """Two of value 0 have the flu, one of value 1 gout, two of value 2 both: these alone are a class at the bottom."""
    table = {"a": [0, 0, 1, 2, 2], "illness": ["flu", "flu", "gout", "flu", "gout"]}
    tables = load_with_illness(store, table, "a")
    judge = ClassJudge(tables, [DistinctLDiversity(l=2, attribute="illness")])
    rows, nodes = rows_of([2, 1, 2], [0, 1, 2]), np.array([[level] for level in levels], np.int8)
    assert sweep_nodes(select_all_rows(rows, draw_keys(rows)), nodes, 2, judge).tolist() == expected
