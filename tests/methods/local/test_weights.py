"""What quasi-identifiers are worth."""

from types import SimpleNamespace

import pytest

from toolbox.methods.local.weights import weights_of


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
    assert weights_of(declared) == pytest.approx(expected)
