"""Groups of close values: the best of all partitions of one column, and MDAV as it was published for several."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from helpers.amounts import times
from hypothesis import given
from hypothesis import strategies as st

from toolbox.treatments.columns import group_points, group_values


def partitions(count: int, k: int) -> Iterator[list[int]]:
    """Yield all ways to cut a row of values into runs of at least k."""
    if count == 0:
        yield []
    for size in range(k, count + 1):
        for rest in partitions(count - size, k):
            yield [size, *rest]


def lost(values: np.ndarray, groups: np.ndarray) -> float:
    return float(sum(((values[groups == group] - values[groups == group].mean()) ** 2).sum() for group in set(groups)))


@given(values=st.lists(st.integers(-50, 50), min_size=2, max_size=11), k=st.integers(2, 4))
def test_no_partition_of_one_column_loses_less(values: list[int], k: int) -> None:
    if len(values) < k:
        return
    given_values = np.array(values, float)
    groups = group_values(given_values, k)
    sizes = np.bincount(groups)
    assert k <= sizes.min() and sizes.max() < 2 * k
    ranked = np.sort(given_values)
    best = min(lost(ranked, np.repeat(np.arange(len(cut)), cut)) for cut in partitions(len(values), k))
    assert lost(given_values, groups) == pytest.approx(best)


@pytest.mark.slow
def test_a_long_column_is_cut_as_a_search_step_by_step_would_cut_it() -> None:
    values = np.sort(np.random.default_rng(5).lognormal(10, 2, times(400, slow=2000)))
    for k in (3, 7, len(values) * 3 // 10):
        best = np.full(len(values) + 1, np.inf)
        best[0] = 0
        for end in range(k, len(values) + 1):
            best[end] = min(
                best[end - size] + ((values[end - size : end] - values[end - size : end].mean()) ** 2).sum()
                for size in range(k, min(2 * k, end + 1))
            )
        assert lost(values, group_values(values, k)) == pytest.approx(best[-1], rel=1e-9)


@pytest.mark.parametrize("count", [4, 5, 7, 8, 11, 12, 13, 40, 101])
def test_groups_of_points_have_k_to_less_than_twice_k(count: int) -> None:
    points = np.random.default_rng(count).normal(size=(3, count))
    sizes = np.bincount(group_points(list(points), 4))
    assert sizes.sum() == count and sizes.min() >= 4 and sizes.max() < 8
    assert set(group_points([np.zeros(count)] * 2, 4)) == set(range(len(sizes)))


def test_more_points_than_can_be_compared_are_halved_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolbox.treatments.columns._BLOCK", 50)
    sizes = np.bincount(group_points(list(np.random.default_rng(1).normal(size=(2, 999))), 3))
    assert sizes.sum() == 999 and sizes.min() >= 3 and sizes.max() < 6


@pytest.mark.slow
@given(sizes=st.lists(st.integers(1, 5), min_size=2, max_size=9), k=st.integers(2, 4))
def test_equal_values_of_several_records_stay_together_and_no_such_partition_loses_less(
    sizes: list[int], k: int
) -> None:
    counted = np.array(sizes)
    if counted.sum() < k:
        return
    values = np.random.default_rng(len(sizes)).permutation(len(sizes)) ** 2.0
    groups = group_values(values, k, counted)
    assert np.bincount(groups, counted).min() >= k
    order = np.argsort(values)
    cuts = [np.repeat(np.arange(len(cut)), cut) for cut in partitions(len(sizes), 1)]
    possible = [cut for cut in cuts if np.bincount(cut, counted[order]).min() >= k]
    best = min(lost(np.repeat(values[order], counted[order]), np.repeat(cut, counted[order])) for cut in possible)
    assert lost(np.repeat(values, counted), np.repeat(groups, counted)) == pytest.approx(best)


@given(sizes=st.lists(st.integers(1, 9), min_size=1, max_size=60), k=st.integers(2, 5))
def test_points_of_several_records_are_whole_groups_or_fill_one_up(sizes: list[int], k: int) -> None:
    counted = np.array(sizes)
    if counted.sum() < k:
        return
    groups = group_points(list(np.random.default_rng(len(sizes)).normal(size=(2, len(sizes)))), k, counted)
    assert set(groups) == set(range(groups.max() + 1))
    assert np.bincount(groups, counted).min() >= k
    # A group that grows past k does so by its last point, or takes what was left of all.
    large = [size for size in np.bincount(groups, counted) if size > 2 * k - 1]
    assert sum(large) - sum(size for size in sizes if size >= k) < 3 * k


@pytest.mark.sampled(1)
@pytest.mark.real
@pytest.mark.parametrize(("k", "published"), [(3, "5.6922"), (5, "9.0884"), (10, "14.1559")])
def test_mdav_loses_what_was_published(shared: Path, k: int, published: str) -> None:
    table = np.loadtxt(shared / "data" / "sdc" / "CASCrefmicrodata.csv", delimiter=",", skiprows=1)
    points = (table - table.mean(axis=0)) / table.std(axis=0)
    groups = group_points(list(table.T), k)
    within = sum(lost(column, groups) for column in points.T)
    assert f"{100 * within / (points**2).sum():.4f}" == published
