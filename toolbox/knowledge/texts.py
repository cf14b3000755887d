"""What the texts of a column look like, alone and together: addresses, dates, countries, free text."""

from __future__ import annotations

import ipaddress
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from sqlalchemy import Integer, and_, cast, func, or_
from sqlalchemy.sql.elements import ColumnElement

from toolbox.knowledge.known_values import (
    FEWEST_WORDS,
    LEAST,
    LEAST_OTHERS,
    NO_ANSWERS,
    SEXES,
    VOCABULARIES,
    is_card,
    is_iban,
    is_national,
)
from toolbox.knowledge.meanings import (
    EMAILS,
    MEANINGS,
    MOST_ARE,
    NEARLY_UNIQUE,
    PROSE,
    TELEPHONE_NUMBERS,
    WEB_ADDRESSES,
    WITHIN_TEXTS,
    WORDS_OF_PROSE,
    Meaning,
)
from toolbox.queries.dialect import contains, find_first_match, has_match

# What texts look like: addresses, telephone numbers, dates, prose. Each kind is a test in SQL.

EMAIL: Final = r"[^\s@,;:<>()]+@[^\s@,;:<>()]+\.[A-Za-z]{2,}"
WEB: Final = r"(?i)\b(https?|ftp)://\S|\bwww\.[a-z0-9-]+\.[a-z]"
TELEPHONES: Final = (
    r"^\s*(\+|00)\s?[1-9][0-9 ()/.-]{5,20}[0-9]\s*$",  # international
    r"^\s*\(?0[1-9][0-9]{1,4}\)?[ /-]{1,3}[0-9][0-9 -]{3,12}[0-9]\s*$",  # an area code that begins with 0
    r"^\s*0[1-9]([ .-]?[0-9]{2}){4}\s*$",  # five pairs, as in France
    r"^\s*0[1-9][0-9]{7,12}\s*$",
    r"^\s*(\+?1[ .-]?)?\(?[2-9][0-9]{2}\)?[ .-]{1,2}[0-9]{3}[ .-][0-9]{4}\s*$",  # North America
)
DATES: Final = (
    r"^\s*[0-9]{4}[-/.][0-9]{1,2}[-/.][0-9]{1,2}([ T].*)?$",
    r"^\s*[0-9]{1,2}[-/.] ?[0-9]{1,2}[-/.] ?[0-9]{4}([ T].*)?$",
)
_IBAN: Final = r"^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$"
_GAP: Final = re.compile(r"[\W_]+")


class TextKind(NamedTuple):
    """One kind of text."""

    name: str
    """As a note calls them all."""
    least: float
    """Share of the values that must look so before the column is said to hold them."""
    test: Callable[[ColumnElement[str]], ColumnElement[bool]]


def _make_pattern_test(pattern: str) -> Callable[[ColumnElement[str]], ColumnElement[bool]]:
    return lambda text: has_match(text, pattern)


CONTACTS: Final = (
    # Within prose, too: some addresses among many remarks are found.
    TextKind(MEANINGS["email"].words, EMAILS, _make_pattern_test(EMAIL)),
    TextKind(MEANINGS["web"].words, WEB_ADDRESSES, _make_pattern_test(WEB)),
    TextKind(MEANINGS["telephone"].words, TELEPHONE_NUMBERS, _make_pattern_test("|".join(TELEPHONES))),
)
"""What leads to a person, and is never a fact about them."""


def may_be_iban(text: ColumnElement[str]) -> ColumnElement[bool]:
    """Test for the shape of an IBAN; `toolbox.knowledge.known_values.is_iban` has the checksum."""
    return has_match(remove_blanks(text), _IBAN)


def remove_blanks(text: ColumnElement[str]) -> ColumnElement[str]:
    """Write an account number without blanks."""
    return func.upper(func.replace(text, " ", ""))


def is_date(text: ColumnElement[str]) -> ColumnElement[bool]:
    """Test for a date with a year of four digits."""
    return has_match(text, "|".join(DATES))


def extract_year(text: ColumnElement[str]) -> ColumnElement[int]:
    """Return the year of a date."""
    return cast(find_first_match(text, "[0-9]{4}"), Integer)


def is_prose(text: ColumnElement[str]) -> ColumnElement[bool]:
    """Test for a text of several words, or of several lines."""
    blanks = func.length(text) - func.length(func.replace(text, " ", ""))
    return or_(blanks >= WORDS_OF_PROSE - 1, and_(blanks > 0, contains(text, "\n")))


# What the distinct texts of a column look like together: e-mail addresses, countries, free text. No text is kept.

