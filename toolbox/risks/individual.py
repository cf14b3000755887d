"""Who is at risk in a sample: each record beside the people for whom its class is estimated to stand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from sqlalchemy import BigInteger, Double, FromClause, case, cast, func, literal, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.published.tables import Release
from toolbox.published.uniqueness import EstimatedUniqueness, estimate_population_uniqueness
from toolbox.queries.dialect import Query, Table, sum_stably
from toolbox.risks.risk import count_class_sizes
from toolbox.store.engine.store import Store

# The individual risk of a record, in SQL over classes.

_BY_RECURRENCE: Final = 12
"""The largest class whose exact risk comes from the recurrence where p is below a half."""
_TERMS: Final = 64
"""Terms of the series for all others. What they leave out is below 1e-12 of the risk."""
_FEWER_TERMS: Final = ((100, 12), (36, 22), (20, 36))
"""Sizes of classes from which on fewer terms leave out less than that: the last one is below 1 / (f + terms over f)."""


def _select_individual_risk(classes: FromClause) -> Query:
    """Estimate for each record the probability that it is assigned to the right person of the population.

    With p = f/F, F given f is held to be negative binomial, and the risk is the expected value of 1/F. The exact form
    is (p^f / f) 2F1(f, f; f + 1; 1 - p), which is the integral of p u^(f-1) / (p + (1-p) u) from 0 to 1. Where p is
    below a half and f is small, its recurrence over f is stable; otherwise its series in 1 - p converges fast. The
    approximate form is the exact one for f = 1 and 2, and p / (f - (1 - p)) for larger classes.

    Parameters
    ----------
    classes : FromClause
        ``equivalence_id, size, people``: the records f of each class, and the people F for whom they stand. A class
        stands at least for its own records.

    Returns
    -------
    Select, one row per class
        ``equivalence_id, size, people, approximate, exact``.

    References
    ----------
    Benedetti and Franconi (1998). Statistical and technological solutions for controlled data dissemination.
    Franconi and Polettini (2004). Individual risk estimation in mu-Argus: a review. doi:10.1007/978-3-540-25955-8_20
    """
    size = cast(classes.c.size, Double)
    people = func.greatest(cast(classes.c.people, Double), size)
    shares = select(
        classes.c.equivalence_id, classes.c.size, people.label("people"), size.label("f"), (size / people).label("p")
    ).subquery()
    f, p = shares.c.f, shares.c.p
    odds = p / case((p < 1, 1 - p), else_=1.0)
    inner = select(*shares.c, odds.label("c"), (-func.ln(p)).label("log")).subquery()
    exact = _choose_exact(inner)
    outer = select(*inner.c, exact.label("exact")).subquery()
    f, p = outer.c.f, outer.c.p
    approximate = case((f > 2, p / (f - (1 - p))), else_=outer.c.exact)
    kept = [outer.c.equivalence_id, outer.c.size, outer.c.people]
    return select(*kept, approximate.label("approximate"), outer.c.exact)


def _choose_exact(shares: FromClause) -> ColumnElement[float]:
    """Return the exact risk: by the recurrence of small classes, otherwise by the series."""
    f, p, c, log = shares.c.f, shares.c.p, shares.c.c, shares.c.log
    integral: ColumnElement[float] = log
    recurrence = []
    for size in range(1, _BY_RECURRENCE + 1):
        recurrence.append((f == size, c * integral))
        integral = literal(1.0 / size) - c * integral

    def sum_series(terms: int) -> ColumnElement[Any]:
        series: ColumnElement[Any] = literal(1.0)
        for term in range(terms, 0, -1):
            series = 1.0 + (1 - p) * term / (f + term) * series
        return series

    fewer = [(f >= size, sum_series(terms)) for size, terms in _FEWER_TERMS]
    by_series = p / f * case(*fewer, else_=sum_series(_TERMS))
    is_recurrent = (p < 0.5) & (f <= _BY_RECURRENCE)
    return case((is_recurrent, case(*recurrence)), else_=by_series)


# The figures of a sample.


@dataclass(frozen=True, kw_only=True)
class IndividualRisk:
    """The probabilities that records are assigned to the right person of the population."""

    highest: float
    average: float
    """Over records, the global risk: the share of the records that is expected to be re-identified."""
    expected: float
    """Expected re-identifications: the sum over records."""
    records_at_risk: int
    """Records whose risk is above the threshold."""
    share_at_risk: float


@dataclass(frozen=True, kw_only=True)
class SampleRisk:
    """The risk of a sample, whose population is estimated; nothing of it is proved."""

    basis: Literal["weights", "fraction"]
    """What says how many people a record stands for."""
    weight: str | None
    """The column of the weights."""
    population: float
    """Estimated people of the population."""
    fraction: float
    """Share of the population that is in the sample."""
    threshold: float
    k: int
    smallest: float
    """Estimated people of the smallest class: the k of an estimated k-map."""
    below_k: int
    """Records in classes that stand for fewer than k people."""
    light: int
    """Records in classes whose weights sum up to less than their records, which count as themselves then."""
    marketer: float
    """Share of the records that one assigns rightly who tries all with a register of the population."""
    approximate: IndividualRisk
    exact: IndividualRisk
    household: IndividualRisk | None
    """Of records with the others of their household: one minus the product of what is left of each; None where no
    household is named."""
    uniqueness: EstimatedUniqueness
    """Of the records that are alone in the sample, how many are alone in the population."""


def measure_sample_risk(
    release: Release,
    *,
    weight: str | None = None,
    fraction: float | None = None,
    has_households: bool = False,
    threshold: float,
    k: int,
) -> SampleRisk | None:
    """Measure the risk of a sample by what its classes are estimated to stand for in the population.

    Parameters
    ----------
    release : Release
        With the weights of its classes, unless there is a fraction.
    weight : str, optional
        What the column of the weights is called.
    fraction : float, above 0 and at most 1, optional
        The share of the population that is in the sample, where there are no weights.
    has_households : bool
        Whether the only sensitive attribute of the release is the household.
    threshold : float, above 0 and at most 1
        Risk above which a record is at risk.
    k : int, >= 1
        Fewest people for whom a class should stand.

    Returns
    -------
    SampleRisk or None
        None where all records are suppressed.
    """
    store, weighted = release.store, weigh_classes(release, fraction)
    total, everybody = _count_population(release, weighted, fraction)
    if not store.scalar(select(func.count()).where(~weighted.c.suppressed)):
        return None
    risks = store.create(
        "individual", _select_individual_risk(select(weighted).where(~weighted.c.suppressed).subquery())
    )
    drawn = total / max(everybody, total) if fraction is None else float(fraction)
    smallest, below, marketer = store.row(
        select(
            func.min(risks.c.people),
            func.coalesce(func.sum(risks.c.size).filter(risks.c.people < k), 0),
            func.sum(risks.c.size / risks.c.people) / func.sum(risks.c.size),
        )
    )
    light = select(func.coalesce(func.sum(weighted.c.size), 0)).where(weighted.c.people < weighted.c.size)
    found = SampleRisk(
        basis="weights" if fraction is None else "fraction",
        weight=weight,
        population=max(everybody, total),
        fraction=drawn,
        threshold=threshold,
        k=k,
        smallest=smallest,
        below_k=int(below),
        light=int(store.scalar(light)),
        marketer=marketer,
        approximate=_sum_up(store, select(risks.c.size, risks.c.approximate.label("risk")).subquery(), threshold),
        exact=_sum_up(store, select(risks.c.size, risks.c.exact.label("risk")).subquery(), threshold),
        household=_measure_households(release, risks, threshold) if has_households else None,
        uniqueness=_estimate_uniqueness(store, weighted, drawn),
    )
    store.drop(risks)
    return found


def weigh_classes(release: Release, fraction: float | None) -> FromClause:
    """Say for how many people of the population all classes stand: ``equivalence_id, size, suppressed, people``."""
    classes = release.classes
    people = classes.c.people if fraction is None else cast(classes.c.size, Double) / float(fraction)
    return select(classes.c.equivalence_id, classes.c.size, classes.c.suppressed, people.label("people")).subquery()


def _count_population(release: Release, weighted: FromClause, fraction: float | None) -> tuple[float, float]:
    """Count the records of a sample, or its persons, each once, and sum up the people for whom they stand."""
    if (persons := release.persons) is None:
        query = select(func.sum(weighted.c.size), func.sum(weighted.c.people))
    else:
        weight = func.min(persons.c.weight) if fraction is None else literal(1 / float(fraction))
        each = select(weight.label("weight")).select_from(persons).group_by(persons.c.person).subquery()
        query = select(func.count(), sum_stably(each.c.weight))
    total, people = release.store.row(query)
    return float(total), float(people)


def _estimate_uniqueness(store: Store, weighted: FromClause, fraction: float) -> EstimatedUniqueness:
    shown = select(weighted.c.size).where(~weighted.c.suppressed).subquery()
    sizes = count_class_sizes(store, shown)
    return estimate_population_uniqueness([(each.size, each.classes) for each in sizes], fraction)


def _sum_up(store: Store, groups: FromClause, threshold: float) -> IndividualRisk:
    """Sum up the risks of groups of records: ``size, risk``."""
    size, risk = groups.c.size, groups.c.risk
    at_risk = func.coalesce(func.sum(size).filter(risk > threshold * (1 + 1e-12)), 0)
    columns: Sequence[ColumnElement[Any]] = (func.max(risk), func.sum(size * risk), at_risk, func.sum(size))
    highest, expected, endangered, records = store.row(select(*columns).select_from(groups))
    return IndividualRisk(
        highest=float(highest),
        average=float(expected) / int(records),
        expected=float(expected),
        records_at_risk=int(endangered),
        share_at_risk=int(endangered) / int(records),
    )


def _measure_households(release: Release, risks: Table, threshold: float) -> IndividualRisk:
    """Measure the risk of records with their households; whoever has none is one alone.

    A suppressed record has no risk of its own, but shows with the others of its household.
    """
    held = release.held
    household = held.c[next(iter(release.sensitive.values()))]
    risk = func.coalesce(risks.c.approximate, 0.0)
    joined = held.outerjoin(risks, risks.c.equivalence_id == held.c.equivalence_id)
    rows = select(household.label("household"), held.c.records, risk.label("risk")).select_from(joined).subquery()
    left = case((rows.c.risk < 1, func.ln(1 - case((rows.c.risk < 1, rows.c.risk), else_=0.0))), else_=-1e9)
    size = cast(func.sum(rows.c.records), BigInteger).label("size")
    together = (1 - func.exp(func.greatest(func.sum(rows.c.records * left), -700.0))).label("risk")
    grouped = select(size, together).where(rows.c.household.is_not(None)).group_by(rows.c.household)
    alone = select(cast(rows.c.records, BigInteger).label("size"), rows.c.risk.label("risk"))
    every = grouped.union_all(alone.where(rows.c.household.is_(None))).subquery()
    return _sum_up(release.store, every, threshold)
