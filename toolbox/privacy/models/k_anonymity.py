"""k-anonymity: nobody's quasi-identifiers single out fewer than k records."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from sqlalchemy import func, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.errors import SettingError
from toolbox.privacy.classes import Classes
from toolbox.privacy.model import PrivacyModel, is_count
from toolbox.queries.query import Query


@dataclass(frozen=True, kw_only=True)
class KAnonymity(PrivacyModel):
    """Every equivalence class has at least k records.

    Where persons are declared, it has at least k different persons, however many records each of them has.

    Parameters
    ----------
    k : int, >= 1
        Smallest class, in records or persons. 1 protects nobody.

    Raises
    ------
    SettingError
        If k is less than 1.

    References
    ----------
    Sweeney (2002). k-anonymity: a model for protecting privacy. doi:10.1142/S0218488502001648

    Examples
    --------
    >>> from sqlalchemy import column, table
    >>> classes = Classes(table("classes", column("equivalence_id"), column("size")))
    >>> print(KAnonymity(k=3).violations(classes))
    SELECT anon_1.equivalence_id, anon_1.achieved
    FROM (SELECT classes.equivalence_id AS equivalence_id, classes.size AS achieved
    FROM classes) AS anon_1
    WHERE anon_1.achieved < :achieved_1
    """

    name: ClassVar[str] = "k-anonymity"
    summary: ClassVar[str] = "Everybody looks like at least k - 1 others."
    meaning: ClassVar[str] = (
        "Somebody who knows the quasi-identifiers of a person finds at least {value} records that could be that "
        "person's."
    )
    rank: ClassVar[int] = 10
    empty_at: ClassVar[float | None] = 1
    reference: ClassVar[str] = "Sweeney 2002, doi:10.1142/S0218488502001648"
    monotone: ClassVar[bool] = True
    suppression_helps: ClassVar[bool] = True
    k_is_class_size: ClassVar[bool] = True

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
        return int(self.k)

    def achieved(self, classes: Classes) -> Query:
        return select(classes.sizes.c.equivalence_id, classes.sizes.c.size.label("achieved"))

    def holds(self, achieved: ColumnElement[Any]) -> ColumnElement[bool]:
        return achieved >= int(self.k)

    def worst(self, achieved: ColumnElement[Any]) -> ColumnElement[Any]:
        return func.min(achieved)
