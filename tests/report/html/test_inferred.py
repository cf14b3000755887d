"""What a page says of values that follow from the release alone."""

from __future__ import annotations

from dataclasses import replace

from helpers.findings import INTERNAL
from helpers.learned_values import ILLNESS
from helpers.page_text import rows, words
from helpers.solved_statistics import FOUND, TOWN

from toolbox.report.html.page import _render_attacks
from toolbox.report.judges.inferences import render_class_beliefs, render_statistics
from toolbox.report.judges.risk import FACES
from toolbox.risks.figures import StatisticsRisk
from toolbox.risks.sensitive import Similarity


def test_cells_that_statistics_give_back_are_counted_by_column() -> None:
    shown = render_statistics(FOUND)
    assert "For 10 of 40 cells (25.0%) no other values fit" in words(f"<main>{shown}</main>")
    assert rows(f"<main>{shown}</main>")[1:] == [
        ["age", "4", "2", "1", "10", "50.0%", "multiples of 0.5, ends are values"],
        ["[b]town", "4", "0", "0", "0", "0.0%", "shares of categories"],
    ]
    assert "For some classes (1 of age) it is not known" in words(f"<main>{shown}</main>")
    safe = render_statistics(StatisticsRisk(columns=(TOWN,)))
    assert "not known" not in safe


def test_beliefs_in_sensitive_values_and_near_ones_have_a_table_each() -> None:
    pay = replace(ILLNESS, attribute="<b>pay", similarity=Similarity(levels=(), narrow=((0.05, 3),)))
    shown = rows(f"<main>{render_class_beliefs([ILLNESS, pay])}</main>")
    assert shown[1:3] == [[name, "2", "2", "62.5%", "50.0%", "2.5 times"] for name in ("illness", "<b>pay")]
    assert shown[4:] == [
        ["illness", "one value", "2", "25.0%"],
        ["illness", "below one node of level 1", "4", "50.0%"],
        ["<b>pay", "different, in an interval with 5% of the records", "3", "37.5%"],
    ]
    plain = rows(f"<main>{render_class_beliefs([replace(ILLNESS, similarity=None)])}</main>")
    assert len(plain) == 2


def test_a_release_without_statistics_and_sensitive_columns_has_neither() -> None:
    assert FACES.render(INTERNAL) == []
    assert _render_attacks(INTERNAL) == ""
