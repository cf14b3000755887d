"""The picture of `compare`: a line for each method, a point for each run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from helpers.small_reports import COMPARISON, compared_run

from toolbox.report import plots as compare_plot
from toolbox.report.plots import plot_comparison
from toolbox.report.runs.compare import ComparisonReport

matplotlib = pytest.importorskip(
    "matplotlib", reason="Pictures need matplotlib: pip install 'anonymisation-toolbox[plot]'."
)
RUNS = (
    compared_run("Mondrian", "k=3", kept=0.75, found=0.3),
    compared_run("Mondrian", "k=5", kept=0.5, found=0.2),
    compared_run("$a$", "k=3", kept=0.25, found=0.1),
    compared_run("$a$", "k=5", kept=None),
    compared_run("$a$", "k=7", kept=0.1, found=None),
    *COMPARISON.runs[3:],
)


@pytest.fixture
def axes(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Keep what is drawn, and write no file."""
    kept: list[Any] = []
    monkeypatch.setattr(compare_plot, "save", lambda figure, path: kept.extend(figure.axes))
    return kept


def drawn(axes: list[Any], report: ComparisonReport) -> Any:
    plot_comparison(report, Path("unwritten.svg"))
    return axes[-1]


@pytest.mark.slow
def test_each_method_is_a_line_of_its_runs_by_what_they_lose(axes: list[Any]) -> None:
    picture = drawn(axes, replace(COMPARISON, runs=RUNS))
    lines = {line.get_label(): list(zip(*map(list, line.get_data()), strict=True)) for line in picture.get_lines()}
    assert lines == {"Mondrian": [(0.5, 0.2), (0.75, 0.3)], r"\$a\$": [(0.25, 0.1)]}
    assert [text.get_text() for text in picture.texts] == ["k=5", "k=3", "k=3"]


def test_losses_grow_to_the_right(axes: list[Any]) -> None:
    kept = drawn(axes, replace(COMPARISON, runs=RUNS))
    assert kept.xaxis_inverted()
    assert kept.get_xlabel() == "information kept (share, higher is better)"
    lost = drawn(axes, replace(COMPARISON, runs=RUNS, metrics=COMPARISON.metrics[::-1]))
    assert not lost.xaxis_inverted()


def test_a_report_without_a_point_is_an_empty_picture(tmp_path: Path) -> None:
    plot_comparison(replace(COMPARISON, runs=RUNS[3:]), tmp_path / "empty.svg")
    assert "<svg" in (tmp_path / "empty.svg").read_text(encoding="utf-8")


def test_steps_of_a_share_are_labelled_with_the_decimals_that_they_need(axes: list[Any]) -> None:
    runs = (
        compared_run("Mondrian", "k=10", kept=0.75, found=0.1),
        compared_run("Mondrian", "k=20", kept=0.5, found=0.02),
    )
    picture = drawn(axes, replace(COMPARISON, runs=runs))
    picture.set_yticks([0.025, 0.05, 0.075])
    picture.figure.canvas.draw()
    assert [label.get_text() for label in picture.get_yticklabels()] == ["2.5%", "5.0%", "7.5%"]
