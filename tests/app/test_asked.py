"""What an address asks for, whatever somebody has typed there."""

from __future__ import annotations

from starlette.requests import Request

from toolbox.app.addresses import address, small, whole, word, words


def asked(query: str) -> Request:
    return Request({"type": "http", "query_string": query.encode(), "headers": []})


def test_a_number_beyond_its_bounds_is_the_nearest_within() -> None:
    for text, expected in (
        ("7", 7),
        ("1", 2),
        ("101", 100),
        ("x", 5),
        ("", 5),
        ("2.5", 5),
        ("%F0%9F%98%80", 5),
        ("-9", 2),
    ):
        assert whole(asked(f"k={text}"), "k", 5, 2, 100) == expected
    assert whole(asked("start=" + "9" * 5000), "start", 0, 0, 10) in (0, 10)


def test_a_small_number_has_digits_of_ascii_and_no_more_than_nine() -> None:
    for text, expected in (("0", 0), ("999999999", 999999999), ("1000000000", None), ("", None), ("+1", None)):
        assert small(text) == expected
    assert (small("9" * 5000), small("\u00b2"), small("\u0663")) == (None, None, None)


def test_a_word_that_nobody_knows_is_the_usual_one() -> None:
    assert word(asked("sort=risk"), "sort", ("value", "risk")) == "risk"
    assert word(asked("sort=size"), "sort", ("value", "risk")) == "value"
    assert words(asked("by=b&by=a&by=x"), "by", ("a", "b", "c")) == ["a", "b"]
    assert words(asked("by=x"), "by", ("a", "b")) == ["a", "b"]


def test_an_address_leaves_out_what_is_not_said() -> None:
    assert address("/look") == "/look"
    assert (
        address("/look", sort='a&"b"', page=2, below=None, by=["x", "y"]) == "/look?sort=a%26%22b%22&page=2&by=x&by=y"
    )
