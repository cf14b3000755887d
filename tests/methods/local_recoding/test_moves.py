"""Moves of single combinations: what they lose is counted again in plain Python, class by class."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from helpers.amounts import times
from hypothesis import given, settings
from hypothesis import strategies as st

import toolbox
from toolbox.methods.arrays.combinations import Flags, Numbers
from toolbox.methods.local_recoding import search
from toolbox.methods.local_recoding.rows import RecodingColumn, RecodingRows
from toolbox.methods.local_recoding.sweep import improve_classes

# At each level the interval of each of four values: itself, its pair, the root.
CODES = [np.arange(4), np.array([4, 4, 5, 5]), np.full(4, 6)]
# A pair costs 1 and the root 3, the second column a little more; the last value is dear in any company.
COSTS = np.array([[0, 0, 0, 0], [1, 1, 1, 2], [3, 3, 3, 4]], np.float64)
PRICES = [COSTS, COSTS * 1.1]
ENDLESS = 10**12
Refused = Callable[[Numbers, Numbers], Flags]


def rows_of(records: list[tuple[int, int]], sizes: list[int] | None = None) -> RecodingRows:
    values = [np.array(column) for column in zip(*records, strict=True)]
    counts = np.array(sizes or [1] * len(records))
    columns = [RecodingColumn(CODES, np.bincount(value, counts, 4).astype(np.int64)) for value in values]
    return RecodingRows(np.arange(len(records)), counts, values, columns)


def lost(rows: RecodingRows, of_row: list[int]) -> float:
    total = 0.0
    for number in set(of_row):
        members = [place for place, own in enumerate(of_row) if own == number]
        for value, cost in zip(rows.values, PRICES, strict=True):
            level = next(
                step for step, code in enumerate(CODES) if len({int(code[value[row]]) for row in members}) == 1
            )
            total += sum(float(cost[level, value[row]]) * int(rows.sizes[row]) for row in members)
    return total


def moved(rows: RecodingRows, of_row: list[int], k: int, refused: Refused | None = None) -> list[int]:
    found, _ = improve_classes(rows, np.array(of_row), PRICES, k, ENDLESS, refused)
    return found.tolist()


def test_a_row_moves_out_of_a_class_that_has_more_than_k() -> None:
    rows = rows_of([(0, 0), (0, 0), (2, 2), (2, 2), (2, 2)])
    assert moved(rows, [0, 0, 0, 1, 1], 2) == [0, 0, 1, 1, 1]


def test_two_rows_of_classes_that_have_no_record_too_many_change_places() -> None:
    rows = rows_of([(0, 0), (2, 2), (0, 0), (2, 2)])
    assert moved(rows, [0, 0, 1, 1], 2) in ([0, 1, 0, 1], [1, 0, 1, 0])


def test_the_place_of_a_row_is_filled_from_a_class_that_has_more_than_k() -> None:
    """The row (2, 2) would leave a class of two; (0, 0) of the third class comes for it."""
    rows = rows_of([(0, 0), (2, 2), (2, 2), (2, 2), (0, 0), (0, 1), (0, 1)])
    found = moved(rows, [0, 0, 1, 1, 2, 2, 2], 2)
    assert lost(rows, found) == 0


def test_a_class_is_gone_where_its_rows_lose_less_elsewhere() -> None:
    rows = rows_of([(0, 0), (3, 3), (0, 0), (0, 0), (3, 3), (3, 3)])
    assert len(set(moved(rows, [0, 0, 1, 1, 2, 2], 2))) == 2


def test_a_row_that_is_a_class_by_itself_stays() -> None:
    rows = rows_of([(0, 0), (0, 1), (1, 1)], [2, 1, 1])
    assert moved(rows, [0, 1, 1], 2)[0] not in moved(rows, [0, 1, 1], 2)[1:]


@settings(max_examples=times(30, slow=300), deadline=None)
@given(st.data())
def test_less_is_lost_than_before_and_no_move_or_exchange_is_left_that_would_lose_less(data: st.DataObject) -> None:
    count, k = data.draw(st.integers(4, 14)), data.draw(st.integers(2, 4))
    records = data.draw(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=count, max_size=count))
    sizes = data.draw(st.lists(st.integers(1, 3), min_size=count, max_size=count))
    rows, classes = rows_of(records, sizes), max(1, sum(sizes) // (3 * k))
    drawn = data.draw(st.lists(st.integers(0, classes - 1), min_size=count, max_size=count))
    counted = np.bincount(drawn, sizes, classes)
    before = np.unique([0 if counted[own] < k else own for own in drawn], return_inverse=True)[1].tolist()
    enough = np.bincount(before, sizes).min() >= k
    if not enough:
        before = [0] * count
    if sum(sizes) < k:
        return
    after = moved(rows, before, k)
    least = lost(rows, after)
    assert np.bincount(after, sizes).min() >= k
    assert least <= lost(rows, before) + 1e-9
    for row, target in product(range(count), set(after)):
        # A combination of k records is left where it is.
        if sizes[row] < k:
            other = [target if place == row else own for place, own in enumerate(after)]
            if np.bincount(other, sizes)[np.unique(other)].min() >= k:
                assert least <= lost(rows, other) + 1e-4


def test_a_class_that_is_refused_is_not_formed() -> None:
    """Nobody may be with the last row; else the first would join it."""
    rows = rows_of([(0, 0), (0, 0), (2, 2), (2, 2), (2, 2)])

    def refuse(members: Numbers, classes: Numbers) -> Flags:
        counts = np.bincount(classes)
        return np.array([counts[number] > 2 and 4 in members[classes == number] for number in range(len(counts))])

    assert moved(rows, [0, 0, 0, 1, 1], 2, refuse) == [0, 0, 0, 1, 1]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("most", [0, 100, ENDLESS])
def test_however_little_work_is_allowed_the_classes_have_k_records(most: int) -> None:
    generator = np.random.default_rng(0)
    records = list(map(tuple, generator.integers(0, 4, (600, 2)).tolist()))
    rows, before = rows_of(records), generator.permutation(np.repeat(np.arange(200), 3))
    after, work = improve_classes(rows, before, PRICES, 3, most)
    assert np.bincount(after).min() >= 3
    assert lost(rows, after.tolist()) <= lost(rows, before.tolist())
    assert most or not work


@pytest.mark.slow
@pytest.mark.real
@pytest.mark.parametrize("name", ["credit", "census5000"])
@pytest.mark.parametrize("objective", ["lm", "entropy"])
def test_moves_never_make_a_whole_table_worse(
    name: str, objective: str, shared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    local = shared / "fixtures" / "arx" / "local"
    hierarchies = {file.stem: file for file in sorted((local / f"{name}_h").glob("*.csv"))}
    metric = "lm" if objective == "lm" else "non-uniform entropy"
    asked = {"quasi_identifiers": list(hierarchies), "hierarchies": hierarchies, "separator": ";"}
    with toolbox.open(local / f"{name}.csv.gz", **asked) as session:

        def find_loss() -> float:
            variant = session.run(method="LocalRecoding", k=5, metrics=[metric], objective=objective)
            assert variant.losses is not None
            return variant.losses.value(metric) if objective == "lm" else 1 - variant.losses.value(metric)

        with_moves = find_loss()
        monkeypatch.setattr(search, "_MOST_MOVES", 0)
        assert with_moves < find_loss()
