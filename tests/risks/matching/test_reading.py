"""The graph that the tables of a judgement are read into."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.comparisons import comparison

from toolbox.config.model import Column, QuasiIdentifier
from toolbox.risks.matching.matching import read_graph
from toolbox.store.engine.store import Store

AGE = QuasiIdentifier(column=Column(index=None, name="age"), kind="number")
SIZE = QuasiIdentifier(column=Column(index=None, name="size"), kind="number")
ORIGINAL = "1 7 \n 1 8 \n 4 7 \n 5 9"
RELEASED = "1 [7:8] \n 1 [7:8] \n * * \n [4:5] 9"


@pytest.mark.slow
def test_people_rows_and_what_fits_are_counted(store: Store) -> None:
    graph, held = read_graph(comparison(store, ORIGINAL, RELEASED, [AGE, SIZE]))
    fits = np.zeros((len(graph.people), len(graph.rows)), dtype=int)
    fits[graph.person, graph.row] = 1
    # The suppressed row comes first, and fits all four; two of them fit the class of two, and one that of one.
    assert graph.people.tolist() == [1, 1, 1, 1]
    assert (graph.rows[0], sorted(graph.rows[1:].tolist())) == (1, [1, 2])
    assert fits.sum(axis=0)[graph.rows == 2].tolist() == [2]
    assert (fits.sum(axis=0)[0], fits.sum(), held) == (4, 7, [])
    assert graph.truth is not None
    assert (graph.truth.sum(), graph.truth[graph.row == 0].sum()) == (4, 1)


@pytest.mark.slow
def test_who_knows_only_some_columns_cannot_tell_more_people_apart(store: Store) -> None:
    graph, _ = read_graph(comparison(store, ORIGINAL, RELEASED, [AGE, SIZE]), known=[0])
    assert sorted(graph.people.tolist()) == [1, 1, 2]
    # 1 fits its class and the suppressed row; 4 and 5 fit theirs and the suppressed one.
    assert len(graph.person) == 6


def test_without_suppressed_rows_the_first_group_is_empty(store: Store) -> None:
    graph, _ = read_graph(comparison(store, "1 7 \n 2 7", "[1:2] 7 \n [1:2] 7", [AGE, SIZE]))
    assert (graph.rows.tolist(), graph.row.tolist()) == ([0, 2], [1, 1])


@pytest.mark.slow
def test_values_are_counted_in_each_group_of_rows(store: Store) -> None:
    beside = comparison(
        store, "1 7 \n 1 8 \n 4 7", "1 [7:8] flu \n 1 [7:8] flu \n * * cold", [AGE, SIZE], sensitive=["illness"]
    )
    (held,) = read_graph(beside)[1]
    rows = sorted(zip(held.row.tolist(), held.value.tolist(), held.records.tolist(), strict=True))
    assert (held.attribute, rows) == ("illness", [(0, 0, 1), (1, 1, 2)])
