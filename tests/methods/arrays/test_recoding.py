"""Arrays become the classes of a release: combination by combination, or class by class."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.small_tables import load
from sqlalchemy import select

from toolbox.methods.arrays.recoding import recode
from toolbox.store.engine.store import Store
from toolbox.store.tables import Tables

TABLE = "age sex\n21 f\n21 f\n30 f\n48 m"
ROOT_OF_AGE, ROOT_OF_SEX = 3, 2


@pytest.fixture(scope="module")
def tables(store: Store) -> Tables:
    return load(store, TABLE, "age sex").tables


def equivalence(tables: Tables) -> list[tuple[object, ...]]:
    table = tables.equivalence.c
    rows = select(table.size, table.suppressed, table.interval_1, table.interval_2).order_by(table.equivalence_id)
    return [tuple(row) for row in tables.store.rows(rows)]


def test_each_combination_may_have_intervals_of_its_own(tables: Tables) -> None:
    ages, sexes = np.array([ROOT_OF_AGE, ROOT_OF_AGE, 2]), np.array([0, 0, 1])
    recoded = recode(tables, np.arange(3), np.array([2, 1, 1]), [ages, sexes])
    assert equivalence(recoded) == [(1, False, 2, 1), (3, False, ROOT_OF_AGE, 0)]
    assert equivalence(tables) != equivalence(recoded)


def test_what_is_suppressed_is_marked(tables: Tables) -> None:
    ages, sexes = np.array([0, ROOT_OF_AGE, ROOT_OF_AGE]), np.array([0, ROOT_OF_SEX, ROOT_OF_SEX])
    suppressed = np.array([False, True, True])
    recoded = recode(tables, np.arange(3), np.array([2, 1, 1]), [ages, sexes], suppressed=suppressed)
    assert equivalence(recoded) == [(2, False, 0, 0), (2, True, ROOT_OF_AGE, ROOT_OF_SEX)]


def test_classes_of_many_combinations_are_named_once(tables: Tables) -> None:
    ages, sexes = np.array([ROOT_OF_AGE, 0]), np.array([ROOT_OF_SEX, 0])
    recoded = recode(
        tables, np.array([2, 0, 1]), np.array([2, 2]), [ages, sexes], classes=np.array([0, 1, 0], np.int32)
    )
    assert equivalence(recoded) == [(2, False, 0, 0), (2, False, ROOT_OF_AGE, ROOT_OF_SEX)]
    of_records = select(recoded.anon_record.c.equivalence_id).order_by(recoded.anon_record.c.record_id)
    assert [number for (number,) in tables.store.rows(of_records)] == [1, 1, 2, 2]
