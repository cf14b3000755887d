"""Which rows can be whose when everybody must have one, beside the enumeration of all assignments."""

from __future__ import annotations

from helpers.amounts import times
from helpers.matchings import exact_beliefs, graphs, written
from hypothesis import given, settings

from toolbox.risks.matching.matching import _Graph, assign_people, find_possible_edges


def edges(graph: _Graph) -> list[tuple[int, int]]:
    is_possible = find_possible_edges(graph, assign_people(graph))
    return list(zip(graph.person[is_possible].tolist(), graph.row[is_possible].tolist(), strict=True))


def test_a_row_that_somebody_else_needs_is_nobody_elses() -> None:
    # The second person fits both rows, but the first one has no other.
    assert edges(written([1, 1], [1, 1], "x. xx")) == [(0, 0), (1, 1)]


def test_rows_that_can_be_exchanged_stay_possible() -> None:
    assert edges(written([1, 1, 1], [1, 1, 1], "xx. .xx x.x")) == [(0, 0), (0, 1), (1, 1), (1, 2), (2, 0), (2, 2)]


def test_who_may_be_in_no_row_leaves_theirs_to_others() -> None:
    # Two people, one row: the row of nobody, the last one, is what makes both of them possible.
    assert edges(written([1, 1], [1], "x x")) == [(0, 0), (0, 1), (1, 0), (1, 1)]


@settings(max_examples=times(40, slow=500))
@given(graphs())
def test_an_edge_is_possible_if_some_perfect_assignment_uses_it(graph: _Graph) -> None:
    assert find_possible_edges(graph, assign_people(graph)).tolist() == (exact_beliefs(graph) > 0).tolist()
