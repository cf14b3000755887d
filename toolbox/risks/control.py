"""How much better an attacker does on people who are in a release than on people who are not: exact counts of both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Final, NamedTuple, TypeAlias

from sqlalchemy import BigInteger, FromClause, and_, case, cast, func, literal, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.published.tables import Comparison
from toolbox.queries.dialect import Table
from toolbox.risks.joint import count_possible_values
from toolbox.risks.risk import FittingPersons, Matches

_Z: Final = 1.959963984540054
"""Of the normal distribution: 95 % lie within so many standard deviations."""


class Interval95(NamedTuple):
    """Between which shares the truth lies in 95 of 100 samples."""

    low: float
    high: float


@dataclass(frozen=True, kw_only=True)
class GroupSuccess:
    """On how many people of a group an attack succeeds."""

    people: int
    successes: int

    @property
    def share(self) -> float:
        """The successes as a share."""
        return self.successes / self.people

    @property
    def interval(self) -> Interval95:
        """Wilson's interval of the share.

        Examples
        --------
        >>> GroupSuccess(people=10, successes=1).interval
        Interval95(low=0.0179, high=0.4042)
        """
        square = _Z * _Z
        middle = (self.successes + square / 2) / (self.people + square)
        half = _Z * sqrt(self.successes * (1 - self.share) + square / 4) / (self.people + square)
        return Interval95(round(max(0.0, middle - half), 4), round(min(1.0, middle + half), 4))


@dataclass(frozen=True, kw_only=True)
class ControlledAttack:
    """One attack on the people of a release, and on people who are not in it."""

    name: str
    """``fits``, ``fits few``, ``fits one`` or ``value``."""
    attribute: str | None = None
    """The sensitive attribute whose value is guessed."""
    inside: GroupSuccess
    outside: GroupSuccess

    @property
    def difference(self) -> float:
        """How much larger the share of successes is on the people of the release."""
        return self.inside.share - self.outside.share

    @property
    def interval(self) -> Interval95:
        """Newcombe's interval of the difference, from Wilson's intervals of both shares.

        Examples
        --------
        >>> inside, outside = GroupSuccess(people=70, successes=56), GroupSuccess(people=80, successes=48)
        >>> ControlledAttack(name="fits", inside=inside, outside=outside).interval
        Interval95(low=0.0524, high=0.3339)
        """
        (low, high), (least, most) = self.inside.interval, self.outside.interval
        inside, outside = self.inside.share, self.outside.share
        below = sqrt((inside - low) ** 2 + (most - outside) ** 2)
        above = sqrt((high - inside) ** 2 + (outside - least) ** 2)
        return Interval95(round(self.difference - below, 4), round(self.difference + above, 4))

    @property
    def advantage(self) -> float | None:
        """Of the people on whom the attack would fail if they were not in the release, the share on whom it succeeds.

        None if it never fails on people who are not in it.
        """
        return None if self.outside.share == 1 else self.difference / (1 - self.outside.share)


@dataclass(frozen=True, kw_only=True)
class ControlRisk:
    """What the release tells of its people, beyond what it tells of everybody."""

    k: int
    attacks: tuple[ControlledAttack, ...]


KnownGroup: TypeAlias = tuple[Comparison, FromClause | None]
"""A release beside some people, and ``combination_id, value_1 .., size``: their sensitive values, where the release has
such attributes. Where the persons of both are known, they are counted, with ``person`` instead of the size: an attack
succeeds on somebody if it does on one of their records."""


def measure_control(inside: KnownGroup, outside: KnownGroup, k: int) -> ControlRisk:
    """Run the same attacks on the people of a release and on others.

    Parameters
    ----------
    inside, outside : KnownGroup
        The people of the release, and people of the same source who are not in it.
    k : int
        Fewer records than this are few.

    References
    ----------
    Giomi, Boenisch, Wehmeyer and Tasnádi (2023). A unified framework for quantifying privacy risk in synthetic data.
    doi:10.56553/popets-2023-0055
    Newcombe (1998). Interval estimation for the difference between independent proportions.
    doi:10.1002/(SICI)1097-0258(19980430)17:8<873::AID-SIM779>3.0.CO;2-I
    """
    first, second = _attack(inside, k), _attack(outside, k)
    attacks = (
        ControlledAttack(name=name, attribute=attribute, inside=success, outside=second[name, attribute])
        for (name, attribute), success in first.items()
    )
    return ControlRisk(k=k, attacks=tuple(attacks))


def _attack(group: KnownGroup, k: int) -> Mapping[tuple[str, str | None], GroupSuccess]:
    """Run all attacks on a group, by name and sensitive attribute."""
    comparison, truth = group
    if comparison.people.persons is not None:
        return _attack_persons(comparison, truth, k)
    store, matches = comparison.store, Matches(comparison)
    # Suppressed records fit everybody, and so tell nothing of anybody.
    counted, fits = matches.count_released_records(with_suppressed=False), matches.pairs()
    fitting, size = counted.c.consistent, counted.c.size
    tests = {"fits": fitting >= 1, "fits few": and_(fitting >= 1, fitting < k), "fits one": fitting == 1}
    sums = (cast(func.coalesce(func.sum(size).filter(test), 0), BigInteger) for test in tests.values())
    people, *successes = map(int, store.row(select(func.sum(size), *sums)))
    found: dict[tuple[str, str | None], GroupSuccess] = {
        (name, None): GroupSuccess(people=people, successes=count) for name, count in zip(tests, successes, strict=True)
    }
    if truth is not None:
        found |= _guess_values(comparison, fits, truth, people)
    store.drop(counted, fits)
    matches.drop()
    return found


def _attack_persons(
    comparison: Comparison, truth: FromClause | None, k: int
) -> Mapping[tuple[str, str | None], GroupSuccess]:
    """Run all attacks on persons, each of whom is found by any of their records."""
    store, held, shown = comparison.store, comparison.people.persons, comparison.release.persons
    assert held is not None and shown is not None, "the caller has looked"
    matches = Matches(comparison)
    fits = matches.pairs()
    fitting = FittingPersons(comparison, fits)
    counted = fitting.count(select(shown.c.equivalence_id.label("group_id"), shown.c.person).distinct())
    found = counted.c.persons
    tests = {"fits": found >= 1, "fits few": and_(found >= 1, found < k), "fits one": found == 1}
    each = select(held.c.person, *(func.bool_or(test).label(name) for name, test in tests.items()))
    joined = held.join(counted, counted.c.combination_id == held.c.combination_id)
    people = each.select_from(joined).group_by(held.c.person).subquery()
    counts = (func.count().filter(people.c[name]) for name in tests)
    total, *successes = map(int, store.row(select(func.count(), *counts).select_from(people)))
    attacks: dict[tuple[str, str | None], GroupSuccess] = {
        (name, None): GroupSuccess(people=total, successes=count) for name, count in zip(tests, successes, strict=True)
    }
    if truth is not None:
        for place, attribute in enumerate(comparison.release.sensitive, start=1):
            hits = _count_guessed_persons(comparison, fitting, truth, place, attribute)
            attacks["value", attribute] = GroupSuccess(people=total, successes=hits)
    fitting.drop()
    store.drop(fits, counted)
    matches.drop()
    return attacks


def _count_guessed_persons(
    comparison: Comparison, fitting: FittingPersons, truth: FromClause, place: int, attribute: str
) -> int:
    """Count the persons of whom a record has the value that most persons have who fit it."""
    release, held, sets = comparison.release, comparison.release.persons, fitting.groups
    assert held is not None, "the release was read with its persons"
    text = held.c[release.sensitive[attribute]]
    persons = func.count(held.c.person.distinct()).label("records")
    rows = select(sets.c.set_id, text.label("value"), persons)
    rows = rows.join_from(sets, held, held.c.equivalence_id == sets.c.group_id)
    values = rows.group_by(sets.c.set_id, text).subquery()
    guess = _choose_most_frequent(values, [values.c.set_id])
    usual = _choose_most_frequent(select(text.label("value"), persons).group_by(text).subquery(), [])
    placed = fitting.of_people
    joined = truth.outerjoin(placed, placed.c.combination_id == truth.c.combination_id)
    joined = joined.outerjoin(guess, guess.c.set_id == placed.c.set_id).join(usual, literal(True))
    guessed = case((guess.c.set_id.is_not(None), guess.c.value), else_=usual.c.value)
    right = truth.c[f"value_{place}"].is_not_distinct_from(guessed)
    hits = select(func.count(truth.c.person.distinct())).select_from(joined).where(right)
    return int(comparison.store.scalar(hits))


def _guess_values(
    comparison: Comparison, fits: Table, truth: FromClause, people: int
) -> Mapping[tuple[str, str | None], GroupSuccess]:
    """Guess for each person the most frequent value of the records that fit; where none does, of the release."""
    store, release, found = comparison.store, comparison.release, dict[tuple[str, str | None], GroupSuccess]()
    for place, attribute in enumerate(release.sensitive, start=1):
        values = count_possible_values(release, fits, attribute)
        guess = _choose_most_frequent(values, [values.c.combination_id])
        text = release.held.c[release.sensitive[attribute]]
        every = select(text.label("value"), func.sum(release.held.c.records).label("records")).group_by(text).subquery()
        usual = _choose_most_frequent(every, [])
        joined = truth.outerjoin(guess, guess.c.combination_id == truth.c.combination_id).join(usual, literal(True))
        has_guess = guess.c.combination_id.is_not(None)
        value = truth.c[f"value_{place}"]
        right = (has_guess & value.is_not_distinct_from(guess.c.value)) | (
            ~has_guess & value.is_not_distinct_from(usual.c.value)
        )
        hits = select(func.coalesce(func.sum(truth.c.size).filter(right), 0)).select_from(joined)
        found["value", attribute] = GroupSuccess(people=people, successes=int(store.scalar(hits)))
    return found


def _choose_most_frequent(values: FromClause, keys: Sequence[ColumnElement[int]]) -> FromClause:
    """Choose the value with most records; of several the first one in their order."""
    order = [values.c.records.desc(), values.c.value.nulls_last()]
    place = func.row_number().over(partition_by=keys or None, order_by=order).label("place")
    ranked = select(*keys, values.c.value, place).subquery()
    named = [ranked.c[key.name] for key in keys]
    return select(*named, ranked.c.value).where(ranked.c.place == 1).subquery()
