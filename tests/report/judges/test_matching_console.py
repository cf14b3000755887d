"""The tables of an attacker who matches everybody at once."""

from __future__ import annotations

from dataclasses import replace

from helpers.matchings import written
from helpers.printing import printed, words

from toolbox.report.judges.attackers import print_matching
from toolbox.risks.figures import Attack, ValueBeliefs
from toolbox.risks.matching.matching import measure_matching_risk

FLU = ValueBeliefs(
    attribute="illness", believed_above=((0.5, 3), (0.9, 2)), certain=2, expected_hits=2.4, share_without_release=0.5
)


def test_rows_beliefs_and_values_follow_each_other() -> None:
    found = measure_matching_risk(written([1, 2], [1, 2], "x. xx", truth="1. 02"), 2, Attack(known=("age", "town")))
    assert found.beliefs is not None
    shown = printed(print_matching, replace(found, beliefs=replace(found.beliefs, values=(FLU,))))
    assert words(shown) == words(
        [
            "an attacker who knows age, town of everybody. Everybody has one row",
            "people by the rows that remain for them",
            "rows people",
            "1 1 33.33%",
            "2 2 66.67%",
            "people by how strongly one row is believed to be theirs",
            "the row that is believed in most people",
            "above 0.5 1 33.33%",
            "above 0.9 1 33.33%",
            "guessed rightly, as expected 2.0 66.67%",
            "guessed rightly, in truth 2.0 66.67%",
            "people by how strongly a sensitive value is believed, and guesses that are right",
            "attribute above 0.5 above 0.9 certain right, as expected without the release",
            "illness 3 2 2 80.00% 50.00%",
        ]
    )


def test_insiders_are_named() -> None:
    found = measure_matching_risk(written([4], [4], "x"), 2, Attack(insiders=0.5))
    said = "an attacker who knows all quasi-identifiers of everybody; 50.00% of them have told their row."
    assert " ".join(words(printed(print_matching, found))).startswith(said)


def test_people_who_get_no_row_are_all_that_is_said() -> None:
    void = measure_matching_risk(written([2, 1], [2, 1], "x. x."), 2, Attack())
    assert words(printed(print_matching, void)) == words(["1 person gets no row, however rows are assigned"])


def test_where_everybody_is_an_insider_nobody_is_left() -> None:
    found = measure_matching_risk(written([1], [1], "x", truth="1"), 2, Attack(insiders=0.9))
    assert words(printed(print_matching, found)) == words(
        ["Everybody has told which row is theirs: nobody is left to find"]
    )
