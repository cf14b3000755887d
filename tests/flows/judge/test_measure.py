"""The flow of `measure`, with what a pencil finds."""

from __future__ import annotations

from dataclasses import replace

import pytest
from helpers.questions import question
from helpers.small_tables import arrow

from toolbox.config.formats import FORMATS
from toolbox.errors import UsageError
from toolbox.flows.judge.measure import measure_release
from toolbox.flows.judge.question import Question
from toolbox.report.judges.measure import LossReport

PEOPLE = arrow("age sex illness\n21 f flu\n31 f flu\n51 m cold\n61 m flu\n")
RELEASE = arrow("age sex illness\n[21:31] f flu\n[21:31] f flu\n[51:61] m cold\n[51:61] m flu\n")
LABELLED = "classification metric"


@pytest.fixture(scope="module")
def report() -> LossReport:
    return measure_release(question("age", "sex", sensitive=["illness"]), PEOPLE, RELEASE)


@pytest.mark.slow
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


@pytest.mark.slow
def test_pairs_of_columns_are_compared_with_the_sensitive_ones() -> None:
    """The illness is released as it is; who was 21 or 31 is either."""
    asked = question("age", "sex", sensitive=["illness"])
    pairs = measure_release(asked, PEOPLE, RELEASE, metrics=["lm"], pairs=True).pairs
    assert pairs is not None
    found = {pair.columns: pair for pair in pairs.pairs}
    assert set(found) == {("age", "sex"), ("age", "illness"), ("sex", "illness")}
    # 51 had a cold and 61 the flu: each is half of both now, and half a record of each would have to be moved back.
    assert found["age", "illness"].distance == 0.25 and found["sex", "illness"].distance == 0
    assert pairs.pairs[0].columns == ("age", "illness")
    assert found["sex", "illness"].exact == 1


@pytest.mark.slow
def test_pairs_are_printed_from_the_most_changed_to_the_least() -> None:
    asked = question("age", "sex", sensitive=["illness"])
    lines = [" ".join(line.split()) for line in str(measure_release(asked, PEOPLE, RELEASE, pairs=True)).splitlines()]
    first = lines.index("pairs of columns, the most changed first")
    assert lines[first + 4 : first + 7] == [
        "age x illness 0.250 0.0% Cramér's V 1 0.5774",
        "age x sex 0.000 0.0% Cramér's V 1 1",
        "sex x illness 0.000 100.0% Cramér's V 0.5774 0.5774",
    ]
    assert "age mean 41 41 36 46" in lines


def test_pairs_are_those_of_the_quasi_identifiers_where_the_original_has_nothing_sensitive() -> None:
    asked = question("age", "sex", sensitive=["illness"])
    pairs = measure_release(asked, PEOPLE.drop_columns(["illness"]), RELEASE, metrics=["lm"], pairs=True).pairs
    assert pairs is not None and [pair.columns for pair in pairs.pairs] == [("age", "sex")]
