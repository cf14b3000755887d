"""Metrics of the sizes of classes: how many, how large on average, and discernibility."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from toolbox.loss.metric import Direction
from toolbox.loss.sizes import ClassSizes, OriginalSizes, SizeMetric, require_k

# How many classes and suppressed records a release has.

NO_CLASS = "all records are suppressed, so that there is no class"


@dataclass(frozen=True, kw_only=True)
class NumberOfClasses(SizeMetric):
    """Equivalence classes; suppressed records form none.

    Examples
    --------
    >>> from pyarrow import table
    >>> from toolbox import measure
    >>> people, release = table({"sex": ["f", "f", "m", "m"]}), table({"sex": ["f", "f", "m", "*"]})
    >>> measure(people, release, quasi_identifiers=["sex"]).value("number of classes")
    2
    """

    name: ClassVar[str] = "number of classes"
    meaning: ClassVar[str] = "Groups of records that look the same."
    rank: ClassVar[int] = 190
    unit: ClassVar[str] = "classes"
    range: ClassVar[str] = "0 .. N"
    direction: ClassVar[Direction] = "higher"
    reference: ClassVar[str] = "Sweeney 2002, doi:10.1142/S0218488502001648"

    def score(self, sizes: ClassSizes, original: OriginalSizes) -> float | str:
        return sizes.classes


@dataclass(frozen=True, kw_only=True)
class NumberOfCombinations(SizeMetric):
    """Distinct combinations of released values, that of the suppressed records included.

    Examples
    --------
    >>> from pyarrow import table
    >>> from toolbox import measure
    >>> people, release = table({"sex": ["f", "f", "m", "m"]}), table({"sex": ["f", "f", "m", "*"]})
    >>> measure(people, release, quasi_identifiers=["sex"]).value("number of combinations")
    3
    """

    name: ClassVar[str] = "number of combinations"
    meaning: ClassVar[str] = "Different rows of quasi-identifiers, including the suppressed row."
    rank: ClassVar[int] = 200
    unit: ClassVar[str] = "combinations"
    range: ClassVar[str] = "1 .. N"
    direction: ClassVar[Direction] = "higher"
    reference: ClassVar[str] = "Sweeney 2002, doi:10.1142/S0218488502001648"

    def score(self, sizes: ClassSizes, original: OriginalSizes) -> float | str:
        return sizes.combinations


@dataclass(frozen=True, kw_only=True)
class SuppressedRecords(SizeMetric):
    """Records of which nothing is to be seen, or which the release lacks.

    Examples
    --------
    >>> from pyarrow import table
    >>> from toolbox import measure
    >>> people, release = table({"sex": ["f", "f", "m", "m"]}), table({"sex": ["f", "f", "m", "*"]})
    >>> measure(people, release, quasi_identifiers=["sex"]).value("suppressed records")
    1
    """

    name: ClassVar[str] = "suppressed records"
    meaning: ClassVar[str] = "Records that show nothing in the quasi-identifiers."
    rank: ClassVar[int] = 210
    unit: ClassVar[str] = "records"
    range: ClassVar[str] = "0 .. N"
    direction: ClassVar[Direction] = "lower"
    reference: ClassVar[str] = "Sweeney 2002, doi:10.1142/S021848850200165X"

    def score(self, sizes: ClassSizes, original: OriginalSizes) -> float | str:
        return sizes.suppressed


@dataclass(frozen=True, kw_only=True)
class SuppressedShare(SuppressedRecords):
    """Suppressed records, as a share of all.

    Examples
    --------
    >>> from pyarrow import table
    >>> from toolbox import measure
    >>> people, release = table({"sex": ["f", "f", "m", "m"]}), table({"sex": ["f", "f", "m", "*"]})
    >>> measure(people, release, quasi_identifiers=["sex"]).value("share of suppressed records")
    0.25
    """

    name: ClassVar[str] = "share of suppressed records"
    meaning: ClassVar[str] = "Records that show nothing, as a share."
    rank: ClassVar[int] = 220
    unit: ClassVar[str] = "share"
    range: ClassVar[str] = "0 .. 1"

    def score(self, sizes: ClassSizes, original: OriginalSizes) -> float | str:
        return sizes.suppressed / sizes.total


@dataclass(frozen=True, kw_only=True)
class AverageClassSize(SizeMetric):
    """Records per class; suppressed ones form no class.

    Examples
    --------
    >>> from pyarrow import table
    >>> from toolbox import measure
    >>> people, release = table({"sex": ["f", "f", "m", "m"]}), table({"sex": ["f", "f", "m", "*"]})
    >>> measure(people, release, quasi_identifiers=["sex"]).value("average class size")
    1.5
    """

    name: ClassVar[str] = "average class size"
    meaning: ClassVar[str] = "Records that look the same, on average."
    rank: ClassVar[int] = 160
    unit: ClassVar[str] = "records"
    range: ClassVar[str] = "1 .. N"
    direction: ClassVar[Direction] = "lower"
    reference: ClassVar[str] = "LeFevre et al. 2006, doi:10.1109/ICDE.2006.101"

    def score(self, sizes: ClassSizes, original: OriginalSizes) -> float | str:
        return sizes.grouped / sizes.classes if sizes.classes else NO_CLASS


@dataclass(frozen=True, kw_only=True)
class NormalisedAverageClassSize(SizeMetric):
    """Records per class over k, which is 1 at its best: the C_avg of LeFevre et al.

    Parameters
    ----------
    k : int, optional
        Smallest class that the release was meant to have; without it, the metric is left out.

    Examples
    --------
    >>> from pyarrow import table
    >>> from toolbox import measure
    >>> people, release = table({"sex": ["f", "f", "m", "m"]}), table({"sex": ["f", "f", "m", "*"]})
    >>> measure(people, release, quasi_identifiers=["sex"], k=2).value("C_avg")
    0.75
    """

    name: ClassVar[str] = "C_avg"
    meaning: ClassVar[str] = "The average class as a multiple of k; 1 is the least that k-anonymity allows."
    rank: ClassVar[int] = 170
    unit: ClassVar[str] = "multiples of k"
    range: ClassVar[str] = "1/k .. N/k"
    direction: ClassVar[Direction] = "lower"
    reference: ClassVar[str] = "LeFevre et al. 2006, doi:10.1109/ICDE.2006.101"

    k: int | None = None

    def __post_init__(self) -> None:
        require_k(self.k)

    def score(self, sizes: ClassSizes, original: OriginalSizes) -> float | str:
        if self.k is None:
            return "no k is given"
        return sizes.grouped / sizes.classes / self.k if sizes.classes else NO_CLASS


@dataclass(frozen=True, kw_only=True)
class ArxAverageClassSize(SizeMetric):
    """How near the average class size is to that of the original: 1 as the original, 0 for one class; as in ARX.

    Examples
    --------
    >>> from pyarrow import table
    >>> from toolbox import measure
    >>> people = table({"city": ["Graz", "Linz", "Linz", "Wien"]})
    >>> release = table({"city": ["{Graz,Linz}", "{Graz,Linz}", "Linz", "*"]})
    >>> measure(people, release, quasi_identifiers=["city"]).value("average class size (ARX)")
    0.9375
    """

    name: ClassVar[str] = "average class size (ARX)"
    meaning: ClassVar[str] = "What the average class size leaves, as a share."
    rank: ClassVar[int] = 180
    unit: ClassVar[str] = "share"
    range: ClassVar[str] = "0 .. 1"
    direction: ClassVar[Direction] = "higher"
    reference: ClassVar[str] = "Prasser and Kohlmayer 2015, doi:10.1007/978-3-319-23633-9_6"

    def score(self, sizes: ClassSizes, original: OriginalSizes) -> float | str:
        if not sizes.classes:
            return NO_CLASS
        best, worst = original.records / original.combinations, sizes.total
        return 1.0 if worst == best else 1 - (sizes.grouped / sizes.classes - best) / (worst - best)


# Discernibility: for every record, from how many it cannot be told apart.


@dataclass(frozen=True, kw_only=True)
class Discernibility(SizeMetric):
    """The sum of the squared class sizes, as the release shows them: suppressed records are taken for one class.

    Records that the release lacks do not count.

    Examples
    --------
    >>> from pyarrow import table
    >>> from toolbox import measure
    >>> people, release = table({"sex": ["f", "f", "m", "m"]}), table({"sex": ["f", "f", "m", "*"]})
    >>> measure(people, release, quasi_identifiers=["sex"]).value("discernibility")
    6
    """

    name: ClassVar[str] = "discernibility"
    meaning: ClassVar[str] = "For each record, the number of records that look like it, added up."
    rank: ClassVar[int] = 130
    unit: ClassVar[str] = "squared records"
    range: ClassVar[str] = "N .. N^2"
    direction: ClassVar[Direction] = "lower"
    reference: ClassVar[str] = "LeFevre et al. 2006, doi:10.1109/ICDE.2006.101"

    def score(self, sizes: ClassSizes, original: OriginalSizes) -> float | str:
        return sizes.squares + (sizes.suppressed - sizes.lacking) ** 2


@dataclass(frozen=True, kw_only=True)
class DiscernibilityWithSuppression(SizeMetric):
    """The sum of the squared class sizes, where every suppressed record costs as much as all records.

    Parameters
    ----------
    k : int, optional
        Records of classes that are smaller cost as much as suppressed ones.

    Examples
    --------
    >>> from pyarrow import table
    >>> from toolbox import measure
    >>> people, release = table({"sex": ["f", "f", "m", "m"]}), table({"sex": ["f", "f", "m", "*"]})
    >>> measure(people, release, quasi_identifiers=["sex"]).value("discernibility with suppression")
    9
    """

    name: ClassVar[str] = "discernibility with suppression"
    meaning: ClassVar[str] = "Discernibility; a suppressed record looks like all records."
    rank: ClassVar[int] = 140
    unit: ClassVar[str] = "squared records"
    range: ClassVar[str] = "N .. N^2"
    direction: ClassVar[Direction] = "lower"
    reference: ClassVar[str] = "Bayardo and Agrawal 2005, doi:10.1109/ICDE.2005.42"

    k: int | None = None

    def __post_init__(self) -> None:
        require_k(self.k)

    @property
    def fewest(self) -> int | None:
        return self.k

    def score(self, sizes: ClassSizes, original: OriginalSizes) -> float | str:
        hidden = sizes.suppressed + sizes.small
        return sizes.squares - sizes.small_squares + hidden * sizes.total


@dataclass(frozen=True, kw_only=True)
class ArxDiscernibility(SizeMetric):
    """Discernibility with suppression, as a share of what could be lost: 1 for the original, 0 for nothing; as in ARX.

    Classes of any size count with their square. As in ARX, a share outside these ends is set to the end: where equal
    records are shown differently, classes are smaller than those of the original.

    Examples
    --------
    >>> from pyarrow import table
    >>> from toolbox import measure
    >>> people, release = table({"sex": ["f", "f", "m", "m"]}), table({"sex": ["f", "f", "m", "*"]})
    >>> measure(people, release, quasi_identifiers=["sex"]).value("discernibility (ARX)")
    0.875
    """

    name: ClassVar[str] = "discernibility (ARX)"
    meaning: ClassVar[str] = "What discernibility leaves, as a share."
    rank: ClassVar[int] = 150
    unit: ClassVar[str] = "share"
    range: ClassVar[str] = "0 .. 1"
    direction: ClassVar[Direction] = "higher"
    reference: ClassVar[str] = "Prasser and Kohlmayer 2015, doi:10.1007/978-3-319-23633-9_6"

    def score(self, sizes: ClassSizes, original: OriginalSizes) -> float | str:
        cost = sizes.squares + sizes.suppressed * sizes.total
        best, worst = original.squares, sizes.total**2
        return 1.0 if worst == best else 1 - min(max((cost - best) / (worst - best), 0.0), 1.0)
