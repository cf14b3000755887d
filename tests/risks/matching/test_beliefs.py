"""How strongly a row is believed to be somebody's, beside the enumeration of all assignments."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.amounts import times
from helpers.matchings import enumerated, exact_beliefs, graphs, written
from hypothesis import given, settings

from toolbox.risks.matching.matching import _Graph, assign_people, find_possible_edges, propagate_beliefs


def believed(graph: _Graph) -> tuple[_Graph, np.ndarray]:
    left = graph.of(find_possible_edges(graph, assign_people(graph)))
    beliefs = propagate_beliefs(left)
    assert beliefs.has_converged
    return left, beliefs.values


def test_in_a_class_of_k_people_each_row_is_believed_with_one_kth() -> None:
    assert believed(written([2, 3], [5], "x x"))[1] == pytest.approx([1 / 5, 1 / 5])


def test_a_row_that_is_left_alone_is_certain() -> None:
    assert believed(written([1, 2], [1, 2], "x. xx"))[1] == pytest.approx([1, 1 / 2])


def test_a_circle_of_exchanges_is_as_likely_either_way() -> None:
    assert believed(written([1, 1, 1], [1, 1, 1], "xx. .xx x.x"))[1] == pytest.approx([0.5] * 6)


def test_the_judge_counts_the_assignments_of_three_people_by_hand() -> None:
    # 1-2-3, 1-3-2, 2-1-3: of three people of whom only the last two may have the last row, and the second any.
    found = enumerated(np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1]], dtype=bool))
    assert found.total == 3
    assert found.shares * 3 == pytest.approx(np.array([[2, 1, 0], [1, 1, 1], [0, 1, 2]]))


@pytest.mark.slow
@settings(max_examples=times(40, slow=500))
@given(graphs())
def test_beliefs_are_near_the_share_of_all_assignments(graph: _Graph) -> None:
    left, values = believed(graph)
    errors = np.abs(values - exact_beliefs(left))
    assert errors.max() < 0.15
    # Each person has one row, and each row one person, in any case.
    assert left.sum_by_person(values * left.rows[left.row]) == pytest.approx(np.ones(len(left.people)), abs=1e-6)
    assert left.sum_by_row(values * left.people[left.person]) == pytest.approx(np.ones(len(left.rows)), abs=1e-6)


def test_beliefs_are_on_average_within_two_hundredths() -> None:
    random, errors = np.random.default_rng(1), []
    for _ in range(100):
        truth = random.integers(0, 2, (4, 4)) + np.eye(4, dtype=np.int64)
        fits = (truth > 0) | (random.random(truth.shape) < 0.4)
        person, row = np.nonzero(fits)
        graph = _Graph(people=np.ones(4, np.int64), rows=np.ones(4, np.int64), person=person, row=row)
        left, values = believed(graph)
        errors.append(np.abs(values - exact_beliefs(left)).mean())
    assert 0 < np.mean(errors) < 0.02
