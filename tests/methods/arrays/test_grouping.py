"""Numbers for rows of several columns, and for pairs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolbox.methods.arrays import combinations as grouping
from toolbox.methods.arrays.combinations import decode_pairs, encode_pairs, make_room, number_rows


def test_equal_rows_have_equal_numbers_in_the_order_of_their_values() -> None:
    numbers, count = number_rows([np.array([1, 0, 1, 0]), np.array([0, 5, 0, 2])])
    assert (numbers.tolist(), count) == ([2, 1, 2, 0], 3)


def test_columns_with_more_combinations_than_a_word_holds_are_told_apart() -> None:
    wide = np.array([0, 2**40, 2**40, 0])
    numbers, count = number_rows([wide, wide[::-1].copy(), wide])
    assert (numbers.tolist(), count) == ([0, 1, 1, 0], 2)


def test_columns_may_come_one_after_the_other() -> None:
    numbers, count = number_rows(np.array(column, np.int16) for column in ([300, 2], [300, 300]))
    assert (numbers.tolist(), count) == ([1, 0], 2)


def test_no_rows_have_no_numbers() -> None:
    numbers, count = number_rows([np.array([], np.int64), np.array([], np.int64)])
    assert (numbers.tolist(), count) == ([], 0)


@given(st.lists(st.tuples(*[st.integers(0, 4)] * 3), min_size=1, max_size=30), st.sampled_from([1, 20, 2**62]))
def test_numbers_are_the_ranks_of_the_rows_however_little_room_there_is(
    rows: list[tuple[int, int, int]], largest: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grouping, "LARGEST", largest)
        numbers, count = number_rows([np.array(column) for column in zip(*rows, strict=True)])
    distinct = sorted(set(rows))
    assert (numbers.tolist(), count) == ([distinct.index(row) for row in rows], len(distinct))


def test_numbers_lose_their_gaps_only_where_there_is_no_room() -> None:
    numbers = np.array([7, 2**40, 7])
    assert make_room(numbers, 2**41, 2) == (numbers, 2**41)
    closer, span = make_room(numbers, 2**41, 2**22)
    assert (closer.tolist(), span) == ([0, 1, 0], 2)


def test_pairs_of_small_numbers_are_packed_in_eight_bytes_and_unpacked() -> None:
    first, second = np.array([30_000, 0], np.int16), np.array([1, 29_999], np.int16)
    pairs = encode_pairs(first, second, 30_000)
    assert pairs.tolist() == [900_000_001, 29_999]
    assert [part.tolist() for part in decode_pairs(pairs, 30_000)] == [[30_000, 0], [1, 29_999]]
