"""Pairs of columns before and after: by hand, and by all tables that a release may stand for."""

from __future__ import annotations

import json
import math
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

import pytest
from helpers.amounts import times
from helpers.comparisons import comparison
from helpers.small_tables import quasi_identifier

from toolbox.loss.pairs import FigureChange, PairChange, PairChanges, measure_pairs
from toolbox.store.engine.store import Store

AGE = quasi_identifier("age", kind="number")
PAY = quasi_identifier("pay", kind="number")
SEX = quasi_identifier("sex", kind="category")
PAYS = "20 1\n30 1\n40 3\n50 3"
"""Four people by age and pay; the covariance is 5, the variances are 125 and 1."""
PAIRED = "[20:30] 1\n[20:30] 1\n[40:50] 3\n[40:50] 3"


def only(changes: PairChanges) -> PairChange:
    (pair,) = changes.pairs
    return pair


@pytest.mark.slow
def test_each_record_is_spread_evenly_over_the_values_that_it_may_have(store: Store) -> None:
    """Half of each of the first two people is 20 years old, half is 30: each cell keeps its one record."""
    pair = only(measure_pairs(comparison(store, PAYS, PAIRED, [AGE, PAY])))
    assert (pair.columns, pair.distance, pair.exact, pair.more_cells) == (("age", "pay"), 0.0, 0.0, 0)
    assert [(cell.values, cell.before, cell.after, cell.lowest, cell.highest) for cell in pair.cells] == [
        (("20", "1"), 1, 1.0, 0, 2),
        (("30", "1"), 1, 1.0, 0, 2),
        (("40", "3"), 1, 1.0, 0, 2),
        (("50", "3"), 1, 1.0, 0, 2),
    ]


def test_the_distance_is_the_share_of_records_that_would_have_to_be_moved(store: Store) -> None:
    """Each of the two people who are not released as they are is in all six cells with a sixth."""
    pair = only(measure_pairs(comparison(store, "20 f\n30 m\n40 f\n40 f", "* *\n* *\n40 f\n40 f", [AGE, SEX])))
    assert pair.exact == 0.5
    cells = {cell.values: (cell.before, cell.after) for cell in pair.cells}
    third = pytest.approx(1 / 3)
    assert cells[("20", "f")] == (1, third) and cells[("20", "m")] == (0, third)
    assert cells[("40", "f")] == (2, pytest.approx(2 + 1 / 3))
    # Two thirds of a record leave each of two cells, and a third comes to each of four others.
    assert pair.distance == pytest.approx((2 / 3 + 2 / 3) / 4)


@pytest.mark.slow
def test_pearsons_correlation_is_that_of_the_spread_records_and_of_the_middles(store: Store) -> None:
    """Within a class age says nothing of pay: the covariance of 10 stays, and the variance of age as well."""
    pair = only(measure_pairs(comparison(store, PAYS, PAIRED, [AGE, PAY])))
    true = 10 / math.sqrt(125 * 1)
    assert pair.measure == "Pearson"
    assert pair.association.before == pytest.approx(true)
    assert pair.association.after == pytest.approx(true)
    # The middles are 25 and 45, as far apart as 1 and 3.
    assert pair.middles == pytest.approx(1.0)
    # Each age is 5 off the middle at most, and the middles have a deviation of 10.
    assert pair.association.lowest == pytest.approx(math.cos(math.asin(5 / 10)))
    assert pair.association.highest == 1.0


@pytest.mark.slow
def test_cramers_v_measures_categories(store: Store) -> None:
    """All four cells are as large as chance makes them as soon as one of the columns says nothing."""
    pair = only(measure_pairs(comparison(store, "f 1\nf 1\nm 3\nm 3", "f *\nf *\nm *\nm *", [SEX, PAY])))
    assert (pair.measure, pair.association, pair.middles) == ("Cramér's V", FigureChange(before=1.0, after=0.0), None)


