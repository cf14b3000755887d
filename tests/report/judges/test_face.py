"""What one measure more needs: a field of the report, and a face."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from helpers.findings import INTERNAL
from helpers.printing import printed
from helpers.small_reports import RISK

from toolbox.charts.markup import element
from toolbox.report.advice import Advice
from toolbox.report.console import make_table
from toolbox.report.html import page
from toolbox.report.html.findings import PageFindings
from toolbox.report.html.page import render_page
from toolbox.report.judges import risk
from toolbox.report.judges.face import Faces, MeasureFace
from toolbox.report.judges.risk import FACES, RiskReport


@dataclass(frozen=True, kw_only=True, repr=False)
class LongReport(RiskReport):
    neighbours: int | None = None


@dataclass(frozen=True, kw_only=True)
class LongFindings(PageFindings):
    neighbours: int | None = None


def show(console, found):
    table = make_table("near", "people", numbers=frozenset({0}))
    table.add_row(f"{found:,}")
    console.print(table)


NEIGHBOURS = MeasureFace(
    "neighbours",
    key="near",
    document=lambda found: {"people": found},
    show=show,
    list_notes=lambda found, in_python: [f"{found} people{' in Python' if in_python else ''}."],
    render=lambda found: element("p", f"{found} & more"),
    advise=lambda found, _: [Advice(finding=f"{found} people live side by side.", severity="high", remedy="Move.")],
)


def report(found: int | None) -> LongReport:
    return LongReport(risk=RISK, timings={}, toolbox_version="1", neighbours=found, in_python=True)


def test_a_measure_is_in_the_document_on_the_console_on_the_page_among_the_notes_and_in_the_advice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(risk, "FACES", Faces((*FACES, NEIGHBOURS)))
    found = report(1200)
    assert found.document()["near"] == {"people": 1200}
    assert "near people 1,200" in " ".join(printed(found.show_on))
    assert "1200 people in Python." in found.notes
    monkeypatch.setattr(page, "FACES", Faces((*FACES, NEIGHBOURS)))
    assert "<p>1200 &amp; more</p>" in render_page(LongFindings(**vars(INTERNAL), neighbours=1200))
    assert [advice.finding for advice in found.advice] == [
        "1 of 5 people has fewer than k = 3 released records that could be theirs.",
        "1200 people live side by side.",
    ]


def test_what_was_not_measured_is_null_in_the_document_and_nowhere_else(monkeypatch: pytest.MonkeyPatch) -> None:
    before = report(None)
    without = before.document(), printed(before.show_on)
    monkeypatch.setattr(risk, "FACES", Faces((*FACES, NEIGHBOURS)))
    assert (before.document(), printed(before.show_on)) == ({**without[0], "near": None}, without[1])
