"""Models of a whole release: its average risk, its records that are alone, and those alone in the population."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from numbers import Real
from typing import ClassVar

from toolbox.errors import SettingError
from toolbox.privacy.model import ReleaseModel
from toolbox.published.uniqueness import estimate_population_uniqueness


@dataclass(frozen=True, kw_only=True)
class _Bounded(ReleaseModel):
    """What the models of this module share: the largest share that is enough."""

    threshold: float = field(kw_only=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        _require_share("threshold", self.threshold, "a number from 0 to 1, such as 0.05", with_zero=True)

    @property
    def required(self) -> float:
        return float(self.threshold)


def _require_share(name: str, value: object, valid: str, *, with_zero: bool) -> None:
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if not is_number or not 0 <= float(value) <= 1 or (value == 0 and not with_zero):  # type: ignore[arg-type]
        raise SettingError(name, value, valid)


@dataclass(frozen=True, kw_only=True)
class AverageRisk(_Bounded):
    """The risk of re-identification is on average at most a threshold.

    The risk of a record is 1 / (records of its class), if somebody knows that the person is in the release. Its mean
    over all records is the number of classes for each record. Suppressed records are in no class, and do not count.

    It is monotone: where classes merge, there are fewer of them for as many records.

    Parameters
    ----------
    threshold : float, from 0 to 1
        The largest average that is enough.

    Raises
    ------
    SettingError
        If the threshold is no share.

    References
    ----------
    El Emam and others (2011). A systematic review of re-identification attacks on health data.
    doi:10.1371/journal.pone.0028071

    Examples
    --------
    Two classes of one record and one of six:

    >>> AverageRisk(0.2).measure([(1, 2), (6, 1)])
    0.375
    """

    name: ClassVar[str] = "average-risk"
    summary: ClassVar[str] = "On average, somebody finds a person in the release with at most this probability."
    meaning: ClassVar[str] = "Somebody who looks for a person in the release is right with {value} on average."
    rank: ClassVar[int] = 22
    reference: ClassVar[str] = "El Emam and others 2011, doi:10.1371/journal.pone.0028071"
    monotone: ClassVar[bool] = True

    def measure(self, histogram: Sequence[tuple[int, int]]) -> float:
        return sum(classes for _, classes in histogram) / sum(size * classes for size, classes in histogram)


@dataclass(frozen=True, kw_only=True)
class SampleUniqueness(_Bounded):
    """At most a share of the records of a release is alone in its class.

    It is monotone: where classes merge, nobody is alone who was not before. Suppressed records are in no class, and do
    not count.

    Parameters
    ----------
    threshold : float, from 0 to 1
        The largest share that is enough.

    Raises
    ------
    SettingError
        If the threshold is no share.

    References
    ----------
    Bethlehem, Keller and Pannekoek (1990). Disclosure control of microdata. doi:10.1080/01621459.1990.10475304

    Examples
    --------
    Two classes of one record and one of six:

    >>> SampleUniqueness(0.1).measure([(1, 2), (6, 1)])
    0.25
    """

    name: ClassVar[str] = "sample-uniqueness"
    summary: ClassVar[str] = "Few records of the release are alone in their class."
    meaning: ClassVar[str] = "A share of {value} of the records is alone in its class."
    rank: ClassVar[int] = 24
    reference: ClassVar[str] = "Bethlehem, Keller and Pannekoek 1990, doi:10.1080/01621459.1990.10475304"
    monotone: ClassVar[bool] = True

    def measure(self, histogram: Sequence[tuple[int, int]]) -> float:
        return dict(histogram).get(1, 0) / sum(size * classes for size, classes in histogram)


@dataclass(frozen=True, kw_only=True)
class PopulationUniqueness(_Bounded):
    """At most a share of the population is alone in the quasi-identifiers, as the release shows them: estimated.

    The release is a sample of the population. How many people of it are alone is estimated from the sizes of the
    classes, by the rule of Dankar and others: Pitman up to a sampling fraction of 10 %, above it the smaller one of
    the slide negative binomial and Zayatz. The estimate says nothing for sure, and so nothing is proved.

    It is not known to be monotone. So a search asks each node that nothing else rules out.

    Parameters
    ----------
    threshold : float, from 0 to 1
        The largest share that is enough.
    fraction : float, above 0 and at most 1
        The share of the population that is in the table.

    Raises
    ------
    SettingError
        If one of them is no share.

    References
    ----------
    Dankar, El Emam, Neisa and Roffey (2012). Estimating the re-identification risk of clinical data sets.
    doi:10.1186/1472-6947-12-66

    Examples
    --------
    >>> round(PopulationUniqueness(0.1, fraction=0.2).measure([(1, 40), (2, 15), (3, 5), (8, 2)]), 4)
    0.1126
    """

    name: ClassVar[str] = "population-uniqueness"
    summary: ClassVar[str] = "Few people of the population are alone in what the release shows, by an estimate."
    meaning: ClassVar[str] = "By an estimate, a share of {value} of the population is alone in its quasi-identifiers."
    rank: ClassVar[int] = 26
    reference: ClassVar[str] = "Dankar, El Emam, Neisa and Roffey 2012, doi:10.1186/1472-6947-12-66"
    monotone: ClassVar[bool] = False
    is_estimate: ClassVar[bool] = True
    bounds: ClassVar[tuple[str, ...]] = ("threshold",)

    fraction: float

    def __post_init__(self) -> None:
        super().__post_init__()
        _require_share(
            "fraction", self.fraction, "the share of the population in the table, such as 0.1", with_zero=False
        )

    def measure(self, histogram: Sequence[tuple[int, int]]) -> float:
        return estimate_population_uniqueness(histogram, self.fraction).dankar
