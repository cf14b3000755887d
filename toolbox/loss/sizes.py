"""How many records of a release stand in classes, and how many are suppressed."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from numbers import Integral
from typing import ClassVar, NamedTuple

from sqlalchemy import and_, func, select

from toolbox.errors import SettingError
from toolbox.loss.metric import LeftOut, LossMetric, Measure, cache_by_comparison
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
