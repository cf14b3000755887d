"""k-map: every class describes at least k people of a population, of whom the table may hold only some."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from sqlalchemy import BigInteger, cast, func, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.errors import SettingError
from toolbox.privacy.classes import Classes
from toolbox.privacy.model import PrivacyModel, is_count
from toolbox.queries.query import Query


@dataclass(frozen=True, kw_only=True)
class KMap(PrivacyModel):
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
    monotone: ClassVar[bool] = True
    suppression_helps: ClassVar[bool] = True
    needs_population: ClassVar[bool] = True

    k: int = field(kw_only=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not is_count(self.k):
            raise SettingError("k", self.k, "a whole number of at least 1 (2 or more to protect anybody)")

    @property
    def required(self) -> float:
        return int(self.k)

    @property
    def least_records(self) -> int:
        return 1

    def achieved(self, classes: Classes) -> Query:
        people, sizes = classes.people, classes.sizes
        count = cast(func.coalesce(people.c.size, 0), BigInteger)
        joined = sizes.outerjoin(people, people.c.equivalence_id == sizes.c.equivalence_id)
        return select(sizes.c.equivalence_id, count.label("achieved")).select_from(joined)

    def holds(self, achieved: ColumnElement[Any]) -> ColumnElement[bool]:
        return achieved >= int(self.k)

    def worst(self, achieved: ColumnElement[Any]) -> ColumnElement[Any]:
        return func.min(achieved)
