"""Classes whose values follow from mean and variance: against all multisets of values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations_with_replacement
from random import Random
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pytest

from toolbox.hierarchy.hierarchy import Interval
from toolbox.risks.figures import SolvedStatistics
from toolbox.risks.statistics.fitting import Label, ValueGrid, find_grid
from toolbox.risks.statistics.solving import ClassFigures


class Class(NamedTuple):
    """A class of whole numbers."""

    low: int
    high: int
    values: tuple[int, ...]


# Thirds are no multiples of a power of two, so that nobody takes the figures for rounded ones.
THIRD = Class(0, 1, (0, 0, 1))


def statistics(values: Sequence[float]) -> tuple[float, float]:
    mean = sum(values) / len(values)
    return mean, sum((value - mean) ** 2 for value in values) / len(values)


def told(classes: Sequence[Class], digits: int | None) -> list[str]:
    figures = [statistics(found.values) for found in classes]
    return [":".join(repr(x) if digits is None else f"{x:.{digits}f}" for x in pair) for pair in figures]


def solved(
    classes: Sequence[Class],
    texts: Sequence[str],
    *,
    is_open: bool = False,
    is_node: bool = True,
    grid: ValueGrid | None = None,
    is_rounded: bool = False,
) -> SolvedStatistics:
    labels = [Label(Interval(one.low, one.high + is_open, True, not is_open), is_node) for one in classes]
    sizes = np.array([len(one.values) for one in classes])
    figures = ClassFigures.read(np.arange(len(classes)), sizes, np.ones_like(sizes), pa.array(texts))
    return figures.solve("age", labels, cells=int(sizes.sum()), grid=grid, is_rounded=is_rounded)


def fitting(found: Class, text: str, digits: int | None, *, with_ends: bool = False) -> Iterator[tuple[int, ...]]:
    """List the multisets that have the figures, as they are printed."""
    half = 1e-9 + (0 if digits is None else 0.5 * 10**-digits)
    shown = [float(figure) for figure in text.split(":")]
    for values in combinations_with_replacement(range(found.low, found.high + 1), len(found.values)):
        has_ends = values[0] == found.low and values[-1] == found.high
        is_near = all(abs(x - y) <= half for x, y in zip(statistics(values), shown, strict=True))
        if is_near and (has_ends or not with_ends):
            yield values


def expected(classes: Sequence[Class], ways: Sequence[int]) -> tuple[int, int, int]:
    """Return the classes that are solved, those that nothing fits, and the cells of the former."""
    wide = [(found, count) for found, count in zip(classes, ways, strict=True) if found.low < found.high]
    return (
        sum(count == 1 for _, count in wide),
        sum(count == 0 for _, count in wide),
        sum(len(found.values) for found, count in wide if count == 1),
    )


def counts(found: SolvedStatistics) -> tuple[int, int, int]:
    return found.solved, found.undecided, found.cells_disclosed


@pytest.mark.sampled(12)
@pytest.mark.parametrize("seed", range(400))
def test_classes_are_solved_whose_figures_one_multiset_has_as_they_are_printed(seed: int) -> None:
    random = Random(seed)
    digits, is_open = random.choice([None, None, 0, 1, 2, 3]), random.random() < 0.5
    classes = [THIRD]
    for _ in range(random.randrange(1, 12)):
        low, width, size = random.randrange(-5, 40), random.randrange(9), random.randrange(1, 6)
        values = tuple(low + random.randrange(width + 1) for _ in range(size))
        classes.append(Class(low, low + width, values))
    texts = told(classes, digits)
    found = solved(classes, texts, is_open=is_open)
    ways = [len(list(fitting(one, text, digits))) for one, text in zip(classes, texts, strict=True)]
    assert counts(found) == expected(classes, ways)
    assert (found.step, found.ends_are_values, found.classes) == (1, False, len(classes))


@pytest.mark.sampled(8)
@pytest.mark.parametrize("seed", range(200))
def test_intervals_that_may_begin_and_end_with_values_of_their_classes_are_taken_to_do_so(seed: int) -> None:
    random = Random(seed)
    classes = [Class(0, 1, (0, 0, 1))]
    for _ in range(random.randrange(1, 9)):
        values = tuple(random.randrange(20, 20 + random.randrange(1, 10)) for _ in range(random.randrange(2, 7)))
        classes.append(Class(min(values), max(values), values))
    texts = told(classes, None)
    found = solved(classes, texts, is_node=False)
    ways = [len(list(fitting(one, text, None, with_ends=True))) for one, text in zip(classes, texts, strict=True)]
    # The interval alone tells two values.
    more = [(one, count) for one, count in zip(classes, ways, strict=True) if len(one.values) > 2]
    assert counts(found) == expected(*map(list, zip(*more, strict=True)))
    assert found.ends_are_values


def test_one_class_without_its_ends_is_enough_that_no_interval_is_taken_to_have_them() -> None:
    """20, 20, 29 and nothing else begins and ends so; 24, 24, 25 has no end, and follows from its small variance."""
    classes = [Class(20, 29, (20, 20, 29)), Class(20, 29, (24, 24, 25))]
    found = solved(classes, told(classes, None), is_node=False)
    assert (found.ends_are_values, found.without_ends, found.solved) == (False, 1, 2)


def test_values_are_multiples_of_what_the_means_allow_or_of_what_is_known() -> None:
    halves = [Class(0, 2, (0, 1, 1))]
    assert solved(halves, ["0.5:0.0833333333333333"]).step == 0.5
    classes = [Class(0, 40, (10, 20, 40))]
    known = ValueGrid(10, 10, 10, 40)
    # 10, 20, 40 is the only triple of tens with these figures.
    assert solved(classes, told(classes, None), grid=known).solved == 1
    assert solved(classes, ["23.1:155.5555"], grid=known).step is None


def test_what_cannot_be_tried_is_undecided_and_never_safe() -> None:
    large = Class(0, 99, tuple(range(100)))
    found = solved([THIRD, large], told([THIRD, large], None))
    assert (found.undecided, found.solved) == (1, 1)
    # A class of a thousand with four possible values can be solved all the same: two thousand zeros and ones.
    many = Class(0, 3, (0,) * 999 + (1,))
    assert solved([THIRD, many], told([THIRD, many], None)).cells_disclosed == 1003


def test_texts_that_are_no_figures_are_undecided() -> None:
    assert counts(solved([THIRD, THIRD, THIRD], ["x:y", "0.3333333333333333:0.2222222222222222", "1e300:1"])) == (
        1,
        2,
        3,
    )


def test_figures_known_to_be_rounded_of_which_nobody_sees_how_decide_nothing() -> None:
    assert counts(solved([THIRD], ["0.5:0.25"], is_rounded=True)) == (0, 1, 0)


@pytest.mark.slow
def test_who_knows_the_values_solves_what_anybody_solves() -> None:
    """Intervals are open; the values that the column has are their smallest and largest, and steps between them."""
    random = Random(31)
    for _ in range(60):
        step = random.choice([1, 1, 2, 5])
        classes = []
        for _ in range(random.randint(1, 3)):
            low = random.randrange(0, 40, 10)
            values = tuple(sorted(low + step * random.randint(0, 9 // step) for _ in range(random.randint(2, 4))))
            classes.append(Class(low, low + 9, values))
        held = np.array([float(value) for found in classes for value in found.values])
        texts = told(classes, None)
        alone = solved(classes, texts, is_open=True)
        beside = solved(classes, texts, is_open=True, grid=find_grid(held))
        assert beside.cells_disclosed >= alone.cells_disclosed
        lowest, highest = int(held.min()), int(held.max())
        for found, text in zip(classes, texts, strict=True):
            clipped = Class(max(found.low, lowest), min(found.high, highest), found.values)
            if len(list(fitting(found, text, None))) == 1 or (
                beside.step == 1 and clipped.low < clipped.high and len(list(fitting(clipped, text, None))) == 1
            ):
                assert solved([found], [text], is_open=True, grid=ValueGrid(1, lowest, lowest, highest)).solved == 1
