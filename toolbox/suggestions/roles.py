"""What becomes of a column in a release: a guess by rules, of which the first that holds decides; and a proposal."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, Literal, NamedTuple, get_args

from toolbox.knowledge.meanings import FEWEST, NEARLY_UNIQUE, Consequence, Meaning
from toolbox.knowledge.name_words import split_name
from toolbox.messages import mark, say, speak
from toolbox.suggestions.profile import Profile

Role = Literal["identifier", "quasi-identifier", "sensitive", "as it is"]
ROLES: Final[tuple[Role, ...]] = get_args(Role)
Sureness = Literal["sure", "likely", "unsure"]

FEW_VALUES: Final = 12
"""Values of an answer: a scale, a yes or no."""
_FEW_ALONE: Final = 0.05
_MANY_ALONE: Final = 0.3
"""Share of the records with a value of their own from which a column tells people apart."""
_MOST_ALONE: Final = 0.1
"""The same, from which not even a sensitive attribute is released as it is."""
_FEW_RECORDS: Final = 50
_GROUPS: Final = 0.3
"""Different values for each record below which numbers are those of groups: of schools, of wards."""
_SERIES: Final = 3
"""Columns that are named alike, from which they are a series of answers or measurements."""
_CLASSES: Final = 20
_OLDEST: Final = 130
_YEARS: Final = (1850, 2100)
_HEAVIEST: Final = 300
_OF_PEOPLE: Final = ("number", "national", "user")
"""Meanings of which one value is one person; names are shared, and numbers of records or groups are no person's."""
_MEASURED: Final = ("age", "birth", "coordinates")
"""Names of numbers and dates: words under them that hardly repeat are something else, perhaps a key."""


MOVES: Final = {"to_sens": "move it to sens", "to_qid": "move it to qid"}
"""What a person may do who knows better, as a configuration says it; screens say it otherwise."""


class Guess(NamedTuple):
    """What becomes of a column, why, and how sure that is."""

    role: Role
    why: str
    sureness: Sureness


@dataclass(frozen=True)
class Rule:
    """One line of the table of rules."""

    holds: Callable[[Profile], bool]
    role: Role
    sureness: Sureness
    why: str
    """May name what the values are, how many columns are named alike, and what a person may do instead."""


def guess_role(column: Profile) -> Guess:
    """Guess what becomes of a column.

    Parameters
    ----------
    column : Profile
    """
    rule = next(rule for rule in _RULES if rule.holds(column))
    words = next((meaning.words for meaning in _list_meanings(column)), mark("values"))
    with speak("en"):  # by itself it is English, so that its words are found in it in every language
        why = say(rule.why, values=words, alike=column.alike, **MOVES)
    return Guess(rule.role, why, rule.sureness)


def find_repeated_people(column: Profile, *, is_sample: bool) -> str:
    """Say that an identifier of persons has several rows for some of them; nothing of any other column.

    Parameters
    ----------
    column : Profile
        Of a column that is an identifier.
    is_sample : bool
        Whether only some records were looked at, so that nobody knows how many each person has.
    """
    if not column.means(*_OF_PEOPLE) or column.kind in ("date", "timestamp") or column.different >= column.there:
        return ""
    rows = "its values repeat"
    if not is_sample:
        mean = column.there / column.different
        rows = f"{column.different:,} of {column.there:,} values differ, {mean:.3g} records for each on average"
    return f"{rows}: an identifier of persons with several records, it seems, so that records are not people"


def _list_meanings(column: Profile) -> list[Meaning]:
    """List the meanings of a column, those that identify first."""
    return sorted(column.meanings, key=lambda meaning: meaning.consequence != "identifies")


def _has_content(column: Profile, *consequences: Consequence) -> bool:
    return column.content is not None and column.content.meaning.consequence in consequences


def _has_name(column: Profile, *consequences: Consequence) -> bool:
    return column.by_name is not None and column.by_name.consequence in consequences


def _is_named_identifier(column: Profile) -> bool:
    """Return whether the name means an identifier; a date is never a name or number of a person."""
    return _has_name(column, "identifies") and column.kind not in ("date", "timestamp")


