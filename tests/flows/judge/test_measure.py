"""The flow of `measure`, with what a pencil finds."""

from __future__ import annotations

from dataclasses import replace

import pytest
from helpers.questions import question
from helpers.small_tables import arrow

from toolbox.config.formats import FORMATS
from toolbox.errors import UsageError
from toolbox.flows.judge.judge import measure_release
from toolbox.flows.judge.question import Question
from toolbox.report.judges.measure import LossReport

PEOPLE = arrow("age sex illness\n21 f flu\n31 f flu\n51 m cold\n61 m flu\n")
RELEASE = arrow("age sex illness\n[21:31] f flu\n[21:31] f flu\n[51:61] m cold\n[51:61] m flu\n")
LABELLED = "classification metric"


@pytest.fixture(scope="module")
def report() -> LossReport:
    return measure_release(question("age", "sex", sensitive=["illness"]), PEOPLE, RELEASE)


def test_columns_and_the_table_are_measured(report: LossReport) -> None:
    """Each age is shown as ten years of forty; the sex is shown as it is."""
    assert report.records == 4
    name = "normalised certainty penalty"
    assert [report.value(name, attribute) for attribute in ("age", "sex", None)] == [0.25, 0, 0.125]
    assert set(report.timings) == {"read", "measure", "total"}


@pytest.mark.slow
def test_the_only_sensitive_column_is_the_label_unless_another_one_is_named(report: LossReport) -> None:
    """One record has not the commonest illness of its class; all have its sex."""
    assert report.value(LABELLED) == 1
    by_age = question("age", sensitive=["illness"])
    assert measure_release(by_age, PEOPLE, RELEASE, label="sex").value(LABELLED) == 0
    without = measure_release(question("age"), PEOPLE, RELEASE)
    assert LABELLED in [metric.name for metric in without.left_out]


def test_an_anatomy_takes_no_label() -> None:
    asked = question("age")
    config = replace(asked.config, output=replace(asked.config.output, format=FORMATS["anatomy"]))
    with pytest.raises(UsageError, match="An anatomy keeps labels apart from quasi-identifiers"):
        measure_release(Question(config=config), PEOPLE, RELEASE, label="illness")