@pytest.mark.slow
def test_mean_and_variance_of_numbers_have_bounds(store: Store) -> None:
    """[20:30] is 25 on average; taken as low or as high as possible, the mean is 5 smaller or larger."""
    age, pay = measure_pairs(comparison(store, PAYS, PAIRED, [AGE, PAY])).columns
    assert age.numbers is not None and pay.numbers is not None
    assert age.numbers.mean == FigureChange(before=35.0, after=35.0, lowest=30.0, highest=40.0)
    # The middles vary by 100; a deviation of 10 may be 5 smaller or larger.
    assert age.numbers.variance == FigureChange(before=125.0, after=125.0, lowest=25.0, highest=225.0)
    assert age.numbers.within_classes == FigureChange(before=25 / 125, after=25 / 125)
    assert pay.numbers.variance == FigureChange(before=1.0, after=1.0, lowest=1.0, highest=1.0)


# All tables that a small release may stand for, record by record.


@dataclass(frozen=True)
class Small:
    """A table of two columns, and for each record and column the values that its cell may be."""

    names: tuple[str, str]
    before: list[tuple[str | None, ...]]
    may_be: list[tuple[Sequence[str], ...]]
    kinds: tuple[str, str]

    def texts(self) -> list[tuple[str, ...]]:
        """Return the cells of the release: values, sets, and intervals of neighbouring numbers."""
        return [tuple(v[0] if len(v) == 1 else "{" + ",".join(v) + "}" for v in row) for row in self.may_be]

    def spread(self) -> dict[tuple[str, ...], float]:
        """Return the expected records of each cell of the two-way table."""
        found: dict[tuple[str, ...], float] = {}
        for row in self.may_be:
            cells = list(product(*row))
            for cell in cells:
                found[cell] = found.get(cell, 0.0) + 1 / len(cells)
        return found

    def worlds(self) -> Iterator[list[tuple[str, ...]]]:
        """Yield every table for which the release may stand."""
        yield from (list(rows) for rows in product(*(list(product(*row)) for row in self.may_be)))


def draw_small(seed: int) -> Small:
    rng = random.Random(seed)
    kinds = tuple(rng.choice(["number", "category"]) for _ in range(2))
    pools = [["1", "2", "4", "9.5"] if kind == "number" else ["a", "b", "c"] for kind in kinds]
    before = [tuple(rng.choice(pool) for pool in pools) for _ in range(rng.randint(2, 4))]
    may_be = []
    for row in before:
        cells = []
        for place, value in enumerate(row):
            known = sorted({other[place] for other in before})
            others = [other for other in known if other != value]
            cells.append(sorted([value, *rng.sample(others, rng.randint(0, min(2, len(others))))]))
        may_be.append(tuple(cells))
    return Small(("one", "other"), list(before), may_be, kinds)  # type: ignore[arg-type]


def correlate(cells: dict[tuple[str, ...], float]) -> float | None:
    """Return Pearson's correlation of weighted pairs of numbers."""
    total = sum(cells.values())
    means = [sum(weight * float(cell[place]) for cell, weight in cells.items()) / total for place in (0, 1)]
    off = [([float(cell[place]) - means[place] for place in (0, 1)], weight) for cell, weight in cells.items()]
    one, other = (sum(weight * each[place] ** 2 for each, weight in off) for place in (0, 1))
    if min(one, other) < 1e-9:
        return None
    return sum(weight * each[0] * each[1] for each, weight in off) / math.sqrt(one * other)


def find_cramers_v(cells: dict[tuple[str, ...], float], ways: int) -> float:
    total = sum(cells.values())
    rows, columns = Counter[str](), Counter[str]()
    for (row, column), weight in cells.items():
        rows[row] += weight  # type: ignore[assignment]
        columns[column] += weight  # type: ignore[assignment]
    chi_square = sum(
        (cells.get((row, column), 0.0) - rows[row] * columns[column] / total) ** 2
        / (rows[row] * columns[column] / total)
        for row, column in product(rows, columns)
    )
    return math.sqrt(chi_square / total / ways)


def near(value: float | None) -> object:
    return None if value is None else pytest.approx(value, abs=1e-7)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(times(3, slow=200)))
