"""What quasi-identifiers are worth."""

from types import SimpleNamespace

import pytest

from toolbox.methods.arrays.memory import compute_weights, rank_by_importance
from toolbox.methods.local_recoding.rows import _compute_declared_weights


@pytest.mark.parametrize(
    ("priorities", "weights", "expected"),
    [
        ([None, None], [None, None], [1, 1]),
        ([1, 2, 2, 3], [None] * 4, [1, 2 / 3, 2 / 3, 1 / 3]),
        ([10, 50], [None] * 2, [1, 1 / 2]),
        ([1, None, 2], [None] * 3, [1, 1 / 3, 2 / 3]),
        ([None, None], [2.5, None], [2.5, 1]),
        ([1, 2], [None, 3.0], [1, 3.0]),
    ],
    ids=["none", "(n - p + 1) / n", "places, not numbers", "without a rank last", "weights", "a weight wins"],
)
def test_a_weight_is_declared_or_follows_from_the_rank(
    priorities: list[int | None], weights: list[float | None], expected: list[float]
) -> None:
    declared = [SimpleNamespace(priority=rank, weight=weight) for rank, weight in zip(priorities, weights, strict=True)]
    assert _compute_declared_weights(declared) == pytest.approx(expected)


def test_ranks_have_no_gaps_and_who_has_no_priority_comes_last() -> None:
    assert rank_by_importance([5, None, 2, 5, None]) == [2, 3, 1, 2, 3]
    assert rank_by_importance([None, None]) == [1, 1]


def test_weights_follow_the_ranks_unless_they_are_declared() -> None:
    assert compute_weights([1, 2, 3], [None, None, 0.5]) == pytest.approx([1, 2 / 3, 0.5])
