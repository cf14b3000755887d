"""The flow of `risk`, with what a pencil finds."""

from __future__ import annotations

import pytest
from helpers.questions import question
from helpers.small_tables import arrow

from toolbox.errors import SettingError
from toolbox.flows.judge.risk import assess_risk
from toolbox.privacy.models.k_anonymity import KAnonymity
from toolbox.report.judges.risk import RiskReport

RELEASE = arrow("age\n20-29\n20-29\n30-39\n30-39\n30-39\n*\n")
PEOPLE = arrow("age\n21\n22\n31\n32\n33\n64\n")
POPULATION = arrow("age\n21\n22\n23\n24\n31\n32\n33\n64\n")


@pytest.fixture(scope="module")
def report() -> RiskReport:
    return assess_risk(question("age"), RELEASE, original=PEOPLE, population=POPULATION, threshold=0.4, k=4)


@pytest.mark.slow
def test_the_risk_of_a_class_is_one_over_its_records_or_its_people(report: RiskReport) -> None:
    """Four people of the population are in their twenties, and three in their thirties."""
    risk = report.risk
    assert risk.prosecutor is not None
    assert risk.journalist is not None
    assert (risk.prosecutor.highest, risk.prosecutor.records_at_risk, risk.suppressed) == (0.5, 2, 1)
    assert (risk.journalist.highest, risk.journalist.lowest) == (pytest.approx(1 / 3), 0.25)
    assert risk.threshold == 0.4


@pytest.mark.slow
def test_people_fit_the_records_of_their_class_and_the_suppressed_one(report: RiskReport) -> None:
    consistency = report.risk.consistency
    assert consistency is not None
    assert consistency.counts == ((1, 1), (3, 2), (4, 3))
    assert (consistency.k, consistency.below_k) == (4, 3)
    assert set(report.timings) == {"read", "measure", "total"}


def test_without_other_tables_only_classes_are_at_risk() -> None:
    risk = assess_risk(question("age"), RELEASE).risk
    assert (risk.journalist, risk.consistency, risk.threshold) == (None, None, 0.2)
    assert risk.prosecutor is not None


def test_k_is_that_of_the_models_unless_the_call_says_another() -> None:
    asked = question("age", models=[KAnonymity(k=3)])
    found = [assess_risk(asked, RELEASE, original=PEOPLE, k=k).risk.consistency for k in (None, 2)]
    assert [consistency.k for consistency in found if consistency] == [3, 2]


@pytest.mark.parametrize("k", [0, "3", 2.5, True])
def test_k_is_a_whole_number_of_at_least_1(k: object) -> None:
    with pytest.raises(SettingError, match=f"k is {k!r}; write a whole number of at least 1"):
        assess_risk(question("age"), RELEASE, k=k)  # type: ignore[arg-type]
