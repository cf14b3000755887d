"""Two releases of the same people together, beside a count of every person and row."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from helpers.amounts import times
from helpers.comparisons import records, unpaired
from hypothesis import given, settings
from hypothesis import strategies as st

from toolbox.config.model import Column, Limits, QuasiIdentifier
from toolbox.published.comparing import link_rows_by_order
from toolbox.published.tables import Comparison
from toolbox.risks.joint import (
    JointClasses,
    JointValues,
    compare_linked_values,
    compare_unlinked_values,
    measure_joint_consistency,
)
from toolbox.store.engine.store import Store

AGE = QuasiIdentifier(column=Column(index=None, name="age"), kind="number")
K = 2
Rows = list[tuple[int, int, str]]
"""Of each row the ages that it covers, and an illness."""


@st.composite
def releases(draw: st.DrawFn) -> tuple[list[int], Rows, Rows]:
    """Draw people, and two releases of them in one order; the last interval is written as suppressed."""
    ages = draw(st.lists(st.integers(1, 6), min_size=2, max_size=7))
    return ages, *(
        [
            (draw(st.integers(0, age)), draw(st.integers(age, 7)), draw(st.sampled_from(["flu", "cold", "cough"])))
            for age in ages
        ]
        for _ in range(2)
    )


def written(rows: Rows) -> list[tuple[str, str]]:
    return [("*" if (low, high) == (0, 7) else f"[{low}:{high}]", illness) for low, high, illness in rows]


def beside(store: Store, ages: list[int], rows: Rows) -> Comparison:
    people = [(str(age),) for age in ages]
    return unpaired(store, people, written(rows), [AGE], sensitive=["illness"])


def covers(row: tuple[int, int, str], age: int) -> bool:
    return row[0] <= age <= row[1]


@pytest.mark.slow
@settings(max_examples=times(4, slow=200))
@given(releases())
def test_rows_that_agree_or_fit_in_both_releases_are_counted(drawn: tuple[list[int], Rows, Rows]) -> None:
    ages, now, before = drawn
    with Store(limits=Limits(threads=1)) as store:
        later, earlier = beside(store, ages, now), beside(store, ages, before)
        read, read_before = (records(store, [row[:1] for row in written(rows)]) for rows in (now, before))
        linked = link_rows_by_order(later.release, read, earlier.release, read_before)
        classes = JointClasses.count(store, linked, K)
        people = measure_joint_consistency(later, earlier, linked, K)
        values = compare_linked_values(later.release, [earlier.release], linked)
        unlinked = compare_unlinked_values(later, earlier, K)
    pairs = list(zip(now, before, strict=True))
    agreeing = Counter((first[:2], second[:2]) for first, second in pairs)
    sizes = [agreeing[first[:2], second[:2]] for first, second in pairs]
    assert (classes.records, classes.below_k) == (len(ages), sum(size < K for size in sizes))
    assert (classes.alone, classes.smallest) == (sizes.count(1), min(sizes))
    fitting = [sum(covers(first, age) and covers(second, age) for first, second in pairs) for age in ages]
    assert (people.people, people.below_k) == (len(ages), sum(0 < count < K for count in fitting))
    assert (people.alone, people.unmatched, people.lowest) == (
        fitting.count(1),
        fitting.count(0),
        min(filter(None, fitting), default=0),
    )
    assert values == (
        _expected([_in_class(now, row) for row in now], [_in_class(before, row) for row in before], is_linked=True),
    )
    common = [_of(now, age) & _of(before, age) for age in ages]
    rows = [sum(covers(row, age) and row[2] in left for row in now) for age, left in zip(ages, common, strict=True)]
    expected = _expected([_of(now, age) for age in ages], [_of(before, age) for age in ages], is_linked=False)
    assert unlinked == (replace(expected, below_k=sum(0 < count < K for count in rows)),)


def _in_class(rows: Rows, row: tuple[int, int, str]) -> set[str]:
    return {illness for low, high, illness in rows if (low, high) == row[:2]}


def _of(rows: Rows, age: int) -> set[str]:
    return {row[2] for row in rows if covers(row, age)}


def _expected(now: list[set[str]], before: list[set[str]], *, is_linked: bool) -> JointValues:
    left = [len(first & second) for first, second in zip(now, before, strict=True)]
    return JointValues(
        attribute="illness",
        people=len(left),
        certain=left.count(1),
        none=left.count(0),
        fewest=min(left),
        below_k=None,
        changed=sum(first != second for first, second in zip(now, before, strict=True)) if is_linked else None,
    )
