"""Several metrics of one release, those that do not apply left out with a reason."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import pytest
from helpers.comparisons import comparison, measured, reasons
from helpers.small_tables import quasi_identifier

from toolbox.errors import UnknownColumnError
from toolbox.loss.entropy import NonUniformEntropy
from toolbox.loss.metric import Direction, LeftOut, LossMetric, Measure, measure_all
from toolbox.loss.sizes import ClassificationMetric, NumberOfClasses
from toolbox.published.tables import Comparison
from toolbox.store.engine.store import Store

SEX = quasi_identifier("sex", kind="category")


@dataclass(frozen=True, kw_only=True)
class Records(LossMetric):
    """A metric of somebody else's."""

    name: ClassVar[str] = "records"
    unit: ClassVar[str] = "records"
    range: ClassVar[str] = "1 .. N"
    direction: ClassVar[Direction] = "higher"

    factor: float = 1.0

    def values(self, comparison: Comparison) -> Iterator[Measure | LeftOut]:
        yield self.measure(self.factor * comparison.release.records)


@pytest.mark.slow
def test_metrics_are_measured_in_their_order_with_those_of_others(store: Store) -> None:
    beside = comparison(store, "f\nm\nm", "f\n*\n*", [SEX])
    found = measure_all(beside, [Records(factor=2), NumberOfClasses(), Records()])
    assert [(one.name, one.value) for one in found.measures] == [
        ("records", 6),
        ("number of classes", 1),
        ("records", 3),
    ]
    assert found.left_out == ()


def test_without_a_label_classification_is_left_out(store: Store) -> None:
    beside = comparison(store, "f\nm\nm", "f ill\n* ill\n* well", [SEX], sensitive=["health"])
    assert measure_all(beside, [ClassificationMetric()]).left_out == (
        LeftOut("classification metric", "no class label is named"),
    )
    assert measured(ClassificationMetric(), beside, "health") == {None: 1}
    assert measured(ClassificationMetric(label="health"), beside) == {None: 1}


def test_a_label_that_is_no_sensitive_attribute_is_an_error(store: Store) -> None:
    beside = comparison(store, "f\nm", "f ill\n* ill", [SEX], sensitive=["health"])
    with pytest.raises(UnknownColumnError) as caught:
        measure_all(beside, [ClassificationMetric()], label="wealth")
    assert str(caught.value) == (
        "the release, among its sensitive attributes, has no column 'wealth'. Did you mean 'health'? It has: health."
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("released", "reason"),
    [
        ("f\nm", "the release has 2 records, the original 3"),
        ("m\nf\nm", "in 2 records sex is not what the released value stands for: another order, or other records?"),
    ],
)
def test_metrics_that_need_pairs_are_left_out_where_there_are_none(store: Store, released: str, reason: str) -> None:
    beside = comparison(store, "f\nm\nm", released, [SEX])
    assert reasons(NonUniformEntropy(), beside) == [reason]
    assert measured(NonUniformEntropy(), beside) == {}
