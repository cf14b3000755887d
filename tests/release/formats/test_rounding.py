"""Rounded statistics: at least k multisets have those of each class, counted by trying all in plain Python."""

from itertools import combinations_with_replacement

import numpy as np
import pandas as pd
import pytest

from toolbox import anonymize
from toolbox.release.formats.solvable import ClassValues, round_statistics

RANDOM = np.random.default_rng(8)


def class_values(members: list[list[int]], step: float = 1.0) -> ClassValues:
    """Sum classes up; their smallest values are all 20."""
    ordered = [sorted(one) for one in members]
    sizes = np.array([len(one) for one in ordered])
    return ClassValues(
        equivalence_id=np.arange(len(ordered)),
        low=np.full(len(ordered), 20.0),
        step=step,
        records=sizes,
        total=np.array([sum(one) for one in ordered]),
        squares=np.array([sum(value * value for value in one) for one in ordered]),
        width=np.array([one[-1] for one in ordered]),
        inner=np.array([[one[len(one) * quarter // 4] for quarter in (1, 2, 3)] for one in ordered]),
        shows_ends=True,
    )


def cell(values: tuple[int, ...], width: float) -> tuple[float, float]:
    """Round as the documentation says: the mean to the width, the variance to half the range times as much."""
    spread = max(1.0, max(values) / 2)
    return round(np.mean(values) / width), round(np.var(values) / (width * spread))


@pytest.mark.sampled(1)
@pytest.mark.parametrize("k", [3, 5, 8])
def test_at_least_k_multisets_are_rounded_to_what_is_told_of_a_class(k: int) -> None:
    members = [
        [0, *RANDOM.integers(0, width + 1, size - 2).tolist(), width] for size in (5, 6, 7) for width in (4, 7, 9)
    ]
    found = round_statistics(class_values(members), k)
    told = [number for number, _ in enumerate(members) if not np.isnan(found.mean[number])]
    assert len(told) >= 0.9 * len(members)
    for number in told:
        size, width = len(members[number]), max(members[number])
        own = cell(tuple(members[number]), found.width)
        inner = combinations_with_replacement(range(width + 1), size - 2)
        alike = [values for values in inner if cell((0, *values, width), found.width) == own]
        assert len(alike) >= k
        assert found.mean[number] == 20 + own[0] * found.width
        assert found.variance[number] == own[1] * found.width * max(1.0, width / 2)


def test_what_cannot_be_hidden_is_left_blank() -> None:
    """Five people of ages 0 and 1 are four multisets, and equal ones a single one."""
    found = round_statistics(class_values([[0, 0, 0, 1, 1], [0, 0, 0, 0, 0], [0, 1, 3, 5, 9], [0, 4, 8, 8, 9]]), 5)
    assert np.isnan(found.mean).tolist() == np.isnan(found.variance).tolist() == [True, True, False, False]


def test_classes_of_fewer_than_five_are_left_blank() -> None:
    assert np.isnan(round_statistics(class_values([[0, 3, 5, 9]]), 2).mean).all()


def test_steps_of_other_sizes_scale_what_is_told() -> None:
    members = [[0, 2, 5, 7, 9], [0, 1, 4, 6, 8]]
    whole, halves = round_statistics(class_values(members), 3), round_statistics(class_values(members, step=0.5), 3)
    assert ((whole.mean - 20) / 2 == halves.mean - 20).all()
    assert (whole.variance / 4 == halves.variance).all()


@pytest.mark.slow
def test_a_release_with_rounded_statistics_tells_them_near_the_right_ones() -> None:
    ages = pd.DataFrame({"age": RANDOM.integers(17, 60, 150)})
    given = {"quasi_identifiers": ["age"], "k": 5, "output_format": "genValsDist", "order": "input"}
    exact, coarse = (
        anonymize(ages, **given, statistics=statistics)
        .release["age_mean:variance"]
        .str.split(":", expand=True)
        .astype(float)
        for statistics in ("exact", "rounded")
    )
    told = coarse[0].notna()
    assert told.mean() > 0.3
    assert (exact[0] - coarse[0])[told].abs().max() <= 4
    assert not (exact[0] == coarse[0])[told].all()
