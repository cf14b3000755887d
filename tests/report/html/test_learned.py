"""What a page says of attackers who match everybody, and who hold an earlier release."""

from __future__ import annotations

from dataclasses import replace

from helpers.findings import INTERNAL
from helpers.joint_risks import JOINT
from helpers.learned_values import ILLNESS
from helpers.matchings import MATCHING, written
from helpers.page_text import rows, words
from helpers.solved_statistics import FOUND

from toolbox.report.html.page import _render_attacks
from toolbox.risks.figures import Attack, MatchingRisk, ValueBeliefs
from toolbox.risks.joint import JointConsistency, JointRisk
from toolbox.risks.matching.matching import measure_matching_risk

FLU = ValueBeliefs(
    attribute="illness", believed_above=((0.5, 3), (0.9, 2)), certain=1, expected_hits=2.25, share_without_release=0.5
)


def page(matching: MatchingRisk | None = None, joint: JointRisk | None = None) -> str:
    return _render_attacks(replace(INTERNAL, matching=matching, joint=joint))


def test_people_are_counted_by_the_rows_that_remain_and_by_the_belief_in_one() -> None:
    shown = page(MATCHING)
    said = words(shown)
    assert "An attacker who knows all quasi-identifiers of everybody, and matches all at once." in said
    assert "For 1 person fewer than 2 rows remain, for 1 of them one." in said
    assert "finds 66.7% of the people, as expected, and in fact 66.7%." in said
    assert "1: 1 of 1 people at risk 2: 0 of 2 people at risk" in said
    assert rows(shown)[1:] == [
        *(["1", "0", "1"], ["2", "2", "0"]),
        *(["belief", "people, at most 1/k = 0.5", "people above"], ["0.4 to 0.5", "2", "0"], ["0.9 to 1.0", "0", "1"]),
    ]


def test_where_enough_rows_remain_the_fewest_are_told() -> None:
    safe = measure_matching_risk(written([2, 2], [2, 2], "xx xx"), 4, Attack(insiders=0.0))
    assert "For everybody at least 4 rows remain." in words(page(safe))


def test_sensitive_values_have_a_table() -> None:
    assert MATCHING.beliefs is not None
    shown = page(replace(MATCHING, beliefs=replace(MATCHING.beliefs, values=(FLU,))))
    assert rows(shown)[-1] == ["illness", "3", "2", "1", "75.0%", "50.0%"]


def test_people_who_get_no_row_and_people_who_told_theirs_have_no_picture() -> None:
    void = words(page(measure_matching_risk(written([2, 1], [2, 1], "x. x."), 2, Attack())))
    assert "the release does not hold exactly these people" in void
    nobody = page(replace(MATCHING, people=0))
    assert "nobody is left to find" in words(nobody)
    assert "<svg" not in nobody


def test_both_releases_are_counted_by_people_or_else_by_rows() -> None:
    shown = page(joint=JOINT)
    said = words(shown)
    assert "Its rows are linked by their order." in said
    assert "For 1 person fewer than 5 pairs of linked rows fit in both releases." in said
    assert ["3", "0", "1"] in rows(shown)
    assert rows(shown)[-1] == ["illness", "9", "1", "0", "1", "4 (44.4%)"]
    by_rows = page(joint=replace(JOINT, link="person", consistency=None, values=()))
    assert "linked by person. Rows by those that agree" in words(by_rows)
    assert "2 of 9 rows agree with fewer than 5 in both releases." in words(by_rows)
    assert "<svg" not in page(joint=replace(JOINT, link="none", classes=None, consistency=None))


def test_people_who_are_not_in_both_releases_are_not_drawn_among_those_at_risk() -> None:
    lost = JointConsistency(people=11, below_k=1, alone=0, unmatched=2, lowest=3, counts=((0, 2), (3, 1), (8, 8)))
    shown = page(joint=replace(JOINT, link="person", consistency=lost))
    assert "For 1 person fewer than 5 pairs of linked rows fit in both releases." in words(shown)
    assert "2 people are not in both releases." in words(shown)
    assert rows(shown)[1:3] == [["3", "0", "1"], ["6 to 9", "8", "0"]]
    nobody = replace(lost, people=2, below_k=0, lowest=0, counts=((0, 2),))
    assert "<svg" not in page(joint=replace(JOINT, link="person", consistency=nobody))


def test_what_the_release_alone_tells_stands_first() -> None:
    shown = words(_render_attacks(replace(INTERNAL, statistics=FOUND, sensitive=(ILLNESS,), joint=JOINT)))
    heads = ["By the statistics of the classes", "By the class of a person", "Together with an earlier release"]
    places = [shown.index(head) for head in heads]
    assert places == sorted(places)


def test_a_page_of_a_release_for_which_nobody_asked_has_no_such_section() -> None:
    assert page() == ""


def test_a_link_that_is_none_has_no_figures() -> None:
    shown = page(joint=replace(JOINT, values=(replace(JOINT.values[0], none=2),)))
    assert "The figures with this link mean nothing." in words(shown)
    assert "<svg" not in shown and "<table" not in shown
