"""What texts look like: addresses, telephone numbers, dates, prose. Each kind is a test in SQL."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from sqlalchemy import Integer, and_, case, cast, func, or_
from sqlalchemy.sql.elements import ColumnElement

from toolbox.knowledge.meanings import MEANINGS
from toolbox.knowledge.thresholds import EMAILS, TELEPHONE_NUMBERS, WEB_ADDRESSES, WORDS_OF_PROSE
from toolbox.queries.dialect import contains, first_match, has_match

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


class Look(NamedTuple):
    """One kind of text."""

    name: str
    """As a note calls them all."""
    least: float
    """Share of the values that must look so before the column is said to hold them."""
    test: Callable[[ColumnElement[str]], ColumnElement[bool]]


def _matches(pattern: str) -> Callable[[ColumnElement[str]], ColumnElement[bool]]:
    return lambda text: has_match(text, pattern)


CONTACTS: Final = (
    # Within prose, too: some addresses among many remarks are found.
    Look(MEANINGS["email"].words, EMAILS, _matches(EMAIL)),
    Look(MEANINGS["web"].words, WEB_ADDRESSES, _matches(WEB)),
    Look(MEANINGS["telephone"].words, TELEPHONE_NUMBERS, _matches("|".join(TELEPHONES))),
)
"""What leads to a person, and is never a fact about them."""


def has_address(text: ColumnElement[str]) -> ColumnElement[bool]:
    """Test for an e-mail address in a text; most texts are not looked at twice."""
    return case((contains(text, "@"), has_match(text, EMAIL)), else_=False)


def may_be_iban(text: ColumnElement[str]) -> ColumnElement[bool]:
    """Test for the shape of an IBAN; `toolbox.knowledge.checksums.is_iban` has the checksum."""
    return has_match(compact(text), _IBAN)


def compact(text: ColumnElement[str]) -> ColumnElement[str]:
    """Write an account number without blanks."""
    return func.upper(func.replace(text, " ", ""))


def is_date(text: ColumnElement[str]) -> ColumnElement[bool]:
    """Test for a date with a year of four digits."""
    return has_match(text, "|".join(DATES))


def year_of(text: ColumnElement[str]) -> ColumnElement[int]:
    """Return the year of a date."""
    return cast(first_match(text, "[0-9]{4}"), Integer)


def is_prose(text: ColumnElement[str]) -> ColumnElement[bool]:
    """Test for a text of several words, or of several lines."""
    blanks = func.length(text) - func.length(func.replace(text, " ", ""))
    return or_(blanks >= WORDS_OF_PROSE - 1, and_(blanks > 0, contains(text, "\n")))
