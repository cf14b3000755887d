"""The tables of what classes tell of sensitive values."""

from __future__ import annotations

from dataclasses import replace

from helpers.learned_values import ILLNESS
from helpers.printing import printed, words

from toolbox.report.judges.inferences import print_sensitive
from toolbox.risks.sensitive import Similarity


def test_beliefs_skewness_and_similarity_follow_each_other() -> None:
    pay = replace(ILLNESS, attribute="[b]pay", certain=0, similarity=Similarity(levels=(), narrow=((0.05, 3),)))
    assert words(printed(print_sensitive, [ILLNESS, pay])) == words(
        [
            "people by how strongly their class makes believe in one sensitive value",
            "attribute above 0.5 above 0.9 certain guessed rightly without the release",
            "illness 2 2 2 62.50% 50.00%",
            "[b]pay 2 2 0 62.50% 50.00%",
            "people in whose class some value is more frequent than in the table (skewness)",
            "attribute over 2 times over 10 times by over 0.2 by over 0.5 at most",
            "illness 6 0 8 0 2.5 times",
            "[b]pay 6 0 8 0 2.5 times",
            "people whose class has values that are near each other (similarity)",
            "attribute all values of the class are people",
            "illness one value 2 25.00%",
            "illness below one node of level 1 4 50.00%",
            "[b]pay different, in an interval with 5% of the records 3 37.50%",
        ]
    )


def test_without_a_hierarchy_or_numbers_there_is_no_similarity() -> None:
    lines = printed(print_sensitive, [replace(ILLNESS, similarity=None)])
    assert not any("similarity" in line for line in lines)
