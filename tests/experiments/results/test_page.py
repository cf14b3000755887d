"""The page of a study: charts for each data set, the figures as tables, nothing that somebody wrote as markup."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from xml.etree import ElementTree

import pytest
from helpers.small_study import small_study

from toolbox.experiments.results.page import rank_words, render_page

_KEY = re.compile(r' id="([^"]+)"')


@cache
def page() -> str:
    return render_page(small_study())


def main_of(text: str) -> ElementTree.Element:
    return ElementTree.fromstring(text[text.index("<main>") : text.index("</main>") + len("</main>")])


@pytest.mark.slow
def test_the_page_is_well_formed_and_has_a_chart_of_each_kind() -> None:
    root = main_of(page())
    titles = [title.text or "" for title in root.iter("title")]
    for expected in (
        "normalised certainty penalty against k; lower is better",
        "Risk against information kept; higher is better. The grey line joins the runs that no other one beats",
        "AUROC of logistic regression against k, with the original records at k = 1",
    ):
        assert expected in titles, expected
    assert "people <&>" not in page()
    assert "people &lt;&amp;&gt;" in page()
    keys = _KEY.findall(page())
    assert len(keys) == len(set(keys))
    assert "<script" not in page()


def test_what_failed_is_shown_where_anything_did() -> None:
    report = small_study()
    assert "What could not be done" in page()
    sound = tuple(row for row in report.rows if not row["reason"])
    assert "What could not be done" not in render_page(replace(report, rows=sound))


def test_what_a_score_drops_by_is_drawn_against_each_loss_with_their_correlation() -> None:
    known = small_study().correlations.set_index(["metric", "score"])["spearman"]
    root = main_of(page())
    charts = {chart.findtext("title") or "": chart for chart in root.iter("svg")}
    name = "normalised certainty penalty"
    for score in ("balanced accuracy", "AUROC"):
        rank = f"{known[name, score]:+.2f}"
        chart = charts[f"What {score} drops by against {name} (lower is better): rank correlation {rank}"]
        texts = [text.text for text in chart.iter("text")]
        assert f"logistic regression ({rank})" in texts
        assert {f"drop of {score}", f"{name} →"} <= set(texts)
        spots = [group.findtext("title") or "" for group in chart.iter("g")]
        starts = [f"logistic regression ({rank}), Mondrian k={k}: {name} " for k in (2, 5, 10)]
        assert [spot[: len(start)] for spot, start in zip(spots, starts, strict=True)] == starts
        assert not list(chart.iter("polyline")), "runs have no order in which they could be joined"


@pytest.mark.slow
def test_metrics_that_are_called_the_same_have_charts_of_their_own() -> None:
    names = ("normalised certainty penalty", "information kept")
    rows = tuple({**row, "metric": "mine"} if row["metric"] in names else row for row in small_study().rows)
    text = render_page(replace(small_study(), rows=rows))  # type: ignore[arg-type]
    for direction in ("lower", "higher"):
        assert f"What AUROC drops by against mine ({direction} is better): rank correlation" in text


def test_ranks_of_several_learners_are_told_from_the_lowest_to_the_highest() -> None:
    assert rank_words([]) == "no rank correlation"
    assert rank_words([0.5]) == "rank correlation +0.50"
    assert rank_words([0.99, -0.2, 0.5]) == "rank correlations from -0.20 to +0.99"


@pytest.mark.slow
def test_repetitions_are_told_from_each_other() -> None:
    # Of what is here, some is said to be a second run.
    rows = small_study().rows
    again = tuple({**row, "repetition": 2} for row in rows if row["method"] == "Mondrian")
    text = render_page(replace(small_study(), rows=(*rows, *again)))  # type: ignore[arg-type]
    names = [cell.text for cell in main_of(text).iter("th") if cell.get("scope") == "row"]
    for name in ("Mondrian k=5, run 1", "Mondrian k=5, run 2", "Mondrian run 1", "Mondrian run 2", "(original)"):
        assert name in names, name
    assert "people, Datafly, k=2, run 1" in names
    for listed in main_of(text).iter("table"):
        shown = ["".join(row.itertext()) for row in listed.iter("tr")]
        assert len(shown) == len(set(shown)), shown
    assert "run 1" not in page()


@pytest.mark.slow
def test_what_is_not_measured_is_noted_as_on_the_console() -> None:
    row = small_study().rows[-1]
    silent = {**row, "metric": "AUROC", "status": "not measured", "value": None, "reason": "one <label> alone"}
    text = render_page(replace(small_study(), rows=(*small_study().rows, silent)))  # type: ignore[arg-type]
    assert "<p>AUROC is not measured everywhere: one &lt;label&gt; alone</p>" in text


def test_a_study_without_values_has_a_page() -> None:
    assert "</html>" in render_page(replace(small_study(), rows=()))
