"""Charts of previews say what their figures say."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("starlette", reason="the extra app is not installed")

from helpers.previews import FACTS, document

from toolbox.app.project.variants import PreviewVariant, Variants
from toolbox.app.screens.judge import _draw_class_sizes
from toolbox.app.screens.protect import _draw_risk_and_loss


def kept(**others: Any) -> PreviewVariant:
    return Variants().add(document=document(741, **others), **FACTS)


def test_each_preview_stands_between_its_loss_and_its_risk_beside_the_table_as_it_was() -> None:
    drawn = _draw_risk_and_loss([kept()], "f")
    assert "1: Mondrian, k = 5: 8.6% detail lost, 20.0% highest risk" in drawn
    assert "as read: 0.0% detail lost, 50.0% highest risk" in drawn, "its smallest class has two records"
    assert drawn.count('class="c-safe"') == 1, "what the project says now stands out"
    assert '<th scope="row">as read</th><td class="c-number">0.0%</td><td class="c-number">50.0%</td>' in drawn


def test_a_preview_without_a_loss_or_a_risk_is_no_point() -> None:
    assert "Mondrian" not in _draw_risk_and_loss([kept(risk=None)], "")
    assert _draw_risk_and_loss([], "") == ""


def test_classes_of_each_size_are_drawn_before_and_after() -> None:
    drawn = _draw_class_sizes(kept())
    assert drawn.count("<svg") == 2
    assert "2: 6 of 6 records at risk" in drawn and "6 to 9: 0 of 14 records at risk" in drawn
    assert '<th scope="row">2</th><td class="c-number">6</td><td class="c-number">0</td>' in drawn


def test_what_somebody_wrote_into_the_file_of_the_previews_is_drawn_as_far_as_it_can_be() -> None:
    sizes = {"before": [{"size": -3, "classes": 1}, {"size": 0, "classes": 0}], "after": []}
    odd = kept(
        class_sizes=sizes, losses={"metrics": [{"name": "normalised certainty penalty", "attribute": None, "value": 9}]}
    )
    assert _draw_class_sizes(odd) == "" and _draw_risk_and_loss([odd], "") == ""
    assert "100.0% detail lost" in _draw_risk_and_loss([odd, kept()], "")
