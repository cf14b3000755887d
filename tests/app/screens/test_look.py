"""The screen *Look*: where its links lead."""

from __future__ import annotations

from toolbox.app.screens.look import _pages, _sorted

ASKED = {"variant": 2, "where": "changed", "below": None, "sort": "", "order": "", "page": 1, "record": 7}


def test_the_head_of_a_column_sorts_by_it_and_then_the_other_way_round() -> None:
    assert _sorted(ASKED, "a&b") == ("/look?variant=2&where=changed&sort=a%26b&page=1", "")
    once = {**ASKED, "sort": "a&b"}
    assert _sorted(once, "a&b") == ("/look?variant=2&where=changed&sort=a%26b&order=descending&page=1", "ascending")
    twice = {**once, "order": "descending"}
    assert _sorted(twice, "a&b") == ("/look?variant=2&where=changed&sort=a%26b&page=1", "descending")
    assert _sorted(twice, "c")[1] == ""


def test_pages_lead_to_all_records_and_not_beyond() -> None:
    assert _pages(ASKED, 50) == []
    assert dict(_pages({**ASKED, "page": 2}, 101)) == {
        words: f"/look?variant=2&where=changed&page={page}"
        for words, page in (("First", 1), ("Previous", 1), ("Next", 3), ("Last", 3))
    }
    assert list(dict(_pages({**ASKED, "page": 99}, 101))) == ["First", "Last"]
