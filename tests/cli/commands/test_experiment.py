"""The command `experiment`: its options, its folder, and its exit status."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers.hostile import run_here
from helpers.small_study import write_people

PLAN = """
methods = ["Mondrian"]
metrics = ["NCP"]
[parameters]
k = 5
[[data]]
table = "people.csv"
quasi_identifiers = ["age", "town"]
"""
FAILING = """<plan>
<method name='Datafly'/>
<metric name='NCP'/>
<parameters k='5'/>
<data table='people.csv'><qid><att name='age'/><att name='town'/></qid></data>
</plan>"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_people(tmp_path)
    (tmp_path / "study.toml").write_text(PLAN)
    (tmp_path / "failing.xml").write_text(FAILING)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow
def test_the_results_go_into_a_folder_beside_which_one_works(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = run_here(["experiment", "study.toml", "--json", "--jobs", "1"], capsys)
    assert (run.status, run.err) == (0, "")
    assert (run.document["folder"], run.document["cells"]) == ("study-results", 1)
    assert json.loads((folder / "study-results" / "cells.jsonl").read_text())
    again = run_here(["experiment", "study.toml", "-output", "study-results", "--jobs", "1"], capsys)
    assert "(2 measurements are of an earlier run)" in again.out


def test_a_study_in_which_nothing_can_be_done_has_a_status_of_its_own(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = run_here(["experiment", "failing.xml", "--jobs", "1"], capsys)
    assert run.status == 3
    assert "a hierarchy for 'age', 'town'" in " ".join(run.out.split())
    # Whoever wants to see only errors sees the first of them.
    quiet = run_here(["experiment", "failing.xml", "--jobs", "1", "--quiet"], capsys)
    assert (quiet.status, quiet.out) == (3, "")
    assert quiet.err.startswith("toolbox: Nothing could be measured. ")
    assert "a hierarchy for 'age', 'town'" in quiet.err


def test_what_is_typed_wrongly_is_said(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "wrong.xml").write_text(FAILING.replace("metric name", "metric\nnam"))
    for words, status, expected in (
        (["wrong.xml"], 2, "line 4: <metric> has no attribute 'nam'. Did you mean 'name'?"),
        ([], 2, "Nothing names the plan. Write toolbox experiment PLAN.toml"),
        (["study.tml"], 2, "cannot be read"),
        (["study.toml", "--jobs", "none"], 2, "--jobs"),
        (["study.toml", "--job", "1"], 2, "Did you mean '--jobs'"),
        (["study.toml", "--output", "people.csv"], 2, "results cannot be kept there"),
    ):
        run = run_here(["experiment", *words], capsys)
        assert (run.status, expected in run.err) == (status, True), (words, run.err)
    (folder / "people.csv").unlink()
    gone = run_here(["experiment", "study.toml"], capsys)
    assert (gone.status, "people.csv cannot be read" in gone.err) == (4, True)
