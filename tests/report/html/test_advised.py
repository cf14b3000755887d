"""What a page says of findings, and of what would lower them."""

from __future__ import annotations

from dataclasses import replace

from helpers.findings import INTERNAL
from helpers.page_text import rows, words

from toolbox.report.advice import Advice
from toolbox.report.html.page import render_advice

ALONE = Advice(finding="3 records are alone.", severity="high", remedy="Leave <zip> out.", effect="None is left.")
ORDER = Advice(finding="The order is that of the input.", severity="medium", remedy="Shuffle.")


def test_each_finding_is_a_row_with_what_to_do_and_what_comes_of_it() -> None:
    page = render_advice(replace(INTERNAL, advice=(ALONE, ORDER)))
    assert rows(page)[1:] == [
        ["3 records are alone.", "Leave <zip> out.", "None is left.", "high"],
        ["The order is that of the input.", "Shuffle.", "", "medium"],
    ]
    assert "What to do about it" in words(page)


def test_where_nothing_was_found_there_is_no_section() -> None:
    assert render_advice(INTERNAL) == ""
