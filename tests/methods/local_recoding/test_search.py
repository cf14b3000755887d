"""The search on arrays, against every full-domain release of small tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
from helpers.amounts import times
from helpers.illness import load_with_illness
from hypothesis import given, settings
from hypothesis import strategies as st

from toolbox.methods.arrays.models import ClassJudge
from toolbox.methods.local_recoding.rows import (
    RecodingColumn,
    RecodingObjective,
    RecodingRows,
    _Entropy,
    _RecodingCellCosts,
    compute_node_prices,
    list_nodes,
    measure_bits_lost,
)
from toolbox.methods.local_recoding.search import RecodingSearch, _RowClasses, place_all_rows
from toolbox.methods.local_recoding.sweep import draw_keys, select_all_rows, sweep_anew, sweep_nodes
from toolbox.privacy.models.l_diversity import DistinctLDiversity
from toolbox.store.engine.store import Store

# At each level the interval of each of four values: itself, its pair, the root.
CODES = [np.arange(4), np.array([4, 4, 5, 5]), np.full(4, 6)]
RECORDS = st.lists(st.tuples(*[st.integers(0, 3)] * 3), min_size=5, max_size=40)


def combined(records: list[tuple[int, ...]]) -> RecodingRows:
    counted = sorted(Counter(records).items())
    sizes = np.array([size for _, size in counted])
    values = [np.array(value) for value in zip(*(row for row, _ in counted), strict=True)]
    columns = [RecodingColumn(CODES, np.bincount(value, sizes, 4).astype(np.int64)) for value in values]
    return RecodingRows(np.arange(len(counted)), sizes, values, columns)


def cell_costs(rows: RecodingRows) -> RecodingObjective:
    """A pair costs 1 and the root 3, a column less than the one before; the last value is dear in any company."""
    costs = np.array([[0, 0, 0, 0], [1, 1, 1, 2], [3, 3, 3, 4]], np.float64)
    return _RecodingCellCosts([costs * factor for factor in (1, 0.9, 0.8)])


def entropy(rows: RecodingRows) -> RecodingObjective:
    return _Entropy(rows.columns, np.ones(3))


Made = Callable[[RecodingRows], RecodingObjective]
OBJECTIVES = st.sampled_from([entropy, cell_costs])


def found(rows: RecodingRows, k: int, made: Made = entropy) -> _RowClasses:
    return RecodingSearch(objective=made(rows), least=k, judge=None, report=lambda message: None).best(rows)


def lost(rows: RecodingRows, levels: np.ndarray, made: Made = entropy) -> float:
    """Measure a release, value by value."""
    histograms = rows.histograms(levels)
    if made is entropy:
        return sum(measure_bits_lost(*one) for one in zip(rows.columns, histograms, strict=True))
    each = zip(cell_costs(rows).prices(None), histograms, strict=True)
    return sum(
        float(cost[level, value] * histogram[value, level])
        for cost, histogram in each
        for level, value in product(range(3), range(4))
    )


@pytest.mark.slow
@settings(max_examples=times(20, slow=60), deadline=None)
@given(RECORDS, st.integers(1, 5), OBJECTIVES)
def test_every_class_has_k_records_and_the_lowest_levels_that_they_share(
    records: list[tuple[int, ...]], k: int, made: Made
) -> None:
    rows = combined(records)
    classes = found(rows, k, made)
    assert np.bincount(classes.of_row, rows.sizes).min() >= k
    for number in range(classes.count):
        members = np.flatnonzero(classes.of_row == number)
        for value, level in zip(rows.values, classes.levels[:, number], strict=True):
            shared = [len(set(code[value[members]])) == 1 for code in CODES]
            assert level == shared.index(True)


@pytest.mark.slow
@settings(max_examples=times(20, slow=60), deadline=None)
@given(RECORDS, st.integers(1, 5), OBJECTIVES)
def test_no_release_of_whole_columns_without_suppression_loses_less(
    records: list[tuple[int, ...]], k: int, made: Made
) -> None:
    rows = combined(records)
    whole = []
    for node in product(range(3), repeat=3):
        shown = zip(*(CODES[level][value] for level, value in zip(node, rows.values, strict=True)), strict=True)
        sizes: Counter[tuple[int, ...]] = Counter()
        for row, size in zip(shown, rows.sizes, strict=True):
            sizes[tuple(row)] += size
        if min(sizes.values()) >= k:
            whole.append(lost(rows, np.repeat(np.array(node)[:, None], len(rows.sizes), axis=1), made))
    assert lost(rows, found(rows, k, made).of_rows, made) <= min(whole) + 1e-9


@settings(max_examples=times(10, slow=30), deadline=None)
@given(RECORDS, st.integers(2, 5), OBJECTIVES)
def test_no_sweep_over_the_nodes_alone_loses_less(records: list[tuple[int, ...]], k: int, made: Made) -> None:
    rows = combined(records)
    keys, prices = draw_keys(rows), made(rows).prices(None)
    averages = select_all_rows(rows, keys).averages(prices)
    nodes = list_nodes(averages, 27)
    order = np.argsort(compute_node_prices(nodes, averages), kind="stable")
    best = lost(rows, found(rows, k, made).of_rows, made)
    for of_row in (
        sweep_nodes(select_all_rows(rows, keys), nodes[order], k, None),
        sweep_anew(rows, keys, nodes, k, prices),
    ):
        assert best <= lost(rows, place_all_rows(rows, of_row, prices, None).of_rows, made) + 1e-9


@pytest.mark.slow
def test_with_another_model_groups_are_priced_too_and_those_that_violate_it_are_taken_apart(store: Store) -> None:
    drawn = np.random.default_rng(1).integers(0, (4, 4, 4, 3), (60, 4)).tolist()
    table = {name: [row[column] for row in drawn] for column, name in enumerate(("a", "b", "c", "illness"))}
    tables = load_with_illness(store, {**table, "illness": list(map(str, table["illness"]))}, "a b c")
    judge = ClassJudge(tables, [DistinctLDiversity(l=2, attribute="illness")])
    rows = combined([tuple(row[:3]) for row in drawn])
    objective = cell_costs(rows)
    best = RecodingSearch(objective=objective, least=2, judge=judge, report=lambda message: None).best(rows)
    class_of = {
        values: number
        for *values_, number in zip(*rows.values, best.of_row, strict=True)
        for values in [tuple(values_)]
    }
    ill: dict[int, set[int]] = {}
    for *values, illness in drawn:
        ill.setdefault(class_of[tuple(values)], set()).add(illness)
    assert min(map(len, ill.values())) == 2
    keys, prices = draw_keys(rows), objective.prices(None)
    left = select_all_rows(rows, keys)
    averages = left.averages(prices)
    nodes = list_nodes(averages, 27)
    by_node = sweep_nodes(left, nodes[np.argsort(compute_node_prices(nodes, averages), kind="stable")], 2, judge)
    lost_by_node = lost(rows, place_all_rows(rows, by_node, prices, judge).of_rows, cell_costs)
    assert (round(lost(rows, best.of_rows, cell_costs), 1), round(lost_by_node, 1)) == (44.6, 101.3)


def test_the_order_of_rows_does_not_matter() -> None:
    records = [(0, 1, 2), (0, 1, 3), (1, 1, 2), (2, 2, 2), (3, 2, 2), (2, 0, 1), (2, 3, 1)]
    rows = combined(records)
    upside_down = np.arange(len(rows.sizes))[::-1]
    turned = found(rows.some(upside_down), 2)
    assert np.array_equal(found(rows, 2).of_rows, turned.of_rows[:, upside_down])
