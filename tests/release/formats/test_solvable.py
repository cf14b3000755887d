"""Classes that genValsDist gives back, counted by trying all multisets in plain Python; and how rounding keeps them."""

from collections import Counter
from itertools import combinations_with_replacement
from math import isclose

import numpy as np
import pandas as pd
import pytest

from toolbox import Result, anonymize
from toolbox.release.files.part import Solved

RANDOM = np.random.default_rng(5)
AGES = pd.DataFrame({"age": RANDOM.integers(17, 60, 150), "hours": RANDOM.integers(0, 30, 150) * 0.5})


def released(table: pd.DataFrame = AGES, **options: object) -> Result:
    given = {"quasi_identifiers": list(table), "k": 5, "output_format": "genValsDist", **options}
    return anonymize(table, **given)


def classes(result: Result, column: str) -> list[tuple[int, float, float, str | None]]:
    """List the size, the ends and the statistics of each class, as a reader of the release sees them."""
    shown = result.release
    names = list(shown.columns)
    found = Counter(zip(*(shown[name].where(shown[name].notna(), None) for name in names), strict=True))
    place = names.index(column)
    rows = []
    for values, size in found.items():
        low, _, high = values[place].strip("[]").partition(":")
        rows.append((size, float(low), float(high or low), values[place + 1]))
    return rows


def multisets(size: int, low: float, high: float, step: float) -> list[tuple[float, ...]]:
    """Write out all that a class can hold whose smallest and largest values are known."""
    grid = np.arange(low, high + step / 2, step)
    return [(low, high, *others) for others in combinations_with_replacement(grid, size - 2)]


def fits(values: tuple[float, ...], mean: float, variance: float) -> bool:
    return isclose(np.mean(values), mean, abs_tol=1e-9) and isclose(np.var(values), variance, abs_tol=1e-9)


@pytest.fixture(scope="module")
def exact() -> Result:
    return released()


@pytest.mark.slow
@pytest.mark.parametrize(("column", "step"), [("age", 1.0), ("hours", 0.5)])
def test_classes_with_one_multiset_are_counted(exact: Result, column: str, step: float) -> None:
    expected = 0
    for size, low, high, told in classes(exact, column):
        mean, variance = map(float, told.split(":"))
        possible = multisets(size, low, high, step)
        expected += len(possible) > 1 and sum(fits(values, mean, variance) for values in possible) == 1
    (found,) = [one for one in exact.summary.solved if one.column == column]
    assert found == Solved(column, len(classes(exact, column)), len(classes(exact, column)), expected)
    assert found.solved > 5


@pytest.mark.slow
def test_the_summary_says_how_many_classes_give_their_values_back(exact: Result) -> None:
    age, hours = exact.summary.solved
    assert exact.summary.notes == tuple(
        f"The statistics of {one.column} give values back: in {one.solved} of {one.classes} classes only one multiset of "
        "values fits the interval, the mean and the variance. statistics='rounded' leaves at least 5."
        for one in (age, hours)
    )
    assert exact.summary.document()["solvable"][0] == {
        "column": "age",
        "classes": age.classes,
        "looked_at": age.looked_at,
        "solved": age.solved,
    }


@pytest.mark.slow
def test_rounded_distributions_of_categories_are_not_told() -> None:
    table = AGES.assign(town=list("abc") * 50)
    result = released(table, statistics="rounded")
    assert result.release["town_distribution"].isna().all()


@pytest.mark.slow
def test_values_on_no_grid_are_not_looked_at() -> None:
    table = pd.DataFrame({"weight": RANDOM.normal(70, 10, 40)})
    assert released(table).summary.solved == ()
    assert released(table, statistics="rounded").release["weight_mean:variance"].isna().all()


def test_classes_of_one_value_need_no_statistics_to_be_known() -> None:
    assert released(pd.DataFrame({"age": [30] * 6 + [40] * 6})).summary.solved == (Solved("age", 2, 2, 0),)


@pytest.mark.slow
def test_classes_that_are_too_large_are_not_tried_and_said() -> None:
    (found,) = released(pd.DataFrame({"age": range(100)}), k=50).summary.solved
    assert found == Solved("age", 2, 0, 0)