def test_figures_are_those_of_the_definition_and_bounds_hold_for_every_table(store: Store, seed: int) -> None:
    small = draw_small(seed)
    attributes = [quasi_identifier(name, kind=kind) for name, kind in zip(small.names, small.kinds, strict=True)]
    found = measure_pairs(comparison(store, small.before, small.texts(), attributes))
    pair, count = only(found), len(small.before)
    before, after = Counter(map(tuple, small.before)), small.spread()
    known: dict[tuple[str, ...], float] = {cell: float(weight) for cell, weight in before.items()}  # type: ignore[misc]
    assert pair.distance == near(sum(abs(known.get(c, 0) - after.get(c, 0)) for c in {*known, *after}) / 2 / count)
    assert pair.exact == sum(all(len(cell) == 1 for cell in row) for row in small.may_be) / count
    worlds = list(small.worlds())
    for cell in pair.cells:
        counts = [world.count(cell.values) for world in worlds]
        expected = (before[cell.values], near(after.get(cell.values, 0.0)), min(counts), max(counts))
        assert (cell.before, cell.after, cell.lowest, cell.highest) == expected
    if small.kinds == ("number", "number"):
        assert pair.association.before == near(correlate(known))
        assert pair.association.after == near(correlate(after))
        assert pair.association.lowest is not None and pair.association.highest is not None
        possible = [correlate({cell: float(n) for cell, n in Counter(world).items()}) for world in worlds]
        told = [value for value in possible if value is not None]
        assert all(pair.association.lowest - 1e-7 <= value <= pair.association.highest + 1e-7 for value in told)
    else:
        ways = min(len({cell[place] for cell in {*known, *after}}) for place in (0, 1)) - 1
        assert pair.association.before == near(find_cramers_v(known, ways) if ways else None)
        assert pair.association.after == near(find_cramers_v(after, ways) if ways else None)
    for place, column in enumerate(found.columns):
        if column.numbers is None:
            continue
        columns = [[float(row[place]) for row in world] for world in worlds]
        means = [sum(numbers) / count for numbers in columns]
        mean, variance = column.numbers.mean, column.numbers.variance
        assert (mean.lowest, mean.highest) == (near(min(means)), near(max(means)))
        assert mean.after == near(sum(means) / len(means))
        assert variance.lowest is not None and variance.highest is not None
        for numbers, average in zip(columns, means, strict=True):
            true = sum((number - average) ** 2 for number in numbers) / count
            assert variance.lowest - 1e-7 <= true <= variance.highest + 1e-7


# Many values, many columns, missing values, dates, and values that are not those of the records.


@pytest.mark.slow
def test_many_numbers_stand_in_rows_of_about_as_many_records(store: Store) -> None:
    """Of 100 people of different ages, five are in each of 20 rows; a released year of 50 is in ten of them."""
    people = [(str(age), "f") for age in range(100)]
    shown = [("[0:49]" if age < 50 else str(age), "f") for age in range(100)]
    found = measure_pairs(comparison(store, people, shown, [AGE, SEX]))
    age, sex = found.columns
    assert (age.groups, age.is_grouped, age.distance, age.exact) == (20, True, pytest.approx(0.0), 0.5)
    assert (sex.groups, sex.is_grouped, sex.exact) == (1, False, 1.0)
    labels = [cell.values[0] for cell in only(found).cells]
    assert sorted(labels)[:2] == ["0 .. 4", "10 .. 14"] and len(labels) == 20
    assert [cell.after for cell in only(found).cells] == [pytest.approx(5.0)] * 20


@pytest.mark.slow
def test_a_column_that_does_not_vary_has_no_correlation(store: Store) -> None:
    pair = only(measure_pairs(comparison(store, "20 1\n30 1", "20 1\n30 1", [AGE, PAY])))
    assert pair.association == FigureChange(before=None, after=None, lowest=-1.0, highest=1.0)
    pair = only(measure_pairs(comparison(store, "20 f\n30 f", "20 f\n30 f", [AGE, SEX])))
    assert pair.association == FigureChange(before=None, after=None)


