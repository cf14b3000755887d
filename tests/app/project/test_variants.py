"""Figures of previews, and how they have changed."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.previews import FACTS, document

from toolbox.app.project.documents import UnreadableError
from toolbox.app.project.variants import METRICS, Variants


def test_the_figures_of_one() -> None:
    variant = Variants().add(document=document(741), **FACTS)
    assert (variant.number, variant.k, variant.classes, variant.smallest, variant.suppressed) == (1, 5, 741, 5, 0)
    assert (variant.kept, variant.highest_risk, variant.loss(METRICS[0]), variant.loss(METRICS[1])) == (
        0.847,
        0.2,
        0.086,
        None,
    )
    nothing = Variants().add(
        document=document(0, smallest_class=None, information=None, risk=None, losses=None), **FACTS
    )
    assert (nothing.smallest, nothing.kept, nothing.highest_risk, nothing.loss(METRICS[0])) == (None, None, None, None)


def test_the_last_one_is_shown_with_its_change() -> None:
    variants = Variants()
    assert variants.figures() == ()
    variants.add(document=document(741), **FACTS)
    variants.add(document=document(1702, smallest_class=2, information={"share": 0.9}), **FACTS)
    shown = {figure.name: (figure.value, figure.change) for figure in variants.figures()}
    assert shown == {
        "Records": ("5,000", ""),
        "Classes": ("1,702", "+961"),
        "Smallest class": ("2", "-3"),
        "Suppressed": ("0", ""),
        "Information kept": ("90.0 %", "+5.3"),
    }


def test_nothing_is_overwritten_and_all_is_there_after_a_restart(tmp_path: Path) -> None:
    variants = Variants(tmp_path / "variants.json")
    for classes in (1, 2, 3):
        variants.add(document=document(classes), **FACTS)
    variants.forget(2)
    again = Variants(tmp_path / "variants.json")
    again.load()
    assert [(variant.number, variant.classes) for variant in again] == [(1, 1), (3, 3)]
    assert again.add(document=document(4), **FACTS).number == 4
    assert again.of(2) is None
    kept = (tmp_path / "variants.json").read_text()
    for wrong in ('{"variants": [{}]}', kept.replace('"classes": 3', '"classes": "3"'), kept.replace("5000", "NaN")):
        (tmp_path / "variants.json").write_text(wrong)
        with pytest.raises(UnreadableError):
            again.load()
        assert len(again) == 0
