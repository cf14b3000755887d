"""Numbers of classes and of suppressed records."""

import pytest
from helpers.comparisons import measured, reasons, unpaired
from helpers.small_tables import quasi_identifier

from toolbox.errors import SettingError
from toolbox.loss.sizes import (
    ArxAverageClassSize,
    AverageClassSize,
    NormalisedAverageClassSize,
    NumberOfClasses,
    NumberOfCombinations,
    SuppressedRecords,
    SuppressedShare,
)
from toolbox.published.tables import Comparison
from toolbox.store.engine.store import Store

SEX, AGE = quasi_identifier("sex", kind="category"), quasi_identifier("age", kind="number")


@pytest.fixture(scope="module")
def beside(store: Store) -> Comparison:
    """Six people, two of them suppressed; two classes of two."""
    return unpaired(store, "f 1\nf 2\nf 3\nm 3\nm 4\nm 4", "f [1:2]\nf [1:2]\n* *\n* *\nm 4\nm 4", [SEX, AGE])


def test_counts(beside: Comparison) -> None:
    assert measured(NumberOfClasses(), beside) == {None: 2}
    assert measured(NumberOfCombinations(), beside) == {None: 3}
    assert measured(SuppressedRecords(), beside) == {None: 2}
    assert measured(SuppressedShare(), beside) == {None: 2 / 6}


def test_averages(beside: Comparison) -> None:
    assert measured(AverageClassSize(), beside) == {None: 2}
    assert measured(NormalisedAverageClassSize(k=4), beside) == {None: 0.5}
    # The original has five combinations of six people.
    assert measured(ArxAverageClassSize(), beside) == {None: 1 - (2 - 6 / 5) / (6 - 6 / 5)}


def test_without_a_k_there_is_no_normalised_average(beside: Comparison) -> None:
    assert reasons(NormalisedAverageClassSize(), beside) == ["no k is given"]
    with pytest.raises(SettingError):
        NormalisedAverageClassSize(k=0)


def test_without_a_class_there_is_no_average(store: Store) -> None:
    beside = unpaired(store, "f\nm", "*\n*", [SEX])
    for metric in (AverageClassSize(), NormalisedAverageClassSize(k=2), ArxAverageClassSize()):
        assert reasons(metric, beside) == ["all records are suppressed, so that there is no class"]


def test_a_partly_suppressed_record_is_not_suppressed(store: Store) -> None:
    beside = unpaired(store, "f 1\nf 2", "f *\nf *", [SEX, AGE])
    assert measured(SuppressedRecords(), beside) == {None: 0}
    assert measured(NumberOfClasses(), beside) == {None: 1}


def test_people_who_are_all_alike_lose_nothing(store: Store) -> None:
    assert measured(ArxAverageClassSize(), unpaired(store, "f\nf", "f\nf", [SEX])) == {None: 1}
