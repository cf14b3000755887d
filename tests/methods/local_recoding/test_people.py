"""The people whom classes of a local recoding cover, each class at levels of its own."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from helpers.population_tables import load_among

from toolbox.errors import UnsatisfiableError, UsageError
from toolbox.methods.arrays.models import ClassJudge, CoveredPeople
from toolbox.methods.local_recoding import LocalRecoding
from toolbox.methods.local_recoding.rows import RecodingRows
from toolbox.privacy.models.k_map import DeltaPresence, KMap
from toolbox.store.engine.store import Store


def test_classes_cover_who_has_their_intervals_at_their_levels(store: Store) -> None:
    """(21, Graz), (young, *) and (old, Linz); a value that occurs in no other place covers nobody."""
    tables = load_among(store).tables
    rows = RecodingRows.fetch(tables)
    assert rows.people is not None
    assert rows.people.count == 6
    levels = np.array([[0, 1, 1, 0], [0, 2, 0, 0]])
    members = [np.array([0, 0, 3, 3]), np.array([0, 0, 1, 2])]
    nobody = np.zeros(4, np.int64)
    assert rows.people.covered(levels, members, nobody, exactly=False).tolist() == [2, 4, 2, 0]


def test_of_a_large_population_those_with_the_very_combinations_count_alone(store: Store) -> None:
    """(young, *) covers four people, of whom two have the combination (21, Graz) and one (22, Linz)."""
    tables = load_among(store).tables
    rows = RecodingRows.fetch(tables)
    assert rows.people is not None
    assert rows.same is not None
    assert rows.same.tolist() == [2, 1, 1]
    judge, young = ClassJudge(tables, [KMap(k=4)]), (np.array([0, 1]), np.array([0, 0]))
    rows.people.work = 10**12
    assert rows.mark_refused(judge, *young).tolist() == [True]
    assert rows.mark_refused(judge, *young, exactly=True).tolist() == [False]
    assert rows.mark_refused(ClassJudge(tables, [KMap(k=3)]), *young).tolist() == [False]


def test_candidate_classes_are_judged_at_the_lowest_levels_at_which_they_agree(store: Store) -> None:
    """Alone 21 covers two people, 22 one; together, young in any town, four."""
    tables = load_among(store).tables
    rows = RecodingRows.fetch(tables)
    judge = ClassJudge(tables, [KMap(k=2)])
    members, classes = np.array([0, 1, 0, 1]), np.array([0, 1, 2, 2])
    assert rows.mark_refused(judge, members, classes).tolist() == [False, True, False]


def test_without_a_population_there_are_no_people(store: Store) -> None:
    tables = replace(load_among(store).tables, population=None)
    assert CoveredPeople.fetch(tables, []) is None


@pytest.mark.slow
def test_where_no_class_is_allowed_nothing_is_released(store: Store) -> None:
    """All records are young: together they cover four people of six."""
    tables = load_among(store, table="age town\n21 Graz\n22 Linz").tables
    with pytest.raises(UnsatisfiableError, match="lowest generalisations of all records"):
        LocalRecoding(models=(KMap(k=5),)).rewrite(tables)


def test_whom_no_class_covers_is_known_too_late_for_it() -> None:
    with pytest.raises(UsageError, match=r"LocalRecoding cannot honour delta-presence"):
        LocalRecoding(models=(DeltaPresence(delta_max=0.9, delta_min=0.1),))
