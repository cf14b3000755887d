"""The flow of `check`, with what a pencil finds."""

from __future__ import annotations

from dataclasses import replace

import pytest
from helpers.questions import question
from helpers.small_tables import arrow

from toolbox.errors import UnknownColumnError, UsageError
from toolbox.flows.judge.check import check_release
from toolbox.privacy.models.k_anonymity import KAnonymity
from toolbox.privacy.models.k_map import DeltaPresence, KMap
from toolbox.privacy.models.l_diversity import DistinctLDiversity
from toolbox.report.judges.check import CheckReport

RELEASE = arrow("""
age    sex  illness
20-29  f    flu
20-29  f    cold
30-39  m    flu
30-39  m    flu
30-39  m    gout
*      *    flu
""")
MODELS = (KAnonymity(k=3), DistinctLDiversity(l=2, attribute="illness"))


@pytest.fixture(scope="module")
def report() -> CheckReport:
    return check_release(question("age", "sex", sensitive=["illness"], models=MODELS), RELEASE)


def test_classes_are_counted_without_suppressed_records(report: CheckReport) -> None:
    assert (report.records, report.suppressed) == (6, 1)
    assert (report.classes, report.smallest_class, report.average_class) == (2, 2, 2.5)


def test_what_is_required_is_judged_and_all_else_measured(report: CheckReport) -> None:
    judged = [(model.name, model.attribute, model.achieved, model.holds) for model in report.judged]
    assert judged == [("k-anonymity", None, 2, False), ("distinct l-diversity", "illness", 2, True)]
    assert report.achieved("k-anonymity") == 2
    # Two of the three men of one class have the flu.
    assert report.achieved("(alpha,k)-anonymity", "illness", "alpha") == pytest.approx(2 / 3)
    assert set(report.timings) == {"read", "measure", "total"}


def test_harmonised_the_other_sensitive_columns_split_the_classes() -> None:
    """With the illness known each class has a group of one; with the sex known the classes stay as they are."""
    both = question("age", sensitive=["sex", "illness"], models=[KAnonymity(k=2)])
    judged = check_release(both, RELEASE, harmonised=True).judged
    assert [(model.attribute, model.achieved) for model in judged] == [(None, 2), ("sex", 1), ("illness", 2)]


def test_a_population_is_counted_by_the_classes_that_describe_it() -> None:
    """Two of three women in their twenties are released, and three of four men in their thirties."""
    population = arrow("age sex\n21 f\n22 f\n23 f\n31 m\n32 m\n33 m\n34 m\n60 m\n")
    models = [KMap(k=1), DeltaPresence(delta_min=0, delta_max=1)]
    report = check_release(question("age", "sex", models=models), RELEASE, population=population)
    assert report.achieved("k-map") == 3
    assert report.achieved("delta-presence") == 0.75


@pytest.mark.parametrize(
    ("model", "error", "said"),
    [
        (KMap(k=2), UsageError, "k-map compares with a population, and none is named. Write --population FILE."),
        (
            DistinctLDiversity(l=2, attribute="illness"),
            UnknownColumnError,
            "The list of sensitive attributes has no column",
        ),
    ],
)
def test_a_model_that_lacks_what_it_needs_is_refused(
    model: KMap | DistinctLDiversity, error: type[UsageError], said: str
) -> None:
    with pytest.raises(error) as caught:
        check_release(replace(question("age"), models=(model,)), RELEASE)
    assert said in str(caught.value)
