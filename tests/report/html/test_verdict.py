"""The verdict is one sentence that is true."""

from dataclasses import replace

from helpers.findings import INTERNAL, PUBLIC
from helpers.page_text import words
from helpers.small_reports import K_2, L_3

from toolbox.messages import speak
from toolbox.privacy.proof.proof import ProvedPersons
from toolbox.privacy.results import EstimatedResult
from toolbox.report.advice import Advice, advise_on_certain
from toolbox.report.html.findings import Counts, UntoldModel
from toolbox.report.html.making import render_verdict
from toolbox.risks.risk import CertainValues


def test_what_was_proved_is_said_in_words() -> None:
    said = words(render_verdict(INTERNAL))
    assert "Proved This release satisfies k-anonymity with k = 2: each record that is not suppressed" in said
    assert "looks the same as at least 1 others in every quasi-identifier." in said


def test_where_nobody_is_suppressed_each_record_is_spoken_of() -> None:
    all_in = replace(INTERNAL, counts=INTERNAL.counts._replace(suppressed=0))
    assert "k = 2: each record looks the same" in words(render_verdict(all_in))


def test_a_release_that_fails_should_not_be_published() -> None:
    said = words(render_verdict(replace(INTERNAL, models=(K_2, L_3))))
    assert "Does not hold This release does not satisfy distinct l-diversity of illness with l = 3." in said
    assert "should not be published" in said


def test_where_nothing_is_required_nothing_is_proved() -> None:
    said = words(render_verdict(replace(INTERNAL, models=())))
    assert "Measured Nothing was required of this release. Its smallest class has 2 records" in said
    assert "Proved" not in said


def test_what_was_required_and_is_not_judged_is_named() -> None:
    untold = (UntoldModel("k-map", None, {"k": 3}, 3),)
    told = "Also required, but not shown here: k-map with k = 3, which compares with a population."
    assert told in words(render_verdict(replace(INTERNAL, untold=untold)))
    alone = words(render_verdict(replace(INTERNAL, models=(), untold=untold)))
    assert told in alone
    assert "Measured Its smallest class has 2 records" in alone


def test_where_all_is_suppressed_other_columns_may_still_tell_of_everybody() -> None:
    said = words(render_verdict(replace(INTERNAL, counts=Counts(5, 5, 0, None, None))))
    assert "every record of it is suppressed: no quasi-identifier tells one record from another." in said
    assert "a value that all records have is known of everybody." in said


def test_what_holds_by_an_estimate_is_not_called_proved() -> None:
    estimate = EstimatedResult(name="k-map", attribute=None, parameters={"k": 3}, required=3, achieved=4, holds=True)
    alone = words(render_verdict(replace(PUBLIC, models=(estimate,))))
    assert "Estimated This release satisfies k-map with k = 3." in alone
    assert "The people of the population are estimated for k-map: that is no proof." in alone
    both = words(render_verdict(replace(PUBLIC, models=(replace(L_3, holds=True), estimate))))
    assert "Proved This release satisfies distinct l-diversity of illness with l = 3 and k-map with k = 3." in both
    assert "estimated for k-map: that is no proof." in both


def test_another_model_than_k_anonymity_promises_no_crowd() -> None:
    said = words(render_verdict(replace(INTERNAL, models=(replace(L_3, holds=True),))))
    assert "satisfies distinct l-diversity of illness with l = 3." in said
    assert "looks the same as" not in said


def test_whoever_is_left_out_is_counted_in_the_first_paragraph() -> None:
    assert INTERNAL.summary is not None
    lost = replace(INTERNAL.summary, records_read=2400, records_skipped=1888, lines_rejected=1)
    said = str(render_verdict(replace(INTERNAL, summary=lost)))
    first = said.partition('class="verdict-words">')[2].partition("</p>")[0]
    assert first.endswith(
        "But 1,888 of the 2,400 records are left out, as they lack a value, and 1 line could not be read."
    )
    whole = replace(INTERNAL.summary, records_skipped=0, lines_rejected=0)
    assert " But " not in words(render_verdict(replace(INTERNAL, summary=whole)))
    assert " But " not in words(render_verdict(PUBLIC)), "a public page has nothing that the release does not tell"


def test_the_first_figures_are_there_and_the_public_page_lacks_those_of_the_original() -> None:
    inside, outside = words(render_verdict(INTERNAL)), words(render_verdict(PUBLIC))
    assert "At risk before, below k = 2 60.0% of the original records" in inside
    assert "Classes 2 groups of records that look the same, 2 on average" in outside
    assert "At risk before" not in outside
    assert "Suppressed fewer than 2 records" in outside


def test_why_no_judge_could_read_it_is_said() -> None:
    assert "could not be measured again: it is anatomy" in words(
        render_verdict(replace(INTERNAL, unjudged="it is anatomy"))
    )


def test_values_that_classes_give_away_stand_beside_what_is_proved() -> None:
    assert "Of 2 people the illness is certain" in words(render_verdict(PUBLIC))
    assert "income" not in words(render_verdict(INTERNAL))


def test_what_is_severe_stands_beside_the_verdict_and_nothing_twice() -> None:
    certain = CertainValues("illness", 2)
    severe = Advice(finding="Of 7 people fewer than 2 rows remain.", severity="high", remedy="Leave zip out.")
    advice = (*advise_on_certain([certain]), severe, replace(severe, finding="In order.", severity="medium"))
    said = words(render_verdict(replace(INTERNAL, certain=(certain,), advice=advice)))
    assert said.count("illness") == said.count("Of 7 people fewer than 2 rows remain.") == 1
    assert "In order." not in said


def test_in_another_language_nothing_is_said_twice_though_it_was_found_in_english() -> None:
    certain = CertainValues("illness", 2)
    found = tuple(replace(one, finding=str.__str__(one.finding)) for one in advise_on_certain([certain]))
    with speak("de"):
        said = words(render_verdict(replace(INTERNAL, certain=(certain,), advice=found)))
    assert said.count("illness") == 1


def test_where_people_are_counted_the_verdict_speaks_of_people() -> None:
    assert INTERNAL.summary is not None
    persons = ProvedPersons(
        column="patient", count=4, suppressed=0, suppressed_wholly=0, suppressed_by="row", lacking=0
    )
    proof = replace(INTERNAL.summary.proof, persons=persons, smallest_class=3)
    said = words(render_verdict(replace(INTERNAL, summary=replace(INTERNAL.summary, proof=proof))))
    assert "each record looks the same as those of at least 1 other people in every quasi-identifier" in said
    assert "Smallest class 3 people; at least 2 were required" in said
