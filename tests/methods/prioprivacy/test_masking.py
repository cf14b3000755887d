"""The suppression as published: who counts as anonymous when masked, and at which node."""

from __future__ import annotations

import pytest
from helpers.prioritised import Coded, halving

from toolbox.methods.prioprivacy.search import _make_first_state, mark_anonymous_records

Row = tuple[int, ...]
FIRST, SECOND, BOTH = (1, 0), (0, 1), (1, 1)


def masked(rows: list[Row], nodes: list[Row], k: int, *, values: int = 6) -> list[Row | None]:
    """Return the node at which each record is masked; None for those that stay open, or had k alike."""
    given = Coded(rows, [halving(values, 0)] * len(rows[0]), [1] * len(rows[0]), k)
    state = _make_first_state(given.combinations, k)
    before = state.is_open.copy()
    mark_anonymous_records(given.combinations, state, nodes, k)
    settled = (before & ~state.is_open).tolist()
    combinations = sorted(set(rows))
    found = dict(zip(combinations, zip(settled, map(tuple, state.levels.T.tolist()), strict=True), strict=True))
    return [found[row][1] if found[row][0] else None for row in rows]


def test_who_has_k_others_beside_the_masked_value_is_masked() -> None:
    """Beside 0 stand 1 and 2 of the five values 1 to 5, beside 9 nobody else."""
    rows = [(1, 0), (2, 0), (3, 5), (4, 4), (5, 3)]
    assert masked(rows, [FIRST], 2) == [FIRST, FIRST, None, None, None]


def test_records_that_are_no_longer_open_count_as_alike() -> None:
    """That is why the published rule protects nobody: with k = 2 both others of the 2 are released unmasked."""
    rows = [(1, 0), (1, 0), (2, 0), (3, 4), (5, 5)]
    assert masked(rows, [FIRST], 3) == [FIRST, FIRST, FIRST, None, None]
    assert masked(rows, [FIRST], 2) == [None, None, FIRST, None, None]


def test_the_values_that_do_not_stand_there_must_leave_k_candidates() -> None:
    """Of the three values 1, 2 and 3 all stand beside 0: who knows it finds out which one is masked."""
    rows = [(1, 0), (1, 0), (2, 0), (2, 0), (3, 0)]
    assert masked(rows, [FIRST], 2) == [None] * 5
    # A fourth one stands elsewhere, so that the masked one may be 3 or 4.
    assert masked([*rows, (4, 5)], [FIRST], 2) == [*[None] * 4, FIRST, None]


def test_the_first_node_that_is_enough_is_taken() -> None:
    rows = [(1, 0), (2, 0), (2, 3), (4, 5)]
    assert masked(rows, [FIRST, SECOND, BOTH], 2) == [FIRST, FIRST, SECOND, BOTH]
    assert masked(rows, [SECOND, FIRST, BOTH], 2) == [FIRST, SECOND, SECOND, BOTH]


@pytest.mark.parametrize(("k", "expected"), [(4, [BOTH] * 4), (5, [None] * 4)])
def test_with_every_column_masked_all_records_are_alike(k: int, expected: list[Row | None]) -> None:
    """Four of the sixteen pairs of four values stand in the table: 16 + 1 - 4 are candidates."""
    assert masked([(0, 0), (1, 1), (2, 2), (3, 3)], [BOTH], k) == expected
