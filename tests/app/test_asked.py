"""What an address asks for, whatever somebody has typed there."""

from __future__ import annotations

from starlette.requests import Request

from toolbox.app.addresses import build_address, choose_word, parse_small_number, parse_whole_number
from toolbox.app.screens.risk import _choose_words


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
        assert parse_whole_number(asked(f"k={text}"), "k", 5, 2, 100) == expected
    assert parse_whole_number(asked("start=" + "9" * 5000), "start", 0, 0, 10) in (0, 10)


def test_a_small_number_has_digits_of_ascii_and_no_more_than_nine() -> None:
    for text, expected in (("0", 0), ("999999999", 999999999), ("1000000000", None), ("", None), ("+1", None)):
        assert parse_small_number(text) == expected
    assert (parse_small_number("9" * 5000), parse_small_number("\u00b2"), parse_small_number("\u0663")) == (
        None,
        None,
        None,
    )


def test_a_word_that_nobody_knows_is_the_usual_one() -> None:
    assert choose_word(asked("sort=risk"), "sort", ("value", "risk")) == "risk"
    assert choose_word(asked("sort=size"), "sort", ("value", "risk")) == "value"
    assert _choose_words(asked("by=b&by=a&by=x"), "by", ("a", "b", "c")) == ["a", "b"]
    assert _choose_words(asked("by=x"), "by", ("a", "b")) == ["a", "b"]


def test_an_address_leaves_out_what_is_not_said() -> None:
    assert build_address("/look") == "/look"
    assert (
        build_address("/look", sort='a&"b"', page=2, below=None, by=["x", "y"])
        == "/look?sort=a%26%22b%22&page=2&by=x&by=y"
    )
