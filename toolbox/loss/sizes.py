"""Metrics of classes: how many, how large on average, discernibility, and how well they tell a label."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from numbers import Integral
from typing import ClassVar, NamedTuple

from sqlalchemy import and_, func, select

from toolbox.errors import SettingError
from toolbox.loss.metric import Direction, LeftOut, LossMetric, Measure, cache_by_comparison
from toolbox.messages import mark, say
from toolbox.published.tables import Comparison


class ClassSizes(NamedTuple):
    """The sizes of the classes of a release, summed up."""

    total: int
    """All records: those of the release, and those that it lacks."""
    lacking: int
    """Records that the release lacks."""
    classes: int
    """Classes without the suppressed records, which form none."""
    grouped: int
    """Records in these classes."""
    squares: int
    """Sum of their squared sizes."""
    small: int
    """Records in those of them with fewer than k records."""
    small_squares: int
    """Sum of the squared sizes of these."""
    combinations: int
    """Distinct combinations of released values, that of the suppressed records included."""
    hidden: int | None = None
    """Where persons are counted: those with a suppressed record, or lacking; others of their records may be in classes.
    None where records are counted, of which all are suppressed that are in no class."""

    @property
    def suppressed(self) -> int:
        """Records that are suppressed or lacking."""
        return self.total - self.grouped if self.hidden is None else self.hidden


class OriginalSizes(NamedTuple):
    """The sizes of the combinations of the people, summed up."""

    records: int
    """In all of them; a person counts in each of their combinations."""
    combinations: int
    squares: int


def count_missing_records(comparison: Comparison) -> int:
    """Count the records that a release lacks; each counts as suppressed, as if it had been kept with nothing to see."""
    return max(0, comparison.people.records - comparison.release.records)


@cache_by_comparison
def summarise_class_sizes(comparison: Comparison, k: int | None = None) -> ClassSizes:
    """Sum up the sizes of the classes; where these are persons, somebody counts in each class.

    Parameters
    ----------
    comparison : Comparison
    k : int, optional
        Fewest records that a class should have.
    """
    classes = comparison.release.classes
    size = classes.c.size
    grouped, small = ~classes.c.suppressed, and_(~classes.c.suppressed, size < (k or 0))
    sums = (
        func.count().filter(grouped),
        *(
            func.coalesce(func.sum(amount).filter(these), 0)
            for these in (grouped, small)
            for amount in (size, size * size)
        ),
    )
    every, *rest = map(int, comparison.store.row(select(func.count(), *sums).select_from(classes)))
    count, grouped_records, squares, small_records, small_squares = rest
    if comparison.release.persons is not None:
        total, missing, hidden = _count_all_persons(comparison)
        return ClassSizes(total, missing, count, grouped_records, squares, small_records, small_squares, every, hidden)
    records, missing = comparison.release.records + count_missing_records(comparison), count_missing_records(comparison)
    return ClassSizes(records, missing, count, grouped_records, squares, small_records, small_squares, every)


def _count_all_persons(comparison: Comparison) -> tuple[int, int, int]:
    """Count all persons, those whom the release lacks, and those of whom it lacks or hides a record."""
    held, classes = comparison.release.persons, comparison.release.classes
    assert held is not None, "the caller has looked"
    different = func.count(held.c.person.distinct())
    joined = held.join(classes, classes.c.equivalence_id == held.c.equivalence_id)
    released, hidden = comparison.store.row(
        select(different, different.filter(classes.c.suppressed)).select_from(joined)
    )
    missing = max(0, comparison.people.records - int(released))
    return int(released) + missing, missing, int(hidden) + missing


@cache_by_comparison
def summarise_original_sizes(comparison: Comparison) -> OriginalSizes:
    """Sum up the sizes of the combinations of the people."""
    size = comparison.people.combinations.c.size
    combinations, records, squares = comparison.store.row(select(func.count(), func.sum(size), func.sum(size * size)))
    return OriginalSizes(int(records), int(combinations), int(squares))


class SizeMetric(LossMetric):
    """A function of the sizes of the classes.

    More classes never make it worse, and larger squares and more suppressed records never better, so that a search for
    the release that costs least may go by bounds. A subclass supplies `score`.
    """

    counts_persons: ClassVar[bool] = True

    @property
    def fewest(self) -> int | None:
        """Below how many records a class is small; None: none is."""
        return None

    @abstractmethod
    def score(self, sizes: ClassSizes, original: OriginalSizes) -> float | str:
        """Measure the table; a text says why there is no value."""

    def values(self, comparison: Comparison) -> Iterator[Measure | LeftOut]:
        score = self.score(summarise_class_sizes(comparison, self.fewest), summarise_original_sizes(comparison))
        yield self.left_out(score) if isinstance(score, str) else self.measure(score)


def require_k(k: int | None) -> None:
    """Stop where a k is none.

    Raises
    ------
    SettingError
    """
    if k is not None and (not isinstance(k, Integral) or isinstance(k, bool) or k < 1):
        raise SettingError("k", k, "a whole number of at least 1")


# How many classes and suppressed records a release has.

NO_CLASS = mark("all records are suppressed, so that there is no class")


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
            return say("no k is given")
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


@dataclass(frozen=True, kw_only=True)
class ClassificationMetric(LossMetric):
    """Records whose label is not the most frequent label of their class; suppressed records are one class.

    Where two labels are equally frequent, either is that of most, and the cost is the same. Records that the release
    lacks do not count.

    Parameters
    ----------
    label : str, optional
        The sensitive attribute that somebody wants to predict.

    Examples
    --------
    >>> from pyarrow import table
    >>> from toolbox import measure
    >>> people = table({"age": [20, 25, 30, 40], "ill": ["flu", "flu", "cold", "flu"]})
    >>> release = table({"age": ["[20:30]", "[20:30]", "[20:30]", "*"], "ill": ["flu", "flu", "cold", "flu"]})
    >>> measure(people, release, quasi_identifiers=["age"], sensitive=["ill"]).value("classification metric")
    1
    """

    name: ClassVar[str] = "classification metric"
    meaning: ClassVar[str] = "Records whose label is not the most frequent label of their class."
    rank: ClassVar[int] = 230
    unit: ClassVar[str] = "records"
    range: ClassVar[str] = "0 .. N"
    direction: ClassVar[Direction] = "lower"
    reference: ClassVar[str] = "Marchand 2019, eq. 8, after Iyengar 2002, doi:10.1145/775047.775089"
    needs_label: ClassVar[bool] = True
    _charges_suppressed: ClassVar[bool] = False

    label: str | None = None

    def values(self, comparison: Comparison) -> Iterator[Measure | LeftOut]:
        wrong, _ = _select_wrong(comparison, self._known_label, self._charges_suppressed)
        yield self.measure(wrong)

    @property
    def _known_label(self) -> str:
        assert self.label is not None, "measure_all leaves a metric without its label out"
        return self.label


@dataclass(frozen=True, kw_only=True)
class ClassificationMetricWithSuppression(ClassificationMetric):
    """Records whose label is not the most frequent label of their class, and all suppressed or missing records.

    Examples
    --------
    >>> from pyarrow import table
    >>> from toolbox import measure
    >>> people = table({"age": [20, 25, 30, 40], "ill": ["flu", "flu", "cold", "flu"]})
    >>> release = table({"age": ["[20:30]", "[20:30]", "[20:30]", "*"], "ill": ["flu", "flu", "cold", "flu"]})
    >>> report = measure(people, release, quasi_identifiers=["age"], sensitive=["ill"])
    >>> report.value("classification metric with suppression")
    2
    """

    name: ClassVar[str] = "classification metric with suppression"
    meaning: ClassVar[str] = "Records with another label than most of their class, or suppressed."
    rank: ClassVar[int] = 250
    reference: ClassVar[str] = "Iyengar 2002, doi:10.1145/775047.775089"
    _charges_suppressed: ClassVar[bool] = True


@dataclass(frozen=True, kw_only=True)
class NormalisedClassificationMetric(ClassificationMetric):
    """The classification metric as a share of the records that count.

    Examples
    --------
    >>> from pyarrow import table
    >>> from toolbox import measure
    >>> people = table({"age": [20, 25, 30, 40], "ill": ["flu", "flu", "cold", "flu"]})
    >>> release = table({"age": ["[20:30]", "[20:30]", "[20:30]", "*"], "ill": ["flu", "flu", "cold", "flu"]})
    >>> report = measure(people, release, quasi_identifiers=["age"], sensitive=["ill"])
    >>> report.value("normalised classification metric")
    0.25
    """

    name: ClassVar[str] = "normalised classification metric"
    meaning: ClassVar[str] = "Records with another label than most of their class, as a share."
    rank: ClassVar[int] = 240
    unit: ClassVar[str] = "share"
    range: ClassVar[str] = "0 .. 1"

    def values(self, comparison: Comparison) -> Iterator[Measure | LeftOut]:
        wrong, records = _select_wrong(comparison, self._known_label, self._charges_suppressed)
        yield self.measure(wrong / records)


@dataclass(frozen=True, kw_only=True)
class NormalisedClassificationMetricWithSuppression(NormalisedClassificationMetric):
    """The classification metric with suppression as a share of all records, as Iyengar wrote it.

    Examples
    --------
    >>> from pyarrow import table
    >>> from toolbox import measure
    >>> people = table({"age": [20, 25, 30, 40], "ill": ["flu", "flu", "cold", "flu"]})
    >>> release = table({"age": ["[20:30]", "[20:30]", "[20:30]", "*"], "ill": ["flu", "flu", "cold", "flu"]})
    >>> report = measure(people, release, quasi_identifiers=["age"], sensitive=["ill"])
    >>> report.value("normalised classification metric with suppression")
    0.5
    """

    name: ClassVar[str] = "normalised classification metric with suppression"
    meaning: ClassVar[str] = "Records with another label or suppressed, as a share."
    rank: ClassVar[int] = 260
    reference: ClassVar[str] = "Iyengar 2002, doi:10.1145/775047.775089"
    _charges_suppressed: ClassVar[bool] = True


@cache_by_comparison
def _select_wrong(comparison: Comparison, label: str, charges_suppressed: bool) -> tuple[int, int]:
    """Return the records that are wrong, and those that count."""
    release = comparison.release
    held, text = release.held, release.held.c[release.sensitive[label]]
    counted = select(held.c.equivalence_id, func.sum(held.c.records).label("records"))
    labels = counted.group_by(held.c.equivalence_id, text).subquery()
    most = select(labels.c.equivalence_id, func.max(labels.c.records).label("records"))
    right = most.group_by(labels.c.equivalence_id).subquery()
    joined = right.join(release.classes, release.classes.c.equivalence_id == right.c.equivalence_id)
    total = select(func.coalesce(func.sum(right.c.records), 0)).select_from(joined)
    records = release.records
    if charges_suppressed:
        total = total.where(~release.classes.c.suppressed)
        records += count_missing_records(comparison)
    return records - int(comparison.store.scalar(total)), records
