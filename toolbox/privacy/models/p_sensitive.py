"""p-sensitive k-anonymity: k records in every class, with at least p different sensitive values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from sqlalchemy import case, func, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.errors import SettingError
from toolbox.privacy.classes import Classes
from toolbox.privacy.model import PrivacyModel, is_count
from toolbox.queries.query import Query


@dataclass(frozen=True, kw_only=True)
class PSensitiveKAnonymity(PrivacyModel):
    """Every class has at least k records and at least p different sensitive values.

    A class achieves the number of its values; with fewer than k records, 0. Where persons are declared, k is a number
    of persons, and no class achieves more than it has persons: one person may have many values.

    It is monotone: a class that takes others in keeps its records and its values. For the same reason suppression
    helps: a satisfying class together with any other satisfies it.

    Parameters
    ----------
    p : int, >= 1
        Fewest different values of a class.
    k : int, >= 1
        Smallest class, in records or persons.
    attribute : str
        The sensitive attribute.

    Raises
    ------
    SettingError
        If p or k is less than 1.

    References
    ----------
    Truta and Vinay (2006). Privacy protection: p-sensitive k-anonymity property. doi:10.1109/ICDEW.2006.116

    Examples
    --------
    >>> str(PSensitiveKAnonymity(p=2, k=5, attribute="illness"))
    'p-sensitive k-anonymity (p=2, k=5) of illness'
    """

    name: ClassVar[str] = "p-sensitive k-anonymity"
    summary: ClassVar[str] = "At least k people in each class, with at least p different sensitive values."
    meaning: ClassVar[str] = "Every class has at least {value} different values of {of}."
    rank: ClassVar[int] = 50
    empty_at: ClassVar[float | None] = 1
    reference: ClassVar[str] = "Truta and Vinay 2006, doi:10.1109/ICDEW.2006.116"
    monotone: ClassVar[bool] = True
    suppression_helps: ClassVar[bool] = True
    needs_attribute: ClassVar[bool] = True
    k_is_class_size: ClassVar[bool] = True

    p: int
    k: int

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, value in (("p", self.p), ("k", self.k)):
            if not is_count(value):
                raise SettingError(name, value, "a whole number of at least 1 (2 or more to protect anybody)")

    @property
    def required(self) -> float:
        return int(self.p)

    @property
    def least_records(self) -> int:
        return max(int(self.p), int(self.k))

    def achieved(self, classes: Classes) -> Query:
        histogram, _ = classes.judged
        key = histogram.c.equivalence_id
        if classes.counts_persons:
            shown = classes.add_size(select(key, func.count().label("values")).group_by(key))
            persons = shown.c.persons
            least = func.least(shown.c["values"], persons)
            return select(shown.c.equivalence_id, case((persons >= int(self.k), least), else_=0).label("achieved"))
        values = case((func.sum(histogram.c.records) >= int(self.k), func.count()), else_=0)
        return select(key, values.label("achieved")).group_by(key)

    def holds(self, achieved: ColumnElement[Any]) -> ColumnElement[bool]:
        return achieved >= int(self.p)

    def worst(self, achieved: ColumnElement[Any]) -> ColumnElement[Any]:
        return func.min(achieved)
