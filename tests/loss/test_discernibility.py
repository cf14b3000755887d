"""Discernibility, with and without a charge for suppressed records."""

from random import Random

import pytest
from helpers.amounts import times
from helpers.comparisons import measured, unpaired
from helpers.small_tables import quasi_identifier

from toolbox.errors import SettingError
from toolbox.loss.sizes import ArxDiscernibility, Discernibility, DiscernibilityWithSuppression
from toolbox.store.engine.store import Store

LETTER = quasi_identifier("letter", kind="category")
ORIGINAL = "a\na\na\nb\nb\nc\nd"


def test_suppressed_records_are_one_class_or_cost_as_much_as_all_records(store: Store) -> None:
    """Classes of 3 and 2, and two suppressed of seven."""
    beside = unpaired(store, ORIGINAL, "a\na\na\nb\nb\n*\n*", [LETTER])
    assert measured(Discernibility(), beside) == {None: 9 + 4 + 4}
    assert measured(DiscernibilityWithSuppression(), beside) == {None: 9 + 4 + 2 * 7}
    # The original costs 15, one class of all 49.
    assert measured(ArxDiscernibility(), beside) == {None: pytest.approx(1 - (27 - 15) / (49 - 15))}


def test_classes_smaller_than_k_cost_as_suppressed_ones(store: Store) -> None:
    beside = unpaired(store, ORIGINAL, "a\na\na\nb\nb\n*\n*", [LETTER])
    assert measured(DiscernibilityWithSuppression(k=3), beside) == {None: 9 + 2 * 7 + 2 * 7}
    with pytest.raises(SettingError):
        DiscernibilityWithSuppression(k=-1)


def test_records_that_the_release_lacks_cost_as_suppressed_ones_only_where_these_are_charged(store: Store) -> None:
    beside = unpaired(store, ORIGINAL, "a\na\na\nb\nb", [LETTER])
    assert measured(Discernibility(), beside) == {None: 9 + 4}
    assert measured(DiscernibilityWithSuppression(), beside) == {None: 9 + 4 + 2 * 7}
    assert measured(ArxDiscernibility(), beside) == {None: pytest.approx(1 - (27 - 15) / (49 - 15))}


def test_different_names_of_the_root_are_one_class_of_suppressed_records(store: Store) -> None:
    letter = quasi_identifier("letter", hierarchy="a any\nb any\nc any\nd any")
    beside = unpaired(store, ORIGINAL, "*\nany\n*\n*\n-\n*\n*", [letter], roots={"letter": ("any",)})
    assert measured(Discernibility(), beside) == {None: 49}
    assert measured(ArxDiscernibility(), beside) == {None: 0}


def test_classes_smaller_than_those_of_the_original_are_no_gain(store: Store) -> None:
    """Equal records that are shown differently: squares of 2, 1, 1, 1, 1 and 1 add up to 9, those of the original to 15."""
    beside = unpaired(store, ORIGINAL, "a\na\n{a,b}\nb\n{b,c}\nc\nd", [LETTER])
    assert measured(Discernibility(), beside) == {None: 9}
    assert measured(ArxDiscernibility(), beside) == {None: 1}


@pytest.mark.slow
def test_the_share_of_arx_stays_within_its_range(store: Store) -> None:
    random, labels = Random(5), ["a", "b", "{a,b}", "{b,c}", "{a,c,d}", "*"]
    for _ in range(times(10, slow=100)):
        people = "\n".join(random.choice("abcd") for _ in range(random.randint(1, 6)))
        release = "\n".join(random.choice(labels) for _ in range(random.randint(1, 9)))
        with_all = f"{people}\na\nb\nc\nd"
        (share,) = measured(ArxDiscernibility(), unpaired(store, with_all, release, [LETTER])).values()
        assert 0 <= share <= 1
