"""Releases without classes are what they are called: judged by all perfect assignments of a few people."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from helpers.matchings import enumerated
from matching_releases import Numbers, People, concealed, covering, fitting, prices

K = 2
COUNT = 9


def people(seed: int) -> People:
    """Nine people with two columns: eight values in pairs and fours, and four values in pairs."""
    random = np.random.default_rng(seed)
    first, second = random.integers(0, 8, COUNT), random.integers(0, 4, COUNT)
    numbered = [[np.unique(column // 2**level, return_inverse=True)[1] for level in range(4)] for column in (first,)]
    return People([*numbered, [np.unique(second // 2**level, return_inverse=True)[1] for level in range(3)]])


def fits(found: People, rows: Numbers) -> np.ndarray:
    """Tell of each person and row whether the person fits: all labels are one at the levels of the row."""
    columns = zip(found.codes, rows, strict=True)
    return np.all(
        [
            [[of[level[row]][person] == of[level[row]][row] for row in range(COUNT)] for person in range(COUNT)]
            for of, level in columns
        ],
        axis=0,
    )


def cost(found: People, node: tuple[int, ...], combination: int) -> float:
    return sum(paid[level][combination] for paid, level in zip(prices(found), node, strict=True))


def test_each_row_covers_k_people_at_the_cheapest_levels_that_do() -> None:
    for seed in range(5):
        found = people(seed)
        levels = covering(found, K)
        rows = levels[:, found.which]
        assert fits(found, rows).sum(axis=0).min() >= K
        for person, combination in enumerate(found.which.tolist()):
            nodes = product(*(range(top + 1) for top in found.tops.tolist()))
            alike = np.repeat(np.array(list(nodes))[:, :, None], COUNT, axis=2)
            cheapest = min(
                cost(found, tuple(node[:, 0].tolist()), combination)
                for node in alike
                if fits(found, node)[:, person].sum() >= K
            )
            assert cost(found, tuple(levels[:, combination].tolist()), combination) == pytest.approx(cheapest)


def test_widened_rows_fit_on_both_sides() -> None:
    for seed in range(20):
        found = people(seed)
        edges = fits(found, fitting(found, covering(found, K), K))
        assert edges.diagonal().all()
        assert min(edges.sum(axis=0).min(), edges.sum(axis=1).min()) >= K


def test_a_concealed_release_leaves_k_on_both_sides_where_everybody_must_have_a_row() -> None:
    for seed in range(20):
        found = people(seed)
        rows, owners = concealed(found, covering(found, K, rounds=1), K)
        assert (rows[:, owners] == found.tops[:, None]).all()
        assert K - 1 <= len(owners) <= 2 * (K - 1)
        can_be = enumerated(fits(found, rows)).shares > 0
        assert min(can_be.sum(axis=0).min(), can_be.sum(axis=1).min()) >= K


def test_prices_are_bits_and_at_the_margin_of_a_release_those_of_who_takes_the_step() -> None:
    """Of four values two and two are one at level 1: a bit, and another to the root, which only the last two take."""
    found = People([[np.arange(4), np.array([0, 0, 1, 1]), np.zeros(4, dtype=np.int64)]])
    assert prices(found)[0].tolist() == [[0] * 4, [1] * 4, [2] * 4]
    taken = prices(found, np.array([[0, 1, 2, 2]]))[0]
    assert taken[1].tolist() == [0, 0, 1, 1]
    assert taken[2].tolist() == [1, 1, 1, 1]