_EMAIL: Final = re.compile(EMAIL)
_WEB: Final = re.compile(WEB)
_TELEPHONE: Final = re.compile("|".join(TELEPHONES))
_TELEPHONE_WITHIN: Final = re.compile(r"(?:^|[\s(:,;])\+[1-9][0-9]{0,2}[ (/.-]{0,2}[0-9][0-9 ()/.-]{5,18}[0-9]")
_IBAN_WITHIN: Final = re.compile(r"\b[A-Za-z]{2}[0-9]{2}(?: ?[A-Za-z0-9]{4}){2,7}(?: ?[A-Za-z0-9]{1,3})?\b")
_UUID: Final = re.compile(r"\{?[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\}?")
_DEVICE: Final = re.compile(r"(?:[0-9a-fA-F]{2}[:-]){5}[0-9a-fA-F]{2}")
_ICD: Final = re.compile(r"[A-Z][0-9][0-9A-Z](?:\.[0-9A-Z]{1,4}|[0-9]{1,2})?")
_PAIR: Final = re.compile(r"\(?\s*(-?[0-9]{1,3}\.[0-9]{3,})\s*[,; ]\s*(-?[0-9]{1,3}\.[0-9]{3,})\s*\)?")
_STREET: Final = re.compile(
    r"(?i)^\s*[0-9]+[a-z]?,? .*\b(street|st|road|rd|avenue|ave|lane|ln|drive|dr|boulevard|blvd)\b"
    r"|^\s*[0-9]+ ?(bis|ter)?,? (rue|avenue|boulevard|place|chemin|impasse|allee|allée|quai)\b"
    r"|^\s*(via|viale|piazza|corso|calle|avenida|avda|plaza|paseo|rue|am|an der|im) .*[0-9]"
    r"|(stra(ß|ss)e|str\.|gasse|weg|platz|allee|ring|steig)\s+[0-9]"
)
_MOST_SEXES: Final = 5
_FEWEST_LETTERS: Final = 2
_FEWEST_ANSWERS: Final = 5
_FEWEST_NAMES: Final = 10
_MOST_NAMES: Final = 0.7
_SHORTEST_NAME, _LONGEST_NAME = 3, 6
"""Letters of a name in a writing without capitals, such as Japanese."""


class Content(NamedTuple):
    """What texts look like."""

    meaning: Meaning
    share: float
    """Of the records that have a text, those whose text looks so."""


class _Look(NamedTuple):
    key: str
    least: float
    """Share of the records from which the column is said to hold these."""
    test: Callable[[str], bool]


def is_ip(text: str) -> bool:
    """Return whether a text is an address of a computer in a network."""
    if not ("." in text or ":" in text) or len(text) > 60:
        return False
    try:
        ipaddress.ip_address(text.strip())
    except ValueError:
        return False
    return True


def is_pair_of_coordinates(text: str) -> bool:
    """Return whether a text is a latitude and a longitude, or the other way round."""
    found = _PAIR.fullmatch(text)
    if found is None:
        return False
    first, second = abs(float(found[1])), abs(float(found[2]))
    return max(first, second) <= 180 and min(first, second) <= 90


def _has_iban(text: str) -> bool:
    return any(is_iban(found.replace(" ", "").upper()) for found in _IBAN_WITHIN.findall(text))


def _is_prose(text: str) -> bool:
    blanks = text.count(" ")
    return blanks >= WORDS_OF_PROSE - 1 or (blanks > 0 and "\n" in text)


_LOOKS: Final = (
    _Look("email", EMAILS, lambda text: "@" in text and _EMAIL.search(text) is not None),
    _Look("web", WEB_ADDRESSES, lambda text: _WEB.search(text) is not None),
    _Look("iban", WITHIN_TEXTS, _has_iban),
    _Look("uuid", MOST_ARE, lambda text: _UUID.fullmatch(text) is not None),
    _Look("device", MOST_ARE, lambda text: _DEVICE.fullmatch(text) is not None),
    _Look("ip", MOST_ARE, is_ip),
    # Of random digits a tenth has the right check digit.
    _Look("card", 0.9, lambda text: is_card(text.strip())),
    _Look("national", 0.9, is_national),
    _Look("telephone", TELEPHONE_NUMBERS, lambda text: _TELEPHONE.search(text) is not None),
    _Look("telephone", WITHIN_TEXTS, lambda text: _TELEPHONE_WITHIN.search(text) is not None),
    _Look("address", 0.3, lambda text: len(text) < 200 and _STREET.search(text) is not None),
    _Look("coordinates", MOST_ARE, is_pair_of_coordinates),
    _Look("icd", 0.9, lambda text: _ICD.fullmatch(text.strip()) is not None),
)


