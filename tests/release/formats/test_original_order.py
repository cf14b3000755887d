"""The order in which the toolbox of 2010 added records up, and the sums that come of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import pyarrow as pa
import pytest
from helpers.amounts import times
from helpers.small_tables import declared, load, quasi_identifier
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from toolbox.methods.arrays.full_domain import at_node
from toolbox.methods.datafly import Datafly
from toolbox.methods.mondrian import Mondrian
from toolbox.privacy.models.k_anonymity import KAnonymity
from toolbox.release.formats.gen_vals_dist import assign_original_turns, describe_class_statistics
from toolbox.store.engine.store import Store
from toolbox.store.load.loading import Loaded
from toolbox.store.tables import Tables

AGES = "\n".join(f"{age} f{age // 4} e{age // 8} *" for age in range(16))
SEXES = "F *\nM *"
COLUMNS = [quasi_identifier("age", hierarchy=AGES), quasi_identifier("sex", hierarchy=SEXES)]


def people(store: Store, text: str) -> Loaded:
    """Load records such as ``3F 12M``, numbered in their order."""
    records = text.split()
    columns = {"age": [int(one[:-1]) for one in records], "sex": [one[-1] for one in records], "id": records}
    return load(store, pa.table(columns), declared(COLUMNS))


def order(store: Store, tables: Tables, records: Sequence[str], *, stepwise: bool) -> str:
    """Return the records in their turn."""
    turns = assign_original_turns(tables, stepwise=stepwise)
    texts = tables.combinations.join(turns, turns.c.combination_id == tables.combinations.c.combination_id)
    age, sex = tables.quasi_identifiers
    texts = texts.join(age.ground, age.ground.c.level_0 == tables.combinations.c.interval_1)
    texts = texts.join(sex.ground, sex.ground.c.level_0 == tables.combinations.c.interval_2)
    rows = store.rows(select(age.ground.c.label, sex.ground.c.label).select_from(texts).order_by(turns.c.turn))
    assert len(rows) == len(records)
    return " ".join("".join(row) for row in rows)


def at(tables: Tables, *levels: int) -> Tables:
    return at_node(tables, levels, (KAnonymity(k=1),))


RECORDS = "1F 9M 3F 1F 2M 9M 8F 3F"


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("levels", "stepwise", "expected"),
    [
        ((0, 0), True, RECORDS),
        ((1, 0), True, "1F 1F 9M 9M 3F 3F 2M 8F"),
        ((1, 0), False, "1F 1F 9M 9M 3F 3F 2M 8F"),
        ((2, 1), False, "1F 1F 9M 9M 3F 3F 2M 8F"),
        ((2, 0), True, "1F 1F 3F 3F 9M 9M 2M 8F"),
    ],
    ids=["as read", "one step", "one node", "a high node at once", "two steps"],
)
def test_records_are_copied_combination_by_combination_at_every_step(
    store: Store, levels: tuple[int, int], stepwise: bool, expected: str
) -> None:
    """Two steps pass through f0 and f2, where 3F comes into the class of 1F, and 2M not into that of 9M."""
    loaded = people(store, RECORDS)
    assert order(store, at(loaded.tables, *levels), RECORDS.split(), stepwise=stepwise) == expected


@pytest.mark.slow
@pytest.mark.sampled(2)
@pytest.mark.parametrize(("level", "expected"), [(1, "1F 1F 9F 5F"), (2, "1F 1F 9F 5F"), (3, "1F 1F 5F 9F")])
def test_each_step_begins_where_the_one_before_it_ended(store: Store, level: int, expected: str) -> None:
    """Only on the way from level 2 to level 3 do 1F and 5F share a class, e0."""
    loaded = people(store, "1F 9F 5F 1F")
    assert order(store, at(loaded.tables, level, 0), expected.split(), stepwise=True) == expected


@pytest.mark.slow
def test_methods_that_do_not_generalise_whole_columns_leave_the_order_of_the_input(store: Store) -> None:
    loaded = people(store, RECORDS)
    finished = Mondrian(models=(KAnonymity(k=2),)).run(loaded.tables).tables
    assert order(store, finished, RECORDS.split(), stepwise=False) == RECORDS


# The sums, against a program that copies lists


def described(values: Iterable[float]) -> tuple[float, float]:
    """Add up in turn, rounding after every record: mean and variance."""
    numbers = list(values)
    mean = added(numbers) / len(numbers)
    variance = added((number - mean) * (number - mean) for number in numbers) / len(numbers)
    return mean, variance


def added(numbers: Iterable[float]) -> float:
    total = 0.0
    for number in numbers:
        total += number
    return total


def copied(records: list[int], classes: Sequence[object]) -> list[int]:
    """Copy record numbers into a new list, one class after the other, these in the order of their first records."""
    return [
        record for one in dict.fromkeys(classes[r] for r in records) for record in records if classes[record] == one
    ]


@pytest.mark.slow
@settings(max_examples=times(3, slow=30), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.tuples(st.integers(0, 15), st.sampled_from("FM")), min_size=2, max_size=60),
    st.integers(1, 8),
)
def test_datafly_is_described_as_by_a_program_that_copies_at_every_step(
    store: Store, records: list[tuple[int, str]], k: int
) -> None:
    """Tenths of ages, whose sums are not exact."""
    if len(records) < k:
        return
    ages, sexes = zip(*records, strict=True)
    tenths = [repr(age / 10) for age in ages]
    hierarchy = "\n".join(f"{age / 10!r} f{age // 4} e{age // 8} *" for age in range(16))
    columns = [quasi_identifier("age", hierarchy=hierarchy), quasi_identifier("sex", hierarchy=SEXES)]
    loaded = load(store, pa.table({"age": tenths, "sex": sexes}), declared(columns))
    finished = Datafly(models=(KAnonymity(k=k),), suppression_threshold=k).run(loaded.tables).tables
    found = describe_class_statistics(
        finished, least_suppressed=0, turns=assign_original_turns(finished, stepwise=True)
    ).table
    record = finished.anon_record
    shown = select(found.c.statistics_1, record.c.equivalence_id).join_from(
        record, found, found.c.equivalence_id == record.c.equivalence_id
    )
    rows = store.rows(shown.order_by(record.c.record_id))

    def at_levels(age_level: int, sex_level: int) -> list[tuple[object, object]]:
        return [
            ((age, age // 4, age // 8, 0)[age_level], (sex, "*")[sex_level])
            for age, sex in zip(ages, sexes, strict=True)
        ]

    assert finished.levels is not None
    path = datafly_path(at_levels, finished.levels)
    in_turn = list(range(len(records)))
    for levels in path[:-1]:
        in_turn = copied(in_turn, at_levels(*levels))
    classes = [equivalence for _, equivalence in rows]
    for equivalence in set(classes):
        members = [one for one in in_turn if classes[one] == equivalence]
        expected = described(ages[one] / 10 for one in members)
        assert {tuple(map(float, text.split(":"))) for text, one in rows if one == equivalence} == {expected}


def datafly_path(
    at_levels: Callable[[int, int], list[tuple[object, object]]], finished: tuple[int, ...]
) -> list[tuple[int, int]]:
    """Walk up as Datafly does, until its levels are reached."""
    levels = (0, 0)
    path = [levels]
    while levels != finished:
        columns = list(zip(*at_levels(*levels), strict=True))
        age, sex = (len(set(column)) for column in columns)
        can_age, can_sex = levels[0] < 3, levels[1] < 1
        goes_age = can_age and (age >= sex or not can_sex)
        levels = (levels[0] + 1, levels[1]) if goes_age else (levels[0], levels[1] + 1)
        path.append(levels)
    return path
