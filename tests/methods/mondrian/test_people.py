"""People go with the partitions that are cut, and are counted where the names of these would cover them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from helpers.population_tables import load_among
from helpers.small_tables import declared

from toolbox.errors import UnsatisfiableError
from toolbox.methods.mondrian import Mondrian
from toolbox.methods.mondrian.partitions import PartitionCuts, Partitions, fetch_people, make_one_partition
from toolbox.privacy.models.k_map import DeltaPresence, KMap
from toolbox.store.engine.store import Store


def whole(store: Store, *, by_region: bool = False) -> Partitions:
    tables = load_among(store, config=declared("age town")).tables
    return make_one_partition(tables, with_regions=False, people=fetch_people(tables, by_region=by_region))


def counted(parts: Partitions) -> list[int]:
    return parts.people_covered().tolist()


def test_a_partition_covers_who_lies_between_its_ends_and_among_its_categories(store: Store) -> None:
    """Not the person of 35, and not the one of Wien."""
    assert counted(whole(store)) == [4]
    assert counted(whole(store, by_region=True)) == [6]


def test_each_side_of_a_cut_has_its_people(store: Store) -> None:
    """21 and 22 to the left: three people of Graz and Linz; [34] to the right: one."""
    parts, cuts = whole(store), PartitionCuts.make_none(1)
    cuts.note(np.array([0]), np.array([0]), np.array([1]), inclusive=True)
    sides = parts.cut(cuts)
    assert counted(sides) == [3, 1]
    assert [counted(half) for half in sides.halves()] == [[3], [1]]
    assert counted(sides.some(np.array([False, True]))) == [1]


def test_a_region_has_all_who_are_on_its_side_of_the_cuts(store: Store) -> None:
    parts, cuts = whole(store, by_region=True), PartitionCuts.make_none(1)
    cuts.note(np.array([0]), np.array([0]), np.array([1]), inclusive=True)
    assert counted(parts.cut(cuts)) == [4, 2]


def test_without_a_population_there_are_no_people(store: Store) -> None:
    tables = load_among(store, config=declared("age town")).tables
    assert fetch_people(replace(tables, population=None), by_region=False) is None


@pytest.mark.slow
@pytest.mark.parametrize("model", [KMap(k=5), DeltaPresence(delta_max=0.9, delta_min=0.1)])
def test_where_not_even_all_records_together_are_allowed_nothing_is_released(store: Store, model: KMap) -> None:
    tables = load_among(store, config=declared("age town")).tables
    with pytest.raises(UnsatisfiableError, match="all records together cover 4 people"):
        Mondrian(models=(model,)).rewrite(tables)
