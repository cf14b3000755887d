"""The loads of a session: two are held, each for the runs that find in it what they need."""

from __future__ import annotations

from dataclasses import replace

import pytest
from helpers.session_tables import in_engine
from helpers.small_tables import arrow, declared

from toolbox.config.model import Attribute, Column, Config
from toolbox.flows.session.loads import Declared, OpenedTable
from toolbox.release.returned import prepare_for_engine
from toolbox.steps import Steps
from toolbox.store.engine.store import Store
from toolbox.store.input.layout import MissingValues, find_columns
from toolbox.store.input.source import open_arrow_source
from toolbox.store.load.session import keep

ILL = Attribute(column=Column(index=None, name="ill"), kind=None)


def combinations(store: Store) -> tuple[OpenedTable, Config]:
    table = arrow("age city ill\n20 Graz flu\n20 Graz cold\n30 Linz flu\n")
    source = open_arrow_source(store, prepare_for_engine(table, table.column_names), added=1)
    config = declared("age city", sensitive=[ILL])
    kept = keep(store, source, find_columns(config, source), MissingValues.of(config), Steps())
    known = Declared(config=config, asks=False, kinds={}, said=frozenset(), dates=())
    return OpenedTable(store, kept, known, {"age": 0, "city": 1, "ill": 2}), config


@pytest.mark.slow
def test_a_load_serves_all_runs_that_need_no_more(store: Store) -> None:
    loads, config = combinations(store)
    with loads.temporary_scope():
        first = loads.load(config, {"ill": False}, Steps())
    assert loads.load(config, {}, Steps()) is first
    assert loads.load(replace(config, method="Datafly", k=3), {"ill": False}, Steps()) is first
    with loads.temporary_scope():
        assert loads.load(config, {"ill": True}, Steps()) is not first


def test_the_load_that_was_not_used_for_longest_goes(store: Store) -> None:
    loads, config = combinations(store)
    both = config.quasi_identifiers
    by_names = [replace(config, quasi_identifiers=columns) for columns in (both, both[:1], both[1:])]
    sizes = []
    for each in (*by_names[:2], by_names[0], by_names[2], by_names[0], by_names[1], by_names[2]):
        with loads.temporary_scope():
            loads.load(each, {}, Steps())
        sizes.append(in_engine(store))
    held = [[str(column.column) for column in load.config.quasi_identifiers] for load in loads._loads]
    assert held == [["age"], ["city"]]
    # What one column takes does not grow with the number of runs.
    assert sizes[-1] <= sizes[1]


def test_the_people_of_a_load_are_found_once(store: Store) -> None:
    loads, config = combinations(store)
    with loads.temporary_scope():
        load = loads.load(config, {}, Steps())
        known = load.people(store, loads.source)
    before = in_engine(store)
    with loads.temporary_scope():
        assert load.people(store, loads.source) is known
    assert in_engine(store) == before
    assert known.people.records == 3