def recognise_content(texts: Mapping[str, int]) -> Content | None:
    """Return what the texts of a column look like; None if they look like nothing that is known.

    Parameters
    ----------
    texts : mapping of str to int
        Distinct texts that are there, each with its number of records.

    Examples
    --------
    >>> found = recognise_content({"ada@example.org": 1, "none": 3})
    >>> found.meaning.key, found.share
    ('email', 0.25)
    >>> recognise_content({"a": 3, "b": 1}) is None
    True
    """
    records = sum(texts.values())
    if not records:
        return None
    for look in _LOOKS:
        share = _compute_share(texts, records, look.test)
        if share >= look.least and share > 0 and (look.key != "icd" or _are_of_several_kinds(texts, records)):
            return Content(MEANINGS[look.key], share)
    return _find_vocabulary(texts) or _recognise_prose(texts, records)


def _are_of_several_kinds(texts: Mapping[str, int], records: int) -> bool:
    """Return whether codes begin with different letters and repeat; otherwise they may mean anything."""
    return len({text.strip()[:1] for text in texts}) >= _FEWEST_LETTERS and len(texts) < NEARLY_UNIQUE * records


def may_be_names(texts: Mapping[str, int]) -> bool:
    """Return whether most texts are two to four words that begin with a capital letter, as names of people are.

    In writings that have no capitals, they are one or two words of three to six letters together. So are names of
    places and of things: this says something only of columns of which nothing else is known.

    Examples
    --------
    >>> may_be_names({f"Xaver Zwettl{letter}": 2 for letter in "abcdefghijkl"}), may_be_names({"Blue Whale": 9})
    (True, False)
    """
    return len(texts) >= _FEWEST_NAMES and _compute_share(texts, sum(texts.values()), _may_be_name) >= _MOST_NAMES


def _may_be_name(text: str) -> bool:
    words = text.replace(",", " ").split()
    letters = "".join(words).replace(".", "").replace("'", "").replace("-", "").replace("’", "")
    if not letters.isalpha():
        return False
    if letters.upper() == letters.lower():
        return len(words) <= 2 and _SHORTEST_NAME <= len(letters) <= _LONGEST_NAME
    return 2 <= len(words) <= 4 and all(word[0].isupper() for word in words)


def _compute_share(texts: Mapping[str, int], records: int, test: Callable[[str], bool]) -> float:
    return sum(count for text, count in texts.items() if test(text)) / records


def _find_vocabulary(texts: Mapping[str, int]) -> Content | None:
    """Find the vocabulary that most of the records take their words from."""
    words = {text: _normalise_text(text) for text in texts}
    if 1 < len(texts) <= _MOST_SEXES and _are_sexes(sorted(set(words.values()))):
        return Content(MEANINGS["sex"], 1.0)
    answers = {text: word for text, word in words.items() if word not in NO_ANSWERS}
    records = sum(texts[text] for text in answers)
    if records < _FEWEST_ANSWERS:
        return None
    found = []
    for key, known in VOCABULARIES.items():
        # Names of people stand beside each other.
        parts = {text: word.split() if key == "person" else [word] for text, word in answers.items()}
        those = {text for text, its in parts.items() if any(part in known for part in its)}
        share = sum(texts[text] for text in those) / records
        if len({words[text] for text in those}) >= FEWEST_WORDS and share >= LEAST.get(key, LEAST_OTHERS):
            found.append(Content(MEANINGS[key], share))
    return max(found, key=lambda content: content.share, default=None)


def _are_sexes(words: Sequence[str]) -> bool:
    if not all(word in SEXES for word in words):
        return False
    longer = [word for word in words if len(word) > 1 and word not in ("other", "unknown")]
    letters = {word for word in words if len(word) == 1}
    return len(longer) > 1 or ("m" in letters and bool(letters & {"f", "w"})) or letters == {"h", "m"}


def _recognise_prose(texts: Mapping[str, int], records: int) -> Content | None:
    share = _compute_share(texts, records, _is_prose)
    is_varied = len(texts) >= MOST_ARE * records
    return Content(MEANINGS["text"], share) if is_varied and share >= PROSE else None


def _normalise_text(text: str) -> str:
    """Write a text in small letters, without accents, and with one blank between its words.

    Examples
    --------
    >>> _normalise_text("Married-civ-spouse"), _normalise_text(" Österreich ")
    ('married civ spouse', 'osterreich')
    """
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    letters = "".join(letter for letter in decomposed if not unicodedata.combining(letter))
    return _GAP.sub(" ", letters).strip()
