"""The screen *Risk now*: the pages of a long table."""

from __future__ import annotations

from toolbox.app.screens.risk import _pages

ASKED = {"k": 5, "column": "a b", "sort": "value", "by": ["a b"], "flip": ""}


def test_more_than_two_hundred_values_are_paged_and_never_cut() -> None:
    assert _pages({**ASKED, "start": 0}, 200) == []
    first = dict(_pages({**ASKED, "start": 0}, 450))
    assert list(first) == ["Next", "Last"]
    assert first["Last"] == "/risk?k=5&column=a+b&sort=value&by=a+b&table=on&start=400"
    assert list(dict(_pages({**ASKED, "start": 400}, 450))) == ["First", "Previous"]
