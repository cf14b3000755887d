"""What guidance asks is answered by figures of the page, or by the command that counts them."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import cast

import pytest
from helpers.command_options import parsed
from helpers.findings import INTERNAL, PUBLIC
from helpers.joint_risks import JOINT
from helpers.learned_values import ILLNESS
from helpers.matchings import MATCHING
from helpers.page_text import rows, tree, words
from helpers.small_reports import L_3, RISK
from helpers.solved_statistics import FOUND

from toolbox.privacy.proof.proof import ProvedPersons
from toolbox.published.uniqueness import estimate_population_uniqueness
from toolbox.report.html.findings import PageFindings
from toolbox.report.html.guidance import document_guidance, list_guidance, render_guidance
from toolbox.report.html.page import render_page
from toolbox.risks.individual import IndividualRisk, SampleRisk
from toolbox.risks.risk import AttackerRisk, ClassSize

_SMALL = IndividualRisk(highest=0.02, average=0.01, expected=0.04, records_at_risk=0, share_at_risk=0.0)
SAMPLE = SampleRisk(
    basis="weights",
    weight="w",
    population=400.0,
    fraction=0.01,
    threshold=0.2,
    k=5,
    smallest=150.0,
    below_k=0,
    light=0,
    marketer=0.01,
    approximate=_SMALL,
    exact=_SMALL,
    household=None,
    uniqueness=estimate_population_uniqueness([(2, 2)], 0.01),
)
RICH = replace(
    INTERNAL,
    models=(*INTERNAL.models, L_3),
    matching=MATCHING,
    joint=JOINT,
    sensitive=(ILLNESS,),
    statistics=FOUND,
    sample=SAMPLE,
    risk=replace(
        RISK,
        journalist=AttackerRisk(highest=0.25, average=0.125, lowest=0.1, records_at_risk=2, share_at_risk=0.5),
    ),
)
"""Everything was counted."""


def said(findings: PageFindings, question: str) -> list[str]:
    """Return the sentences of one question; behind each the section that has its figure, or what counts it."""
    answers = [answer for guidance in list_guidance(findings) for answer in guidance.answers]
    (found,) = (answer.sentences for answer in answers if answer.key == question)
    return [f"{each.says} [{each.section or each.command or ''}]" for each in found]


def test_the_three_questions_of_wp216_repeat_what_was_counted() -> None:
    assert said(INTERNAL, "singled-out") == [
        "0 records are alone in a class; the smallest of 2 classes has 2 records. [risks]",
        "Before, 3 records were alone. [risks]",
        "Of 5 people, 1 fit exactly one released record, and 1 fit fewer than 3. [risks]",
        "1 column is declared by nobody and released unchanged; no figure here counts what somebody knows of it: "
        "visits. [columns]",
    ]
    assert said(INTERNAL, "inferred") == [
        "The illness of 2 people is certain by their class. [risks]",
        "The income of 0 people is certain by their class. [risks]",
        "Not counted: how much better such guesses are for people of the release than for others. "
        "[toolbox risk --control FILE]",
    ]
    assert said(RICH, "linked") == [
        "Not counted: which records are one person's; each record counts as a person. [toolbox check --person NAME]",
        "If everybody is matched at once, one record remains for 1 of 3 people, and fewer than 2 for 1. [learned]",
        *said(RICH, "data-sources"),
    ]
    assert said(RICH, "inferred")[2:5] == [
        "By the class, a value of illness is believed with at most 100.0%; who guesses is right in 62.5%, and in "
        "50.0% without the release. [learned]",
        "Statistics of classes give 10 of 40 cells back. [learned]",
        "distinct l-diversity of illness: 3 required, 2 achieved. [models]",
    ]


def test_persons_of_the_proof_are_told() -> None:
    summary = INTERNAL.summary
    assert summary is not None
    persons = ProvedPersons(
        column="patient", count=4, suppressed=0, suppressed_wholly=0, suppressed_by="row", lacking=0
    )
    counted = replace(summary, proof=replace(summary.proof, persons=persons, smallest_class=2))
    told = "The proof has counted 4 people (patient); at least 2 people are alike by each record. [limits]"
    assert said(replace(INTERNAL, summary=counted), "linked")[0] == told


def test_a_population_is_counted_or_estimated() -> None:
    assert said(RICH, "data-sources")[-2:] == [
        "Within the population that was named, the highest risk is 25.0%, the average 12.5%. [risks]",
        "Estimated, not counted: each class stands for at least 150 people of the population, and the average risk is "
        "1.0%. [learned]",
    ]
    assert said(INTERNAL, "data-sources") == [
        "Not counted: what this release and an earlier one tell together. [toolbox report --earlier FILE]",
        "Not counted: how many people of a population fit each record. [toolbox report --population FILE]",
    ]


def test_the_risk_stands_beside_the_threshold_of_the_expert() -> None:
    assert said(INTERNAL, "very-small") == [
        "Of somebody who knows that a person is in the release, the highest risk is 50.0%, the average 50.0%; 4 "
        "records are above the threshold 0.2. [risks]",
        "The rule has no figure for a very small risk. The expert chooses the threshold. []",
    ]
    assert said(INTERNAL, "documented") == [
        "A checksum (SHA-256) tells 1 file of the release from all others. [data]",
        "Written down: the version of the program, the command, the configuration. [repeating]",
    ]


def test_the_threshold_of_ema_is_counted_by_the_sizes_of_classes() -> None:
    sizes = (ClassSize(10, 1), ClassSize(11, 2), ClassSize(12, 3))
    attacker = AttackerRisk(highest=0.1, average=0.0882, lowest=1 / 12, records_at_risk=0, share_at_risk=0.0)
    found = replace(INTERNAL, risk=replace(RISK, prosecutor=attacker, histogram=sizes))
    assert said(found, "threshold")[0] == (
        "The highest risk is 0.1. In classes of fewer than 11, where it is 0.1 or more: 10 records; in classes of 11, "
        "where it is 1/11 = 0.0909: 22 records. From 12 on it is below 0.09. [risks]"
    )
    assert said(INTERNAL, "direct-identifiers")[0] == (
        "1 column is declared as an identifier and not released: name. [columns]"
    )
    assert said(INTERNAL, "utility") == [
        "2 metrics of loss were counted; none says whether an analysis gives the same result. [losses]"
    ]


@pytest.mark.parametrize("findings", [INTERNAL, PUBLIC, RICH], ids=["internal", "public", "rich"])
def test_each_sentence_leads_to_the_section_that_has_its_figure(findings: PageFindings) -> None:
    page = tree(render_page(findings))
    headings = {f"#{each.get('id')}": each.text for each in page.iter("h2")}
    links = [(link.get("href"), link.text) for link in page.iter("a")]
    sections = [s.section for g in list_guidance(findings) for a in g.answers for s in a.sentences if s.section]
    assert [href for href, _ in links] == [f"#{section}-heading" for section in sections]
    assert links and all(headings[cast("str", href)] == text for href, text in links)


def test_the_figures_of_a_sample_stand_on_the_page() -> None:
    page = words(render_page(RICH))
    assert "a sample of 1.0000% of about 400 people, by the weights w: estimated, not proved." in page
    assert "Each class stands for at least 150 people." in page
    assert ["individual (exact)", "0.02", "0.01", "0.04", "0", "0.00%"] in rows(render_page(RICH))


def test_each_command_that_counts_more_is_one() -> None:
    bare = replace(INTERNAL, columns=(), certain=(), original=None, losses=None, risk=replace(RISK, consistency=None))
    both = (*list_guidance(bare), *list_guidance(INTERNAL))
    commands = {s.command for guidance in both for answer in guidance.answers for s in answer.sentences if s.command}
    assert len(commands) == 7
    for command in commands:
        _, name, *options = command.split()
        # The parser stops with an error of its own at an option that the command does not have.
        parsed(name, *options)


def test_nothing_is_called_compliant_or_anonymous() -> None:
    for findings in (INTERNAL, PUBLIC, RICH):
        assert not re.search(
            r"complian|complies|anonymous|anonymised|\bsafe\b", render_guidance(findings), re.IGNORECASE
        )


def test_a_public_page_hides_small_counts_and_names_no_identifier() -> None:
    alone = replace(RISK, consistency=None, uniqueness=replace(RISK.uniqueness, records=1))
    found = replace(PUBLIC, risk=alone)
    assert said(found, "uniqueness") == [
        "fewer than 2 records are alone in a class; the smallest of 2 classes has 2 records. [risks]"
    ]
    assert said(found, "direct-identifiers")[0] == "A public report does not tell which columns were left out. []"
    assert "name" not in {word for each in said(found, "direct-identifiers") for word in each.split()}


def test_a_release_of_which_nothing_is_shown_has_no_figures() -> None:
    hidden = replace(INTERNAL, counts=INTERNAL.counts._replace(classes=0, smallest=None))
    assert said(hidden, "uniqueness") == [
        "All records are suppressed: no quasi-identifier tells one from another. [verdict]"
    ]


def test_a_release_that_no_judge_can_read_is_told_as_the_run_has_proved_it() -> None:
    proved = replace(INTERNAL, risk=None, original=None, unjudged="its values are not generalised ones")
    for question in ("uniqueness", "very-small", "threshold"):
        assert said(proved, question) == ["By the proof of the run, the smallest of 2 classes has 2 records. [verdict]"]


def test_the_document_has_the_same_sentences_under_stable_names() -> None:
    documents = document_guidance(INTERNAL)
    assert [each["guidance"] for each in documents] == ["gdpr", "hipaa-expert-determination", "ema-0070"]
    assert documents[2]["answers"][2] == {
        "question": "uniqueness",
        "sentences": [
            {
                "says": "0 records are alone in a class; the smallest of 2 classes has 2 records.",
                "section": "risks",
                "command": None,
            },
            {"says": "Before, 3 records were alone.", "section": "risks", "command": None},
        ],
    }
