"""What is left of a text, and that a release which shows more is found."""

from __future__ import annotations

import pytest
from helpers.treated import broken, treated
from hypothesis import given
from hypothesis import strategies as st

from toolbox.store.engine.store import Store


@pytest.mark.parametrize(
    ("words", "value", "shown"),
    [
        ("mask", "Ann", "***"),
        ("mask:2", "8010", "**10"),
        # Nothing would be masked, so all is; a character of several bytes is one.
        ("mask:4", "8010", "****"),
        ("mask:1", "é😀x", "**x"),
        ("prefix:2", "8010", "80"),
        ("prefix:2", "é😀x", "é😀"),
        ("prefix:9", "ab", "ab"),
        ("redact", "anything", "*"),
        ("redact:n/a", "anything", "n/a"),
        ('redact:"a:b"', "anything", "a:b"),
        # What is missing stays missing, in each way to write it.
        ("redact", None, None),
        ("mask", "", ""),
        ("mask", "?", "?"),
    ],
)
def test_what_a_text_becomes(store: Store, words: str, value: str | None, shown: str | None) -> None:
    assert treated(store, words, [value]) == [shown]


@pytest.mark.parametrize(
    ("words", "read", "shown", "cells"),
    [
        ("mask:2", "8010", "**10", 0),
        # One character too many: the text is another one, missing here and too many there, and breaks the promise.
        ("mask:2", "8010", "*010", 3),
        ("prefix:2", "8010", "801", 3),
        ("redact", "8010", "8010", 3),
        ("mask", "?", "*", 2),
    ],
)
def test_a_release_that_shows_more_breaks_the_promise(
    store: Store, words: str, read: str, shown: str, cells: int
) -> None:
    assert broken(store, words, [(read, 1)], [(shown, 1)]) == cells


@given(
    texts=st.lists(st.text(st.characters(exclude_characters="*\0", exclude_categories=["Cs"]), min_size=3), max_size=6)
)
def test_no_text_that_is_masked_or_redacted_is_in_what_is_left(store: Store, texts: list[str]) -> None:
    for words in ("mask", "redact"):
        left = treated(store, words, list(texts))
        assert all(text in ("?", "") or text not in shown for text, shown in zip(texts, left, strict=True))
