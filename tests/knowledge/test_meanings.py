"""The meanings of columns: each has its own key and words, and what article 9 of the GDPR lists is marked."""

from __future__ import annotations

from toolbox.knowledge.meanings import MEANINGS


def test_each_meaning_is_called_otherwise() -> None:
    assert len({meaning.words for meaning in MEANINGS.values()}) == len(MEANINGS)
    assert all(key == meaning.key for key, meaning in MEANINGS.items())


def test_the_special_categories_of_article_9_are_marked() -> None:
    """Origin, opinions, beliefs, unions, genetic and biometric data, health, sex life and orientation."""
    special = {meaning.key for meaning in MEANINGS.values() if meaning.is_special}
    assert special == {"race", "politics", "religion", "union", "genes", "health", "icd", "sexuality"}
