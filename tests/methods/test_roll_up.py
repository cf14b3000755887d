"""Datafly rolls classes up, and counts the records of small ones."""

from collections import Counter

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Table, select

from toolbox.methods.datafly import _count_records_below, _roll_up
from toolbox.store.engine.store import Store


def frequencies(store: Store, *rows: tuple[int, int, int]) -> Table:
    """Keep rows of ``age, zip, size``."""
    ages, zips, sizes = zip(*rows, strict=True)
    return store.create_constant("frequencies", {"age": (int, ages), "zip": (int, zips), "size": (int, sizes)})


def step(store: Store, *pairs: tuple[int, int]) -> Table:
    lower, upper = zip(*pairs, strict=True)
    return store.create_constant("step", {"lower": (int, lower), "upper": (int, upper)})


def test_a_size_keeps_its_type(store: Store) -> None:
    """The engine would widen it with every roll-up."""
    counted = store.create("counted", _roll_up(frequencies(store, (1, 7, 2)), ["age"], {}))
    given = frequencies(store, (1, 7, 2))
    assert str(counted.c.size.type) == str(given.c.size.type) == "BIGINT"


def test_roll_up_generalises_a_key_and_merges_what_becomes_equal(store: Store) -> None:
    table = frequencies(store, (1, 7, 2), (2, 7, 3), (3, 7, 4), (3, 8, 5))
    decades = step(store, (1, 10), (2, 10), (3, 30), (4, 30))
    rolled = _roll_up(table, ["age", "zip"], {"age": decades})
    assert sorted(store.rows(rolled)) == [(10, 7, 5), (30, 7, 4), (30, 8, 5)]


def test_roll_up_takes_several_keys_at_once_and_the_same_step_for_two(store: Store) -> None:
    table = frequencies(store, (1, 1, 2), (1, 2, 3), (2, 1, 4))
    parity = step(store, (1, 100), (2, 200))
    rolled = _roll_up(table, ["age", "zip"], {"age": parity, "zip": parity})
    assert sorted(store.rows(rolled)) == [(100, 100, 2), (100, 200, 3), (200, 100, 4)]


def test_roll_up_without_a_step_only_merges(store: Store) -> None:
    table = frequencies(store, (1, 7, 2), (1, 7, 3))
    assert store.rows(_roll_up(table, ["age", "zip"], {})) == [(1, 7, 5)]


_ROWS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 2), st.integers(1, 4)), min_size=1, max_size=12)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(_ROWS, st.lists(st.integers(10, 12), min_size=6, max_size=6))
def test_rolling_up_a_frequency_set_counts_as_counting_the_records_anew(
    store: Store, rows: list[tuple[int, int, int]], uppers: list[int]
) -> None:
    table = frequencies(store, *rows)
    raised = step(store, *enumerate(uppers))
    counted: Counter[tuple[int, int]] = Counter()
    for age, zip_code, size in rows:
        counted[uppers[age], zip_code] += size
    fine = store.create("fine", _roll_up(table, ["age", "zip"], {}))
    rolled = store.rows(_roll_up(fine, ["age", "zip"], {"age": raised}))
    assert {(age, zip_code): size for age, zip_code, size in rolled} == counted
    assert len(rolled) == len(counted)


def test_records_below_counts_records_not_classes(store: Store) -> None:
    table = frequencies(store, (1, 1, 2), (2, 1, 3), (3, 1, 1), (4, 1, 9))
    assert [store.scalar(_count_records_below(table, size)) for size in (1, 2, 3, 4, 100)] == [0, 1, 3, 6, 15]


def test_an_empty_frequency_set_has_no_records_below(store: Store) -> None:
    table = store.create("none", select(frequencies(store, (1, 1, 2))).limit(0))
    assert store.scalar(_count_records_below(table, 5)) == 0