def _is_group(column: Profile) -> bool:
    """Return whether numbers, by their name, are those of groups of people."""
    is_number = column.by_name is not None and column.by_name.key == "key" and not _has_content(column, "identifies")
    return is_number and column.there >= _FEW_RECORDS and column.share_different < _GROUPS


def _has_many_values(column: Profile) -> bool:
    """Return whether a column has as many values as one that identifies would."""
    return column.there < _FEW_RECORDS or column.different > _CLASSES or column.share_alone > _FEW_ALONE


def _is_weight(column: Profile) -> bool:
    """Return whether weights are those of records, not those of bodies."""
    if column.by_name is None or column.by_name.key != "weight":
        return False
    numbers = column.numbers
    return numbers is None or numbers.high > _HEAVIEST or numbers.low < 2


def _can_match_name(column: Profile) -> bool:
    """Return whether the values are such as the name says: ages are no years, dates of birth are dates or years."""
    numbers = column.numbers
    if column.by_name is None:
        return True
    if column.by_name.key in _MEASURED and column.kind == "category" and _is_nearly_unique(column):
        return False
    if numbers is None:
        return True
    if column.by_name.key == "age":
        return numbers.low >= 0 and numbers.high <= _OLDEST
    if column.by_name.key == "birth":
        return numbers.is_whole and ((_YEARS[0] <= numbers.low and numbers.high <= _YEARS[1]) or numbers.high <= 31)
    return True


def _is_nearly_unique(column: Profile) -> bool:
    return column.there >= FEWEST and column.share_different >= NEARLY_UNIQUE


def _is_income_in_classes(column: Profile) -> bool:
    is_money = column.by_name is not None and column.by_name.key == "money"
    return is_money and column.kind == "category" and column.different <= _CLASSES and not column.has_codes


def _is_sensitive(column: Profile) -> bool:
    return _has_name(column, "sensitive") or _has_content(column, "sensitive")


def _is_fact(column: Profile) -> bool:
    """Return whether a sensitive attribute tells few enough apart to be released as it is."""
    return column.there < _FEW_RECORDS or column.share_alone < _MOST_ALONE


_RULES: Final = (
    Rule(lambda it: not it.there, "identifier", "sure", mark("it holds no value")),
    Rule(lambda it: _has_content(it, "identifies"), "identifier", "sure", mark("its values look like %(values)s")),
    Rule(
        _is_group,
        "quasi-identifier",
        "unsure",
        mark("its name says %(values)s, but they repeat: numbers of groups, perhaps"),
    ),
    Rule(
        lambda it: _is_named_identifier(it) and _has_many_values(it),
        "identifier",
        "sure",
        mark("its name says %(values)s"),
    ),
    Rule(
        _is_named_identifier,
        "identifier",
        "unsure",
        mark("its name says %(values)s, but it has few: if they name nobody, %(to_sens)s"),
    ),
    Rule(
        lambda it: (_has_name(it, "technical") and not it.means("weight") and _has_many_values(it)) or _is_weight(it),
        "identifier",
        "sure",
        mark("its name says %(values)s, which say nothing of people and may tell them apart"),
    ),
    Rule(
        lambda it: _has_name(it, "known") and _can_match_name(it),
        "quasi-identifier",
        "sure",
        mark("others may know %(values)s"),
    ),
    Rule(
        lambda it: _has_content(it, "known") and not _has_name(it, "sensitive"),
        "quasi-identifier",
        "likely",
        mark("its values look like %(values)s, which others may know"),
    ),
    Rule(
        lambda it: it.kind in ("date", "timestamp"),
        "quasi-identifier",
        "likely",
        mark("others may know dates, which tell people apart"),
    ),
    Rule(
        _is_income_in_classes,
        "quasi-identifier",
        "unsure",
        mark("others may know an income in classes; if nobody does, %(to_sens)s"),
    ),
    Rule(
        lambda it: (
            _is_nearly_unique(it) and it.kind == "category" and not (_has_name(it, "sensitive") and _is_fact(it))
        ),
        "identifier",
        "sure",
        mark("nearly all values differ"),
    ),
    Rule(
        lambda it: _is_nearly_unique(it) and it.kind == "number" and not it.is_measure,
        "identifier",
        "likely",
        mark("nearly all values differ; %(to_qid)s to release ranges"),
    ),
    Rule(
        lambda it: _is_sensitive(it) and _is_fact(it),
        "sensitive",
        "sure",
        mark("%(values)s: facts that others should not learn"),
    ),
    Rule(
        lambda it: _is_sensitive(it) and not (it.kind == "category" and it.share_alone >= _MANY_ALONE),
        "quasi-identifier",
        "unsure",
        mark("%(values)s, but many records have a value of their own, so that it is released generalised"),
    ),
    Rule(
        lambda it: it.share_alone >= _MANY_ALONE and it.is_measure,
        "quasi-identifier",
        "unsure",
        mark("measurements or amounts, so exact that they tell people apart: it is released in ranges"),
    ),
    Rule(
        lambda it: it.share_alone >= _MANY_ALONE,
        "identifier",
        "unsure",
        mark("many records have a value of their own; %(to_qid)s to release it generalised"),
    ),
    Rule(
        lambda it: it.may_be_names and it.by_name is None,
        "identifier",
        "unsure",
        mark("its values may be names of people; if they name places or things, %(to_qid)s"),
    ),
    Rule(
        lambda it: it.different == 1 and not it.missing,
        "as it is",
        "likely",
        mark("one value for everybody tells nobody apart"),
    ),
    Rule(
        lambda it: it.alike >= _SERIES,
        "sensitive",
        "likely",
        mark("one of %(alike)s columns that are named alike: answers, or measurements"),
    ),
    Rule(
        lambda it: it.different <= FEW_VALUES and it.share_alone <= _FEW_ALONE,
        "quasi-identifier",
        "unsure",
        mark("few values, and nothing says that others do not know them; if nobody does, %(to_sens)s"),
    ),
    Rule(lambda it: True, "quasi-identifier", "unsure", mark("many values, and nothing says what they are")),
)
"""From the most certain to the last resort. What identifies is dropped before anything else is asked."""


