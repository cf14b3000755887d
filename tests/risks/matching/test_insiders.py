"""People who told which row is theirs, and what is left."""

from __future__ import annotations

import numpy as np
from helpers.matchings import graphs, written
from hypothesis import given
from hypothesis import strategies as st

from toolbox.risks.matching.matching import _Graph, assign_people, remove_insiders


@given(graphs(), st.sampled_from([0.25, 0.5, 0.9]), st.integers(0, 99))
def test_the_others_can_still_all_have_a_row(graph: _Graph, share: float, seed: int) -> None:
    assert graph.truth is not None
    left = remove_insiders(graph, share, graph.truth, seed)
    told = round(share * graph.people.sum())
    assert graph.people.sum() - left.people.sum() == graph.rows.sum() - left.rows.sum() == told
    assert left.truth is not None and np.array_equal(left.sum_by_person(left.truth), left.people)
    assert assign_people(left).sum() == left.people.sum()


def test_who_is_in_no_row_has_none_to_tell() -> None:
    graph = written([4], [1], "x", truth="1")
    assert graph.truth is not None
    left = remove_insiders(graph, 0.9, graph.truth, seed=1)
    # Four people times .9 are four; but only one of them has a row.
    assert (left.people.tolist(), left.rows.tolist()) == ([3], [0, 3])
