"""The order of a HashMap, worked out by hand from the published rules."""

from __future__ import annotations

from itertools import combinations, product

import pytest

from toolbox.methods.prioprivacy.search import hash_of, hash_order

ALIKE = ["".join(one) for one in product(("Aa", "BB"), repeat=4)]
"""Sixteen texts of one hash, 3754541312, mixed 3754499785: the last six bits are 9."""


@pytest.mark.parametrize(
    ("text", "hashed"),
    [
        ("", 0),
        ("0", 48),
        ("8 7", 54_863),  # 56 * 31**2 + 32 * 31 + 55
        # 56 * 31**4 + 32 * 31**3 + 55 * 31**2 + 32 * 31 + 54 = 52724389 = 804 * 2**16 + 0x82a5; 804 is 0x324
        ("8 7 6", 804 * 2**16 + 0x8181),
        # A text that is known for the smallest of all hash codes, -2**31.
        ("polygenelubricants", 0x80008000),
        *((text, 57_289 * 2**16 + 0x1EC9) for text in (ALIKE[0], ALIKE[-1])),
    ],
)
def test_the_upper_half_of_the_hash_code_is_mixed_into_the_lower(text: str, hashed: int) -> None:
    assert hash_of(text) == hashed


def test_buckets_come_in_their_order_and_texts_of_a_bucket_as_they_were_put() -> None:
    """Of 16 buckets p (112) has the first, q (113) and a (97) have the second, b (98) the third."""
    assert hash_order(["b", "q", "a", "p"]) == ["p", "q", "a", "b"]
    assert hash_order(["a", "b", "p", "q"]) == ["p", "a", "q", "b"]
    assert hash_order([]) == []


def test_the_thirteenth_text_doubles_the_buckets() -> None:
    """Then q goes to bucket 17, behind all letters that keep their buckets 1 to 12."""
    assert hash_order("qabcdefghijk") == list("qabcdefghijk")
    assert hash_order("qabcdefghijkl") == list("abcdefghijklq")


def test_the_ninth_text_of_a_bucket_doubles_them_too() -> None:
    assert hash_order(["q", "a", *ALIKE[:8]]) == ["q", "a", *ALIKE[:8]]
    assert hash_order(["q", "a", *ALIKE[:9]]) == ["a", *ALIKE[:9], "q"]


def test_a_bucket_that_becomes_a_tree_is_refused() -> None:
    """With nine texts alike there are 32 buckets, with ten 64, and from then on Java makes trees."""
    assert hash_order(ALIKE[:10]) == ALIKE[:10]
    with pytest.raises(NotImplementedError, match="11 of 11 texts share a bucket"):
        hash_order(ALIKE[:11])


def test_pairs_of_columns_come_by_the_sum_of_their_numbers() -> None:
    """56 is 8 and 961 is 1 modulo 16: a pair is in the bucket of its sum, so that 8 goes with 0 first."""
    assert hash_order(["8 7", "8 6", "7 6", "8 0", "6 5"]) == ["8 0", "6 5", "7 6", "8 6", "8 7"]


def test_sets_of_three_of_nine_columns() -> None:
    """Hash codes 52724389, 52724388 and 52723427, each with 804 mixed in: their last four bits are 1, 0 and 7."""
    assert hash_order(["8 7 6", "8 7 5", "8 6 5"]) == ["8 7 5", "8 7 6", "8 6 5"]


@pytest.mark.parametrize("columns", [9, 12])
def test_no_set_of_columns_makes_a_tree(columns: int) -> None:
    for count in range(1, columns + 1):
        texts = [" ".join(map(str, one)) for one in combinations(range(columns), count) if columns - 1 in one]
        assert sorted(hash_order(texts)) == sorted(texts)
