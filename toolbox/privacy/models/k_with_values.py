"""k records in every class, and sensitive values that vary: (alpha,k)-anonymity and p-sensitive k-anonymity."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from sqlalchemy import Double, case, cast, func, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.errors import SettingError
from toolbox.privacy.classes import Classes
from toolbox.privacy.model import PrivacyModel, is_count, is_number
from toolbox.queries.dialect import Query, make_infinity


@dataclass(frozen=True, kw_only=True)
class AlphaKAnonymity(PrivacyModel):
    """Every class has at least k records, and no sensitive value has more than a share alpha of them.

    A class achieves the share of its most frequent value, ``max_s n_s / n``; with fewer than k records, infinity. This
    is the general form of the paper, in which every sensitive value is protected. Where persons are declared, ``n`` and
    ``n_s`` are persons: how many a class has, and how many of them have the value.

    It is monotone: the share of a value in two classes together lies between its shares in each, and classes grow.
    Suppression does not help: a satisfying class together with another one need not satisfy it.

    Parameters
    ----------
    alpha : float, > 0, <= 1
        Largest share of a value.
    k : int, >= 1
        Smallest class, in records or persons.
    attribute : str
        The sensitive attribute.

    Raises
    ------
    SettingError
        If alpha or k is out of range.

    References
    ----------
    Wong, Li, Fu and Wang (2006). (alpha, k)-anonymity: an enhanced k-anonymity model for privacy preserving data
    publishing. doi:10.1145/1150402.1150499

    Examples
    --------
    >>> AlphaKAnonymity(alpha=0.4, k=2, attribute="illness").least_records
    3
    """

    name: ClassVar[str] = "(alpha,k)-anonymity"
    summary: ClassVar[str] = "At least k people in each class; no sensitive value has more than a share alpha."
    meaning: ClassVar[str] = "In no class does one value of {of} have more than this share of the records: {value}."
    rank: ClassVar[int] = 40
    empty_at: ClassVar[float | None] = 1
    reference: ClassVar[str] = "Wong, Li, Fu and Wang 2006, doi:10.1145/1150402.1150499"
    monotone: ClassVar[bool] = True
    suppression_helps: ClassVar[bool] = False
    needs_attribute: ClassVar[bool] = True
    k_is_class_size: ClassVar[bool] = True

    alpha: float
    k: int

    def __post_init__(self) -> None:
        super().__post_init__()
        if not is_number(self.alpha) or not 0 < self.alpha <= 1:
            raise SettingError("alpha", self.alpha, "a number above 0, at most 1, such as 0.5")
        if not is_count(self.k):
            raise SettingError("k", self.k, "a whole number of at least 1 (2 or more to protect anybody)")

    @property
    def required(self) -> float:
        return self.alpha

    @property
    def least_records(self) -> int:
        # Of n records the most frequent value has a share of at least 1 / n, which is compared as it is rounded.
        least = math.floor(min(1 / self.alpha, 2.0**62))
        return max(int(self.k), least if 1 / least <= self.alpha else least + 1)

    def achieved(self, classes: Classes) -> Query:
        histogram, _ = classes.judged
        key, records = histogram.c.equivalence_id, histogram.c.records
        if classes.counts_persons:
            most = select(key, func.max(records).label("most")).group_by(key)
            shown = classes.add_size(most)
            return select(shown.c.equivalence_id, self._share(shown.c.most, shown.c.persons).label("achieved"))
        return select(key, self._share(func.max(records), func.sum(records)).label("achieved")).group_by(key)

    def _share(self, most: ColumnElement[int], size: ColumnElement[int]) -> ColumnElement[float]:
        share = most / cast(size, Double)
        return case((size >= int(self.k), share), else_=make_infinity())

    def holds(self, achieved: ColumnElement[Any]) -> ColumnElement[bool]:
        return achieved <= float(self.alpha)

    def worst(self, achieved: ColumnElement[Any]) -> ColumnElement[Any]:
        return func.max(achieved)


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


@dataclass(frozen=True, kw_only=True)
class JointKAnonymity(PrivacyModel):
    """Whoever is in earlier releases is alike in each class with k persons who are in the same classes there.

    The sensitive attribute is where a person is in earlier releases; its tree says which of these places say at least
    what another one says. It is monotone: with more persons in a class no fewer are alike.

    Parameters
    ----------
    k : int, >= 1
        Fewest persons who are alike.
    attribute : str
        What messages call the earlier releases.
    """

    name: ClassVar[str] = "k-anonymity in all releases"
    of_earlier: ClassVar[bool] = True
    monotone: ClassVar[bool] = True
    suppression_helps: ClassVar[bool] = False
    needs_attribute: ClassVar[bool] = True

    k: int

    @property
    def required(self) -> float:
        return int(self.k)

    @property
    def least_records(self) -> int:
        return 1

    @property
    def holds_with_others(self) -> bool:
        return True

    def achieved(self, classes: Classes) -> Query:
        histogram, _ = classes.judged
        tree, sizes = classes.tree, classes.sizes
        assert tree is not None, "whoever makes the attribute makes its tree"
        joined = histogram.join(tree, tree.c.value == histogram.c.value)
        keys = histogram.c.equivalence_id, tree.c.node
        alike = func.sum(histogram.c.records).label("alike")
        is_somebody = func.bool_or(tree.c.value == tree.c.node)
        places = select(*keys, alike).select_from(joined).group_by(*keys).having(is_somebody).subquery()
        least = func.min(places.c.alike).label("least")
        found = select(places.c.equivalence_id, least).group_by(places.c.equivalence_id).subquery()
        together = sizes.outerjoin(found, found.c.equivalence_id == sizes.c.equivalence_id)
        # In a class of those who are in no earlier release, nobody is found.
        achieved = func.coalesce(found.c.least, func.greatest(sizes.c.size, int(self.k)))
        return select(sizes.c.equivalence_id, achieved.label("achieved")).select_from(together)

    def holds(self, achieved: ColumnElement[Any]) -> ColumnElement[bool]:
        return achieved >= int(self.k)

    def worst(self, achieved: ColumnElement[Any]) -> ColumnElement[Any]:
        return func.min(achieved)
