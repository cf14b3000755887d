"""The classes of nodes, rolled up: against counting the records of each node anew, one by one."""

from __future__ import annotations

from collections import Counter as Tally
from collections import defaultdict
from itertools import product

import numpy as np
import pytest
from helpers.lattices import NODES, people

from toolbox.methods.arrays import combinations as grouping
from toolbox.methods.lattice import nodes as counting
from toolbox.methods.lattice.nodes import Frequencies, LatticeColumn, NodeCounter, NodeHistogram, fetch_frequencies
from toolbox.store.engine.store import Store


def random_frequencies(*, rows: int = 400, sensitive: bool = False) -> Frequencies:
    random = np.random.default_rng(1)
    columns = []
    for values in (12, 5, 7, 3):
        codes = [np.arange(values)]
        for width in (2, 4):
            codes.append(np.unique(np.arange(values) // width, return_inverse=True)[1].astype(np.int64))
        codes.append(np.zeros(values, np.int64))
        columns.append(LatticeColumn(random.integers(0, values, rows), tuple(codes)))
    held = random.integers(0, 3, rows).astype(np.int32) if sensitive else None
    return Frequencies(tuple(columns), random.integers(1, 9, rows), held)


def keys_at(frequencies: Frequencies, levels: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Generalise every combination."""
    columns = zip(frequencies.columns, levels, strict=True)
    return list(zip(*(column.generalised[level][column.values].tolist() for column, level in columns), strict=True))


def sizes_anew(frequencies: Frequencies, levels: tuple[int, ...]) -> list[int]:
    sizes: Tally[tuple[int, ...]] = Tally()
    for key, records in zip(keys_at(frequencies, levels), frequencies.records.tolist(), strict=True):
        sizes[key] += records
    return sorted(sizes.values())


def histogram_anew(frequencies: Frequencies, levels: tuple[int, ...]) -> list[list[tuple[int, int]]]:
    held: dict[tuple[int, ...], Tally[int]] = defaultdict(Tally)
    values, records = frequencies.sensitive.tolist(), frequencies.records.tolist()
    for key, value, count in zip(keys_at(frequencies, levels), values, records, strict=True):
        held[key][value] += count
    return sorted(sorted(one.items()) for one in held.values())


def test_the_classes_of_each_node(store: Store) -> None:
    counter = NodeCounter(fetch_frequencies(people(store)))
    sizes = [sorted(counter.classes(levels).sizes.tolist()) for levels in NODES]
    assert sizes == [[1, 1, 1, 2, 2], [2, 2, 3], [1, 1, 2, 3], [2, 5], [3, 4], [7]]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("together", [1, 60, 8192])
@pytest.mark.parametrize("largest", [2**62, 2**14])
def test_rolling_up_counts_as_counting_anew(monkeypatch: pytest.MonkeyPatch, together: int, largest: int) -> None:
    monkeypatch.setattr(counting, "_TOGETHER", together)
    monkeypatch.setattr(grouping, "LARGEST", largest)
    frequencies = random_frequencies()
    counter = NodeCounter(frequencies)
    for levels in product(range(4), repeat=4):
        assert sorted(counter.classes(levels).sizes.tolist()) == sizes_anew(frequencies, levels)


@pytest.mark.parametrize("remembered", [1, 2, 400])
def test_nodes_may_be_forgotten(monkeypatch: pytest.MonkeyPatch, remembered: int) -> None:
    monkeypatch.setattr(counting, "_REMEMBERED", remembered)
    monkeypatch.setattr(counting, "_LEAST_ROWS", 30)
    frequencies = random_frequencies(rows=40)
    counter = NodeCounter(frequencies)
    for levels in list(product(range(4), repeat=4))[::-3]:
        assert sorted(counter.classes(levels).sizes.tolist()) == sizes_anew(frequencies, levels)


@pytest.mark.slow
@pytest.mark.parametrize("rolls_up", [False, True])
@pytest.mark.parametrize("most", [0, 1, 5, 40, 120, 400])
def test_a_few_combinations_show_only_what_is_so(rolls_up: bool, most: int) -> None:
    """They never say that a node has more classes than it has; and of many a node they say it."""
    frequencies = random_frequencies(rows=1000)
    counter = NodeCounter(frequencies)
    shown = 0
    for levels in product(range(4), repeat=4):
        classes = len(sizes_anew(frequencies, levels))
        shows = counter.has_more_classes(levels, most)
        assert not shows or classes > most
        shown += shows
        if rolls_up:
            counter.classes(levels)
    # Of 1,000 combinations, two for every three of 400 classes are all: nothing is shown by a few.
    assert (shown > 0) == (most < 400)


def test_one_combination_in_five_shows_that_a_node_has_more_than_a_hundred_classes() -> None:
    counter = NodeCounter(random_frequencies(rows=1000))
    assert counter.has_more_classes((0, 0, 0, 0), 120)
    assert not counter.has_more_classes((3, 3, 3, 3), 1)


def test_each_class_is_shown_by_one_of_its_members() -> None:
    frequencies = random_frequencies()
    counter = NodeCounter(frequencies)
    levels = (1, 0, 2, 1)
    classes = counter.classes(levels)
    (group,) = counter.groups
    shown = [
        column.generalised[level][part[classes.values[0]]]
        for column, level, part in zip(frequencies.columns, levels, group.parts, strict=True)
    ]
    assert len(set(zip(*(one.tolist() for one in shown), strict=True))) == len(classes.sizes)


def test_sensitive_values_are_counted_in_the_classes_in_their_order() -> None:
    frequencies = random_frequencies(sensitive=True)
    counter, plain = NodeCounter(frequencies), NodeCounter(Frequencies(frequencies.columns, frequencies.records))
    for levels in list(product(range(4), repeat=4))[::7]:
        found = counter.histogram(levels)
        assert described(found) == histogram_anew(frequencies, levels)
        assert np.bincount(found.classes, weights=found.records).tolist() == plain.classes(levels).sizes.tolist()


def described(histogram: NodeHistogram) -> list[list[tuple[int, int]]]:
    """Return the values of each class with their records; the classes in any order."""
    rows = list(zip(histogram.values.tolist(), histogram.records.tolist(), strict=True))
    each: list[list[tuple[int, int]]] = [[] for _ in range(int(histogram.classes.max()) + 1)]
    for number, row in zip(histogram.classes.tolist(), rows, strict=True):
        each[number].append(row)
    return sorted(sorted(one) for one in each)
