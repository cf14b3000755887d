"""Class sizes, suppressed records, and records that a release lacks."""

import pytest
from helpers.comparisons import unpaired
from helpers.small_tables import quasi_identifier

from toolbox.errors import SettingError
from toolbox.loss.sizes import ClassSizes, count_missing_records, require_k, summarise_class_sizes
from toolbox.store.engine.store import Store

SEX = quasi_identifier("sex", kind="category")


def test_suppressed_records_form_no_class(store: Store) -> None:
    beside = unpaired(store, "f\nf\nf\nm\nm", "f\nf\n*\n*\nm", [SEX])
    assert summarise_class_sizes(beside, k=2) == ClassSizes(
        total=5, lacking=0, classes=2, grouped=3, squares=5, small=1, small_squares=1, combinations=3
    )
    assert summarise_class_sizes(beside).suppressed == 2
    assert summarise_class_sizes(beside).small == 0


def test_a_release_of_suppressed_records_has_no_class(store: Store) -> None:
    assert summarise_class_sizes(unpaired(store, "f\nm", "*\n*", [SEX]))[:4] == (2, 0, 0, 0)


def test_records_that_the_release_lacks_count_as_suppressed(store: Store) -> None:
    beside = unpaired(store, "f\nf\nf\nm\nm", "f\nf\n*", [SEX])
    assert summarise_class_sizes(beside).suppressed == 3
    assert count_missing_records(beside) == 2


def test_a_release_with_more_records_than_the_original_lacks_none(store: Store) -> None:
    assert count_missing_records(unpaired(store, "f", "f\nf", [SEX])) == 0


@pytest.mark.parametrize("k", [0, -1, 2.5, True, "2"])
def test_a_k_is_a_whole_number_of_at_least_1(k: object) -> None:
    with pytest.raises(SettingError, match="write a whole number of at least 1"):
        require_k(k)  # type: ignore[arg-type]
