"""The script that judges every node of Adult's lattice: its parts against plain programs."""

from __future__ import annotations

import exhaustive_lattice as script
import numpy as np
from helpers import brute_models as brute
from helpers.brute_incognito import Outcome
from hypothesis import given
from hypothesis import strategies as st

HISTOGRAMS = st.lists(st.lists(st.integers(0, 6), min_size=4, max_size=4).filter(any), min_size=1, max_size=8)
LEVELS = st.tuples(st.integers(0, 2), st.integers(0, 1), st.integers(0, 3))


def test_nodes_give_equal_keys_to_records_that_show_the_same() -> None:
    ground, raised = np.array([0, 1, 0, 1]), np.array([0, 0, 0, 0])
    found = {levels: keys.tolist() for levels, keys in script.nodes([[ground, raised], [ground, raised]])}
    assert list(found) == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert found == {(0, 0): [0, 3, 0, 3], (0, 1): [0, 1, 0, 1], (1, 0): [0, 1, 0, 1], (1, 1): [0, 0, 0, 0]}


@given(st.dictionaries(LEVELS, st.integers(1, 9), min_size=1))
def test_minimal_nodes_are_those_above_no_other(satisfying: dict[tuple[int, ...], int]) -> None:
    assert script.minimal(satisfying) == Outcome(satisfying).minimal


@given(HISTOGRAMS)
def test_the_judges_agree_with_the_formulas(histogram: list[list[int]]) -> None:
    classes = [[value for value, count in enumerate(row) for _ in range(count)] for row in histogram]
    everything = [value for one in classes for value in one]
    for judge, satisfies in (
        (script.smaller_than_5, brute.k_anonymous(5)),
        (script.below_entropy_of_3, brute.entropy_l_diverse(3)),
        (script.further_than_a_fifth, brute.t_close(0.2, everything, brute.equal_distance)),
    ):
        assert judge(np.array(histogram)).tolist() == [not satisfies(one) for one in classes]
