"""All risks of a release: by class, among a population, and by what is consistent with each person."""

from __future__ import annotations

import pytest
from helpers.comparisons import unpaired
from sqlalchemy import func, select, table

from toolbox.config.model import Column, QuasiIdentifier
from toolbox.errors import SettingError
from toolbox.published.tables import Comparison
from toolbox.risks.risk import AttackerRisk, ClassSize, measure_risk
from toolbox.store.engine.store import Store

pytestmark = pytest.mark.sampled(3)

AGE = QuasiIdentifier(column=Column(index=None, name="age"), kind="number")


def beside(store: Store, original: str, released: str) -> Comparison:
    return unpaired(store, " \n ".join(original.split()), " \n ".join(released.split()), [AGE])


def test_a_fifth_is_not_above_a_threshold_of_one_fifth(store: Store) -> None:
    release = beside(store, "1 1 1 1 1", "1 1 1 1 1").release
    assert measure_risk(release, threshold=0.2).prosecutor.records_at_risk == 0


def test_suppressed_records_are_in_no_class(store: Store) -> None:
    release = beside(store, "1 2 2", "* 2 2").release
    risk = measure_risk(release)
    assert (risk.suppressed, risk.prosecutor.highest, risk.uniqueness.records) == (1, 0.5, 0)
    assert risk.histogram == (ClassSize(2, 1),)


def test_a_release_with_nothing_but_suppressed_records_has_no_risk_by_class(store: Store) -> None:
    risk = measure_risk(beside(store, "1 2", "* *").release)
    assert (risk.prosecutor, risk.marketer, risk.uniqueness.share, risk.histogram) == (None, None, 0.0, ())


def test_a_journalist_finds_the_victim_among_the_population(store: Store) -> None:
    # Of the population 1 fits nobody else, and four people fit [2:5], of whom two are in the release.
    population = beside(store, "1 2 3 4 5 9", "1 [2:5] [2:5]")
    risk = measure_risk(population.release, population=population, threshold=0.3)
    assert risk.journalist == AttackerRisk(
        highest=1.0, average=pytest.approx(0.5), lowest=0.25, records_at_risk=1, share_at_risk=pytest.approx(1 / 3)
    )
    assert risk.marketer == pytest.approx(0.5)
    assert (risk.uniqueness.records, risk.uniqueness.in_population) == (1, 1)


def test_a_unique_record_may_fit_many_of_the_population(store: Store) -> None:
    population = beside(store, "1 1 1 2", "1 2")
    risk = measure_risk(population.release, population=population)
    assert (risk.uniqueness.records, risk.uniqueness.in_population) == (2, 1)


def test_a_population_that_lacks_people_of_the_release_makes_nobody_riskier_than_in_the_class(store: Store) -> None:
    population = beside(store, "1 1 2", "1 1 2 2")
    assert measure_risk(population.release, population=population).journalist.highest == 0.5


@pytest.mark.slow
@pytest.mark.parametrize("threshold", [0, -1, 1.1, float("nan")])
def test_a_threshold_is_a_probability(store: Store, threshold: float) -> None:
    with pytest.raises(SettingError, match="threshold"):
        measure_risk(beside(store, "1", "1").release, threshold=threshold)


def test_consistency_sums_up_what_each_person_has(store: Store) -> None:
    # 1: two records that are 1 or *; 2: five; 3, twice: one; 8: only the suppressed one.
    both = beside(store, "1 2 3 3 8", "1 [2:2] [2:2] [2:2] [2:2] *")
    found = measure_risk(both.release, original=both, k=3).consistency
    assert (found.people, found.below_k, found.alone, found.unmatched, found.lowest) == (5, 4, 3, 0, 1)
    assert found.counts == ((1, 3), (2, 1), (5, 1))
    assert found.average_risk == pytest.approx((3 / 1 + 1 / 2 + 1 / 5) / 5)
    assert found.share_below_k == pytest.approx(4 / 5)


def test_people_whom_the_release_does_not_cover_are_told_apart(store: Store) -> None:
    both = beside(store, "1 2", "1 1")
    found = measure_risk(both.release, original=both).consistency
    assert (found.unmatched, found.lowest, found.below_k, found.average_risk) == (1, 0, 2, 0.5)


def test_the_work_leaves_no_tables_behind(store: Store) -> None:
    both = beside(store, "1 2", "1 *")
    before = _tables(store)
    measure_risk(both.release, original=both, population=both)
    assert _tables(store) == before


def _tables(store: Store) -> int:
    return int(store.scalar(select(func.count()).select_from(table("duckdb_tables"))))
