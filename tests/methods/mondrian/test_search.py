"""The search of Mondrian on arrays: what it finds does not depend on how many rows it deals with at once."""

import numpy as np
import pytest
from helpers.amounts import times
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from toolbox.methods.mondrian import search
from toolbox.methods.mondrian.partitions import Partitions, Regions
from toolbox.methods.mondrian.search import MondrianSearch

RECORDS = st.lists(st.tuples(st.integers(1, 3), st.integers(0, 9), st.integers(0, 2)), min_size=1, max_size=40)


def one_partition(records: list[tuple[int, int, int]]) -> Partitions:
    """Put rows of a size and two ranks into one partition, with its region."""
    sizes, *columns = np.array(records, np.int32).T
    uncut = np.full((2, 1), -1, np.int32)
    return Partitions(
        np.arange(len(sizes)), sizes, columns, np.zeros(1, np.int64), Regions(uncut, uncut, np.zeros(1, np.int64))
    )


def found(records: list[tuple[int, int, int]], told: list[str] | None = None) -> dict[frozenset[int], list[list[int]]]:
    """Search for partitions of at least 2 records; the rows of each with the bounds of its region."""
    told = [] if told is None else told
    finder = MondrianSearch(
        measure=lambda parts, lowest, highest: (highest - lowest).astype(float),
        least=2,
        tries_below=True,
        judge=None,
        report=told.append,
    )
    done = finder.finished(one_partition(records))
    assert done.regions is not None
    members = np.split(done.combination_ids, done.starts[1:])
    bounds = np.stack([done.regions.lower, done.regions.upper]).transpose(2, 1, 0)
    return {frozenset(rows.tolist()): region.tolist() for rows, region in zip(members, bounds, strict=True)}


def test_partitions_and_the_regions_that_the_cuts_left_of_them() -> None:
    """The first column is cut after 1, that is at code 2 * 1 + 1; what is above does not hold the 1 itself."""
    told: list[str] = []
    assert found([(1, 0, 0), (1, 1, 0), (1, 5, 0), (1, 9, 1)], told) == {
        frozenset({0, 1}): [[-1, 3], [-1, -1]],
        frozenset({2, 3}): [[2, -1], [-1, -1]],
    }
    assert told == ["1 cuts", "0 cuts"]


def test_below_the_median_the_median_is_on_the_right() -> None:
    assert found([(2, 0, 0), (3, 1, 0)]) == {
        frozenset({0}): [[-1, 2], [-1, -1]],
        frozenset({1}): [[3, -1], [-1, -1]],
    }


@settings(max_examples=times(20, slow=60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(RECORDS)
def test_block_by_block_it_finds_the_same(monkeypatch: pytest.MonkeyPatch, records: list[tuple[int, int, int]]) -> None:
    monkeypatch.setattr(search, "_BLOCK", 2**19)
    at_once = found(records)
    monkeypatch.setattr(search, "_BLOCK", 3)
    assert found(records) == at_once
    assert sorted(row for rows in at_once for row in rows) == list(range(len(records)))
