"""Classification metrics: how often a class hides the label of its records."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from sqlalchemy import func, select

from toolbox.loss.metric import Direction, LeftOut, LossMetric, Measure, cache_by_comparison
from toolbox.loss.sizes import count_missing_records
from toolbox.published.tables import Comparison


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
