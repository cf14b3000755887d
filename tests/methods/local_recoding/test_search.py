"""The search on arrays, against every full-domain release of small tables."""

from __future__ import annotations

from collections import Counter
from itertools import product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from toolbox.methods.local_recoding.classes import Classes
from toolbox.methods.local_recoding.loss import bits_lost
from toolbox.methods.local_recoding.rows import Column, Rows
from toolbox.methods.local_recoding.search import Search

# At each level the interval of each of four values: itself, its pair, the root.
CODES = [np.arange(4), np.array([4, 4, 5, 5]), np.full(4, 6)]
RECORDS = st.lists(st.tuples(*[st.integers(0, 3)] * 3), min_size=5, max_size=40)


def combined(records: list[tuple[int, ...]]) -> Rows:
    counted = sorted(Counter(records).items())
    sizes = np.array([size for _, size in counted])
    values = [np.array(value) for value in zip(*(row for row, _ in counted), strict=True)]
    columns = [Column(CODES, np.bincount(value, sizes, 4).astype(np.int64)) for value in values]
    return Rows(np.arange(len(counted)), sizes, values, columns)


def found(rows: Rows, k: int) -> Classes:
    search = Search(importances=np.ones(3), least=k, sweeps=4, judge=None, report=lambda message: None)
    return search.best(rows)


def lost(rows: Rows, levels: np.ndarray) -> float:
    return sum(bits_lost(*one) for one in zip(rows.columns, rows.histograms(levels), strict=True))


@settings(max_examples=60, deadline=None)
@given(RECORDS, st.integers(1, 5))
def test_every_class_has_k_records_and_the_lowest_levels_that_they_share(
    records: list[tuple[int, ...]], k: int
) -> None:
    rows = combined(records)
    classes = found(rows, k)
    assert np.bincount(classes.of_row, rows.sizes).min() >= k
    for number in range(classes.count):
        members = np.flatnonzero(classes.of_row == number)
        for value, level in zip(rows.values, classes.levels[:, number], strict=True):
            shared = [len(set(code[value[members]])) == 1 for code in CODES]
            assert level == shared.index(True)


@settings(max_examples=60, deadline=None)
@given(RECORDS, st.integers(1, 5))
def test_no_release_of_whole_columns_without_suppression_loses_less(records: list[tuple[int, ...]], k: int) -> None:
    rows = combined(records)
    whole = []
    for node in product(range(3), repeat=3):
        shown = zip(*(CODES[level][value] for level, value in zip(node, rows.values, strict=True)), strict=True)
        sizes: Counter[tuple[int, ...]] = Counter()
        for row, size in zip(shown, rows.sizes, strict=True):
            sizes[tuple(row)] += size
        if min(sizes.values()) >= k:
            whole.append(lost(rows, np.repeat(np.array(node)[:, None], len(rows.sizes), axis=1)))
    assert lost(rows, found(rows, k).of_rows) <= min(whole) + 1e-9


def test_the_order_of_rows_does_not_matter() -> None:
    records = [(0, 1, 2), (0, 1, 3), (1, 1, 2), (2, 2, 2), (3, 2, 2), (2, 0, 1), (2, 3, 1)]
    rows = combined(records)
    upside_down = np.arange(len(rows.sizes))[::-1]
    turned = found(rows.some(upside_down), 2)
    assert np.array_equal(found(rows, 2).of_rows, turned.of_rows[:, upside_down])
