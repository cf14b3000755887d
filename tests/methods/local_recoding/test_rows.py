"""The combinations of a table as arrays: as they are fetched, counted by level, and judged in groups."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.illness import load_with_illness
from helpers.small_tables import quasi_identifier

from toolbox.methods.arrays.models import ClassJudge
from toolbox.methods.local_recoding.rows import RecodingColumn, RecodingRows
from toolbox.privacy.models.l_diversity import DistinctLDiversity
from toolbox.store.engine.store import Store
from toolbox.store.tables import Tables


@pytest.fixture(scope="module")
def tables(store: Store) -> Tables:
    """Three combinations: 21 f with two records, 22 m and 30 f with one each."""
    table = {"age": [30, 21, 21, 22], "sex": ["f", "f", "f", "m"], "illness": ["gout", "flu", "cold", "flu"]}
    ages = quasi_identifier("age", hierarchy="21 young *\n22 young *\n30 old *")
    return load_with_illness(store, table, [ages, quasi_identifier("sex", hierarchy="f *\nm *")])


def test_each_combination_of_a_table_is_a_row_with_its_records_and_values(tables: Tables) -> None:
    rows = RecodingRows.fetch(tables)
    found = zip(rows.sizes.tolist(), *(value.tolist() for value in rows.values), strict=True)
    assert sorted(found) == [(1, 1, 1), (1, 2, 0), (2, 0, 0)]
    assert rows.records == 4


def test_each_value_has_its_records_and_a_code_at_every_level(tables: Tables) -> None:
    age, sex = RecodingRows.fetch(tables).columns
    assert (age.height, age.counts.tolist()) == (2, [2, 1, 1])
    assert (sex.height, sex.counts.tolist()) == (1, [3, 1])
    lowest, middle, root = (code.tolist() for code in age.codes)
    assert len(set(lowest)) == 3
    assert middle[0] == middle[1] != middle[2]
    assert root[0] == root[1] == root[2]


def test_records_are_counted_by_value_and_level() -> None:
    column = RecodingColumn([np.arange(2), np.array([2, 2]), np.array([3, 3])], np.array([5, 7]))
    rows = RecodingRows(np.arange(3), np.array([2, 7, 3]), [np.array([0, 1, 0])], [column])
    (histogram,) = rows.histograms(np.array([[1, 0, 2]]))
    assert histogram.tolist() == [[0, 2, 3], [7, 0, 0]]


def test_some_rows_are_judged_by_their_own_combinations(tables: Tables) -> None:
    """Only those of 21 have two illnesses among themselves; who is in two groups counts in both."""
    rows = RecodingRows.fetch(tables)
    upside_down = rows.some(np.array([2, 1, 0]))
    assert upside_down.combination_ids.tolist() == rows.combination_ids.tolist()[::-1]
    assert upside_down.sizes.tolist() == rows.sizes.tolist()[::-1]
    judge = ClassJudge(tables, [DistinctLDiversity(l=2, attribute="illness")])
    members, classes = np.array([2, 1, 0, 0, 1]), np.array([0, 1, 2, 3, 3])
    assert upside_down.mark_refused(judge, members, classes).tolist() == [False, True, True, False]
    assert rows.mark_refused(judge, members, classes).tolist() == [True, True, False, False]
