"""The page of a variant has its proof and its losses, and says that nothing was released."""

from helpers.page_text import rows, words
from helpers.small_reports import LOSS
from helpers.small_summary import SUMMARY

from toolbox.report.html.page import render_variant_page


def test_the_proof_the_columns_and_the_losses_are_told() -> None:
    page = render_variant_page(SUMMARY, LOSS)
    said = words(page)
    assert "Internal report" in said
    assert "satisfies k-anonymity with k = 5" in said
    assert "which is proved and not released" in said
    assert "The risks were not measured." in said
    assert ["age", "quasi-identifier, generalised", "", "level 2 of 3", ""] in rows(page)
    assert "67,949,026" in said


def test_without_losses_that_is_said() -> None:
    assert "was not compared" in words(render_variant_page(SUMMARY, None))
