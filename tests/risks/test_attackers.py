"""The risk of a record by the class, or the people, that it hides among."""

from __future__ import annotations

import pytest
from helpers.comparisons import unpaired

from toolbox.config.model import Column, QuasiIdentifier
from toolbox.published.tables import Comparison
from toolbox.risks.risk import AttackerRisk, ClassSize, _histogram, _make_prosecutor_groups, measure_attacker_risk
from toolbox.store.engine.store import Store

pytestmark = pytest.mark.sampled(3)

AGE = QuasiIdentifier(column=Column(index=None, name="age"), kind="number")


def beside(store: Store, original: str, released: str) -> Comparison:
    return unpaired(store, " \n ".join(original.split()), " \n ".join(released.split()), [AGE])


def test_a_prosecutor_knows_that_the_victim_is_in_the_table(store: Store) -> None:
    # Classes of 1, 2 and 4 records: risks 1, 1/2 and 1/4.
    release = beside(store, "1 2 2 3 3 3 3", "1 2 2 3 3 3 3").release
    assert measure_attacker_risk(store, _make_prosecutor_groups(release), 0.25) == AttackerRisk(
        highest=1.0, average=pytest.approx(3 / 7), lowest=0.25, records_at_risk=3, share_at_risk=pytest.approx(3 / 7)
    )
    assert _histogram(release) == (ClassSize(1, 1), ClassSize(2, 1), ClassSize(4, 1))


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("threshold", "at_risk"), [(1.0, 0), (0.5, 1), (0.4999, 3), (0.25, 3), (0.2, 7)])
def test_records_are_at_risk_above_the_threshold_not_at_it(store: Store, threshold: float, at_risk: int) -> None:
    release = beside(store, "1 2 2 3 3 3 3", "1 2 2 3 3 3 3").release
    assert measure_attacker_risk(store, _make_prosecutor_groups(release), threshold).records_at_risk == at_risk
