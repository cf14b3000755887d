"""What becomes of all columns of a table seen together: roles, hierarchies, k, and what gives another column away."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cached_property
from math import floor
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from toolbox.hierarchy.builders.words import format_builder_words
from toolbox.knowledge.meanings import CONSTANT, DETERMINES, FEWEST
from toolbox.messages import join_said, mark, say, say_count
from toolbox.suggestions.profile import Numbers, Profile, Profiles
from toolbox.suggestions.roles import (
    FEW_VALUES,
    MOVES,
    Proposal,
    Role,
    Sureness,
    find_repeated_people,
    guess_role,
    propose_treatment,
)
from toolbox.suggestions.texts import Drawn, TableNotation

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


# Columns that give another one away, as a town gives away its province, and records that columns tell apart.

_REPEATED: Final = 0.1
"""Share of the records whose value occurs more than once, below which nothing can be said."""


def gives_away(own: NDArray[np.integer[Any]], other: NDArray[np.integer[Any]]) -> bool:
    """Return whether nearly each value of a column goes with one value of another, which is not nearly everybody's.

    Parameters
    ----------
    own, other : array of int
        The values of both as numbers, record by record; -1 where there is none.
    """
    import numpy as np

    both = (own >= 0) & (other >= 0)
    own, other = own[both].astype(np.int64), other[both].astype(np.int64)
    if len(own) < FEWEST:
        return False
    base = int(other.max()) + 1
    records = np.bincount(own)
    others = np.bincount(np.unique(own * base + other) // base, minlength=len(records))
    repeated = records > 1
    total = int(records[repeated].sum())
    alone = int(records[repeated & (others == 1)].sum())
    varies = int(np.bincount(other).max()) <= CONSTANT * len(other)
    return varies and total >= max(FEWEST, _REPEATED * len(own)) and alone >= DETERMINES * total


def combine_groups(
    groups: NDArray[np.integer[Any]] | None, column: NDArray[np.integer[Any]]
) -> NDArray[np.integer[Any]]:
    """Assign numbers to the records: two have the same if they agree in the groups so far and in one more column.

    Parameters
    ----------
    groups : array of int, optional
        The numbers so far; None: nothing yet tells records apart.
    column : array of int
        Its values as numbers; -1 where there is none, which is a value of its own here.
    """
    import numpy as np

    codes = column.astype(np.int64) + 1
    if groups is not None:
        codes += groups.astype(np.int64) * (int(codes.max()) + 1)
    return np.unique(codes, return_inverse=True)[1]


def count_lone_records(groups: NDArray[np.integer[Any]]) -> int:
    """Return how many records are in no group with another."""
    import numpy as np

    return int((np.bincount(groups) == 1).sum())


# How a quasi-identifier is generalised: the attributes of its ``<att>`` and of its ``<vgh>``, by what it holds.

_STEPS: Final = {1: (1, 5, 10), 2: (2, 10, 20), 5: (5, 10, 20)}
"""By its first digit: widths that are round, each a multiple of the one before."""
_CLASSES: Final = 20
"""About this many intervals of the narrowest width cover the usual values."""
_NARROWEST: Final = 1e-9
_OLD: Final = 90
"""Ages from here on are one interval: so HIPAA asks for it (45 CFR 164.514(b)(2)(i)(C))."""
_OLDEST: Final = 1_000
"""What is larger is no age, in whatever unit."""
_FARTHEST: Final = 360
"""Degrees of a coordinate."""
_EXACT: Final = 2.0**50
"""Times the width of an interval: numbers beyond have hardly a digit below it."""
_FEW: Final = 12
"""Words from which a tree of their meanings is worth the work."""
_OF_MANY: Final = "a value, or nothing: write into a file what belongs together, <vgh file='..'/>"
_NUTS: Final = {3: "2", 4: "3,2", 5: "4,3,2"}
"""By the length of the code of a region: its country, and one character for each level."""
_ALPHABET: Final = 5
_KEPT: Final = {1: "1", 2: "1", 3: "2,1", 4: "2,1", 5: "3,1"}
_KEPT_OF_LONGER: Final = "4,2"
_COORDINATES: Final = "0.1,0.5,1"
_EVENTS: Final = "month,quarter,year"
_BIRTHS: Final = "month,year,decade"
_MOMENTS: Final = "day,month,year"


class ColumnGeneralisation(NamedTuple):
    """How a quasi-identifier is generalised."""

    attributes: dict[str, str]
    """Of its ``<att>``."""
    hierarchy: dict[str, str]
    """Of the ``<vgh>``; empty where there is none."""
    remark: str = ""
    """What a person should know of it."""

    @property
    def words(self) -> str:
        """The builder as the command line writes it: ``intervals:5,10,20:top=90``."""
        if "file" in self.hierarchy:
            return self.hierarchy["file"]
        if self.hierarchy:
            return format_builder_words(self.hierarchy)
        periods = self.attributes.get("hierarchy")
        return format_builder_words({"build": "dates", "periods": periods}) if periods else ""


_OWN: Final = {"icd": "icd10", "ip": "ip", "email": "email", "telephone": "telephone"}
"""Builders of their own, by what values look like."""


def choose_generalisation(column: Profile) -> ColumnGeneralisation:
    """Choose how a column is generalised, if it is a quasi-identifier.

    Parameters
    ----------
    column : Profile
    """
    if column.kind in ("date", "timestamp"):
        return _choose_for_dates(column)
    if column.means("postcode"):
        return _choose_for_codes(column)
    if column.numbers is not None and column.kind == "number":
        return ColumnGeneralisation({"type": "number"}, _choose_intervals(column, column.numbers))
    return _choose_for_words(column)


def _choose_for_words(column: Profile) -> ColumnGeneralisation:
    words = {"type": "category"}
    content = None if column.content is None else column.content.meaning.key
    if content in _OWN:
        # Not every value looks so.
        return ColumnGeneralisation(words, {"build": _OWN[content], "other": "root"})
    if column.means("country"):
        return ColumnGeneralisation(words, {"build": "countries", "other": "root"})
    if column.longest in _NUTS and "nuts" in column.name.casefold():
        return ColumnGeneralisation(words, {"build": "prefix", "keep": _NUTS[column.longest]})
    # Neighbours in the alphabet have nothing in common that a reader of the release could use.
    return ColumnGeneralisation(words, {"build": "auto", "levels": "0"}, _OF_MANY if column.different > _FEW else "")


def _choose_for_dates(column: Profile) -> ColumnGeneralisation:
    attributes: dict[str, str] = {"type": column.kind}
    if column.dates is not None and column.dates.formats:
        attributes["format"] = column.dates.formats[0]
    if column.kind == "timestamp":
        attributes["hierarchy"] = _MOMENTS
    else:
        attributes["hierarchy"] = _BIRTHS if column.by_name is not None and column.by_name.key == "birth" else _EVENTS
    is_unclear = column.dates is not None and column.dates.is_ambiguous
    remark = "day and month may change places in all of its dates: is the format right?" if is_unclear else ""
    return ColumnGeneralisation(attributes, {}, remark)


def _choose_for_codes(column: Profile) -> ColumnGeneralisation:
    longest = max(column.shapes, default=_ALPHABET)
    return ColumnGeneralisation({"type": "category"}, {"build": "prefix", "keep": _KEPT.get(longest, _KEPT_OF_LONGER)})


def _choose_intervals(column: Profile, numbers: Numbers) -> dict[str, str]:
    largest = max(abs(numbers.low), abs(numbers.high))
    if column.means("coordinates") and largest <= _FARTHEST:
        return {"build": "intervals", "width": _COORDINATES}
    if column.by_name is not None and column.by_name.key == "age" and largest <= _OLDEST:
        top = {"top": str(_OLD)} if numbers.high > _OLD else {}
        return {"build": "intervals", "width": "5,10,20", **top}
    return {"build": "intervals", "width": ",".join(choose_widths(numbers)), **_choose_interval_ends(numbers)}


def _choose_interval_ends(numbers: Numbers) -> dict[str, str]:
    """Cut off numbers so far from the usual ones that their digits are coarser than the intervals of these.

    The ends are multiples of the widest interval, and no numbers of the table.
    """
    narrow, _, wide = map(Decimal, choose_widths(numbers))
    most = float(narrow) * _EXACT
    ends = {}
    if numbers.low < -most:
        ends["bottom"] = (Decimal(numbers.usual_low) // wide - 1) * wide
    if numbers.high > most:
        ends["top"] = (Decimal(numbers.usual_high) // wide + 2) * wide
    return {name: format(end.normalize(), "f") for name, end in ends.items()}


def choose_widths(numbers: Numbers) -> list[str]:
    """Return three round widths of intervals, of which the narrowest makes about 20 of the usual numbers.

    Examples
    --------
    >>> choose_widths(Numbers(0, 100, 17, 90, True)), choose_widths(Numbers(0, 1, 0, 1, False))
    (['5', '10', '20'], ['0.05', '0.1', '0.2'])
    """
    span = numbers.usual_high - numbers.usual_low or numbers.high - numbers.low or 1.0
    largest = max(abs(numbers.usual_low), abs(numbers.usual_high))
    wanted = max(span / _CLASSES, _NARROWEST, largest / _EXACT)
    exponent = math.floor(math.log10(wanted))
    digit = min((1, 2, 5, 10), key=lambda digit: abs(math.log(wanted / 10**exponent / digit)))
    if digit == 10:
        digit, exponent = 1, exponent + 1
    if numbers.is_whole and exponent < 0:
        digit, exponent = 1, 0
    return [format((Decimal(step) * Decimal(10) ** exponent).normalize(), "f") for step in _STEPS[digit]]


# The guess for each column of a table, seen together with the others.

MOST_UNSURE: Final = 8
"""Quasi-identifiers that are only guessed at: each makes the others coarser."""
MOST_KNOWN: Final = 24
"""Quasi-identifiers of a configuration that nobody has looked at yet."""
MOST_SINGLED_OUT: Final = 0.01
"""Share of the records that may be alone by all quasi-identifiers and all columns released as they are on a likelihood.

