"""k-anonymity: nothing singles out fewer than k: all quasi-identifiers together, any few, or a few rows of a person."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, pairwise
from math import comb
from typing import Any, ClassVar, Final

from sqlalchemy import BigInteger, FromClause, and_, cast, func, select, union_all
from sqlalchemy.sql.elements import ColumnElement

from toolbox.errors import SettingError, UsageError, did_you_mean, quote
from toolbox.privacy.classes import Classes
from toolbox.privacy.model import PrivacyModel, is_count
from toolbox.queries.dialect import Query

_MOST_SETS: Final = 500
"""Sets of quasi-identifiers that are counted one by one."""
_MOST_ROWS: Final = 4
"""Rows of a person that somebody may know: each person has very many sets of more."""


class OfAtLeastK(PrivacyModel):
    """What models share that ask for at least k: records, persons or people of a population."""

    monotone: ClassVar[bool] = True

    k: int

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

    def holds(self, achieved: ColumnElement[Any]) -> ColumnElement[bool]:
        return achieved >= int(self.k)

    def worst(self, achieved: ColumnElement[Any]) -> ColumnElement[Any]:
        return func.min(achieved)


@dataclass(frozen=True, kw_only=True)
class KAnonymity(OfAtLeastK):
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
    suppression_helps: ClassVar[bool] = True
    k_is_class_size: ClassVar[bool] = True

    k: int = field(kw_only=False)

    def achieved(self, classes: Classes) -> Query:
        return select(classes.sizes.c.equivalence_id, classes.sizes.c.size.label("achieved"))


@dataclass(frozen=True, kw_only=True)
class FewColumnsKAnonymity(OfAtLeastK):
    """Whatever few quasi-identifiers somebody knows of a person, at least k records look alike in them.

    It is weaker than k-anonymity, and keeps more: an attacker knows a few things, not twenty. A class achieves, over
    the sets of quasi-identifiers, the fewest records that have its values there, whatever class they are in. Suppressed
    records do not count. Where persons are declared, different persons are counted.

    Parameters
    ----------
    k : int, >= 1
        Fewest records or persons.
    any : str
        How many quasi-identifiers an attacker may know, ``3`` for every set of at most three; or the sets themselves,
        ``age,sex;postcode``.

    Raises
    ------
    SettingError
        If k is less than 1, or `any` is neither.

    References
    ----------
    Mohammed, Fung, Hung and Lee (2009). Anonymizing healthcare data: a case study on the blood transfusion service
    (LKC-privacy). doi:10.1145/1557019.1557157. The lists are the identification levels of mu-ARGUS.

    Examples
    --------
    >>> model = FewColumnsKAnonymity(k=5, any="2")
    >>> model.list_sets(["age", "sex", "postcode"])
    [(0, 1), (0, 2), (1, 2)]
    >>> FewColumnsKAnonymity(k=5, any="sex; age, postcode").list_sets(["age", "sex", "postcode"])
    [(1,), (0, 2)]
    """

    name: ClassVar[str] = "k-anonymity of few columns"
    reference: ClassVar[str] = "Mohammed and others 2009, doi:10.1145/1557019.1557157"
    summary: ClassVar[str] = "Whatever few things somebody knows of a person, at least k look alike in them."
    meaning: ClassVar[str] = (
        "Somebody who knows a few of the quasi-identifiers of a person finds at least {value} records that could be "
        "that person's."
    )
    rank: ClassVar[int] = 15
    suppression_helps: ClassVar[bool] = True
    needs_columns: ClassVar[bool] = True
    asked_as: ClassVar[tuple[str, str]] = (KAnonymity.name, "any")
    bounds: ClassVar[tuple[str, ...]] = ("k",)

    k: int = field(kw_only=False)
    any: str = field(kw_only=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        # A number of columns may be given as one.
        object.__setattr__(self, "any", str(self.any).strip())
        if self._most_known == 0 or not all(self._listed):
            valid = "a number of quasi-identifiers, such as 3, or sets of their names, such as age,sex;postcode"
            raise SettingError("any", self.any, valid)

    @property
    def _most_known(self) -> int | None:
        """How many quasi-identifiers somebody may know; None where the sets are listed."""
        return int(self.any) if self.any.isascii() and self.any.isdecimal() else None

    @property
    def _listed(self) -> list[list[str]]:
        """The names of each set that is listed; without one, a set is empty."""
        return [[name.strip() for name in part.split(",") if name.strip()] for part in self.any.split(";")]

    def list_sets(self, names: Sequence[str]) -> list[tuple[int, ...]]:
        """List the sets of quasi-identifiers that are counted, by their positions; smaller sets within them hold, too.

        Parameters
        ----------
        names : sequence of str
            The quasi-identifiers.

        Raises
        ------
        UsageError
            If a set names no quasi-identifier, or if the sets are too many.
        """
        if self._most_known is not None:
            size = min(self._most_known, len(names))
            if (count := comb(len(names), size)) > _MOST_SETS:
                problem = f"Any {size} of {len(names)} quasi-identifiers are {count:,} sets, more than {_MOST_SETS}."
                raise UsageError(f"{problem} Lower any, or list the sets, such as any='age,sex;postcode'.")
            return list(combinations(range(len(names)), size))
        return list(dict.fromkeys(self._find_set(listed, names) for listed in self._listed))

    def _find_set(self, listed: Sequence[str], names: Sequence[str]) -> tuple[int, ...]:
        for name in listed:
            if name not in names:
                hint = did_you_mean(name, names)
                raise UsageError(f"any of {self.name} names {quote(name)}, which is no quasi-identifier.{hint}")
        return tuple(sorted({names.index(name) for name in listed}))

    @property
    def least_records(self) -> int:
        return 1

    @classmethod
    def variants(cls, classes: Classes, achieved: Mapping[str, float | None]) -> Iterable[Mapping[str, Any]]:
        # All of them would be measured for each table, whether or not somebody asks.
        return ()

    def achieved(self, classes: Classes) -> Query:
        alike = (count_alike(classes, columns) for columns in self.list_sets(classes.names))
        every = union_all(*alike).subquery()
        fewest = func.min(every.c.alike).label("achieved")
        return select(every.c.equivalence_id, fewest).group_by(every.c.equivalence_id)

    def __str__(self) -> str:
        return f"{self.name} (k={self.k}, any={self.any})"


@dataclass(frozen=True, kw_only=True)
class KMAnonymity(OfAtLeastK):
    """Whichever m rows somebody knows of a person, at least k persons have such rows.

    A person has several rows of one column, such as diagnoses or things bought: a set. Every combination of at most m
    of its values that one person has is shared by k persons. Where each person has one row, it is k-anonymity.

    Parameters
    ----------
    k : int, >= 1
        Fewest persons who share a combination.
    m : int, from 1 to 4
        Most rows that somebody knows of a person.

    References
    ----------
    Terrovitis, Mamoulis and Kalnis (2008). Privacy-preserving anonymization of set-valued data.
    doi:10.14778/1453856.1453874

    Examples
    --------
    >>> str(KMAnonymity(k=5, m=2))
    'k^m-anonymity (k=5, m=2)'
    """

    name: ClassVar[str] = "k^m-anonymity"
    reference: ClassVar[str] = "Terrovitis and others 2008, doi:10.14778/1453856.1453874"
    summary: ClassVar[str] = "Whichever few rows somebody knows of a person, at least k persons have such rows."
    meaning: ClassVar[str] = (
        "Somebody who knows a few rows of a person finds at least {value} persons who have all of these."
    )
    rank: ClassVar[int] = 16
    # A class may be rare beside one class and frequent beside another: what to suppress does not follow.
    suppression_helps: ClassVar[bool] = False
    needs_columns: ClassVar[bool] = True
    bounds: ClassVar[tuple[str, ...]] = ("k",)

    k: int
    m: int

    def __post_init__(self) -> None:
        super().__post_init__()
        if not is_count(self.m) or int(self.m) > _MOST_ROWS:
            raise SettingError("m", self.m, f"a whole number from 1 to {_MOST_ROWS}, the rows that somebody knows")

    @classmethod
    def variants(cls, classes: Classes, achieved: Mapping[str, float | None]) -> Iterable[Mapping[str, Any]]:
        # Sets of rows are counted where somebody asks: they may be many.
        return ()

    def achieved(self, classes: Classes) -> Query:
        sizes, persons = classes.sizes, classes.persons
        if persons is None:
            return select(sizes.c.equivalence_id, cast(sizes.c.size, BigInteger).label("achieved"))
        every = union_all(*(_count_sharing(persons, size) for size in range(1, 1 + int(self.m)))).subquery()
        fewest = func.min(every.c.sharing).label("achieved")
        return select(every.c.equivalence_id, fewest).group_by(every.c.equivalence_id)


def _count_sharing(persons: FromClause, size: int) -> Query:
    """Count the persons who share each set of classes that one has, for each of its classes."""
    parts = [persons.alias(f"part_{place}") for place in range(size)]
    joined: FromClause = parts[0]
    for lower, part in pairwise(parts):
        # Each set once: its classes in the order of their numbers.
        joined = joined.join(
            part, and_(part.c.person == lower.c.person, part.c.equivalence_id > lower.c.equivalence_id)
        )
    classes = [part.c.equivalence_id.label(f"class_{place}") for place, part in enumerate(parts)]
    sharing = cast(func.count(), BigInteger).label("sharing")
    sets = select(*classes, sharing).select_from(joined).group_by(*(part.c.equivalence_id for part in parts)).cte()
    each = (select(sets.c[column.name].label("equivalence_id"), sets.c.sharing) for column in classes)
    return select(union_all(*each).subquery())


def count_alike(classes: Classes, positions: Sequence[int]) -> Query:
    """Count the records, or persons, that have the values of each class in some columns: ``equivalence_id, alike``."""
    shown, sizes, persons = classes.shown_columns, classes.sizes, classes.persons
    names = [f"column_{position + 1}" for position in positions]
    values = [shown.c[name] for name in names]
    sized = shown.join(sizes, sizes.c.equivalence_id == shown.c.equivalence_id)
    if persons is None:
        alike = cast(func.sum(sizes.c.size).over(partition_by=values), BigInteger).label("alike")
        return select(shown.c.equivalence_id, alike).select_from(sized)
    joined = persons.join(shown, shown.c.equivalence_id == persons.c.equivalence_id)
    count = cast(func.count(persons.c.person.distinct()), BigInteger).label("alike")
    counted = select(*values, count).select_from(joined).group_by(*values).subquery()
    same = and_(*(counted.c[name].is_not_distinct_from(shown.c[name]) for name in names))
    return select(shown.c.equivalence_id, counted.c.alike).select_from(sized.join(counted, same))
