"""Who is still at risk, in words and figures."""

from dataclasses import replace

from helpers.findings import INTERNAL, PUBLIC
from helpers.page_text import rows, words
from helpers.small_reports import RISK

from toolbox.report.html.risks import risks
from toolbox.risks.attackers import ClassSize


def test_the_risk_before_and_after_is_one_sentence() -> None:
    before = "Before: 3 of 5 records (60.0%) were in classes below k = 2, and 3 were alone. After: 0 of 5."
    assert before in words(risks(INTERNAL))
    assert "Before" not in words(risks(PUBLIC))


def test_the_attackers_have_figures_and_a_name_that_explains_itself() -> None:
    page = risks(INTERNAL)
    assert rows(page)[1][:4] == ["The prosecutor", "50.0%", "50.0%", "4"]
    assert rows(page)[2][:4] == ["The marketer", "", "50.0%", ""]
    assert "is right with a probability of at most 50.0%." in words(page)


def test_the_sizes_of_classes_are_a_picture_and_a_table() -> None:
    assert ["2", "2", "4"] in rows(risks(INTERNAL))
    assert "Most of them, 4, hide in classes of 2." in words(risks(INTERNAL))


def test_classes_below_k_are_hatched_inside_and_small_counts_not_told_outside() -> None:
    loose = replace(RISK, histogram=(ClassSize(1, 1), ClassSize(2, 2)), consistency=None)
    inside, outside = risks(replace(INTERNAL, risk=loose)), risks(replace(PUBLIC, risk=loose))
    assert "1 of 1 records at risk" in words(inside)
    assert ["1", "1", "1"] in rows(inside)
    assert ["1", "1", "1"] not in rows(outside)


def test_people_whom_few_records_fit_are_counted() -> None:
    said = words(risks(INTERNAL))
    assert "1 of 5 people have fewer than 3 released records that could be theirs" in said
    assert RISK.consistency is not None
    fine = replace(RISK, consistency=replace(RISK.consistency, below_k=0, lowest=3, unmatched=2))
    said = words(risks(replace(INTERNAL, risk=fine)))
    assert "Every person fits at least 3 released records" in said
    assert "2 people fit no released record" in said


def test_where_all_is_suppressed_nobody_learns_anything() -> None:
    nothing = replace(RISK, prosecutor=None, marketer=None, histogram=(), consistency=None)
    said = words(risks(replace(INTERNAL, risk=nothing)))
    assert "no attacker learns anything" in said
    assert "There is no class." in said
    assert "were not measured" in words(risks(replace(INTERNAL, risk=None)))