# What may be done to the values of a column instead of dropping it, or of releasing it as it is: a proposal, no more.

_NAMING: Final = ("person", "number", "national", "email", "telephone", "user")
"""Meanings of which a token may stand for each value."""
_FEWEST_BEYOND: Final = 5
"""Values beyond a cap, so that at least as many records are."""
_USUAL: Final = 0.05
"""Share of the different values beyond the usual ones."""


class Proposal(NamedTuple):
    """A treatment that somebody may want, which nobody applies unasked."""

    treatment: str
    """As a configuration writes it: ``top:50000``."""
    words: str
    """What it does, and what it leaves as it is."""


def propose_treatment(column: Profile, role: Role) -> Proposal | None:
    """Propose a treatment: tokens instead of what names people, and a cap for amounts of money.

    Parameters
    ----------
    column : Profile
    role : Role
        What becomes of it otherwise.
    """
    if role == "identifier" and column.means(*_NAMING) and column.different > 1:
        return Proposal(
            "pseudonym",
            "treat='pseudonym' releases a token instead of dropping it: it needs a key file, and rows of one value can "
            "be joined",
        )
    numbers = column.numbers
    if not column.means("money") or numbers is None or role == "identifier":
        return None
    if column.different * _USUAL < _FEWEST_BEYOND or not 0 < numbers.usual_high < numbers.high:
        return None
    step = Decimal(10) ** (Decimal(numbers.usual_high).adjusted() - 1)
    cap = format((Decimal(numbers.usual_high) // step * step).normalize(), "f")
    return Proposal(
        f"top:{cap}",
        f"in released, with treat='top:{cap}', its largest values become the cap; all others stay as they are",
    )


# The 18 identifiers of HIPAA's Safe Harbor, 45 CFR 164.514(b)(2)(i), by what columns mean.

OLDEST_SHOWN: Final = 90
"""Ages from here on are one category."""
_SAFE_HARBOR: Final[Mapping[str, str]] = {
    "person": "A, names",
    "user": "A, names",
    "employer": "A, names of employers",
    "address": "B, places smaller than a state",
    "town": "B, places smaller than a state",
    "coordinates": "B, places smaller than a state",
    "postcode": "B, ZIP codes",
    "birth": "C, dates of birth",
    "telephone": "D and E, telephone and fax numbers",
    "email": "F, e-mail addresses",
    "national": "G and K, social security and licence numbers",
    "plate": "L, vehicles and their plates",
    "device": "M, devices",
    "number": "H to K, numbers of records, plans and licences",
    "key": "H to K, numbers of records, plans and licences",
    "account": "J, account numbers",
    "iban": "J, account numbers",
    "card": "J, account numbers",
    "web": "N, web addresses",
    "ip": "O, network addresses",
    "genes": "P, biometric identifiers",
    "file": "Q, photographs",
    "text": "R, any other identifying text",
    "uuid": "R, any other unique number",
    "secret": "R, any other unique code",
}
"""The letter of the rule, by the meanings whose columns it drops; ages and dates of events may be treated instead."""


class SafeHarbor(NamedTuple):
    """What the rule makes of a column."""

    role: Role
    why: str
    treatment: str = ""
    """As a configuration writes it; empty: it is dropped, or generalised."""


def apply_safe_harbor(column: Profile, *, knows_population: bool) -> SafeHarbor | None:
    """Return what Safe Harbor makes of a column; None where the rule does not name what it holds.

    Parameters
    ----------
    column : Profile
    knows_population : bool
        Whether it is known how many people live in the places that share three digits of a ZIP code.
    """
    if column.means("postcode") and not column.means("email", "telephone", "national"):
        if knows_population:
            return SafeHarbor("quasi-identifier", "B, ZIP codes: three digits, 000 where 20,000 people or fewer live")
        told = "B, ZIP codes: 000, as no file says where more than 20,000 people live (--zip-population)"
        return SafeHarbor("identifier", told, "redact:000")
    if (key := next((key for key in _SAFE_HARBOR if column.means(key)), None)) is not None:
        return SafeHarbor("identifier", f"{_SAFE_HARBOR[key]}{_ADVICE.get(key, '')}")
    if column.means("region") and not _is_state(column):
        return SafeHarbor("identifier", f"B, places smaller than a state{_ADVICE['town']}")
    return _treat_age(column) if column.means("age") else _treat_date(column)


_STATES: Final = frozenset(
    (
        *("state", "states", "province", "provinces", "region", "regions", "canton"),
        *("bundesland", "kanton", "regione", "estado", "comunidad"),
    )
)
_BELOW_STATES: Final = frozenset(["county", "counties", "tract", "block", "precinct", "district", "parish", "health"])


def _is_state(column: Profile) -> bool:
    """Return whether the name of a column says that its regions are states, or as large, and nothing smaller."""
    words = set(split_name(column.name))
    return bool(words & _STATES) and not words & _BELOW_STATES


_MONTHS: Final = frozenset(["month", "months", "monat", "monate", "monaten", "mois", "mese", "mesi", "mes", "meses"])


def _treat_age(column: Profile) -> SafeHarbor:
    if column.kind == "number":
        cap = OLDEST_SHOWN * 12 if _MONTHS & set(split_name(column.name)) else OLDEST_SHOWN
        return SafeHarbor("as it is", f"C, ages: {cap} stands for all above 89 years", f"top:{cap}")
    return SafeHarbor("identifier", "C, ages: not numbers, so that nobody can cap them")


def _treat_date(column: Profile) -> SafeHarbor | None:
    if column.kind in ("date", "timestamp"):
        written = f":{column.dates.formats[0]}" if column.dates is not None and column.dates.formats else ""
        return SafeHarbor("as it is", "C, dates: only the year stays", f"truncate:year{written}")
    if column.means("event") and not _holds_years(column):
        return SafeHarbor("identifier", "C, dates: not all of its values are dates, so that no year can be cut out")
    return None


_ADVICE: Final[Mapping[str, str]] = {
    "birth": ". A year of birth may tell an age above 89: if nobody is that old, move it to released with "
    "treat='truncate:year'",
    "town": ". A state may stay: if it holds states, move it to qid",
}
"""What a person may do instead of dropping a column."""


def _holds_years(column: Profile) -> bool:
    """Return whether all numbers of a column may be years."""
    numbers = column.numbers
    return numbers is not None and numbers.is_whole and _YEARS[0] <= numbers.low and numbers.high <= _YEARS[1]
