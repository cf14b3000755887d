"""One assignment of people to rows, the start of all that follows."""

from __future__ import annotations

import numpy as np
from helpers.matchings import graphs, written
from hypothesis import given

from toolbox.risks.matching.matching import _Graph, assign_people


@given(graphs())
def test_everybody_gets_a_row_where_that_is_possible(graph: _Graph) -> None:
    assignment = assign_people(graph)
    assert assignment.min() >= 0
    assert np.array_equal(graph.sum_by_person(assignment), graph.people)
    assert np.array_equal(graph.sum_by_row(assignment), graph.rows)


def test_as_many_as_possible_get_one_where_not_all_can() -> None:
    # Three people need the two rows of the first class.
    graph = written([3, 1], [2, 2], "x. xx")
    assert assign_people(graph).sum() == 3
