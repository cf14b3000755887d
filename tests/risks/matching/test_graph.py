"""Groups of people and rows; and whoever is in no row, or is nobody whom the attacker knows."""

from __future__ import annotations

from helpers.matchings import written

ONE_ROW_FOR_TWO = written([2, 1], [1], "x x", truth="1 0")
TWO_ROWS_FOR_ONE = written([1], [1, 1], "x.", truth="1.")


def test_people_without_a_row_share_a_group_of_rows_that_stands_for_none() -> None:
    graph = ONE_ROW_FOR_TWO
    assert (graph.rows.tolist(), graph.has_absent, graph.known_people) == ([1, 2], True, 2)
    assert list(zip(graph.person, graph.row, graph.truth, strict=True)) == [(0, 0, 1), (0, 1, 1), (1, 0, 0), (1, 1, 1)]


def test_rows_without_a_person_belong_to_strangers() -> None:
    graph = TWO_ROWS_FOR_ONE
    assert (graph.people.tolist(), graph.has_strangers, graph.known_people) == ([1, 1], True, 1)
    assert list(zip(graph.person, graph.row, graph.truth, strict=True)) == [(0, 0, 1), (1, 0, 0), (1, 1, 1)]


def test_as_many_people_as_rows_stay_as_they_are() -> None:
    graph = written([1, 2], [2, 1], "xx x.")
    assert (graph.has_absent, graph.has_strangers, len(graph.person)) == (False, False, 3)
