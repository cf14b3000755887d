"""Small graphs of people and rows, and an independent judge of them: all perfect assignments, one by one."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from toolbox.risks.figures import Attack
from toolbox.risks.matching.matching import _Graph, balance_graph, measure_matching_risk


@dataclass(frozen=True)
class Enumerated:
    """What all perfect assignments of single people to single rows say."""

    total: int
    """How many there are."""
    shares: np.ndarray
    """``[person, row]``: the share of them in which this person has this row."""


def enumerated(fits: np.ndarray) -> Enumerated:
    """Count the perfect assignments of people (first axis) to rows, by the sets of rows that the first people take."""
    count = len(fits)
    before, after = defaultdict(int, {0: 1}), defaultdict(int, {2**count - 1: 1})
    layers = [list(before)]
    for person in range(count):
        for taken in layers[-1]:
            for row in np.flatnonzero(fits[person]):
                if not taken >> row & 1:
                    before[taken | 1 << row] += before[taken]
        layers.append([taken for taken in before if taken.bit_count() == person + 1])
    shares = np.zeros(fits.shape)
    for person in reversed(range(count)):
        for taken in layers[person]:
            free = [row for row in np.flatnonzero(fits[person]) if not taken >> row & 1]
            after[taken] = sum(after[taken | 1 << row] for row in free)
            for row in free:
                shares[person, row] += before[taken] * after[taken | 1 << row]
    total = before[2**count - 1]
    return Enumerated(total, shares / max(1, total))


def exact_beliefs(graph: _Graph) -> np.ndarray:
    """Return for each edge the share of all perfect assignments in which one of these people has one of these rows."""
    person_of = np.repeat(np.arange(len(graph.people)), graph.people)
    row_of = np.repeat(np.arange(len(graph.rows)), graph.rows)
    edges = set(zip(graph.person.tolist(), graph.row.tolist(), strict=True))
    fits = np.array([[(person, row) in edges for row in row_of.tolist()] for person in person_of.tolist()])
    shares = enumerated(fits).shares
    ends = zip(graph.person.tolist(), graph.row.tolist(), strict=True)
    return np.array([shares[np.argmax(person_of == person), np.argmax(row_of == row)] for person, row in ends])


def written(people: list[int], rows: list[int], fits: str, truth: str | None = None) -> _Graph:
    """Write a graph: for each group of people a line, with an ``x`` for each group of rows that fits, else ``.``."""
    cells = np.array([list(line) for line in fits.split()])
    person, row = np.nonzero(cells == "x")
    counts = None if truth is None else np.array([list(line) for line in truth.split()])[person, row].astype(np.int64)
    return balance_graph(_Graph(people=np.array(people), rows=np.array(rows), person=person, row=row, truth=counts))


@st.composite
def graphs(draw: st.DrawFn, most: int = 8) -> _Graph:
    """Draw a graph that has a perfect assignment: everybody is given a row first, then more rows fit."""
    classes = draw(st.integers(1, 5))
    homes = draw(st.lists(st.lists(st.integers(0, classes - 1), min_size=1, max_size=3), min_size=1, max_size=most))
    homes = homes[: max(1, most // 2)]
    truth = np.array([[home.count(row) for row in range(classes)] for home in homes])
    while truth.sum() > most:
        truth = truth[:-1]
    truth = truth[:, truth.sum(axis=0) > 0]
    more = draw(st.lists(st.booleans(), min_size=truth.size, max_size=truth.size))
    fits = (truth > 0) | np.array(more).reshape(truth.shape)
    person, row = np.nonzero(fits)
    return _Graph(people=truth.sum(axis=1), rows=truth.sum(axis=0), person=person, row=row, truth=truth[person, row])


MATCHING = measure_matching_risk(written([1, 2], [1, 2], "x. xx", truth="1. 02"), 2, Attack())
"""Of three people two are alike: they fit all rows, but one row is the third person's."""
