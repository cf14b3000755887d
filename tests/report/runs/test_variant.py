"""A variant says what its summary says, and what was measured besides."""

from __future__ import annotations

from dataclasses import replace

from helpers.small_reports import COMPARISON, LOSS

VARIANT = COMPARISON.runs[0].variant


def test_it_is_shown_as_its_summary_and_its_losses() -> None:
    assert repr(VARIANT).startswith("<Variant: Mondrian, ")
    assert str(VARIANT) == f"{VARIANT.summary}\n{LOSS}"
    assert str(replace(VARIANT, losses=None)) == str(VARIANT.summary)


def test_the_document_has_all_but_the_arguments() -> None:
    document = VARIANT.document()
    assert document["losses"] == LOSS.document()
    assert document["risk"]["share_at_risk"] == 0.5
    assert set(document) - set(VARIANT.summary.document()) == {"losses", "risk", "class_sizes", "sampled_from"}
    assert {replace(VARIANT, losses=None, risk=None).document()[name] for name in ("losses", "risk")} == {None}


def test_it_has_a_page_for_people() -> None:
    assert VARIANT.to_html().startswith("<!doctype html>")
