"""A study: existing results are not computed again, whatever else has changed."""

from __future__ import annotations

import signal
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from helpers import children
from helpers.small_study import data_of, plan_of

from toolbox.experiments.journal import FILE
from toolbox.experiments.plan_reader import read_plan
from toolbox.experiments.report import ExperimentReport
from toolbox.experiments.study import run_study, versions_of

ENDING = """
import os
from toolbox import Anonymizer

class Ending(Anonymizer):
    name = "Ending"

    @classmethod
    def supports(cls, model):
        return True

    def anonymize(self, tables):
        os._exit(0)
"""


def run(folder: Path, plan: dict[str, Any]) -> ExperimentReport:
    return run_study(read_plan(plan), folder / "results")


def lines(folder: Path) -> int:
    return (folder / "results" / FILE).read_text().count("\n")


def test_a_second_run_computes_only_what_is_new_and_goes_on_where_a_line_was_cut(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, parameters={"k": [2, 5]})
    first = run(tmp_path, plan)
    assert (first.cells, first.reused, lines(tmp_path)) == (2, 0, 2)
    journal = tmp_path / "results" / FILE
    journal.write_bytes(journal.read_bytes()[:-10])
    # The cell that was cut has two tasks; another metric is a new task of both.
    wider = run(tmp_path, {**plan, "metrics": ["NCP", "precision"]})
    assert (wider.cells, wider.reused, lines(tmp_path)) == (2, 2, 3)
    # What the plan no longer asks for is not told.
    again = run(tmp_path, plan)
    assert (again.reused, lines(tmp_path)) == (4, 3)
    assert [{**row, "seconds": 0} for row in again.rows] == [{**row, "seconds": 0} for row in first.rows]
    assert sorted(path.name for path in (tmp_path / "results").iterdir()) == [
        FILE,
        "correlations.csv",
        "experiment.html",
        "results.csv",
        "results.parquet",
        "summary.csv",
    ]


@pytest.mark.slow
def test_another_table_is_computed_anew(tmp_path: Path) -> None:
    plan = read_plan(plan_of(tmp_path, parameters={"k": 5}, metrics=[]))
    assert run_study(plan, tmp_path / "results").reused == 0
    with (tmp_path / "people.csv").open("a") as file:
        file.write("99,Wien,0,no\n")
    after = run_study(plan, tmp_path / "results")
    assert after.reused == 0
    assert {row["value"] for row in after.rows if row["metric"] == "records"} == {41}


@pytest.mark.slow
def test_code_of_your_own_that_ends_its_process_does_not_end_the_study(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ending_method.py").write_text(ENDING)
    monkeypatch.chdir(tmp_path)
    plan = read_plan(plan_of(tmp_path, methods=["ending_method:Ending"], parameters={"k": 2}))
    report = run_study(plan, jobs=2)
    (row,) = report.failed
    assert row["reason"] == "its process ended with status 0, as where code of your own ends it."


def test_versions_are_those_of_the_programs_that_compute(tmp_path: Path) -> None:
    assert list(versions_of(read_plan(plan_of(tmp_path)))) == ["python", "toolbox", "duckdb", "numpy"]
    learning = {"learners": ["decision tree"]}
    assert "sklearn" in versions_of(read_plan(plan_of(tmp_path, classification=learning)))


@pytest.mark.slow
def test_a_study_that_is_killed_goes_on_where_it_stopped(tmp_path: Path) -> None:
    data = data_of(tmp_path)
    plan = tmp_path / "study.toml"
    listed = ", ".join(map(str, range(2, 20)))
    plan.write_text(
        f"methods = ['Mondrian']\nmetrics = ['NCP']\n[parameters]\nk = [{listed}]\n[[data]]\n"
        f"table = '{data['table']}'\nquasi_identifiers = ['age', 'town']\n"
    )
    words = ["-m", "toolbox", "experiment", str(plan), "--output", str(tmp_path / "results"), "--jobs", "2"]
    journal = tmp_path / "results" / FILE
    with children.start([sys.executable, *words]) as child:
        while not (journal.exists() and journal.read_bytes().count(b"\n") >= 3):
            time.sleep(0.02)
        child.send_signal(signal.SIGKILL)
    kept = journal.read_bytes().count(b"\n")
    assert kept < 18
    report = run_study(read_plan(plan), tmp_path / "results")
    assert (report.cells, report.failed) == (18, ())
    assert report.reused >= 2 * kept
    assert [row["k"] for row in report.rows if row["metric"] == "classes"] == list(range(2, 20))
