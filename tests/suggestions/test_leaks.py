"""A column that gives another away, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from toolbox.suggestions.plan import gives_away

TOWNS = np.array([0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3])
PROVINCES = np.array([0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1])


@pytest.mark.parametrize(
    ("own", "other", "does"),
    [
        (TOWNS, PROVINCES, True),
        (PROVINCES, TOWNS, False),
        (TOWNS, TOWNS, True),
        (TOWNS, np.arange(12) % 2, False),
        # Nobody has a neighbour: nothing can be said.
        (np.arange(12), PROVINCES, False),
        # Nearly everybody has one value.
        (TOWNS, np.array([1] * 11 + [0]), False),
        (TOWNS[:9], PROVINCES[:9], False),
        (np.full(12, -1), PROVINCES, False),
    ],
)
def test_nearly_each_value_goes_with_one(own: np.ndarray, other: np.ndarray, does: bool) -> None:
    assert gives_away(own, other) is does


def test_one_exception_in_twenty_does_not_matter_and_two_do() -> None:
    own = np.repeat(np.arange(20), 10)
    other = own % 3
    assert gives_away(own, other)
    for wrong, does in ((5, True), (15, False)):
        changed = other.copy()
        changed[0:wrong:10] = 7
        assert gives_away(own, changed) is does


def test_records_that_lack_a_value_say_nothing() -> None:
    assert gives_away(np.append(TOWNS, [-1, 0]), np.append(PROVINCES, [1, -1]))
