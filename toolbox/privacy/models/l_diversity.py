"""l-diversity: nobody's sensitive value can be read off the class that they are in; three ways to say so."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from sqlalchemy import Double, and_, case, cast, func, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.errors import SettingError
from toolbox.privacy.classes import Classes
from toolbox.privacy.model import PrivacyModel, is_number
from toolbox.queries.dialect import Query, make_infinity, number_of_bits

_TOLERANCE = 1e-12
_MACHANAVAJJHALA = "Machanavajjhala et al. 2006, doi:10.1109/ICDE.2006.1"


@dataclass(frozen=True, kw_only=True)
class _LDiversity(PrivacyModel):
    """What the three instantiations share."""

    reference: ClassVar[str] = _MACHANAVAJJHALA
    monotone: ClassVar[bool] = True
    # Leaving classes out is no remedy: the purpose is to diversify what a class holds.
    suppression_helps: ClassVar[bool] = False
    needs_attribute: ClassVar[bool] = True

    l: float = field(kw_only=False)  # noqa: E741 - the name in the literature

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (_is_finite(self.l) and self.l > 0):
            raise SettingError("l", self.l, "a number above 0 (2 or more to protect anybody)")

    @property
    def required(self) -> float:
        return self.l

    @property
    def least_records(self) -> int:
        return max(1, math.ceil(self.l * (1 - _TOLERANCE)))

    def holds(self, achieved: ColumnElement[Any]) -> ColumnElement[bool]:
        return achieved >= self.l

    def worst(self, achieved: ColumnElement[Any]) -> ColumnElement[Any]:
        return func.min(achieved)


@dataclass(frozen=True, kw_only=True)
class DistinctLDiversity(_LDiversity):
    """Every class has at least l different sensitive values.

    Where persons are declared, it has at least l different persons as well: a person alone may have many values.

    Parameters
    ----------
    l : float, > 0
        Fewest different values of a class.
    attribute : str
        The sensitive attribute.

    Raises
    ------
    SettingError
        If l is not positive.

    References
    ----------
    Machanavajjhala, Gehrke, Kifer and Venkitasubramaniam (2006). l-diversity: privacy beyond k-anonymity.
    doi:10.1109/ICDE.2006.1

    Examples
    --------
    >>> DistinctLDiversity(l=3, attribute="illness").least_records
    3
    """

    name: ClassVar[str] = "distinct l-diversity"
    summary: ClassVar[str] = "Each class has at least l different sensitive values."
    meaning: ClassVar[str] = "Every class has at least {value} different values of {of}."
    rank: ClassVar[int] = 60
    empty_at: ClassVar[float | None] = 1
    counts_values: ClassVar[bool] = True

    def achieved(self, classes: Classes) -> Query:
        if classes.held is not None:
            return select(classes.held.c.equivalence_id, number_of_bits(classes.held.c.held).label("achieved"))
        histogram, _ = classes.judged
        key = histogram.c.equivalence_id
        return _limit_to_persons(classes, select(key, func.count().label("achieved")).group_by(key))


@dataclass(frozen=True, kw_only=True)
class EntropyLDiversity(_LDiversity):
    """The sensitive values of every class have at least the entropy of l equally frequent ones.

    A class achieves the exponential of its entropy: 3 for three equally frequent values, less if they are not. Where
    persons are declared, the different pairs of person and value are counted, and no class achieves more than it has
    persons.

    Parameters
    ----------
    l : float, > 0
        Effective number of different values. Entropies are compared with a relative tolerance of 1e-12.
    attribute : str
        The sensitive attribute.

    Raises
    ------
    SettingError
        If l is not positive.

    References
    ----------
    Machanavajjhala, Gehrke, Kifer and Venkitasubramaniam (2006). l-diversity: privacy beyond k-anonymity.
    doi:10.1109/ICDE.2006.1

    Examples
    --------
    >>> str(EntropyLDiversity(l=3, attribute="illness"))
    'entropy l-diversity (l=3) of illness'
    """

    name: ClassVar[str] = "entropy l-diversity"
    summary: ClassVar[str] = "The sensitive values of a class are as hard to guess as l equally frequent values."
    meaning: ClassVar[str] = "In every class {of} is at least as varied as {value} equally frequent values are."
    rank: ClassVar[int] = 70
    empty_at: ClassVar[float | None] = 1

    def holds(self, achieved: ColumnElement[Any]) -> ColumnElement[bool]:
        least = self.l ** (1 - _TOLERANCE) if self.l > 1 else self.l
        return achieved >= float(least)

    def achieved(self, classes: Classes) -> Query:
        histogram, _ = classes.judged
        key, records = histogram.c.equivalence_id, cast(histogram.c.records, Double)
        total = func.sum(records)
        entropy = func.ln(total) - func.sum(records * func.ln(records)) / total
        # Rounding may bring the entropy of a single value below 0.
        effective = select(key, func.exp(func.greatest(entropy, 0.0)).label("achieved")).group_by(key)
        return _limit_to_persons(classes, effective)


@dataclass(frozen=True, kw_only=True)
class RecursiveLDiversity(_LDiversity):
    """The most frequent sensitive value of every class is less than c times as frequent as the rare ones together.

    With the frequencies of a class in descending order, ``r_1 < c (r_l + r_(l+1) + .. )``, and there are at least l
    of them. A class achieves ``r_1 / (r_l + ..)``; without l values, infinity. A fractional l begins the sum at the
    whole number below it, as the original toolbox does. Where persons are declared, the frequency of a value is the
    number of persons who have it, and a class of fewer than l persons achieves infinity.

    Parameters
    ----------
    c : float, > 0
        The bound, which no class may reach.
    l : float, > 0
        Rank from which on values count as rare, and the fewest different values.
    attribute : str
        The sensitive attribute.

    Raises
    ------
    SettingError
        If c or l is not positive.

    References
    ----------
    Machanavajjhala, Gehrke, Kifer and Venkitasubramaniam (2006). l-diversity: privacy beyond k-anonymity.
    doi:10.1109/ICDE.2006.1

    Examples
    --------
    >>> RecursiveLDiversity(c=2, l=3, attribute="illness").required
    2
    """

    name: ClassVar[str] = "recursive (c,l)-diversity"
    summary: ClassVar[str] = "The most frequent sensitive value of a class does not stand out too much."
    meaning: ClassVar[str] = (
        "The most frequent value of {of} in a class is less than {value} times as frequent as the rarer values "
        "together."
    )
    rank: ClassVar[int] = 80
    told_apart_by: ClassVar[tuple[str, ...]] = ("l",)

    c: float

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (_is_finite(self.c) and self.c > 0):
            raise SettingError("c", self.c, "a number above 0")

    @classmethod
    def variants(cls, classes: Classes, achieved: Mapping[str, float | None]) -> Iterator[Mapping[str, Any]]:
        """Yield l = 2, and the l of distinct l-diversity where that is larger."""
        yield {"l": 2}
        if (distinct := int(achieved.get(DistinctLDiversity.name) or 0)) > 2:
            yield {"l": distinct}

    @property
    def required(self) -> float:
        return self.c

    def achieved(self, classes: Classes) -> Query:
        histogram, _ = classes.judged
        key, records = histogram.c.equivalence_id, histogram.c.records
        rank = func.row_number().over(partition_by=key, order_by=records.desc())
        ranked = select(key, cast(records, Double).label("records"), rank.label("rank")).subquery()
        most, tail = func.max(ranked.c.records), ranked.c.rank >= max(1, math.floor(self.l))
        rare = func.coalesce(func.sum(case((tail, ranked.c.records))), 0)
        ratio = case((and_(func.count() >= self.l, rare > 0), most / rare), else_=make_infinity())
        measured = select(ranked.c.equivalence_id, ratio.label("achieved")).group_by(ranked.c.equivalence_id)
        if not classes.counts_persons:
            return measured
        shown = classes.add_size(measured)
        enough = case((shown.c.persons >= self.l, shown.c.achieved), else_=make_infinity())
        return select(shown.c.equivalence_id, enough.label("achieved"))

    def holds(self, achieved: ColumnElement[Any]) -> ColumnElement[bool]:
        return achieved < self.c

    def worst(self, achieved: ColumnElement[Any]) -> ColumnElement[Any]:
        return func.max(achieved)


def _limit_to_persons(classes: Classes, measured: Query) -> Query:
    """Let no class achieve more than it has persons, where these are declared."""
    if not classes.counts_persons:
        return measured
    shown = classes.add_size(measured)
    return select(shown.c.equivalence_id, func.least(shown.c.achieved, shown.c.persons).label("achieved"))


def _is_finite(value: object) -> bool:
    return is_number(value) and abs(value) < math.inf