A generalised release tells no more people apart than its raw values, so that this bounds every release.
"""
_MOST_PAIRS: Final = 100_000
_LEFT_OUT: Final = mark(
    "answers or measurements, perhaps, but it makes too many records unique together with others: if nobody knows it, "
    "%(to_sens)s"
)


@dataclass(frozen=True, kw_only=True)
class Suggested:
    """What is suggested for a column."""

    profile: Profile
    role: Role
    why: str
    sureness: Sureness
    generalisation: ColumnGeneralisation
    """How it is generalised, if it is a quasi-identifier."""
    alone_with: tuple[float, float] | None = None
    """Of a sensitive attribute: records that are alone by the quasi-identifiers as they are, and with it as well."""
    treatment: str = ""
    """What a preset does to its values: such as ``top:90``; empty: nothing."""
    same_within: tuple[str, ...] = ()
    """Of an identifier of persons with several records: the quasi-identifiers that are the same in all records of each.
    """

    @property
    def name(self) -> str:
        """Name of the column."""
        return self.profile.name

    @property
    def is_of_persons(self) -> bool:
        """Whether it is an identifier of persons, of whom some have several records."""
        return self.role == "identifier" and bool(find_repeated_people(self.profile, is_sample=False))

    @property
    def is_released(self) -> bool:
        """Whether a release shows it as it is."""
        return self.role in ("sensitive", "as it is")

    @property
    def proposal(self) -> Proposal | None:
        """A treatment that somebody may want instead of its role."""
        return propose_treatment(self.profile, self.role)

    def changed(self, role: Role, why: str, sureness: Sureness) -> Suggested:
        """Return the same column with another role."""
        return replace(self, role=role, why=why, sureness=sureness, treatment="")


def suggest_columns(drawn: Drawn, profiles: Profiles) -> tuple[Suggested, ...]:
    """Guess what becomes of each column of a table.

    Parameters
    ----------
    drawn : Drawn
        Its sample.
    profiles : Profiles
        Its columns.
    """
    columns = [_suggest_column(profile) for profile in profiles.columns]
    known = _limit_quasi_identifiers(_protect_leaking_columns(drawn, _ensure_quasi_identifier(columns)))
    return tuple(_find_same_within(drawn, _drop_likely_identifiers(drawn, known)))


def _find_same_within(drawn: Drawn, columns: Sequence[Suggested]) -> list[Suggested]:
    """Find the quasi-identifiers that say the same of a person in all records, in the sample."""
    import numpy as np

    known = [column for column in columns if column.role == "quasi-identifier"]

    def find(column: Suggested) -> Suggested:
        persons = drawn.codes(column.profile.position)
        count = len(np.unique(persons))
        pairs = ((other, combine_groups(persons, drawn.codes(other.profile.position))) for other in known)
        return replace(column, same_within=tuple(other.name for other, both in pairs if len(np.unique(both)) == count))

    return [find(column) if column.is_of_persons else column for column in columns]


def _suggest_column(profile: Profile) -> Suggested:
    role, why, sureness = guess_role(profile)
    return Suggested(
        profile=profile, role=role, why=why, sureness=sureness, generalisation=choose_generalisation(profile)
    )


def _ensure_quasi_identifier(columns: Sequence[Suggested]) -> list[Suggested]:
    """Make one column a quasi-identifier if none looks like one, because a configuration needs one.

    It is the one with most values among those that would be released, or else among the numbers that would be dropped.
    """
    if any(column.role == "quasi-identifier" for column in columns):
        return list(columns)
    released = [column for column in columns if column.is_released]
    numbers = [column for column in columns if column.profile.kind == "number" and column.sureness != "sure"]
    if not (candidates := released or numbers):
        return list(columns)
    chosen = max(candidates, key=lambda column: column.profile.different)
    why = mark("nothing looks as if others knew it, so that this is a place to begin: it has most values")
    return [column.changed("quasi-identifier", why, "unsure") if column is chosen else column for column in columns]


def _protect_leaking_columns(drawn: Drawn, columns: Sequence[Suggested]) -> list[Suggested]:
    """Make a quasi-identifier of each released column that gives one away: nearly each of its values goes with one."""
    known = [column for column in columns if column.role == "quasi-identifier"]
    released = [column for column in columns if column.is_released and column.profile.different > 1]
    if len(known) * len(released) > _MOST_PAIRS:
        return list(columns)
    codes = {one.profile.position: drawn.codes(one.profile.position) for one in (*known, *released)}
    given = {}
    for column in released:
        own = codes[column.profile.position]
        for other in known:
            if gives_away(own, codes[other.profile.position]):
                given[column.profile.position] = say("its values give %(column)s away", column=other.name)
                break
    return [
        column.changed("quasi-identifier", given[column.profile.position], "likely")
        if column.profile.position in given
        else column
        for column in columns
    ]


def _limit_quasi_identifiers(columns: Sequence[Suggested]) -> list[Suggested]:
    """Drop quasi-identifiers that are too many: those of which least is known, and that tell most apart, first."""
    order = {"sure": 0, "likely": 1, "unsure": 2}
    known = [column for column in columns if column.role == "quasi-identifier"]
    ranked = sorted(
        known, key=lambda column: (order[column.sureness], not column.profile.meanings, *_rank_by_scarcity(column))
    )
    unsure = [column for column in ranked if column.sureness == "unsure"]
    kept = {column.profile.position for column in ranked[:MOST_KNOWN]}
    kept -= {column.profile.position for column in unsure[MOST_UNSURE:]}
    why = say("more quasi-identifiers would make all of them coarse; %(to_qid)s if the release needs it", **MOVES)
    return [
        column.changed("identifier", why, "unsure")
        if column.role == "quasi-identifier" and column.profile.position not in kept
        else column
        for column in columns
    ]


def _rank_by_scarcity(column: Suggested) -> tuple[bool, float]:
    """Return what comes last among quasi-identifiers: answers of a few values, and what tells most apart."""
    return column.profile.different <= FEW_VALUES, column.profile.share_alone


def _drop_likely_identifiers(drawn: Drawn, columns: Sequence[Suggested]) -> list[Suggested]:
    """Leave out what would be released on a likelihood, unless it makes hardly anybody unique; count it for the others.

    What is sure to be sensitive stays: that nobody knows it is what the word means, and its evidence says what else
    would follow. All other columns are taken together, those with fewest values first.
    """
    groups = None
    for column in columns:
        if column.role == "quasi-identifier":
            groups = combine_groups(groups, drawn.codes(column.profile.position))
    alone = 0 if groups is None else count_lone_records(groups)
    known = groups
    changed = {}
    for column in sorted(columns, key=lambda column: column.profile.different):
        if not column.is_released or column.role == "as it is":
            continue
        codes = drawn.codes(column.profile.position)
        if column.sureness == "sure":
            both = alone / drawn.rows, count_lone_records(combine_groups(known, codes)) / drawn.rows
            changed[column.profile.position] = replace(column, alone_with=both)
            continue
        more = combine_groups(groups, codes)
        if count_lone_records(more) <= floor(MOST_SINGLED_OUT * drawn.rows):
            groups = more
        else:
            changed[column.profile.position] = column.changed("identifier", say(_LEFT_OUT, **MOVES), "unsure")
    return [changed.get(column.profile.position, column) for column in columns]


# What becomes of all columns of a table, and what follows from that: k, and what is done with missing values.

FEWEST_K: Final = 5
"""Records of the smallest class, to begin with."""
MOST_LEFT_OUT: Final = 0.05
"""Share of the records that may be left out because they lack a value; from there on, missing values are kept."""
BY_PERSON: Final = "so you said"
"""Why a column has the role that somebody chose."""


@dataclass(frozen=True, kw_only=True)
class RolePlan:
    """A role for each column."""

    columns: tuple[Suggested, ...]
    headers: tuple[str, ...] | None
    """None where the first line does not name the columns."""
    records: int
    notation: TableNotation
    is_sample: bool
    """Whether only some of the records were looked at."""
    preset: Literal["hipaa-safe-harbor"] | None = None
    """A rule that names what must go, and asks nothing of classes."""
    absent: Mapping[int, NDArray[np.bool_]] = field(compare=False, repr=False)
    """The records of the sample that lack a value, by the columns where some do."""

    def named(self, *roles: Role) -> list[str]:
        """List the columns with some roles."""
        return [column.name for column in self.columns if column.role in roles]

    @cached_property
    def undecided(self) -> tuple[Suggested, ...]:
        """The quasi-identifiers of which nobody is sure: they are left out until somebody decides.

        Where nobody is sure of any, all of them are taken: a release needs one to begin with.
        """
        known = [column for column in self.columns if column.role == "quasi-identifier"]
        unsure = tuple(column for column in known if column.sureness == "unsure")
        return () if len(unsure) == len(known) else unsure

    @cached_property
    def _waiting(self) -> frozenset[int]:
        return frozenset(column.profile.position for column in self.undecided)

    def is_left_out(self, column: Suggested) -> bool:
        """Return whether a column is left out because nobody is sure what it is."""
        is_dropped = column.role == "identifier" and column.sureness == "unsure"
        return is_dropped or column.profile.position in self._waiting

    @property
    def person(self) -> Suggested | None:
        """The column that seems to tell persons apart, of whom some have several records; of several the finest."""
        told = [column for column in self.columns if column.is_of_persons]
        return max(told, key=lambda column: column.profile.different, default=None)

    @property
    def arguments(self) -> dict[str, Any]:
        """The same as arguments of `toolbox.anonymize`; give it a table without the columns that are dropped."""
        named = (column for column in self.columns if column.role == "quasi-identifier")
        known = [column for column in named if not self.is_left_out(column)]
        said = {column.name: self.describe_generalisation(column).attributes for column in known}
        return {
            "identifiers": self.named("identifier"),
            **({} if self.person is None else {"person": self.person.name}),
            "quasi_identifiers": [column.name for column in known],
            "sensitive": self.named("sensitive", "as it is"),
            "kinds": {name: f"{its['type']} {its.get('format', '')}".strip() for name, its in said.items()},
            **({"undeclared": "drop"} if self.undecided else {}),
            **({} if self.on_missing is None else {"on_missing": self.on_missing}),
            "k": self.k,
        }

    @property
    def k(self) -> int:
        """Records of the smallest class that is suggested."""
        return 1 if self.preset else max(2, min(FEWEST_K, self.records))

    @property
    def keeps_missing(self) -> bool:
        """Whether missing values become a category; otherwise the records that lack one are left out."""
        lacking = [column for column in self._used if column.profile.missing]
        numbers = [column for column in lacking if _is_ordered(column)]
        return bool(lacking) and (not numbers or self.left_out > MOST_LEFT_OUT)

    @property
    def leaves_out(self) -> bool:
        """Whether some records are left out because they lack a value."""
        return not self.keeps_missing and any(column.profile.missing for column in self._used)

    @property
    def on_missing(self) -> Literal["keep", "skip"] | None:
        """What is said of records that lack a value; None where none does."""
        return "keep" if self.keeps_missing else "skip" if self.leaves_out else None

    @property
    def left_out(self) -> float:
        """Share of the records of the sample that lack a value of a column that is used."""
        flags = [
            self.absent[column.profile.position] for column in self._used if column.profile.position in self.absent
        ]
        if not flags:
            return 0.0
        lacking = flags[0].copy()
        for other in flags[1:]:
            lacking |= other
        return float(lacking.mean())

    @property
    def _used(self) -> list[Suggested]:
        return [column for column in self.columns if column.role != "identifier" and not self.is_left_out(column)]

    def describe_generalisation(self, column: Suggested) -> ColumnGeneralisation:
        """Return how a quasi-identifier is generalised."""
        if not self.is_category_for_missing(column):
            return column.generalisation
        remark = "taken for words, because missing values cannot be kept among numbers and dates"
        return ColumnGeneralisation({"type": "category"}, {"build": "auto", "levels": "3"}, remark)

    def is_category_for_missing(self, column: Suggested) -> bool:
        """Return whether numbers or dates are taken for words, because that is how missing values can be kept."""
        return self.keeps_missing and _is_ordered(column) and column.profile.missing > 0

    def with_roles(self, roles: Mapping[int, Role]) -> RolePlan:
        """Return the plan with the roles that a person has chosen, by the positions of columns."""
        columns = tuple(self._decide(column, roles.get(column.profile.position)) for column in self.columns)
        return replace(self, columns=columns)

    @staticmethod
    def _decide(column: Suggested, role: Role | None) -> Suggested:
        """Give a column the role that a person has chosen; whoever agrees with an unsure guess has chosen it."""
        if role is None or (role == column.role and column.sureness != "unsure"):
            return column
        return column.changed(role, BY_PERSON, "sure")

    def evidence(self, column: Suggested) -> str:
        """Return one line on what was counted in a column; never a value."""
        its = column.profile
        if not its.there:
            return mark("no value")
        parts: list[str] = [say_count("%(count)s value", "%(count)s values", its.different)]
        if self.is_sample and its.different > 1:
            parts = [say("%(count)s values in a sample", count=its.different)]
        if its.alone:
            parts.append(say("%(share)s of the records have one of their own", share=percent(its.share_alone)))
        if its.missing:
            parts.append(say("%(share)s lack one", share=percent(its.missing / self.records)))
        if column.alone_with is not None and column.role == "sensitive":
            before, after = map(percent, column.alone_with)
            words = mark(
                "known with the quasi-identifiers, it makes %(after)s of the records unique, and these alone %(before)s"
            )
            parts.append(say(words, after=after, before=before))
        if its.by_name is not None and its.by_name.words not in column.why:
            parts.append(say("the name says %(values)s", values=its.by_name.words))
        if (found := its.content) is not None:
            parts.append(say("%(share)s look like %(values)s", share=percent(found.share), values=found.meaning.words))
        if any(meaning.is_special for meaning in its.meanings):
            parts.append(say("protected by article 9 of the GDPR"))
        return join_said("; ", parts)


def percent(share: float) -> str:
    """Write a share; one that is not nothing is never 0 %, and one that is not all never 100 %."""
    if not share:
        return say("none")
    if share < 0.01:
        return say("under 1 %")
    return say("%(percent)s %%", percent=100 if share == 1 else min(round(100 * share), 99))


def _is_ordered(column: Suggested) -> bool:
    """Return whether a column is generalised as numbers or dates, among which a missing value has no place."""
    return column.role == "quasi-identifier" and column.generalisation.attributes.get("type") != "category"
