"""Figures of previews, and how they have changed."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.previews import FACTS, document

from toolbox.app.project.documents import UnreadableError
from toolbox.app.project.variants import METRICS, PreviewVariant, Variants


def test_the_figures_of_one() -> None:
    variant = Variants().add(document=document(741), **FACTS)
    assert (variant.number, variant.k, variant.classes, variant.smallest, variant.suppressed) == (1, 5, 741, 5, 0)
    assert (variant.detail, variant.highest_risk, variant.loss("another")) == (1 - 0.086, 0.2, None)
    nothing = Variants().add(document=document(0, smallest_class=None, risk=None, losses=None), **FACTS)
    assert (nothing.smallest, nothing.detail, nothing.highest_risk, nothing.columns) == (None, None, None, [])


def test_a_preview_is_nearly_empty_where_most_columns_say_nothing_or_little_is_left() -> None:
    def preview(detail: float, *silent: int) -> PreviewVariant:
        cells = {"values_before": 9, "values_after": 2, "records": 1000, "unchanged": 0, "example": ["Graz", "Styria"]}
        columns = [
            {**cells, "name": f"c{place}", "silent": count, "says_nothing": count >= 990}
            for place, count in enumerate(silent)
        ]
        losses = {"metrics": [{"name": METRICS[0], "attribute": None, "value": 1 - detail}]}
        return Variants().add(document=document(5, columns=columns, losses=losses), **FACTS)

    some, half, most, little = (
        preview(0.5, 12, 400),
        preview(0.5, 12, 1000),
        preview(0.5, 995, 1000, 0),
        preview(0.3, 12),
    )
    assert [one.is_nearly_empty for one in (some, half, most, little)] == [False, False, True, True]
    assert (most.empty_columns, most.says_nothing_anywhere) == (["c0", "c1"], False)
    assert (half.empty_columns, half.says_nothing_anywhere) == (["c1"], True)
    assert some.columns[1].words == "c1: 600 of 1,000 cells show a wider value, 400 nothing"
    assert half.columns[1].words == "c1: all 1,000 cells show nothing"
    assert some.columns[1].counts == (0, 600, 400) and some.columns[1].shares == [0, 0.6, 0.4]


def test_one_is_shown_with_its_change_since_the_one_before_it() -> None:
    variants = Variants()
    assert variants.figures(None) == ()
    variants.add(document=document(741), **FACTS)
    better = {"metrics": [{"name": METRICS[0], "attribute": None, "value": 0.033}]}
    second = variants.add(document=document(1702, smallest_class=2, losses=better), **FACTS)
    variants.add(document=document(3), **FACTS)
    shown = {figure.name: (figure.value, figure.change) for figure in variants.figures(second)}
    assert shown == {
        "Records": ("5,000", ""),
        "Classes": ("1,702", "+961"),
        "Smallest class": ("2", "-3"),
        "Suppressed": ("0", ""),
        "Detail left": ("96.7 %", "+5.3"),
    }


def test_the_last_one_that_a_project_has_made_is_found_whatever_was_tried_after_it() -> None:
    variants, others = Variants(), {name: value for name, value in FACTS.items() if name != "fingerprint"}
    for fingerprint in ("a", "b", "a", "c"):
        variants.add(document=document(1), fingerprint=fingerprint, **others)
    found = variants.find_made_by("a")
    assert found is not None and found.number == 3
    assert variants.find_made_by("d") is None


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
    odd = kept.replace('"minimal_nodes"', '"columns": [{"name": 1}], "minimal_nodes"')
    for wrong in (
        odd,
        '{"variants": [{}]}',
        kept.replace('"classes": 3', '"classes": "3"'),
        kept.replace("5000", "NaN"),
    ):
        (tmp_path / "variants.json").write_text(wrong)
        with pytest.raises(UnreadableError):
            again.load()
        assert len(again) == 0


def test_a_sample_is_compared_with_samples_only(tmp_path: Path) -> None:
    variants = Variants(tmp_path / "variants.json")
    for classes, everybody in ((5, 90_000), (7, 90_000), (900, None)):
        variants.add(document=document(classes, sampled_from=everybody), **FACTS)
    again = Variants(tmp_path / "variants.json")
    again.load()
    assert [variant.sampled_from for variant in again] == [90_000, 90_000, None]
    changes = [{one.name: one.change for one in again.figures(variant)}["Classes"] for variant in again]
    assert changes == ["", "+2", ""]
