"""Combinations of quasi-identifier texts: counted, and told apart by one hash."""

from collections import Counter

import pyarrow as pa
import pytest
from helpers.small_tables import declared, load, quasi_identifier
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import func, select

from toolbox.store.load.combinations import count_texts, find_injective_salt, hash_texts

TEXTS = st.sampled_from(["", "a", "b", None])


def table(store, records):
    return store.create_constant(
        "given", {f"c{at}": (str, list(texts)) for at, texts in enumerate(zip(*records, strict=True))}
    )


@given(st.lists(st.tuples(TEXTS, TEXTS, TEXTS), min_size=1, max_size=12))
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_records_are_counted_by_their_texts_and_by_whether_they_are_unusable(store, records):
    columns = table(store, records).c
    counted = store.rows(count_texts([columns.c0, columns.c1], columns.c2.is_(None)))
    expected = Counter((first, second, third is None) for first, second, third in records)
    assert {row[:3]: row[3] for row in counted} == dict(expected)
    assert len(counted) == len(expected)


def test_the_columns_have_the_names_by_which_a_reading_goes_on(store):
    columns = table(store, [("a", "b", "c")]).c
    counted = count_texts([columns.c0, columns.c1], columns.c2.is_(None))
    assert list(counted.selected_columns.keys()) == ["text_1", "text_2", "unusable", "size"]


@pytest.mark.parametrize("salt", [0, 1])
def test_a_hash_tells_the_texts_of_a_combination_from_each_other(store, salt):
    """Texts that are the same one behind the other, or the other way round, are other combinations."""
    columns = table(store, [("ab", "c"), ("a", "bc"), ("c", "ab"), ("ab", "c")]).c
    first, second, third, fourth = (
        value for (value,) in store.rows(select(hash_texts([columns.c0, columns.c1], salt)))
    )
    assert len({first, second, third}) == 3
    assert first == fourth


def test_another_salt_makes_other_hashes(store):
    columns = table(store, [("ab", "c")]).c
    hashes = store.row(select(*(hash_texts([columns.c0, columns.c1], salt) for salt in (0, 1, 2))))
    assert len(set(hashes)) == 3


def test_the_salt_that_is_found_tells_all_combinations_apart(store):
    usable = table(store, [(str(number % 20), str(number // 20)) for number in range(400)])
    texts = [usable.c.c0, usable.c.c1]
    salt = find_injective_salt(store, usable, texts)
    assert store.row(select(func.count(hash_texts(texts, salt).distinct()))) == (400,)
    assert salt == 0


def test_a_salt_under_which_two_combinations_agree_is_not_taken(store, monkeypatch):
    usable = table(store, [("a",), ("b",)])

    def poor(texts, salt):
        return func.length(texts[0]) if salt < 3 else texts[0]

    monkeypatch.setattr("toolbox.store.load.combinations.hash_texts", poor)
    assert find_injective_salt(store, usable, [usable.c.c0]) == 3


def test_combinations_are_numbered_by_their_values_and_each_spelling_finds_its_own(store):
    """A number that is written in two ways is one value; so its two keys have one combination."""
    table = pa.table({"age": ["10", "9", "10.0", "9"], "town": ["Graz", "Wien", "Graz", "Graz"]})
    tables = load(store, table, declared([quasi_identifier("age", kind="number"), quasi_identifier("town")])).tables
    combination, (age, town) = tables.combinations, tables.quasi_identifiers
    rows = store.rows(
        select(combination.c.combination_id, combination.c.size, age.ground.c.value, town.ground.c.label)
        .join_from(combination, age.ground, age.ground.c.level_0 == combination.c.interval_1)
        .join(town.ground, town.ground.c.level_0 == combination.c.interval_2)
        .order_by(combination.c.combination_id)
    )
    assert rows == [(0, 1, 9.0, "Graz"), (1, 1, 9.0, "Wien"), (2, 2, 10.0, "Graz")]
    by_record = select(tables.anon_record.c.combination_id).order_by(tables.anon_record.c.record_id)
    assert [number for (number,) in store.rows(by_record)] == [2, 1, 2, 0]
