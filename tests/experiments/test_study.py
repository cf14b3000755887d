"""A study: existing results are not computed again, whatever else has changed."""

from __future__ import annotations

import shutil
import signal
import sys
import time
from pathlib import Path

import pandas as pd
import pytest
from helpers import children
from helpers.own_code import OwnCode
from helpers.small_study import data_of, kept_study, plan_of, study_of, timeless

import toolbox
from toolbox.config.model import Limits
from toolbox.errors import UsageError
from toolbox.experiments.cells.rows import FILE
from toolbox.experiments.plan.reader import read_plan
from toolbox.experiments.study import list_versions, run_study


@pytest.mark.slow
def test_a_second_run_computes_only_what_is_new(tmp_path: Path) -> None:
    first, results = kept_study(), tmp_path / "results"
    assert first.folder is not None
    shutil.copytree(first.folder, results)
    journal = results / FILE
    # The original and three releases; what failed is not kept.
    assert (first.cells, first.reused, journal.read_text().count("\n")) == (7, 0, 4)
    plan = study_of(tmp_path, methods=["Mondrian"], metrics=["NCP", "number of classes"], parameters={"k": 5})
    again = run_study(read_plan(plan), results)
    # The scores of the original; all of k = 5 but the new metric.
    assert (again.cells, again.reused, journal.read_text().count("\n")) == (2, 1 + 3, 5)
    known, told = timeless(first.rows), timeless(row for row in again.rows if row["metric"] != "number of classes")
    # What the plan no longer asks for is not told.
    assert len(told) == 4 + 7 + 1 + 4 == len(again.rows) - 1
    assert all(row in known for row in told)
    assert sorted(path.name for path in results.iterdir()) == [
        FILE,
        "correlations.csv",
        "experiment.html",
        "results.csv",
        "results.parquet",
        "summary.csv",
    ]


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        (Limits(temp_dir=Path("no such folder")), "no such folder: no folder for temporary files can be made here"),
        (Limits(threads=1000), "The limit threads='1000' is too large"),
    ],
)
def test_limits_that_no_cell_could_keep_stop_the_study_before_it_begins(
    tmp_path: Path, limits: Limits, said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        run_study(read_plan(plan_of(tmp_path)), tmp_path / "results", limits=limits)
    assert not (tmp_path / "results").exists()


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_memory_limit_that_is_too_low_to_read_a_table_ends_the_study_at_its_first_cell(
    tmp_path: Path, jobs: int
) -> None:
    plan = read_plan(plan_of(tmp_path, parameters={"k": [2, 3, 4, 5]}))
    with pytest.raises(UsageError, match=r"^The data set '.*' cannot be read\. The memory limit is too small"):
        run_study(plan, tmp_path / "results", jobs=jobs, limits=Limits(memory="2MB", threads=1))
    # No results are written that would say the same of each cell.
    assert [path.name for path in (tmp_path / "results").iterdir()] == [FILE]
    assert (tmp_path / "results" / FILE).read_bytes() == b""


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
    OwnCode("ending_method", tmp_path, monkeypatch, methods={"Ending": "os._exit(0)"})
    plan = read_plan(plan_of(tmp_path, methods=["ending_method:Ending"], parameters={"k": 2}))
    report = run_study(plan, jobs=2)
    (row,) = report.failed
    assert row["reason"] == "its process ended with status 0, as where code of your own ends it."


def test_versions_are_those_of_the_programs_that_compute(tmp_path: Path) -> None:
    assert list(list_versions(read_plan(plan_of(tmp_path)))) == ["python", "toolbox", "duckdb", "numpy"]
    learning = {"learners": ["decision tree"]}
    assert "sklearn" in list_versions(read_plan(plan_of(tmp_path, classification=learning)))


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


@pytest.mark.slow
def test_a_study_counts_persons_as_a_run_does() -> None:
    # One patient has four visits at 34: a class of four records, but of one person.
    ages = [*[34] * 4, 45, 46, 47, 81, 82, 83]
    visits = pd.DataFrame({"patient": [*["P1"] * 4, *(f"P{number}" for number in range(2, 8))], "age": ages})
    data = {"table": visits, "quasi_identifiers": ["age"], "hierarchies": {"age": "intervals:10,80"}}
    plan = {"methods": ["Flash"], "metrics": ["number of classes"], "parameters": {"k": 3}, "suppression_threshold": 0}
    classes = []
    for person in ({"identifiers": ["patient"]}, {"person": ["patient"]}):
        found = toolbox.experiment({**plan, "data": [{**data, **person}]})
        classes.append([row["value"] for row in found.rows if row["metric"] == "number of classes"][-1])
    assert classes == [3, 2]
