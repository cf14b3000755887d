"""Class sizes, suppressed records, and records that a release lacks."""

import pytest
from helpers.comparisons import unpaired
from helpers.small_tables import quasi_identifier

from toolbox.errors import SettingError
from toolbox.loss.sizes import Sizes, lacking, require_k, sizes_of
from toolbox.store.engine.store import Store

SEX = quasi_identifier("sex", kind="category")


def test_suppressed_records_form_no_class(store: Store) -> None:
    beside = unpaired(store, "f\nf\nf\nm\nm", "f\nf\n*\n*\nm", [SEX])
    assert sizes_of(beside, k=2) == Sizes(
        total=5, lacking=0, classes=2, grouped=3, squares=5, small=1, small_squares=1, combinations=3
    )
    assert sizes_of(beside).suppressed == 2
    assert sizes_of(beside).small == 0


def test_a_release_of_suppressed_records_has_no_class(store: Store) -> None:
    assert sizes_of(unpaired(store, "f\nm", "*\n*", [SEX]))[:4] == (2, 0, 0, 0)


def test_records_that_the_release_lacks_count_as_suppressed(store: Store) -> None:
    beside = unpaired(store, "f\nf\nf\nm\nm", "f\nf\n*", [SEX])
    assert sizes_of(beside).suppressed == 3
    assert lacking(beside) == 2


def test_a_release_with_more_records_than_the_original_lacks_none(store: Store) -> None:
    assert lacking(unpaired(store, "f", "f\nf", [SEX])) == 0


@pytest.mark.parametrize("k", [0, -1, 2.5, True, "2"])
def test_a_k_is_a_whole_number_of_at_least_1(k: object) -> None:
    with pytest.raises(SettingError, match="write a whole number of at least 1"):
        require_k(k)  # type: ignore[arg-type]
