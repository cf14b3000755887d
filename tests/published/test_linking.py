"""Rows of two releases that are one person's: by their order, or by a key."""

from __future__ import annotations

import pytest
from helpers.comparisons import comparison, records
from sqlalchemy import select

from toolbox.config.model import Column, QuasiIdentifier
from toolbox.errors import InputError
from toolbox.published.comparing import link_rows_by_key, link_rows_by_order
from toolbox.store.engine.store import Store

AGE = QuasiIdentifier(column=Column(index=None, name="age"), kind="number")


@pytest.mark.slow
def test_a_key_links_rows_in_any_order_and_those_of_one_release_only_are_left_out(store: Store) -> None:
    now, before = [("[1:2]", "a"), ("[1:2]", "b"), ("3", "c")], [("1", "b"), ("[2:3]", "a"), ("[2:3]", "d")]
    later = comparison(store, [("1",), ("2",), ("3",)], [row[:1] for row in now], [AGE]).release
    earlier = comparison(store, [("1",), ("2",), ("3",)], [row[:1] for row in before], [AGE]).release
    linked = link_rows_by_key(later, records(store, now), earlier, records(store, before))
    # The person b is in the class [1:2] and was in 1; the person a was in [2:3]; c and d are in one release only.
    assert sorted(store.rows(select(linked.c.records))) == [(1,), (1,)]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("keys", [["a", "a"], ["a", None]])
def test_a_key_names_each_record_once(store: Store, keys: list[str | None]) -> None:
    rows = [("1", keys[0]), ("2", keys[1])]
    release = comparison(store, [("1",), ("2",)], [("1",), ("2",)], [AGE]).release
    with pytest.raises(InputError, match="the key of 1 record is missing or that of another"):
        link_rows_by_key(release, records(store, rows), release, records(store, [("1", "a"), ("2", "b")]))


@pytest.mark.slow
def test_what_links_nobody_is_an_error(store: Store) -> None:
    two = comparison(store, [("1",), ("2",)], [("1",), ("2",)], [AGE]).release
    one = comparison(store, [("1",)], [("1",)], [AGE]).release
    with pytest.raises(InputError, match=r"has 2 records, .* 1: their order links nobody"):
        link_rows_by_order(two, records(store, [("1",), ("2",)]), one, records(store, [("1",)]))
    rows = [("1", "a"), ("2", "b")]
    with pytest.raises(InputError, match="Are these the same people"):
        link_rows_by_key(two, records(store, rows), two, records(store, [("1", "c"), ("2", "d")]))
