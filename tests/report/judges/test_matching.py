"""What is said of an attacker who matches everybody at once."""

from __future__ import annotations

from dataclasses import replace

from helpers.matchings import written

from toolbox.report.judges.attackers import build_matching_document, list_matching_notes
from toolbox.risks.figures import Attack, MatchingBeliefs, MatchingRisk, ValueBeliefs
from toolbox.risks.matching.matching import measure_matching_risk

FLU = ValueBeliefs(
    attribute="illness",
    believed_above=((0.5, 3), (0.9, 2)),
    certain=2,
    expected_hits=2.5,
    share_without_release=0.5,
)


def risk(*, values: tuple[ValueBeliefs, ...] = (), converged: bool = True) -> MatchingRisk:
    found = measure_matching_risk(
        written([1, 2], [1, 2], "x. xx", truth="1. 02"), 2, Attack(known=("age",), insiders=0.0)
    )
    assert isinstance(found.beliefs, MatchingBeliefs)
    return replace(found, beliefs=replace(found.beliefs, values=values, has_converged=converged, rounds=2000))


def test_the_document_has_the_names_that_programs_rely_on() -> None:
    assert build_matching_document(risk(values=(FLU,))) == {
        "people": 3,
        "rows": 3,
        "k": 2,
        "known": ["age"],
        "insiders": 0.0,
        "unassigned": 0,
        "matchable_below_k": 1,
        "matchable_with_one": 1,
        "fewest": 1,
        "expected_hits": 2.0,
        "believed_above": {"0.5": 1, "0.9": 1},
        "believed_by_tenths": [*[[0, 0]] * 4, [2, 0], *[[0, 0]] * 4, [0, 1]],
        "right_guesses": 2 / 3,
        "converged": True,
        "counts": [{"matchable": 1, "people": 1}, {"matchable": 2, "people": 2}],
        "sensitive": [
            {
                "attribute": "illness",
                "believed_above": {"0.5": 3, "0.9": 2},
                "certain": 2,
                "expected_hits": 2.5,
                "share_without_release": 0.5,
            }
        ],
    }


def test_beliefs_that_had_not_settled_are_told_as_rough() -> None:
    assert list_matching_notes(risk(values=(FLU,))) == []
    assert list_matching_notes(risk(converged=False)) == [
        "Beliefs had not settled after 2,000 rounds: take those figures as rough. The others are exact.",
    ]


def test_people_who_get_no_row_are_all_that_is_said() -> None:
    void = measure_matching_risk(written([2, 1], [2, 1], "x. x."), 2, Attack())
    assert list_matching_notes(void) == [
        "1 person gets no row, however rows are assigned: the release does not hold exactly these people."
    ]
    document = build_matching_document(void)
    assert (document["unassigned"], document["matchable_below_k"], document["sensitive"]) == (1, None, [])
