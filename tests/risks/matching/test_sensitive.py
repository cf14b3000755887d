"""What is believed of sensitive values: rows that could be a person's, by the values that they show."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.matchings import written

from toolbox.risks.figures import ValueBeliefs
from toolbox.risks.matching.matching import (
    _Graph,
    _GroupValues,
    _sum_value_beliefs,
    assign_people,
    find_possible_edges,
    propagate_beliefs,
)


def believed(graph: _Graph, rows: list[tuple[int, int, int]]) -> ValueBeliefs:
    left = graph.of(find_possible_edges(graph, assign_people(graph)))
    row, value, records = (np.array(column) for column in zip(*rows, strict=True))
    held = _GroupValues("illness", row, value, records, graph.rows)
    return _sum_value_beliefs(left, propagate_beliefs(left).values, held)


def test_in_classes_beliefs_are_the_histograms_of_the_classes() -> None:
    # Four people among rows with three times one value; two among rows with the same value.
    found = believed(written([4, 2], [4, 2], "x. .x"), [(0, 0, 3), (0, 1, 1), (1, 2, 2)])
    assert (found.believed_above, found.certain) == (((0.5, 6), (0.9, 2)), 2)
    assert found.expected_hits == pytest.approx(4 * 3 / 4 + 2)
    assert found.share_without_release == 3 / 6


def test_a_value_is_certain_though_the_row_is_not() -> None:
    found = believed(written([1, 1], [1, 1], "xx xx"), [(0, 0, 1), (1, 0, 1)])
    assert (found.certain, found.expected_hits) == (2, pytest.approx(2))


def test_a_value_that_all_persons_have_besides_others_is_believed_and_not_certain() -> None:
    # Both persons of the first class have the values 0 and 1; those of the second have 2 alone.
    found = believed(written([2, 2], [2, 2], "x. .x"), [(0, 0, 2), (0, 1, 2), (1, 2, 2)])
    assert (found.believed_above, found.certain) == (((0.5, 4), (0.9, 4)), 2)
    assert (found.expected_hits, found.share_without_release) == (pytest.approx(4), 2 / 4)
