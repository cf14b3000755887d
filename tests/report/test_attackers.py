"""What is advised on attackers who match everybody, and on an earlier release, written out."""

from __future__ import annotations

from dataclasses import replace

from helpers.joint_risks import JOINT
from helpers.matchings import MATCHING, written

from toolbox.messages import show, speak
from toolbox.report.judges.attackers import JOINT as JOINT_FACE
from toolbox.report.judges.attackers import MATCHING as MATCHING_FACE
from toolbox.report.judges.attackers import advise_on_earlier, advise_on_matching
from toolbox.risks.figures import Attack, MatchingRisk, ValueBeliefs
from toolbox.risks.joint import JointConsistency, JointRisk
from toolbox.risks.matching.matching import measure_matching_risk

FLU = ValueBeliefs(
    attribute="illness", believed_above=((0.5, 3), (0.9, 2)), certain=2, expected_hits=2.5, share_without_release=0.5
)
ALIKE = "Use a method that makes classes of k records: Mondrian, Datafly and LocalRecoding do."


def matching(**changes: object) -> MatchingRisk:
    """Return the risk of three people, of whom one has one row left, with some figures changed."""
    assert MATCHING.beliefs is not None
    return replace(MATCHING, beliefs=replace(MATCHING.beliefs, **changes))  # type: ignore[arg-type]


def words(matching: MatchingRisk) -> list[str]:
    return [advice.in_words() for advice in advise_on_matching(matching)]


def test_people_with_few_rows_left_and_values_that_are_certain() -> None:
    assert words(matching(values=(FLU,))) == [
        f"When everybody must have a row, 1 person has fewer than k = 2 left, 1 of them one. {ALIKE} At least k rows then "
        "remain for everybody.",
        "illness is certain of 2 people, whichever row is theirs. Require l-diversity of illness, such as "
        "distinct l-diversity with l = 2.",
    ]


def test_nothing_is_promised_where_people_have_told_their_row() -> None:
    (advice,) = advise_on_matching(replace(MATCHING, attack=Attack(insiders=0.1)))
    assert advice.effect is None


def test_a_row_that_is_believed_in_though_several_are_left() -> None:
    (advice,) = advise_on_matching(
        matching(matchable_below_k=0, matchable_with_one=0, believed_above=((0.5, 3), (0.9, 2)))
    )
    assert advice.severity == "medium"
    assert advice.finding == "2 people with several rows left: one row is believed more strongly than 0.9."


def test_where_an_attacker_finds_nobody_nothing_is_advised() -> None:
    nobody = matching(matchable_below_k=0, matchable_with_one=0, believed_above=((0.5, 0), (0.9, 0)))
    void = measure_matching_risk(written([2, 1], [2, 1], "x. x."), 2, Attack())
    assert words(nobody) == words(void) == []


def of_both(joint: JointRisk) -> list[str]:
    return [advice.in_words() for advice in advise_on_earlier(joint)]


def test_what_both_releases_tell() -> None:
    begin = "Somebody who links the rows of both releases finds that"
    assert of_both(JOINT) == [
        f"{begin} 1 person hides among fewer than k = 5. Release in a random order, or with the same classes as before.",
        "Both releases together leave one illness for 1 person. Keep the same values in the class of each person "
        "(m-invariance).",
    ]
    assert of_both(replace(JOINT, link="no", consistency=None, values=())) == [
        f"{begin} 2 rows hide among fewer than k = 5. Release nothing by which rows can be linked, or with the same "
        "classes as before."
    ]


def test_a_link_that_is_none_and_releases_that_tell_nothing_have_no_advice() -> None:
    people = JointConsistency(people=9, below_k=0, alone=0, unmatched=0, lowest=5, counts=((5, 9),))
    assert of_both(replace(JOINT, consistency=people, values=())) == []
    assert of_both(replace(JOINT, consistency=replace(people, below_k=1, unmatched=2))) == []


def test_who_reads_another_language_is_told_of_both_attackers_in_it() -> None:
    with speak("de"):
        assert [str(show(advice.finding)) for advice in (*advise_on_matching(MATCHING), *advise_on_earlier(JOINT))] == [
            "Wenn jede Person eine Zeile haben muss, bleiben für 1 Person weniger als k = 2 übrig, für 1 davon eine.",
            "Wer die Zeilen beider Veröffentlichungen verknüpft, findet, dass 1 Person unter weniger als k = 5 verborgen "
            "ist.",
            "Beide Veröffentlichungen zusammen lassen nur ein illness für 1 Person übrig.",
        ]
        attackers = str(MATCHING_FACE.render(MATCHING)), str(JOINT_FACE.render(JOINT))  # type: ignore[misc]
    assert [page.partition("<h3>")[2].partition("</h3>")[0] for page in attackers] == [
        "Durch Zuordnen aller auf einmal",
        "Zusammen mit einer früheren Veröffentlichung",
    ]
