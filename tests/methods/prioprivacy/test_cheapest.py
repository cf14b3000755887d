"""Classes that lose least, and the last records, which join one of them."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.prioritised import Coded, halving

from toolbox.methods.prioprivacy.search import _make_first_state, _PrioCombinations, _State, join_classes, make_cheapest

Row = tuple[int, ...]


def state_of(combinations: _PrioCombinations, levels: list[Row], still_open: list[int]) -> _State:
    state = _State(np.array(levels, np.int16).T.copy(), np.zeros(combinations.count, np.bool_))
    state.is_open[still_open] = True
    return state


def made(table: Coded, nodes: list[Row]) -> list[Row | None]:
    """Return the node of each combination, in their order; None for those that are still open."""
    state = _make_first_state(table.combinations, table.k)
    make_cheapest(table.combinations, state, nodes, table.k)
    return [
        None if is_open else tuple(node) for node, is_open in zip(state.levels.T.tolist(), state.is_open, strict=True)
    ]


def joined(table: Coded, levels: list[Row], still_open: list[int]) -> list[Row]:
    state = state_of(table.combinations, levels, still_open)
    join_classes(table.combinations, state)
    assert not state.is_open.any()
    return list(map(tuple, state.levels.T.tolist()))


# Two columns of four values that occur equally often, in pairs and at the root; the first is the more important one.
SQUARE = [(left, right) for left in range(4) for right in range(4)]
PAIRS = [halving(4, 1), halving(4, 1)]


@pytest.mark.parametrize("turned", [False, True])
def test_nodes_come_in_the_order_of_what_is_lost_not_as_they_are_listed(turned: bool) -> None:
    """A pair of the less important column is cheapest, and enough for two; four need more."""
    nodes = [(1, 1), (1, 0), (0, 1), (0, 2)][:: -1 if turned else 1]
    assert set(made(Coded(SQUARE, PAIRS, [1, 2], 2), nodes)) == {(0, 1)}
    assert set(made(Coded(SQUARE, PAIRS, [2, 1], 2), nodes)) == {(1, 0)}
    assert set(made(Coded(SQUARE, PAIRS, [1, 2], 5), nodes)) == {None}


def test_classes_are_made_of_open_records_alone() -> None:
    """(0, 0) has two records and stays; (1, 1) and (1, 0) have each other, (3, 3) nobody."""
    table = Coded([(0, 0), (0, 0), (1, 0), (1, 1), (3, 3)], PAIRS, [1, 2], 2)
    assert made(table, [(0, 1), (1, 1)]) == [(0, 0), (0, 1), (0, 1), None]


def test_a_group_of_fewer_than_k_records_waits_for_a_dearer_node() -> None:
    table = Coded([(0, 0), (0, 1), (1, 2), (2, 3)], PAIRS, [1, 2], 2)
    assert made(table, [(0, 1), (2, 2)]) == [(0, 1), (0, 1), (2, 2), (2, 2)]


def test_the_last_record_joins_the_class_to_which_it_adds_least() -> None:
    """To the pair of 2 with three records it adds less than to the 0s, which would have to rise to the root."""
    table = Coded([(0,)] * 3 + [(2,)] * 3 + [(3,)], [halving(4, 1)], [1], 2)
    assert joined(table, [(0,), (0,), (0,)], [2]) == [(0,), (1,), (1,)]


def test_a_class_that_covers_it_already_rises_no_further() -> None:
    """The pair of 2 and 3 stands there with eight records, and the class of 0 has but one: joining it costs more."""
    table = Coded([(0,)] + [(2,)] * 8 + [(3,)], [halving(4, 1)], [1], 1)
    assert joined(table, [(0,), (1,), (0,)], [2]) == [(0,), (1,), (1,)]


def test_a_larger_class_is_dearer_to_raise() -> None:
    """3 is as far from the 0s as from the 5s and 6s of other pairs; there are fewest 6s."""
    table = Coded([(0,)] * 4 + [(2,)] + [(5,)] * 3 + [(6,)] * 2, [halving(8, 1)], [1], 2)
    assert joined(table, [(0,), (0,), (0,), (0,)], [1]) == [(0,), (2,), (0,), (2,)]


def test_what_the_record_itself_loses_counts_too() -> None:
    """The class at the root would lose nothing by it, but the record all; with 0 both lose a third."""
    table = Coded([(value,) for value in range(8)], [halving(8, 1)], [1], 1)
    assert joined(table, [(0,), (0,), *[(2,)] * 6], [1]) == [(1,), (1,), *[(2,)] * 6]


def test_one_after_the_other_joins_and_the_second_sees_what_the_first_has_raised() -> None:
    """0 is joined by 1, so that 2 finds a pair and, of four records, lifts it to the root."""
    table = Coded([(0,)] * 2 + [(1,), (2,)], [halving(4, 1)], [1], 2)
    assert joined(table, [(0,)] * 3, [1, 2]) == [(2,)] * 3
