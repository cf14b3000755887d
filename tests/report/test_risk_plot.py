"""The picture of `risk`: its bars, and which of them are at risk."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from helpers.small_reports import RISK, RISK_REPORT

from toolbox.report import plots as risk_plot
from toolbox.report.plots import plot_risk
from toolbox.risks.risk import ClassSize, Risk

matplotlib = pytest.importorskip(
    "matplotlib", reason="Pictures need matplotlib: pip install 'anonymisation-toolbox[plot]'."
)
COLOURS = {"#b5483a": "red", "#d99a3c": "orange", "#3b6ea5": "blue"}
Bars = dict[str, tuple[int, str]]


@pytest.fixture
def figures(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Keep the figures that are drawn, and write no file."""
    kept: list[Any] = []
    monkeypatch.setattr(risk_plot, "save", lambda figure, path: kept.append(figure))
    return kept


def drawn(figures: list[Any], risk: Risk) -> dict[str, Bars]:
    """Return the height and the colour of the bars of each panel, by its title and the names below them."""
    from matplotlib.colors import to_hex

    plot_risk(replace(RISK_REPORT, risk=risk), Path("unwritten.svg"))
    return {
        axes.get_title(loc="left"): {
            label.get_text(): (bar.get_height(), COLOURS[to_hex(bar.get_facecolor())])
            for label, bar in zip(axes.get_xticklabels(), axes.patches, strict=True)
        }
        for axes in figures[-1].axes
    }


def sizes(*pairs: tuple[int, int]) -> tuple[ClassSize, ...]:
    return tuple(ClassSize(size, classes) for size, classes in pairs)


def test_records_and_people_are_drawn_by_those_among_whom_they_hide(figures: list[Any]) -> None:
    assert drawn(figures, RISK) == {
        "Records by the size of their class": {"2": (4, "red")},
        "People by the released records that could be theirs": {"1": (1, "red"), "3": (4, "blue")},
    }


def test_without_the_original_records_there_is_one_panel(figures: list[Any]) -> None:
    assert list(drawn(figures, replace(RISK, consistency=None))) == ["Records by the size of their class"]


def test_a_bar_that_is_at_risk_in_part_is_orange(figures: list[Any]) -> None:
    """A threshold of 1/8 asks for classes of eight; the bar of six to nine has smaller ones and larger ones."""
    risk = replace(RISK, threshold=0.125, histogram=sizes((4, 3), (7, 1), (8, 2), (30, 1)), consistency=None)
    (bars,) = drawn(figures, risk).values()
    assert bars == {"4": (12, "red"), "6 to 9": (23, "orange"), "20 to 49": (30, "blue")}


def test_a_threshold_that_is_rounded_puts_no_class_at_risk(figures: list[Any]) -> None:
    """One over 1/49 is a little more than 49, and the largest classes of the bar have 49 records."""
    assert 1 / (1 / 49) > 49
    risk = replace(RISK, threshold=1 / 49, histogram=sizes((49, 1)), consistency=None)
    (bars,) = drawn(figures, risk).values()
    assert bars == {"20 to 49": (49, "orange")}
