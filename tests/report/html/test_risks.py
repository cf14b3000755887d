"""Who is still at risk, in words and figures."""

from dataclasses import replace

from helpers.findings import INTERNAL, PUBLIC
from helpers.page_text import rows, words
from helpers.small_reports import RISK

from toolbox.report.html.protection import render_risks
from toolbox.risks.risk import ClassSize


def test_the_risk_before_and_after_is_one_sentence() -> None:
    before = "Before: 3 of 5 records (60.0%) were in classes below k = 2, and 3 were alone. After: 0 of 5."
    assert before in words(render_risks(INTERNAL))
    assert "Before" not in words(render_risks(PUBLIC))


def test_the_attackers_have_figures_and_a_name_that_explains_itself() -> None:
    page = render_risks(INTERNAL)
    assert rows(page)[1][:4] == ["The prosecutor", "50.0%", "50.0%", "4"]
    assert rows(page)[2][:4] == ["The marketer", "", "50.0%", ""]
    assert "is right with a probability of at most 50.0%." in words(page)


def test_the_sizes_of_classes_before_and_after_are_a_picture_and_a_table() -> None:
    page = render_risks(INTERNAL)
    assert ["1", "3", "0"] in rows(page)
    assert ["2", "2", "4"] in rows(page)
    assert "1: 3 of 3 records at risk 2: 0 of 2 records at risk" in words(page)
    assert "The largest group, 4 released records, hides in classes of 2." in words(page)


def test_without_the_original_records_only_those_of_the_release_are_shown() -> None:
    assert ["2", "2", "4"] in rows(render_risks(PUBLIC))
    assert "2: 4 records" in words(render_risks(PUBLIC))


def test_small_counts_are_told_inside_alone() -> None:
    loose = replace(RISK, histogram=(ClassSize(1, 1), ClassSize(2, 2)), consistency=None)
    assert ["1", "1", "1"] in rows(render_risks(replace(INTERNAL, risk=loose, original=None)))
    assert ["1", "1", "1"] not in rows(render_risks(replace(PUBLIC, risk=loose)))


def test_classes_of_several_sizes_are_hatched_as_far_as_they_are_below_k() -> None:
    sizes = replace(RISK, histogram=(ClassSize(6, 2), ClassSize(8, 1), ClassSize(9, 1)), consistency=None)
    page = render_risks(replace(INTERNAL, risk=sizes, original=None, k=8))
    assert "6 to 9: 12 of 29 records at risk" in words(page)
    assert ["6 to 9", "4", "29"] in rows(page)


def test_people_whom_few_records_fit_are_counted() -> None:
    said = words(render_risks(INTERNAL))
    assert "1 of 5 people have fewer than 3 released records that could be theirs" in said
    assert RISK.consistency is not None
    fine = replace(RISK, consistency=replace(RISK.consistency, below_k=0, lowest=3, unmatched=2))
    said = words(render_risks(replace(INTERNAL, risk=fine)))
    assert "Every person fits at least 3 released records" in said
    assert "2 people fit no released record" in said


def test_where_all_is_suppressed_nobody_learns_anything() -> None:
    nothing = replace(RISK, prosecutor=None, marketer=None, histogram=(), consistency=None)
    said = words(render_risks(replace(INTERNAL, risk=nothing)))
    assert "no attacker learns anything" in said
    assert "There is no class." in said
    assert "were not measured" in words(render_risks(replace(INTERNAL, risk=None)))


def test_whose_sensitive_value_is_certain_is_said_and_a_small_count_inside_alone() -> None:
    told = "Of 2 people the illness is certain: everybody in their class has the same value of it."
    for findings in (INTERNAL, PUBLIC):
        assert f"{told} In no class does everybody have the same value of income." in words(render_risks(findings))
    assert "Of fewer than 3 people the illness is certain" in words(render_risks(replace(PUBLIC, k=3)))
    assert "certain" not in words(render_risks(replace(INTERNAL, certain=())))
