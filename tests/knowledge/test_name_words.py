"""The words are written as names are read: small, without accents, and each of them once."""

from __future__ import annotations

from collections import Counter

from toolbox.knowledge.meanings import MEANINGS
from toolbox.knowledge.name_words import NAME_WORDS, SMALL_WORDS, VAGUE, split_name

PHRASES = [(key, " ".join(phrase.split())) for key, words in NAME_WORDS.items() for phrase in words.split(",")]


def test_each_word_has_a_meaning_that_is_known() -> None:
    assert set(NAME_WORDS) <= set(MEANINGS)


def test_no_word_is_written_in_a_way_that_no_name_is_read() -> None:
    plain = [phrase.removesuffix("*") for _, phrase in PHRASES]
    assert [
        text for text in plain if "".join(split_name(text)) != "".join(letter for letter in text if letter.isalpha())
    ] == []
    assert [text for text in plain if SMALL_WORDS & set(text.split())] == []
    assert [phrase for _, phrase in PHRASES if not phrase.strip("*")] == []


def test_no_word_means_two_things() -> None:
    counts = Counter("".join(phrase.split()) for _, phrase in PHRASES)
    assert [phrase for phrase, count in counts.items() if count > 1] == []


def test_each_vague_word_is_a_word() -> None:
    known = {"".join(phrase.split()).removesuffix("*") for _, phrase in PHRASES}
    assert VAGUE - known == set()
