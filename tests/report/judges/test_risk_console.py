"""The tables of `risk`."""

from __future__ import annotations

from dataclasses import replace

from helpers.printing import printed, words
from helpers.small_reports import RISK

from toolbox.report.console import print_notes
from toolbox.report.judges.risk import print_risk
from toolbox.risks.risk import AttackerRisk, ClassSize, Risk, Uniqueness


def shown(risk: Risk) -> list[str]:
    return [*printed(print_risk, risk), *printed(print_notes, ["nothing else."])]


def test_attackers_classes_and_people_follow_each_other() -> None:
    assert words(shown(RISK)) == words(
        [
            "records 5, 1 suppressed",
            "unique 0 records (0.00%)",
            "an attacker who knows the quasi-identifiers (at risk: above 0.2)",
            "attacker highest risk average lowest records at risk",
            "prosecutor: knows who is in it 0.5 0.5 0.5 4 100.00%",
            "marketer: tries everybody 0.5",
            "classes by their size",
            "records classes records in them",
            "2 2 4 80.00%",
            "people by the released records that could be theirs",
            "records people",
            "1 1 20.00%",
            "3 4 80.00%",
            "1 person with fewer than k = 3 consistent records; the fewest are 1",
            "note nothing else.",
        ]
    )


def test_a_population_adds_the_journalist_and_those_who_are_alone_in_it() -> None:
    journalist = AttackerRisk(highest=1 / 3, average=0.25, lowest=0.125, records_at_risk=2, share_at_risk=0.5)
    unique = Uniqueness(records=2, share=0.4, in_population=1)
    lines = shown(replace(RISK, journalist=journalist, marketer=0.25, uniqueness=unique))
    assert lines[1] == "unique 2 records (40.00%); 1 in the population, too"
    assert lines[5:7] == ["journalist: does not 0.3333 0.25 0.125 2 50.00%", "marketer: tries everybody 0.25"]


def test_where_all_have_enough_nobody_is_named() -> None:
    assert RISK.consistency is not None
    lines = shown(replace(RISK, consistency=replace(RISK.consistency, below_k=0, lowest=3, counts=((3, 5),))))
    assert lines[-2] == "nobody with fewer than k = 3 consistent records; the fewest are 3"


def test_without_classes_and_original_records_only_what_is_known_is_shown() -> None:
    assert shown(replace(RISK, prosecutor=None, marketer=None, histogram=(), consistency=None))[2:] == [
        "an attacker who knows the quasi-identifiers (at risk: above 0.2)",
        "attacker highest risk average lowest records at risk",
        "classes by their size",
        "records classes records in them",
        "note nothing else.",
    ]


def test_classes_of_several_sizes_share_a_row() -> None:
    """One class of seven and two of eight, 23 of 46 records, and one of 23."""
    sizes = (ClassSize(7, 1), ClassSize(8, 2), ClassSize(23, 1))
    lines = shown(replace(RISK, records=46, histogram=sizes, consistency=None))
    assert lines[-3:-1] == ["6 to 9 3 23 50.00%", "20 to 49 1 23 50.00%"]
