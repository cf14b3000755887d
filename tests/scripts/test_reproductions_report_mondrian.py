"""The report's program, written anew: it gives what was recorded of it, and with two changes the cuts of the toolbox."""

from collections import defaultdict
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from helpers.brute_mondrian import mondrian
from reproductions.credit import OURS, sizes_and_penalty
from reproductions.report_mondrian import Rule, boxes
from reproductions.study import recorded


def classes(values: np.ndarray, k: int, rule: Rule) -> set[frozenset[int]]:
    """Put the records that show the same into one class."""
    found = defaultdict(list)
    for number, shown in enumerate(np.hstack(boxes(values, k, rule)).tolist()):
        found[tuple(shown)].append(number)
    return {frozenset(one) for one in found.values()}


@pytest.mark.parametrize("cut", ["classic", "fallback"])
def test_with_the_changes_it_cuts_as_a_plain_mondrian(cut: str) -> None:
    draw = np.random.default_rng(7)
    for size in (1, 5, 40, 90):
        values = draw.integers(0, [3, 9, 30], size=(size, 3))
        for k in (1, 2, 5):
            expected = mondrian(values.tolist(), k, cut=cut) if size > k else {frozenset(range(size))}
            assert classes(values, k, OURS[cut]) == expected


def test_a_dimension_that_was_not_tried_is_taken_to_be_as_wide_as_before() -> None:
    """Both columns are 0 to 90 wide. The first is cut at 40; to the right it is 50 to 90, and the second one, of 0 to 9 there,
    still counts as 90 wide: the program cuts it, where a look at the records takes the first one.
    """
    left, right = [[0, 0], [10, 90], [30, 40], [40, 50]], [[50, 0], [60, 9], [80, 1], [90, 8]]
    values = np.array([*left, *right])
    assert {frozenset({4, 6}), frozenset({5, 7})} < classes(values, 2, Rule())
    assert {frozenset({4, 5}), frozenset({6, 7})} < classes(values, 2, Rule(is_tight=True))


def test_what_is_released_is_as_tight_as_the_records() -> None:
    values = np.random.default_rng(3).integers(0, 20, size=(50, 3))
    low, high = boxes(values, 4, Rule())
    for one in classes(values, 4, Rule()):
        rows = values[list(one)]
        assert (low[list(one)] == rows.min(axis=0)).all()
        assert (high[list(one)] == rows.max(axis=0)).all()


@pytest.mark.slow
@pytest.mark.real
@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("file", "algorithm", "rule"),
    [
        ("mondrian_metrics_fallback.csv", "own_strict_fallback_tight", Rule(is_tight=True, falls_back=True)),
        ("mondrian_metrics.csv", "qiyuangong_strict", Rule()),
    ],
)
def test_the_recorded_numbers(shared: Path, file: str, algorithm: str, rule: Rule) -> None:
    records = pd.read_csv(shared / "data" / "credit_default.csv.gz")
    expected = recorded(shared / "fixtures" / "credit" / file, "algo", algorithm)[5]
    found = sizes_and_penalty(records, 5, rule)
    assert found[:2] == (int(expected["classes"]), int(expected["DM"]))
    assert found[2] == pytest.approx(float(expected["NCP_weighted"]), rel=1e-12)
