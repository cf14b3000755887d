"""How far a search has come: levels, what is shown, and who is alike."""

from __future__ import annotations

import numpy as np
from helpers.prioritised import Coded, halving
from helpers.small_tables import load
from sqlalchemy import select

from toolbox.methods.prioprivacy.search import (
    _make_first_state,
    _number_classes,
    fetch_prio_combinations,
    find_released_intervals,
    find_shown_values,
)
from toolbox.store.engine.store import Store

# Combinations, in their order: (0, 0) with two records, (1, 1), (2, 0) with three, (3, 1).
GIVEN = Coded(
    [(0, 0)] * 2 + [(1, 1)] + [(2, 0)] * 3 + [(3, 1)],
    [halving(4, 1), halving(2, 0)],
    [1, 2],
    2,
).combinations


def test_at_first_whoever_has_k_records_alike_is_settled_as_it_is() -> None:
    assert _make_first_state(GIVEN, 2).is_open.tolist() == [False, True, False, True]
    assert _make_first_state(GIVEN, 3).is_open.tolist() == [True, True, False, True]
    assert _make_first_state(GIVEN, 2).levels.tolist() == [[0] * 4, [0] * 4]


def test_who_is_settled_stays_at_its_node() -> None:
    state = _make_first_state(GIVEN, 4)
    assert state.rows.tolist() == [0, 1, 2, 3]
    state.settle(np.array([0, 2]), (1, 0))
    assert state.rows.tolist() == [1, 3]
    assert state.levels.tolist() == [[1, 0, 1, 0], [0, 0, 0, 0]]


def test_each_combination_shows_its_value_at_its_own_level() -> None:
    state = _make_first_state(GIVEN, 4)
    state.settle(np.array([2]), (1, 1))
    state.settle(np.array([3]), (2, 0))
    # Of 0 to 3: themselves; 2 in its pair, which is number 1; 3 at the root.
    assert find_shown_values(GIVEN, state, 0).tolist() == [0, 1, 1, 0]
    assert find_shown_values(GIVEN, state, 1).tolist() == [0, 1, 0, 1]
    assert GIVEN.codes[0][0].tolist() == [0, 1, 2, 3]


def test_classes_agree_in_value_and_level() -> None:
    """The pair of 2 and 3 has the number 1, which is no reason to put them together with 1 itself."""
    four = Coded([(0,)] * 2 + [(1,), (2,), (3,)], [halving(4, 1)], [1], 3).combinations
    state = _make_first_state(four, 3)
    state.settle(np.array([2, 3]), (1,))
    number, sizes = _number_classes(four, state)
    assert sizes[number].tolist() == [2, 1, 2, 2]
    assert number[2] == number[3]
    assert len(set(number.tolist())) == len(sizes) == 3


def test_a_release_shows_the_nodes_of_the_hierarchy_and_its_root(store: Store) -> None:
    ages = "21 20s *\n22 20s *\n30 30s *\n31 30s *"
    tables = load(store, "age\n21\n22\n30\n31", "age", hierarchies={"age": ages}).tables
    combinations, _ = fetch_prio_combinations(tables)
    state = _make_first_state(combinations, 2)
    state.settle(np.array([1]), (1,))
    state.settle(np.array([3]), (2,))
    (intervals,) = find_released_intervals(tables, combinations, state)
    named = tables.quasi_identifiers[0].intervals.c
    labels = dict(store.rows(select(named.interval_id, named.label)))
    assert [labels[number] for number in intervals.tolist()] == ["21", "20s", "30", "*"]
