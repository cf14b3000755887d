"""Sensitive values of a class about as frequent as in the table: beta-likeness and delta-disclosure privacy."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from sqlalchemy import case, func, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.errors import SettingError
from toolbox.privacy.classes import Classes, select_share_ratios
from toolbox.privacy.model import PrivacyModel, is_number
from toolbox.queries.dialect import Query, make_infinity

_TOLERANCE = 1e-12
_ABSENT = ("infinite", "ignored")


@dataclass(frozen=True, kw_only=True)
class _BetaLikeness(PrivacyModel):
    """What both have in common."""

    reference: ClassVar[str] = "Cao and Karras 2012, doi:10.14778/2350229.2350255"
    monotone: ClassVar[bool] = True
    suppression_helps: ClassVar[bool] = False
    needs_attribute: ClassVar[bool] = True

    beta: float

    def __post_init__(self) -> None:
        super().__post_init__()
        if not is_number(self.beta) or not 0 < self.beta < math.inf:
            raise SettingError("beta", self.beta, "a number above 0, such as 1")

    @property
    def required(self) -> float:
        return self.beta

    @property
    def least_records(self) -> int:
        return 1

    def holds(self, achieved: ColumnElement[Any]) -> ColumnElement[bool]:
        return achieved <= float(self.beta) + _TOLERANCE * (1 + float(self.beta))

    def worst(self, achieved: ColumnElement[Any]) -> ColumnElement[Any]:
        return func.max(achieved)


@dataclass(frozen=True, kw_only=True)
class BasicBetaLikeness(_BetaLikeness):
    """In no class is a sensitive value more frequent than in the whole table by more than a factor of 1 + beta.

    With q the share of a value in a class and p that in the table, ``(q - p) / p <= beta``. A class achieves the
    largest gain of its values. Values that are rarer than in the table do not count.

    It is monotone: q of two classes together lies between the q of each. Suppression does not help.

    Parameters
    ----------
    beta : float, > 0
        Largest gain, compared with a tolerance of 1e-12.
    attribute : str
        The sensitive attribute.

    Raises
    ------
    SettingError
        If beta is not positive.

    References
    ----------
    Cao and Karras (2012). Publishing microdata with a robust privacy guarantee. doi:10.14778/2350229.2350255

    Examples
    --------
    >>> str(BasicBetaLikeness(beta=2, attribute="illness"))
    'basic beta-likeness (beta=2) of illness'
    """

    name: ClassVar[str] = "basic beta-likeness"
    summary: ClassVar[str] = "The class of a person makes no sensitive value much more likely."
    meaning: ClassVar[str] = (
        "The share of a value of {of} in a class exceeds that in the table by at most {value} times as much."
    )
    rank: ClassVar[int] = 110

    def achieved(self, classes: Classes) -> Query:
        ratio = select_share_ratios(classes).subquery()
        key = ratio.c.equivalence_id
        return select(key, func.greatest(func.max(ratio.c.ratio) - 1, 0.0).label("achieved")).group_by(key)


@dataclass(frozen=True, kw_only=True)
class EnhancedBetaLikeness(_BetaLikeness):
    """As basic beta-likeness, and no sensitive value gains more than the logarithm of its share allows.

    With q the share of a value in a class and p that in the table, ``(q - p) / p <= min(beta, -ln p)`` for every value
    that gains. So frequent values may gain less. A class achieves the largest gain of its values; infinity if one
    gains more than ``-ln p``, which no beta allows.

    It is monotone: q of two classes together lies between the q of each, and p stays. Suppression does not help.

    Parameters
    ----------
    beta : float, > 0
        Largest gain, compared with a tolerance of 1e-12, as is ``-ln p``.
    attribute : str
        The sensitive attribute.

    Raises
    ------
    SettingError
        If beta is not positive.

    References
    ----------
    Cao and Karras (2012). Publishing microdata with a robust privacy guarantee. doi:10.14778/2350229.2350255

    Examples
    --------
    >>> EnhancedBetaLikeness(beta=2, attribute="illness").required
    2
    """

    name: ClassVar[str] = "enhanced beta-likeness"
    summary: ClassVar[str] = "The same as basic beta-likeness, but stricter for frequent values."
    meaning: ClassVar[str] = "Basic beta-likeness, with a closer bound for frequent values of {of}: {value}."
    rank: ClassVar[int] = 120

    def achieved(self, classes: Classes) -> Query:
        ratio = select_share_ratios(classes).subquery()
        gain = ratio.c.ratio - 1
        bound = -func.ln(ratio.c.share) * (1 + _TOLERANCE) + _TOLERANCE
        too_much = case((gain > bound, make_infinity()), else_=gain)
        key = ratio.c.equivalence_id
        return select(key, func.greatest(func.max(too_much), 0.0).label("achieved")).group_by(key)


@dataclass(frozen=True, kw_only=True)
class DeltaDisclosure(PrivacyModel):
    """In every class, the logarithm of each value's share over its share in the whole table stays below delta.

    With q the share of a value in a class and p that in the table, ``|ln(q / p)| < delta`` for every value of the
    table. A class achieves the largest of these.

    It is monotone, by the definition: q of two classes together lies between the q of each, and so does the logarithm.
    If absent values are ignored it is not: a class without a value, together with one that has it, may have a little
    of it, which is far from p. Then only Flash, OLA and MinGen can enforce it. Suppression does not
    help.

    Parameters
    ----------
    delta : float, > 0
        The bound, which no value may reach.
    absent : {'infinite', 'ignored'}
        What a value counts that a class lacks. By the definition its distance is infinite, so that every class has
        every value. pyCANON and ARX ignore it (ARX takes logarithms to base 2).
    attribute : str
        The sensitive attribute.

    Raises
    ------
    SettingError
        If delta is not positive, or absent is neither.

    References
    ----------
    Brickell and Shmatikov (2008). The cost of privacy: destruction of data-mining utility in anonymized data
    publishing. doi:10.1145/1401890.1401904

    Examples
    --------
    >>> str(DeltaDisclosure(delta=1.5, attribute="illness"))
    'delta-disclosure (delta=1.5) of illness'
    """

    name: ClassVar[str] = "delta-disclosure"
    summary: ClassVar[str] = "The class of a person tells little more about the sensitive value."
    meaning: ClassVar[str] = (
        "The share of a value of {of} in a class differs from that in the table by a factor of at most e to the power"
        " of {value}."
    )
    rank: ClassVar[int] = 100
    told_apart_by: ClassVar[tuple[str, ...]] = ("absent",)
    reference: ClassVar[str] = "Brickell and Shmatikov 2008, doi:10.1145/1401890.1401904"
    monotone: ClassVar[bool] = True
    suppression_helps: ClassVar[bool] = False
    needs_attribute: ClassVar[bool] = True

    delta: float
    absent: str = "infinite"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not is_number(self.delta) or not 0 < self.delta < math.inf:
            raise SettingError("delta", self.delta, "a number above 0, such as 1")
        if self.absent not in _ABSENT:
            raise SettingError("absent", self.absent, "one of " + ", ".join(_ABSENT))
        if self.absent == "ignored":
            # What holds of the definition does not hold of this one.
            object.__setattr__(self, "monotone", False)

    @classmethod
    def variants(cls, classes: Classes, achieved: Mapping[str, float | None]) -> Iterator[Mapping[str, Any]]:
        """Yield the model with absent values ignored, as other programs do, and then by its definition."""
        yield {"absent": "ignored"}
        yield {"absent": "infinite"}

    @property
    def required(self) -> float:
        return self.delta

    @property
    def least_records(self) -> int:
        return 1

    def achieved(self, classes: Classes) -> Query:
        ratio = select_share_ratios(classes).subquery()
        _, overall = classes.judged
        distance: ColumnElement[Any] = func.max(func.abs(func.ln(ratio.c.ratio)))
        if self.absent == "infinite":
            values = select(func.count()).select_from(overall).scalar_subquery()
            distance = case((func.count() == values, distance), else_=make_infinity())
        key = ratio.c.equivalence_id
        return select(key, distance.label("achieved")).group_by(key)

    def holds(self, achieved: ColumnElement[Any]) -> ColumnElement[bool]:
        return achieved < float(self.delta)

    def worst(self, achieved: ColumnElement[Any]) -> ColumnElement[Any]:
        return func.max(achieved)