@pytest.mark.slow
def test_a_missing_value_is_a_row_of_its_own_and_no_number(store: Store) -> None:
    """The suppressed age may be missing, too: then no bound is known."""
    found = measure_pairs(comparison(store, "20 1\n40 3\n- 5", "20 1\n* 3\n* 5", [AGE, PAY]))
    age, pay = found.columns
    assert age.groups == 3 and age.numbers is not None and pay.numbers is not None
    assert age.numbers.mean == FigureChange(before=30.0, after=pytest.approx((20 + 30 + 30) / 3))
    assert pay.numbers.mean == FigureChange(before=3.0, after=3.0, lowest=3.0, highest=3.0)
    assert ("(missing)", "5") in {cell.values for cell in only(found).cells}
    # Of the two who have both numbers.
    assert only(found).association.before == 1.0 and only(found).association.lowest is None


@pytest.mark.parametrize("most", ["1e308", "1e154"])
def test_a_figure_that_is_beyond_all_floats_is_unknown(store: Store, most: str) -> None:
    table = f"{most} 1\n-{most} 2\n{most} 3\n-{most} 4"
    found = measure_pairs(comparison(store, table, table, [AGE, PAY]))
    assert json.loads(json.dumps(found.document(), allow_nan=False))["columns"][0]["name"] == "age"
    age, pay = (column.numbers for column in found.columns)
    assert age is not None and age.variance == FigureChange(before=None, after=None, lowest=0.0)
    assert pay is not None and (pay.variance.before, pay.variance.after) == (1.25, 1.25)
    assert only(found).association.before is None


def test_a_mean_that_is_a_value_of_the_table_is_not_that_of_its_record(store: Store) -> None:
    """One person is 2 and a man, and three records say so, as 2 is the mean of 1, 2 and 3."""
    beside = comparison(store, "1 f\n2 m\n3 f\n7 f\n8 m\n9 f", "2 f\n2 m\n2 f\n8 f\n8 m\n8 f", [AGE, SEX])
    found = measure_pairs(replace(beside, untrue=("age",)))
    assert [(column.name, column.exact) for column in found.columns] == [("age", None), ("sex", 1.0)]
    assert only(found).exact is None
    assert {(cell.lowest, cell.highest) for cell in only(found).cells} == {(None, None)}


@pytest.mark.slow
def test_means_of_groups_are_no_values_of_the_records_and_have_no_bounds(store: Store) -> None:
    """Two people of 20 and 30 are both released as 25: the mean stays, and half of the variance is gone."""
    found = measure_pairs(comparison(store, "20 1\n30 1\n40 3\n50 3", "25 1\n25 1\n45 3\n45 3", [AGE, PAY]))
    age, _ = found.columns
    assert age.numbers is not None and age.exact is None
    assert age.numbers.mean == FigureChange(before=35.0, after=35.0)
    assert age.numbers.variance == FigureChange(before=125.0, after=100.0)
    assert only(found).association == FigureChange(before=pytest.approx(10 / math.sqrt(125)), after=1.0)


@pytest.mark.slow
def test_a_release_may_lack_records(store: Store) -> None:
    """Shares are of the records of each table: f is half of the people, and all of the release."""
    pair = only(measure_pairs(comparison(store, "20 f\n20 m", "20 f", [AGE, SEX])))
    assert (pair.distance, pair.exact) == (0.5, 1.0)


@pytest.mark.slow
def test_dates_are_numbers_in_days(store: Store) -> None:
    moments = "1970-01-02T12:00 1\n1970-01-04T12:00 3"
    born = quasi_identifier("born", kind="timestamp")
    (column, _) = measure_pairs(comparison(store, moments, moments, [born, PAY])).columns
    assert column.unit == "days since 1970" and column.numbers is not None
    assert column.numbers.mean == FigureChange(before=2.5, after=2.5, lowest=2.5, highest=2.5)
    assert column.numbers.variance.before == 1.0


@pytest.mark.slow
def test_twenty_columns_are_compared(store: Store) -> None:
    row = [" ".join(["1"] * 21)]
    columns = [quasi_identifier(f"q{place}", kind="number") for place in range(21)]
    found = measure_pairs(comparison(store, row[0], row[0], columns))
    assert (len(found.columns), len(found.pairs), found.left_out) == (20, 190, ("q20",))
