"""What `experiment` prints."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from helpers.small_study import small_study


@pytest.mark.slow
def test_cells_scores_correlations_and_faults_are_tables() -> None:
    printed = str(small_study())
    for expected in (
        "people <&>: 7 cells",
        "people: what learners make of it, mean over splits",
        "(original)",
        "NCP normalised certainty penalty, share: lower is better",
        "people: rank correlation of each loss with the drop of each score",
        "3 faults",
        "Datafly generalises whole columns and needs a hierarchy",
    ):
        assert expected in " ".join(printed.split()), expected


@pytest.mark.slow
def test_names_with_brackets_are_shown_as_they_are() -> None:
    report = small_study()
    rows = tuple({**row, "data": "[bold]x[/]"} for row in report.rows)
    shown = str(replace(report, rows=rows, folder=Path("/tmp/[red]")))  # type: ignore[arg-type]
    assert "[bold]x[/]: what learners" in shown
    assert "written /tmp/[red]" in shown


@pytest.mark.slow
def test_a_study_in_which_nothing_could_be_done_is_shown(capsys: object) -> None:
    report = small_study()
    failed = tuple(row for row in report.rows if row["status"] == "failed")
    assert "3 faults" in str(replace(report, rows=failed))
