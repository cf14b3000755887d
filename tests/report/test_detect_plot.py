"""The picture of `detect`: its bars, their names and its titles."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from helpers.small_reports import DETECTION, DETECTION_REPORT, column, subset

from toolbox.report import plots as detect_plot
from toolbox.report.explore.detect import DetectionReport
from toolbox.report.plots import plot_detection

matplotlib = pytest.importorskip(
    "matplotlib", reason="Pictures need matplotlib: pip install 'anonymisation-toolbox[plot]'."
)


@pytest.fixture
def figures(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Keep the figures that are drawn, and write no file."""
    kept: list[Any] = []
    monkeypatch.setattr(detect_plot, "save", lambda figure, path: kept.append(figure))
    return kept


def drawn(figures: list[Any], report: DetectionReport, *, top: int) -> list[dict[str, float]]:
    """Return the bars of both halves, by the names beside them."""
    plot_detection(report, Path("unwritten.svg"), top=top)
    return [
        dict(
            zip(
                (label.get_text() for label in axes.get_yticklabels()),
                (bar.get_width() for bar in axes.patches),
                strict=True,
            )
        )
        for axes in figures[-1].axes
    ]


def titles(figures: list[Any]) -> list[str]:
    return [axes.get_title(loc="left") for axes in figures[-1].axes]


def test_the_bars_are_the_singletons_of_subsets_and_what_columns_add(figures: list[Any]) -> None:
    subsets, columns = drawn(figures, DETECTION_REPORT, top=2)
    assert subsets == {"born, sex": 3, "born": 0}
    # An identifier adds to no other column.
    assert columns == {"born": 1.5, "sex": 1.25}
    assert titles(figures) == [
        "Records that only these columns single out, of 5",
        "Singletons that each column adds to others, on average",
    ]


def test_the_column_that_adds_most_comes_first(figures: list[Any]) -> None:
    columns = (column("little", adds=0.5), column("most", adds=2.0), column("some", adds=1.0))
    _, below = drawn(figures, replace(DETECTION_REPORT, detection=replace(DETECTION, columns=columns)), top=1)
    assert list(below) == ["most", "some", "little"]


@pytest.mark.slow
def test_of_each_kind_60_bars_are_drawn_and_both_titles_say_so(figures: list[Any]) -> None:
    wide = replace(
        DETECTION,
        subsets=tuple(subset(f"s{number}", singletons=number) for number in range(70)),
        columns=tuple(column(f"c{number}", adds=number) for number in range(62)),
    )
    bars = drawn(figures, replace(DETECTION_REPORT, detection=wide), top=61)
    assert [len(half) for half in bars] == [60, 60]
    assert titles(figures) == [
        "Records that only these columns single out, of 5 (the first 60 of 61)",
        "Singletons that each column adds to others, on average (the first 60 of 62)",
    ]


def test_names_are_not_taken_for_formulas(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(matplotlib.rcParams, "svg.fonttype", "none")
    columns = (column("$a$", adds=1.0), column("$b", adds=1.0), column("_{c}", adds=1.0))
    detection = replace(DETECTION, columns=columns, subsets=(subset("$a$", "$b", singletons=1),))
    plot_detection(replace(DETECTION_REPORT, detection=detection), tmp_path / "d.svg", top=20)
    picture = (tmp_path / "d.svg").read_text(encoding="utf-8")
    for name in ("$a$", "$b", "_{c}", "$a$, $b"):
        assert f">{name}</text>" in picture
