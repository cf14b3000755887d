"""What a column may mean, what follows from it for a release, and from which shares on something is said."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal

from toolbox.messages import mark

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
    Meaning("person", mark("names of people"), "identifies"),
    Meaning("number", mark("numbers of people or records"), "identifies"),
    Meaning("key", mark("numbers of records or of groups"), "identifies"),
    Meaning("national", mark("numbers that a state or an insurance gives to people"), "identifies"),
    Meaning("email", mark("e-mail addresses"), "identifies"),
    Meaning("telephone", mark("telephone numbers"), "identifies"),
    Meaning("address", mark("street addresses"), "identifies"),
    Meaning("iban", mark("bank accounts (IBAN)"), "identifies"),
    Meaning("account", mark("bank accounts"), "identifies"),
    Meaning("card", mark("numbers of payment cards"), "identifies"),
    Meaning("plate", mark("plates of vehicles"), "identifies"),
    Meaning("user", mark("names of users"), "identifies"),
    Meaning("web", mark("web addresses"), "identifies"),
    Meaning("ip", mark("network addresses"), "identifies"),
    Meaning("device", mark("numbers of devices"), "identifies"),
    Meaning("uuid", mark("numbers that are made to be unique (UUID)"), "identifies"),
    Meaning("text", mark("free text"), "identifies"),
    Meaning("file", mark("files or pictures"), "identifies"),
    Meaning("secret", mark("passwords or keys"), "identifies"),
    Meaning("birth", mark("dates of birth"), "known"),
    Meaning("age", mark("ages"), "known"),
    Meaning("sex", mark("sexes"), "known"),
    Meaning("postcode", mark("postcodes"), "known"),
    Meaning("town", mark("towns"), "known"),
    Meaning("region", mark("regions"), "known"),
    Meaning("country", mark("countries"), "known"),
    Meaning("coordinates", mark("coordinates of places"), "known"),
    Meaning("nationality", mark("nationalities"), "known"),
    Meaning("language", mark("languages"), "known"),
    Meaning("marital", mark("marital statuses"), "known"),
    Meaning("household", mark("households and families"), "known"),
    Meaning("education", mark("educations"), "known"),
    Meaning("occupation", mark("occupations"), "known"),
    Meaning("employer", mark("employers and branches"), "known"),
    Meaning("race", mark("races and ethnic origins"), "known", is_special=True),
    Meaning("body", mark("sizes of bodies"), "known"),
    Meaning("event", mark("dates of events"), "known"),
    Meaning("religion", mark("religions and beliefs"), "sensitive", is_special=True),
    Meaning("politics", mark("political opinions"), "sensitive", is_special=True),
    Meaning("union", mark("memberships of trade unions"), "sensitive", is_special=True),
    Meaning("health", mark("states of health"), "sensitive", is_special=True),
    Meaning("icd", mark("diagnoses as ICD-10 codes"), "sensitive", is_special=True),
    Meaning("genes", mark("genetic or biometric data"), "sensitive", is_special=True),
    Meaning("sexuality", mark("sex lives and orientations"), "sensitive", is_special=True),
    Meaning("crime", mark("convictions and offences"), "sensitive"),
    Meaning("money", mark("incomes and amounts of money"), "sensitive"),
    Meaning("grade", mark("grades and scores"), "sensitive"),
    Meaning("weight", mark("weights of records in a survey"), "technical"),
    Meaning("technical", mark("facts about the file or its making"), "technical"),
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
