"""What comes of a cell: values that other commands find as well, and a row for whatever goes wrong."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import pytest
from helpers.own_code import OwnCode
from helpers.small_study import CLASSES, data_of, plan_of, small_study

from toolbox.config.model import Limits
from toolbox.experiments.cells.data_set import OpenedData
from toolbox.experiments.cells.measuring import Measuring, explain_failure
from toolbox.experiments.cells.rows import Cell, ResultRow
from toolbox.experiments.plan.reader import read_plan
from toolbox.experiments.study import _list_cells

METRICS = {
    "Classes": "yield self.measure(comparison.store.count(comparison.release.classes))",
    "Endless": "yield self.measure(float('nan'))",
    "Broken": "yield self.measure(1 / 0)",
}


def run(folder: Path, **said: object) -> dict[str, list[ResultRow]]:
    """Return the rows of each cell."""
    plan = read_plan(plan_of(folder, **said))
    found = {}
    with ExitStack() as stack:
        for data in plan.data:
            opened = OpenedData.of(stack, data, Limits(), with_records=plan.learning is not None)
            measuring = Measuring(plan, opened)
            for cell in _list_cells(plan):
                found[str(cell)] = _all_rows(measuring, cell)
    return found


def _all_rows(measuring: Measuring, cell: Cell) -> list[ResultRow]:
    return [row for rows in measuring.rows(cell, cell.tasks).values() for row in rows]


@pytest.mark.slow
def test_values_are_those_of_the_classes() -> None:
    rows = [row for row in small_study().rows if (row["method"], row["required"]) == ("Mondrian", "k=5")]
    values = {row["metric"]: row["value"] for row in rows if row["kind"] != "utility"}
    assert (values["records"], values["classes"], values["suppressed records"]) == (40, len(CLASSES), 0)
    # All of a class have one town, and each an interval of the 39 years between the youngest and the oldest.
    spans = [(max(people)[0] - min(people)[0]) / 39 for people in CLASSES]
    lost = sum(span / 2 * len(people) for span, people in zip(spans, CLASSES, strict=True)) / 40
    assert values["normalised certainty penalty"] == pytest.approx(lost)
    ill = [sum(person[3] == "yes" for person in people) for people in CLASSES]
    assert values["classification metric"] == sum(map(min, ill, map(int.__sub__, map(len, CLASSES), ill)))
    # The smallest class has six people; each class is the right one of one person in it.
    assert values["highest risk"] == pytest.approx(1 / 6)
    assert values["records found"] == pytest.approx(len(CLASSES) / 40)
    assert values["records at risk"] == 0


@pytest.mark.slow
def test_methods_and_metrics_of_other_people_need_no_place_in_the_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    OwnCode("own_parts", tmp_path, monkeypatch, methods={"Failing": "raise KeyError('Graz')"}, metrics=METRICS)
    rows = run(
        tmp_path,
        methods=["own_parts:Failing", "Mondrian"],
        metrics=["own_parts:Classes", "own_parts:Broken", "own_parts:Endless", "NCP"],
        parameters={"k": 5},
        data=[data_of(tmp_path, name="people")],
    )
    failing, mondrian = rows["people, own_parts:Failing, k=5"], rows["people, Mondrian, k=5"]
    assert {row["status"] for row in failing} == {"failed"}
    assert all("KeyError" in row["reason"] and "Graz" not in row["reason"] for row in failing)
    said = {row["metric"]: (row["value"], row["status"]) for row in mondrian}
    assert said["my Classes"] == (said["classes"][0], "done")
    assert said["my Broken"] == (None, "failed")
    assert said["my Endless"] == (None, "not measured")
    assert {row["reason"] for row in mondrian if row["metric"] == "my Endless"} == {
        "its value is nan, which is no number"
    }
    assert said["normalised certainty penalty"][1] == "done"


@pytest.mark.slow
def test_what_cannot_be_done_says_so_in_every_task() -> None:
    cell = [row for row in small_study().rows if (row["method"], row["required"]) == ("Datafly", "k=2")]
    metrics = ["", "normalised certainty penalty", "classification metric", "precision", ""]
    assert [row["metric"] for row in cell] == metrics
    assert all("hierarchy" in row["reason"] for row in cell)


@pytest.mark.slow
def test_regressions_and_propensities_are_rows_beside_those_of_learners(tmp_path: Path) -> None:
    """The label is yes or no; the original is told from nothing."""
    rows = run(
        tmp_path,
        parameters={"k": 5},
        metrics=["NCP"],
        classification={"learners": ["regression", "pMSE"]},
        data=[data_of(tmp_path, name="people", features=["visits"])],
    )
    found = {cell: [row for row in told if row["learner"]] for cell, told in rows.items()}
    original, released = found["people, (original)"], found["people, Mondrian, k=5"]
    assert [row["metric"] for row in original[:3]] == [
        "interval overlap",
        "within interval",
        "same verdict",
    ]
    assert [row["value"] for row in original] == pytest.approx([1.0] * 3 + [0.0] * 10, abs=1e-6)
    assert [row["learner"] for row in released] == ["regression"] * 3 + ["pMSE"] * 10
    assert all(row["status"] == "done" and row["value"] >= 0 for row in released)


@pytest.mark.slow
def test_learners_see_the_original_and_the_release_and_may_be_tested_on_either(tmp_path: Path) -> None:
    learning = {"learners": ["decision tree"], "splits": 2, "test_share": 0.25}
    found = {}
    for test_on in ("released", "original"):
        rows = run(
            tmp_path,
            parameters={"k": 20},
            metrics=["NCP"],
            classification={**learning, "test_on": test_on},
            data=[data_of(tmp_path, name="people", features=["visits"])],
        )
        found[test_on] = {
            name: [row["value"] for row in cell if row["kind"] == "utility"] for name, cell in rows.items()
        }
    assert found["released"]["people, (original)"] == found["original"]["people, (original)"]
    assert all(len(values) == 4 for values in found["released"].values())


def test_words_of_an_error_that_is_not_ours_are_not_repeated() -> None:
    try:
        int("Graz")
    except ValueError as error:
        reason = explain_failure(error)
    assert reason.startswith("ValueError in ")
    assert "Graz" not in reason
