"""The page of a study: charts for each data set, the figures as tables, nothing that somebody wrote as markup."""

from __future__ import annotations

import re
from dataclasses import replace
from xml.etree import ElementTree

from helpers.small_study import small_study

from toolbox.experiments.page import page_of

_KEY = re.compile(r' id="([^"]+)"')


def test_the_page_is_well_formed_and_has_a_chart_of_each_kind() -> None:
    page = page_of(small_study())
    body = page[page.index("<main>") : page.index("</main>") + len("</main>")]
    root = ElementTree.fromstring(body)
    titles = [title.text or "" for title in root.iter("title")]
    for expected in (
        "normalised certainty penalty against k; lower is better",
        "Risk against information kept; higher is better. The grey line joins the runs that no other one beats",
        "AUROC of logistic regression against k, with the original records at k = 1",
    ):
        assert expected in titles, expected
    assert "people <&>" not in page
    assert "people &lt;&amp;&gt;" in page
    keys = _KEY.findall(page)
    assert len(keys) == len(set(keys))
    assert "<script" not in page


def test_the_page_is_the_same_for_the_same_results_and_shows_what_failed() -> None:
    report = small_study()
    assert page_of(report) == page_of(report)
    assert "What could not be done" in page_of(report)
    assert "What could not be done" not in page_of(
        replace(report, rows=tuple(r for r in report.rows if not r["reason"]))
    )


def test_a_study_without_values_has_a_page() -> None:
    assert "</html>" in page_of(replace(small_study(), rows=()))
