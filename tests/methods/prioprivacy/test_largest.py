"""The largest group first: by hand, and against counting all groups anew before each."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from helpers.amounts import times
from helpers.prioritised import Coded, coded, halving
from hypothesis import given, settings
from hypothesis import strategies as st

from toolbox.methods.prioprivacy.search import _make_first_state, make_largest

Row = tuple[int, ...]


def levels(table: Coded, nodes: list[Row]) -> list[Row | None]:
    """Return the node of each combination, in their order; None for those that are still open."""
    state = _make_first_state(table.combinations, table.k)
    make_largest(table.combinations, state, nodes, table.k)
    return [
        None if is_open else tuple(node)
        for node, is_open in zip(state.levels.T.tolist(), state.is_open.tolist(), strict=True)
    ]


PAIRS = [halving(4, 1), halving(4, 1)]
LEFT, RIGHT, BOTH = (1, 0), (0, 1), (1, 1)


def test_of_overlapping_groups_the_larger_takes_the_members_they_share() -> None:
    """(1, 1) could join (0, 1) on the left, or (1, 0) and its second record on the right."""
    table = Coded([(0, 1), (1, 1), (1, 0), (1, 0)], PAIRS, [1, 2], 3)
    assert levels(table, [LEFT, RIGHT]) == [None, RIGHT, RIGHT]
    table = Coded([(0, 1), (0, 1), (1, 1), (1, 0)], PAIRS, [1, 2], 3)
    assert levels(table, [LEFT, RIGHT]) == [LEFT, None, LEFT]


def test_what_is_left_of_a_group_is_made_without_those_who_have_gone() -> None:
    """Four share the right 0; of the three with the left 0 the others are still two."""
    table = Coded([(0, 0), (0, 1), (0, 2), (1, 0), (2, 0), (3, 0)], PAIRS, [1, 2], 2)
    right, left = (2, 0), (0, 2)
    assert levels(table, [left, right]) == [right, left, left, right, right, right]


def test_of_groups_of_one_size_that_of_the_first_node_is_made() -> None:
    table = Coded([(0, 1), (1, 0), (1, 1)], PAIRS, [1, 2], 2)
    assert levels(table, [LEFT, RIGHT]) == [LEFT, None, LEFT]
    assert levels(table, [RIGHT, LEFT]) == [None, RIGHT, RIGHT]


def test_who_had_k_records_alike_is_in_no_group() -> None:
    table = Coded([(0, 0), (0, 0), (1, 0), (2, 0), (3, 0)], PAIRS, [1, 2], 2)
    assert levels(table, [LEFT]) == [(0, 0), None, LEFT, LEFT]


def test_groups_of_fewer_than_k_records_are_not_made() -> None:
    table = Coded([(0, 0), (1, 0), (2, 2)], PAIRS, [1, 2], 3)
    assert levels(table, [LEFT, RIGHT, BOTH]) == [None] * 3


@settings(max_examples=times(33, slow=100), deadline=None)
@given(coded(), st.data())
def test_it_does_what_counting_all_groups_anew_each_time_does(table: Coded, data: st.DataObject) -> None:
    """Where groups of one node have one size, the first values decide; here the numbers of the combinations do."""
    rows, sizes = np.unique(np.array(table.rows), axis=0, return_counts=True)
    heights = [len(tree) - 1 for tree in table.trees]
    nodes = data.draw(st.lists(st.tuples(*(st.integers(0, height) for height in heights)), max_size=4, unique=True))
    expected: list[Row | None] = [(0,) * len(heights) if size >= table.k else None for size in sizes]
    made = levels(table, nodes)
    while True:
        groups = defaultdict(list)
        for place, node in enumerate(nodes):
            for number, row in enumerate(rows.tolist()):
                if expected[number] is None:
                    trees = zip(table.trees, node, row, strict=True)
                    groups[place, *(tree[level][value] for tree, level, value in trees)].append(number)
        records = {key: sum(int(sizes[number]) for number in members) for key, members in groups.items()}
        most = max(records.values(), default=0)
        if most < table.k:
            break
        first = min(key[0] for key, count in records.items() if count == most)
        for key, count in records.items():
            if count == most and key[0] == first:
                # Groups of one node do not overlap: the order in which they are made changes nothing.
                for number in groups[key]:
                    expected[number] = nodes[first]
    assert made == expected
