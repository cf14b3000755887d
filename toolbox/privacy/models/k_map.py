"""k-map and delta-presence: of the people of a population whom a class describes, only some are in the table."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from sqlalchemy import BigInteger, Double, case, cast, func, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.errors import SettingError
from toolbox.privacy.classes import Classes
from toolbox.privacy.model import PrivacyModel, is_number
from toolbox.privacy.models.k_anonymity import OfAtLeastK
from toolbox.queries.dialect import Query, make_infinity


@dataclass(frozen=True, kw_only=True)
class KMap(OfAtLeastK):
    """Every class has generalised values that fit at least k people of a population.

    A class achieves the number of these people, 0 if there are none. The population holds the table; where it does not,
    the records of the table do not count.

    It is monotone: a class that takes others in fits the people of all. For the same reason suppression helps.

    Parameters
    ----------
    k : int, >= 1
        Fewest people.

    Raises
    ------
    SettingError
        If k is less than 1.

    References
    ----------
    Sweeney (2002). k-anonymity: a model for protecting privacy. doi:10.1142/S0218488502001648

    Examples
    --------
    >>> str(KMap(k=5))
    'k-map (k=5)'
    """

    name: ClassVar[str] = "k-map"
    summary: ClassVar[str] = "Everybody looks like at least k people of a population."
    meaning: ClassVar[str] = "Each released record fits at least {value} people of the population."
    rank: ClassVar[int] = 20
    empty_at: ClassVar[float | None] = 1
    reference: ClassVar[str] = "Sweeney 2002, doi:10.1142/S0218488502001648"
    suppression_helps: ClassVar[bool] = True
    needs_population: ClassVar[bool] = True

    k: int = field(kw_only=False)

    @property
    def least_records(self) -> int:
        return 1

    def achieved(self, classes: Classes) -> Query:
        people, sizes = classes.people, classes.sizes
        there: ColumnElement[Any] = func.coalesce(people.c.size, 0)
        if classes.estimates_population:
            # The records of a sample are people of the population, also where their weights are below 1.
            there = func.greatest(there, sizes.c.size)
        # Weights of a sample add up to fractions of people, and to a little less than whole numbers.
        count = cast(func.floor(there + 1e-9), BigInteger)
        joined = sizes.outerjoin(people, people.c.equivalence_id == sizes.c.equivalence_id)
        return select(sizes.c.equivalence_id, count.label("achieved")).select_from(joined)


# Of the people whom a class describes, not too many and not too few are in the table.


@dataclass(frozen=True, kw_only=True)
class DeltaPresence(PrivacyModel):
    """Nobody can tell, above a given certainty, who of a population is in the table and who is not.

    A class achieves its share of the population: its records over the people of the population whom its generalised
    values fit, ``delta_min <= |class| / |people| <= delta_max``; infinity if they fit nobody. The population holds the
    table, so that no share is above 1; one that is says that it does not. People who fit no class are known not to be
    in the table: if there are any, no class achieves more than 0 for a delta_min above 0. The worst of a table is the
    largest share, or the smallest one if that is below delta_min.

    It is monotone where classes cover different people, as those of full-domain generalisation do: the share of two
    classes together lies between those of both, and fewer people fit no class. Suppression does not help. Where cells
    overlap, a class that takes others in may describe more people than both did, so that its share falls below a
    delta_min.

    Parameters
    ----------
    delta_max : float, > 0, <= 1
        Largest share, and certainty that somebody is in the table.
    delta_min : float, >= 0, <= delta_max
        Smallest share. 0 hides who is in the table only.

    Raises
    ------
    SettingError
        If one of them is out of range.

    References
    ----------
    Nergiz, Atzori and Clifton (2007). Hiding the presence of individuals from shared databases.
    doi:10.1145/1247480.1247554

    Examples
    --------
    >>> str(DeltaPresence(delta_max=0.5))
    'delta-presence (delta_max=0.5, delta_min=0)'
    """

    name: ClassVar[str] = "delta-presence"
    summary: ClassVar[str] = "Nobody can be sure who is in the table at all."
    meaning: ClassVar[str] = "That a person of the population is in the release can be believed by at most {value}."
    rank: ClassVar[int] = 30
    reference: ClassVar[str] = "Nergiz, Atzori and Clifton 2007, doi:10.1145/1247480.1247554"
    monotone: ClassVar[bool] = True
    suppression_helps: ClassVar[bool] = False
    needs_population: ClassVar[bool] = True
    bounds: ClassVar[tuple[str, ...]] = ("delta_max", "delta_min")

    delta_max: float
    delta_min: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if not is_number(self.delta_max) or not 0 < self.delta_max <= 1:
            raise SettingError("delta_max", self.delta_max, "a number above 0, at most 1, such as 0.5")
        if not is_number(self.delta_min) or not 0 <= self.delta_min <= self.delta_max:
            raise SettingError("delta_min", self.delta_min, f"a number from 0 to delta_max, {self.delta_max:g}")

    @property
    def counts_outside(self) -> bool:
        return self.delta_min > 0

    @property
    def required(self) -> float:
        return self.delta_max

    @property
    def least_records(self) -> int:
        return 1

    def achieved(self, classes: Classes) -> Query:
        people, sizes = classes.people, classes.sizes
        infinity = make_infinity()
        share: ColumnElement[Any] = case(
            (people.c.size > 0, cast(sizes.c.size, Double) / cast(people.c.size, Double)), else_=infinity
        )
        if self.delta_min:
            share = case((people.c.outside > 0, 0.0), else_=share)
        joined = sizes.outerjoin(people, people.c.equivalence_id == sizes.c.equivalence_id)
        return select(sizes.c.equivalence_id, share.label("achieved")).select_from(joined)

    def holds(self, achieved: ColumnElement[Any]) -> ColumnElement[bool]:
        return achieved.between(float(self.delta_min), float(self.delta_max))

    def worst(self, achieved: ColumnElement[Any]) -> ColumnElement[Any]:
        least = func.min(achieved)
        return case((least < float(self.delta_min), least), else_=func.max(achieved))
