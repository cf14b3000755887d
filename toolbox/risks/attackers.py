"""Re-identification risk by class: what three kinds of attacker achieve, and whose sensitive value is certain."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import NamedTuple

from sqlalchemy import BigInteger, Double, FromClause, cast, func, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.errors import SettingError
from toolbox.published.tables import Release
from toolbox.store.engine.store import Store

# Re-identification risk by class: what three kinds of attacker achieve who know the quasi-identifiers of people.
#
# References ---------- El Emam and Dankar (2008). Protecting privacy using k-anonymity. doi:10.1197/jamia.M2716; the
# prosecutor and the journalist. Dankar and El Emam (2010). A method for evaluating marketer re-identification risk.
# doi:10.1145/1754239.1754271

_TOLERANCE = 1e-12


@dataclass(frozen=True, kw_only=True)
class AttackerRisk:
    """What one kind of attacker achieves: probabilities that a released record is assigned to the right person."""

    highest: float
    """Of any record."""
    average: float
    """Over records: the share that such an attacker assigns rightly when trying all."""
    lowest: float
    records_at_risk: int
    """Records whose risk is above the threshold."""
    share_at_risk: float
    """The same, as a share of the records that are not suppressed."""


@dataclass(frozen=True)
class ClassSize:
    """The classes of one size."""

    size: int
    """In records."""
    classes: int

    @property
    def records(self) -> int:
        """In all of these classes."""
        return self.size * self.classes


def require_threshold(threshold: float) -> None:
    """Stop where a threshold of risk is out of range.

    Raises
    ------
    SettingError
    """
    if not isinstance(threshold, Real) or isinstance(threshold, bool) or not 0 < threshold <= 1:
        raise SettingError("threshold", threshold, "a probability above 0 and at most 1, such as 0.2")


def measure_attacker_risk(store: Store, groups: FromClause, threshold: float) -> AttackerRisk | None:
    """Measure the risk of records that hide in groups.

    Parameters
    ----------
    groups : FromClause
        ``records, hidden_among``: the released records of a class, and the people, at least as many, whom an attacker
        cannot tell from theirs: those of the class itself for a prosecutor, who knows that the victim is in the table;
        those of the population for a journalist, who does not.
    threshold : float, above 0 and at most 1
        Risk above which a record is at risk.

    Returns
    -------
    AttackerRisk or None
        None where there is no group.
    """
    records, risk = groups.c.records, 1 / cast(groups.c.hidden_among, Double)
    total = func.sum(records)
    at_risk = func.coalesce(func.sum(records).filter(risk > threshold * (1 + _TOLERANCE)), 0)
    columns = (func.max(risk), func.sum(records * risk) / total, func.min(risk), at_risk, total)
    highest, average, lowest, endangered, everybody = store.row(select(*columns).select_from(groups))
    if everybody is None:
        return None
    return AttackerRisk(
        highest=highest,
        average=average,
        lowest=lowest,
        records_at_risk=int(endangered),
        share_at_risk=int(endangered) / int(everybody),
    )


def make_prosecutor_groups(release: Release) -> FromClause:
    """Hide the records of each class among themselves; suppressed ones are in no class."""
    classes = release.classes
    size: ColumnElement[int] = classes.c.size
    return select(size.label("records"), size.label("hidden_among")).where(~classes.c.suppressed).subquery()


def histogram(release: Release) -> tuple[ClassSize, ...]:
    """Count the classes of each size, the smallest first."""
    classes = release.classes
    return count_class_sizes(release.store, select(classes.c.size).where(~classes.c.suppressed).subquery())


def count_class_sizes(store: Store, classes: FromClause) -> tuple[ClassSize, ...]:
    """Count the classes of each size, the smallest first; their records are in the column ``size``."""
    size, amount = classes.c.size, cast(func.count(), BigInteger)
    rows = store.rows(select(size, amount).group_by(size).order_by(size))
    return tuple(ClassSize(int(records), int(count)) for records, count in rows)


# Whose sensitive value is certain: everybody in the class has the same one.


class CertainValues(NamedTuple):
    """The people whose value of one sensitive attribute is certain if their class is known."""

    attribute: str
    people: int
    """Records in classes that have one value; suppressed records are in no class."""


def count_certain_values(release: Release) -> tuple[CertainValues, ...]:
    """Count the records in classes with one value of a sensitive attribute, for each attribute.

    A class in which the value is missing, in all records or in some, has none that is certain.
    """
    held, classes = release.held, release.classes
    joined = held.join(classes, classes.c.equivalence_id == held.c.equivalence_id)
    counts = []
    for name, column in release.sensitive.items():
        text = held.c[column]
        is_one = (func.count(text.distinct()) == 1) & (func.count(text) == func.count())
        of_class = select(func.sum(held.c.records).label("records")).select_from(joined).where(~classes.c.suppressed)
        certain = of_class.group_by(held.c.equivalence_id).having(is_one).subquery()
        people = release.store.scalar(select(func.coalesce(func.sum(certain.c.records), 0)))
        counts.append(CertainValues(name, int(people)))
    return tuple(counts)
