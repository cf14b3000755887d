"""Records in any order and by any filter: the tables that pages are cut from."""

from __future__ import annotations

import pandas as pd
import pytest
from helpers.session_tables import in_engine

import toolbox
from toolbox.flows.session import records as listings
from toolbox.report.explore.records import RecordsPage

PEOPLE = pd.DataFrame({"a": [3, 1, 2, 1], "b": [*"xyxy"], "c": [*"1234"], "d": [*"1111"], "e": [*"abcd"]})


def places(page: RecordsPage) -> list[int]:
    return [record.record for record in page.records]


@pytest.mark.slow
def test_pages_are_cut_from_the_end_where_the_order_is_turned_round() -> None:
    with toolbox.open(PEOPLE, quasi_identifiers=list("abcde"), records=True) as session:
        assert places(session.page(0, 3, sort="a")) == [2, 4, 3]
        assert places(session.page(3, 3, sort="a")) == [1]
        assert places(session.page(0, 3, sort="a", descending=True)) == [1, 3, 4]
        assert places(session.page(3, 3, sort="a", descending=True)) == [2]
        assert places(session.page(4, 3, descending=True)) == []
        found = session.page(0, 3, sort="a", having={"b": "y"})
        assert (found.total, places(found)) == (2, [2, 4])
        assert places(session.page(having={"b": "' or 1=1"})) == []


@pytest.mark.slow
def test_few_listings_are_held_and_the_one_that_was_used_last_is_there() -> None:
    with toolbox.open(PEOPLE, quasi_identifiers=list("abcde"), records=True) as session:
        for name in "abcde":
            session.page(sort=name)
        before = in_engine(session._table.store)
        for name in "edcba":
            assert session.page(sort=name).total == 4
        assert in_engine(session._table.store) == before


def test_what_was_read_ahead_is_cut_into_the_same_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = range(1, 31)
    table = pd.DataFrame({"a": [number * 7 % 30 for number in numbers]})
    by_value = sorted(numbers, key=lambda number: number * 7 % 30)
    walk = [(0, 3), (3, 3), (6, 3), (3, 3), (27, 3), (28, 5), (30, 1), (99, 5), (0, 30), (5, 20), (14, 1), (10, 9)]
    with toolbox.open(table, quasi_identifiers=["a"], records=True) as session:
        for ahead in (7, 1000):
            monkeypatch.setattr(listings, "_AHEAD", ahead)
            for offset, limit in walk:
                for sort, order in {None: [*numbers], "a": by_value}.items():
                    for descending in (False, True):
                        expected = (order[::-1] if descending else order)[offset : offset + limit]
                        found = session.page(offset, limit, sort=sort, descending=descending)
                        assert (found.total, places(found)) == (30, expected), (ahead, offset, limit, sort, descending)
