"""What a column may mean, what follows from it for a release, and from which shares on something is said."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal

# What a column may mean, and what follows from it for a release.

Consequence = Literal["identifies", "known", "sensitive", "technical"]
"""It names or reaches a person; others may know it; others should not learn it; it is of the file, not of people."""


@dataclass(frozen=True)
class Meaning:
    """What the values of a column are."""

    key: str
    words: str
    """For people, in the plural: ``e-mail addresses``."""
    consequence: Consequence
    is_special: bool = False
    """Whether article 9 of the GDPR protects it especially."""


_ALL: Final = (
    Meaning("person", "names of people", "identifies"),
    Meaning("number", "numbers of people or records", "identifies"),
    Meaning("key", "numbers of records or of groups", "identifies"),
    Meaning("national", "numbers that a state or an insurance gives to people", "identifies"),
    Meaning("email", "e-mail addresses", "identifies"),
    Meaning("telephone", "telephone numbers", "identifies"),
    Meaning("address", "street addresses", "identifies"),
    Meaning("iban", "bank accounts (IBAN)", "identifies"),
    Meaning("account", "bank accounts", "identifies"),
    Meaning("card", "numbers of payment cards", "identifies"),
    Meaning("plate", "plates of vehicles", "identifies"),
    Meaning("user", "names of users", "identifies"),
    Meaning("web", "web addresses", "identifies"),
    Meaning("ip", "network addresses", "identifies"),
    Meaning("device", "numbers of devices", "identifies"),
    Meaning("uuid", "numbers that are made to be unique (UUID)", "identifies"),
    Meaning("text", "free text", "identifies"),
    Meaning("file", "files or pictures", "identifies"),
    Meaning("secret", "passwords or keys", "identifies"),
    Meaning("birth", "dates of birth", "known"),
    Meaning("age", "ages", "known"),
    Meaning("sex", "sexes", "known"),
    Meaning("postcode", "postcodes", "known"),
    Meaning("town", "towns", "known"),
    Meaning("region", "regions", "known"),
    Meaning("country", "countries", "known"),
    Meaning("coordinates", "coordinates of places", "known"),
    Meaning("nationality", "nationalities", "known"),
    Meaning("language", "languages", "known"),
    Meaning("marital", "marital statuses", "known"),
    Meaning("household", "households and families", "known"),
    Meaning("education", "educations", "known"),
    Meaning("occupation", "occupations", "known"),
    Meaning("employer", "employers and branches", "known"),
    Meaning("race", "races and ethnic origins", "known", is_special=True),
    Meaning("body", "sizes of bodies", "known"),
    Meaning("event", "dates of events", "known"),
    Meaning("religion", "religions and beliefs", "sensitive", is_special=True),
    Meaning("politics", "political opinions", "sensitive", is_special=True),
    Meaning("union", "memberships of trade unions", "sensitive", is_special=True),
    Meaning("health", "states of health", "sensitive", is_special=True),
    Meaning("icd", "diagnoses as ICD-10 codes", "sensitive", is_special=True),
    Meaning("genes", "genetic or biometric data", "sensitive", is_special=True),
    Meaning("sexuality", "sex lives and orientations", "sensitive", is_special=True),
    Meaning("crime", "convictions and offences", "sensitive"),
    Meaning("money", "incomes and amounts of money", "sensitive"),
    Meaning("grade", "grades and scores", "sensitive"),
    Meaning("weight", "weights of records in a survey", "technical"),
    Meaning("technical", "facts about the file or its making", "technical"),
)
MEANINGS: Final[Mapping[str, Meaning]] = MappingProxyType({meaning.key: meaning for meaning in _ALL})
"""By their keys."""


# Shares and numbers from which something is said of a column, for the notes of runs and for suggestions alike.

EMAILS: Final = 0.002
"""Within prose, too: some addresses among many remarks are found."""
WEB_ADDRESSES: Final = 0.01
TELEPHONE_NUMBERS: Final = 0.5
WITHIN_TEXTS: Final = 0.002
"""Telephone numbers with a country code, and accounts with their checksum, wherever they stand in a text."""
WORDS_OF_PROSE: Final = 5
"""Words of a text from which it is one."""
NEARLY_UNIQUE: Final = 0.9
"""Share of different values among all, from which a column is called nearly unique."""
FEWEST: Final = 10
"""Records below which nothing is said that chance could say, too."""
MOST_ARE: Final = 0.5
"""Share of dates from which a column is one of dates."""
PROSE: Final = 0.2
"""Share of prose from which a column of different texts is one of free text."""
IBANS: Final = 0.1
YEARS_OF_BIRTH: Final = 30
"""Years that dates of birth span, without the earliest and the latest of them; most other dates span fewer."""
DETERMINES: Final = 0.95
"""Share of the records of a column's values that have one value of the quasi-identifier."""
CONSTANT: Final = 0.9
"""Share of its most frequent value from which a quasi-identifier is as good as known."""
