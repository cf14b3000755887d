"""Who is still at risk in a release: by class, by population, and by the records that fit each person."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import BigInteger, cast, func, select

from toolbox.published.tables import Comparison, Release
from toolbox.queries.query import Table
from toolbox.risks.attackers import (
    AttackerRisk,
    ClassSize,
    attacker_risk,
    histogram,
    prosecutor_groups,
    require_threshold,
)
from toolbox.risks.consistency import Matches, released_records

DEFAULT_THRESHOLD = 0.2
"""Risk above which a record counts as at risk: fewer than five among whom it hides."""


@dataclass(frozen=True, kw_only=True)
class Uniqueness:
    """Records that are alone in their class."""

    records: int
    """In a class of their own."""
    share: float
    """The same, as a share of the records that are not suppressed."""
    in_population: int | None
    """Of these, records that fit nobody else of the population either; None without a population."""


@dataclass(frozen=True, kw_only=True)
class Consistency:
    """How many released records could be each original person's."""

    people: int
    k: int
    below_k: int
    """People with fewer than k consistent records."""
    share_below_k: float
    alone: int
    """People with exactly one."""
    unmatched: int
    """People with none: the release does not cover them."""
    lowest: int
    average_risk: float
    """Mean of one over the number of consistent records, people with none left out; 0 if that is everybody."""
    counts: tuple[tuple[int, int], ...]
    """Number of consistent records, and the number of people who have that many; ascending."""


@dataclass(frozen=True, kw_only=True)
class Risk:
    """The risk of one release."""

    records: int
    suppressed: int
    """Records with nothing but roots, which are in no class and run no risk by class."""
    threshold: float
    prosecutor: AttackerRisk | None
    """Of an attacker who knows that the victim is in the table; None if all records are suppressed."""
    journalist: AttackerRisk | None
    """Of one who knows the population instead; None without a population."""
    marketer: float | None
    """Share of the records that one assigns rightly who tries all; with a population among its people."""
    uniqueness: Uniqueness
    histogram: tuple[ClassSize, ...]
    consistency: Consistency | None
    """None without the original records."""


def measure_risk(
    release: Release,
    *,
    original: Comparison | None = None,
    population: Comparison | None = None,
    threshold: float = DEFAULT_THRESHOLD,
    k: int = 5,
) -> Risk:
    """Measure all risks whose tables are given.

    Parameters
    ----------
    release : Release
    original : Comparison, optional
        The release beside the records that it was made from, for the consistency risk.
    population : Comparison, optional
        The release beside a table of all who could be in it, for the journalist's risk.
    threshold : float, above 0 and at most 1
        Risk above which a record is at risk.
    k : int, >= 1
        Fewest consistent records that a person should have.

    Raises
    ------
    SettingError
        If the threshold is no probability.
    """
    require_threshold(threshold)
    classes, store = release.classes, release.store
    size = classes.c.size
    unique = func.count().filter(~classes.c.suppressed, size == 1)
    hidden, alone = store.row(select(func.coalesce(func.sum(size).filter(classes.c.suppressed), 0), unique))
    prosecutor = attacker_risk(store, prosecutor_groups(release), threshold)
    journalist, alone_in_population = None, None
    if population is not None:
        groups = _among_people(population)
        journalist = attacker_risk(store, groups, threshold)
        alone_in_population = int(store.scalar(select(func.count()).where(groups.c.hidden_among == 1)))
        store.drop(groups)
    marketer = journalist or prosecutor
    shown = release.records - int(hidden)
    return Risk(
        records=release.records,
        suppressed=int(hidden),
        threshold=threshold,
        prosecutor=prosecutor,
        journalist=journalist,
        marketer=marketer.average if marketer else None,
        uniqueness=Uniqueness(
            records=int(alone), share=int(alone) / shown if shown else 0.0, in_population=alone_in_population
        ),
        histogram=histogram(release),
        consistency=None if original is None else consistency(original, k),
    )


def consistency(comparison: Comparison, k: int) -> Consistency:
    """Count, for each person, the released records that could be theirs, and sum up.

    References
    ----------
    Gionis, Mazza and Tassa (2008). k-Anonymization revisited. doi:10.1109/ICDE.2008.4497486; (1,k)-anonymity.
    """
    store = comparison.store
    counted = released_records(comparison)
    people = cast(func.sum(counted.c.size), BigInteger)
    rows = select(counted.c.consistent, people).group_by(counted.c.consistent).order_by(counted.c.consistent)
    counts = tuple((int(consistent), int(persons)) for consistent, persons in store.rows(rows))
    store.drop(counted)
    total = sum(persons for _, persons in counts)
    matched = [(consistent, persons) for consistent, persons in counts if consistent]
    below = sum(persons for consistent, persons in counts if consistent < k)
    return Consistency(
        people=total,
        k=k,
        below_k=below,
        share_below_k=below / total,
        alone=dict(counts).get(1, 0),
        unmatched=dict(counts).get(0, 0),
        lowest=counts[0][0],
        average_risk=sum(persons / consistent for consistent, persons in matched) / max(1, sum(n for _, n in matched)),
        counts=counts,
    )


def _among_people(population: Comparison) -> Table:
    """Hide the records of each class among the people of the population whom it covers; at least among themselves."""
    store = population.store
    matches = Matches(population)
    covered = matches.people_covered()
    hidden_among = func.greatest(covered.c.people, covered.c.size).label("hidden_among")
    groups = store.create("groups", select(covered.c.size.label("records"), hidden_among))
    store.drop(covered)
    matches.drop()
    return groups
