"""The words of values are written as values are read."""

from __future__ import annotations

import pytest

from toolbox.knowledge.known_values import NO_ANSWERS, SEXES, VOCABULARIES
from toolbox.knowledge.meanings import MEANINGS
from toolbox.knowledge.texts import _normalise_text


def test_each_word_is_written_as_values_are_read() -> None:
    for key, words in [*VOCABULARIES.items(), ("sexes", SEXES), ("no answers", NO_ANSWERS)]:
        assert {word for word in words if _normalise_text(word) != word} == set(), key


def test_each_vocabulary_has_a_meaning() -> None:
    assert set(VOCABULARIES) <= set(MEANINGS)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("Never-married", "never married"),
        (" United_States ", "united states"),
        ("Österreich", "osterreich"),
        ("<=50K", "50k"),
        ("", ""),
    ],
)
def test_a_value_is_read_without_its_marks(text: str, word: str) -> None:
    assert _normalise_text(text) == word
