"""What the name of a column means, in the languages of `toolbox.knowledge.name_words`."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from typing import Final, NamedTuple

from toolbox.knowledge.meanings import MEANINGS, Meaning
from toolbox.knowledge.name_words import NAME_WORDS, SMALL_WORDS, VAGUE

_PARTS: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\W\d_]+")
_LONGEST_NAME: Final = 200
_MOST_WORDS: Final = 4
"""Words of the longest phrase."""
_ENDINGS: Final = {"name": "person", "nummer": "number", "datum": "event", "adresse": "address"}
"""Ends of compounds, as German makes them."""
_RANKS: Final = ("technical", "sensitive", "known", "identifies")
_PLACES: Final = ("town", "region", "country")


class _Found(NamedTuple):
    """A phrase that stands in a name; the greatest says what the name means."""

    is_clear: bool
    words: int
    rank: int
    """What is known to others wins over what nobody should know: the age at a diagnosis is an age."""
    length: int
    place: int
    key: str


def split_name(name: str) -> list[str]:
    """Cut a name into its words, in small letters and without accents.

    Examples
    --------
    >>> split_name("dateOfBirth"), split_name("Straße_Nr2"), split_name("ÉTAT-CIVIL")
    (['date', 'of', 'birth'], ['strasse', 'nr'], ['etat', 'civil'])
    """
    plain = name[:_LONGEST_NAME].replace("ß", "ss").replace("ẞ", "SS")
    decomposed = unicodedata.normalize("NFKD", plain)
    letters = "".join(letter for letter in decomposed if not unicodedata.combining(letter))
    return [part.casefold() for part in _PARTS.findall(letters) if not part.isdigit()]


def find_name_meaning(name: str) -> Meaning | None:
    """Return what the values of a column are, by its name; None if the name does not say.

    Examples
    --------
    >>> [find_name_meaning(name).key for name in ("Geburtsdatum", "code_postal", "teléfono", "address_city", "fnlwgt")]
    ['birth', 'postcode', 'telephone', 'town', 'weight']
    >>> find_name_meaning("q17") is None
    True
    """
    words = [word for word in split_name(name) if word not in SMALL_WORDS]
    found = sorted([*_find_phrases(words), *_find_phrases([_restore_umlauts(word) for word in words])])
    if not found:
        return None
    best = found[-1]
    if best.key == "birth" and (places := [one for one in found if one.is_clear and one.key in _PLACES]):
        # The town of birth is a town.
        best = places[-1]
    return MEANINGS[best.key]


def _find_phrases(words: list[str]) -> Iterator[_Found]:
    """Yield each phrase that stands in a name, whether its words are apart or not."""
    whole, beginnings = _index()
    for first in range(len(words)):
        for count in range(1, min(_MOST_WORDS, len(words) - first) + 1):
            joined = "".join(words[first : first + count])
            if (key := whole.get(joined)) is not None:
                yield _make_found_phrase(key, joined not in VAGUE, count, len(joined) + 1, first)
            elif length := next((end for end in range(len(joined), 2, -1) if joined[:end] in beginnings), 0):
                # The longest of several: "bildung" is no picture, which is "bild".
                begin = joined[:length]
                yield _make_found_phrase(beginnings[begin], begin not in VAGUE, count, length, first)
        for ending, key in _ENDINGS.items():
            if words[first].endswith(ending) and words[first] != ending:
                yield _make_found_phrase(key, False, 1, len(ending), first)


def _make_found_phrase(key: str, is_clear: bool, words: int, length: int, place: int) -> _Found:
    return _Found(is_clear, words, _RANKS.index(MEANINGS[key].consequence), length, place, key)


def _restore_umlauts(word: str) -> str:
    """Write a word as if its umlauts had not been spelt out."""
    return word.replace("ae", "a").replace("oe", "o").replace("ue", "u")


@cache
def _index() -> tuple[dict[str, str], dict[str, str]]:
    """Return the whole phrases and the beginnings, each without blanks, with the keys of their meanings."""
    whole: dict[str, str] = {}
    beginnings: dict[str, str] = {}
    for key, words in NAME_WORDS.items():
        for phrase in words.split(","):
            joined = "".join(phrase.split())
            into = beginnings if joined.endswith("*") else whole
            into[joined.removesuffix("*")] = key
    return whole, beginnings
