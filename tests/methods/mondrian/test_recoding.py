"""Each partition becomes a class, named after its values or after what the cuts left of the domain."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.small_tables import load, released
from sqlalchemy import select

from toolbox.methods.mondrian.naming import recode_partitions
from toolbox.methods.mondrian.partitions import PartitionCuts, Partitions, make_one_partition
from toolbox.store.engine.store import Store
from toolbox.store.load.loading import Loaded

TABLE = "age sex\n20 f\n25 m\n25 m\n31 f\n48 m"


@pytest.fixture(scope="module")
def loaded(store: Store) -> Loaded:
    return load(store, TABLE, "age sex")


def cut_at(loaded: Loaded, rank: int, *, inclusive: bool = True) -> Partitions:
    """Cut the whole table in two by the rank of the age: 20, 25, 31 and 48 are 0 to 3."""
    whole = make_one_partition(loaded.tables, with_regions=True)
    cuts = PartitionCuts.make_none(1)
    cuts.note(np.array([0]), np.array([0]), np.array([rank]), inclusive=inclusive)
    return whole.cut(cuts)


def shown(loaded: Loaded, partitions: Partitions, *, by_region: bool) -> list[str]:
    finished = recode_partitions(loaded.tables, partitions, by_region=by_region)
    return [" ".join(map(str, row)) for row in released(finished, loaded)]


def test_a_class_named_after_its_values_spans_no_more_than_they_do(loaded: Loaded) -> None:
    assert shown(loaded, cut_at(loaded, 1), by_region=False) == ["[20:25] {f,m}"] * 3 + ["[31:48] {f,m}"] * 2
    assert shown(loaded, cut_at(loaded, 0), by_region=False) == ["20 f"] + ["[25:48] {f,m}"] * 4


@pytest.mark.slow
def test_a_class_named_after_its_region_spans_what_the_cut_left(loaded: Loaded) -> None:
    assert shown(loaded, cut_at(loaded, 1), by_region=True) == ["[20.0:25.0] *"] * 3 + ["(25.0:48.0] *"] * 2
    below = cut_at(loaded, 1, inclusive=False)
    assert shown(loaded, below, by_region=True) == ["[20.0:25.0) *"] + ["[25.0:48.0] *"] * 4


def test_a_class_has_the_records_of_its_rows(loaded: Loaded) -> None:
    finished = recode_partitions(loaded.tables, cut_at(loaded, 1), by_region=False)
    equivalence = finished.equivalence.c
    sizes = loaded.tables.store.rows(select(equivalence.size).order_by(equivalence.size))
    assert [size for (size,) in sizes] == [2, 3]


def test_the_order_of_partitions_changes_no_record(loaded: Loaded) -> None:
    parts = cut_at(loaded, 1)
    turned = Partitions.join([parts.some(np.array([False, True])), parts.some(np.array([True, False]))])
    assert shown(loaded, turned, by_region=False) == shown(loaded, parts, by_region=False)
