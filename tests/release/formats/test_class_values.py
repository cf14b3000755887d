"""The numbers of each class on a grid, counted by hand."""

import pyarrow as pa
import pytest
from helpers.small_tables import load
from sqlalchemy import literal, select

from toolbox.release.formats.solvable import fetch_class_values
from toolbox.store.engine.store import Store


def classes(store: Store, *members: list[float]):
    """Return the tables of classes with these values, and their values; the last class is suppressed."""
    groups = [f"g{number}" for number, one in enumerate(members) for _ in one]
    ages = pa.array([value for one in members for value in one], pa.float64())
    loaded = load(store, pa.table({"group": groups, "age": ages}), "group age")
    tables = loaded.tables
    combination, (_, age) = tables.combinations, tables.quasi_identifiers
    last = combination.c.interval_1 == len(members) - 1
    chosen = select(
        combination.c.combination_id,
        combination.c.size,
        last.label("suppressed"),
        combination.c.interval_1,
        literal(age.root).label("interval_2"),
    )
    finished = tables.recoded(chosen)
    rows = [
        (number, float(value), one.count(value)) for number, one in enumerate(members) for value in dict.fromkeys(one)
    ]
    ids = dict(store.rows(select(finished.equivalence.c.interval_1, finished.equivalence.c.equivalence_id)))
    columns = {
        "equivalence_id": (int, [ids[number] for number, _, _ in rows]),
        "value": (float, [value for _, value, _ in rows]),
        "records": (int, [count for *_, count in rows]),
    }
    return fetch_class_values(finished, store.create_constant("given", columns), 2)


def test_values_are_steps_from_the_smallest_of_their_class(store: Store) -> None:
    found = classes(store, [20, 24, 24, 30], [7, 7], [99])
    assert found.step == 1
    rows = sorted(zip(found.low, found.records, found.total, found.squares, found.width, strict=True))
    assert rows == [(7.0, 2, 0, 0, 0), (20.0, 4, 4 + 4 + 10, 16 + 16 + 100, 10)]


@pytest.mark.slow
@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("members", "step"),
    [
        ([[20, 25, 45], [10]], 5),
        ([[0.5, 1.25], [1.5]], 0.25),
        ([[21, 24], [27]], 3),
        ([[0.01, 0.03], [0.02]], 0.01),
        ([[7, 7], [7]], 1),
    ],
)
def test_the_grid_is_the_widest_on_which_all_differences_stand(store: Store, members: list, step: float) -> None:
    assert classes(store, *members).step == step


@pytest.mark.slow
def test_values_too_far_apart_for_their_squares_to_be_summed_are_not_looked_at(store: Store) -> None:
    """Three records: 2**30.7 steps squared add up to less than 2**63, 2**31 do not."""
    assert classes(store, [0, 1_753_413_056], [1]) is not None
    assert classes(store, [0, 2**31], [1]) is None


@pytest.mark.slow
@pytest.mark.sampled(2)
@pytest.mark.parametrize("members", [[[0.001, 1], [2]], [[1e16, 1], [2]], [[1e308, 1], [2]]])
def test_numbers_with_more_decimals_or_digits_stand_on_no_grid(store: Store, members: list) -> None:
    assert classes(store, *members) is None


@pytest.mark.slow
def test_three_values_stand_at_the_quarters_of_a_class(store: Store) -> None:
    found = classes(store, [0, 1, 2, 3, 4, 5, 6, 7], [0, 9])
    ordered = [0, 1, 2, 3, 4, 5, 6, 7]
    assert found.inner.tolist() == [[ordered[len(ordered) * quarter // 4] for quarter in (1, 2, 3)]]
    found = classes(store, [0, 0, 0, 5, 6], [0, 9])
    assert found.inner.tolist() == [[0, 0, 5]]


@pytest.mark.slow
def test_ends_are_shown_where_the_interval_of_each_class_begins_and_ends_with_its_values(store: Store) -> None:
    assert classes(store, [0, 4, 9], [5]).shows_ends
    assert not classes(store, [0, 4, 8], [9]).shows_ends
