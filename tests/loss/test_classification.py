"""Records whose label is hidden by those of their class."""

import pytest
from helpers.comparisons import measured, unpaired
from helpers.small_tables import quasi_identifier

from toolbox.loss.sizes import (
    ClassificationMetric,
    ClassificationMetricWithSuppression,
    NormalisedClassificationMetric,
    NormalisedClassificationMetricWithSuppression,
)
from toolbox.published.tables import Comparison
from toolbox.store.engine.store import Store

SEX = quasi_identifier("sex", kind="category")
ORIGINAL = "f\nf\nf\nm\nm\nm"
RELEASED = "f ill 1\nf ill 2\n* ill 3\n* well 4\n* ill 5\nm - 6"
SENSITIVE = ["health", "visits"]


@pytest.fixture(scope="module")
def beside(store: Store) -> Comparison:
    return unpaired(store, ORIGINAL, RELEASED, [SEX], sensitive=SENSITIVE)


@pytest.mark.parametrize(
    ("metric", "value"),
    [
        # One of the three suppressed people is well; all three are charged.
        (ClassificationMetric(), 1),
        (NormalisedClassificationMetric(), 1 / 6),
        (ClassificationMetricWithSuppression(), 3),
        (NormalisedClassificationMetricWithSuppression(), 3 / 6),
    ],
)
def test_suppressed_records_are_a_class_or_are_all_wrong(
    beside: Comparison, metric: ClassificationMetric, value: float
) -> None:
    assert measured(metric, beside, "health") == {None: value}


def test_other_sensitive_attributes_do_not_split_the_labels(beside: Comparison) -> None:
    assert measured(ClassificationMetric(), beside, "visits") == {None: 1 + 2 + 0}


def test_a_tie_costs_the_same_whichever_label_wins(store: Store) -> None:
    beside = unpaired(store, "f\nf\nf\nf", "f x\nf y\nf x\nf y", [SEX], sensitive=["label"])
    assert measured(ClassificationMetric(), beside, "label") == {None: 2}


def test_a_missing_label_is_a_label(store: Store) -> None:
    beside = unpaired(store, "f\nf\nf", "f -\nf -\nf y", [SEX], sensitive=["label"])
    assert measured(ClassificationMetric(), beside, "label") == {None: 1}


def test_records_that_the_release_lacks_are_wrong_where_suppressed_ones_are(store: Store) -> None:
    beside = unpaired(store, "f\nf\nf\nf", "f x\nf y", [SEX], sensitive=["label"])
    assert measured(NormalisedClassificationMetric(), beside, "label") == {None: 1 / 2}
    assert measured(NormalisedClassificationMetricWithSuppression(), beside, "label") == {None: 3 / 4}
