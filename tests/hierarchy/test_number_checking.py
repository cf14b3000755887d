"""The check of a hierarchy of numbers."""

from __future__ import annotations

import pytest
from helpers.outlines import outline_of

from toolbox.hierarchy.checking import number_findings
from toolbox.hierarchy.hierarchy import Interval
from toolbox.hierarchy.outline import Outline


def reading(label: str) -> Interval | None:
    """Read labels such as ``20-29``."""
    low, dash, high = label.partition("-")
    return Interval(float(low), float(high)) if dash else None


def found(outline: Outline, **options: bool) -> list[tuple[str, int, str, bool]]:
    return [
        (finding.kind, finding.line, finding.text, finding.is_fault)
        for finding in number_findings(outline, reading, **options)
    ]


def test_nothing_is_said_of_a_hierarchy_as_it_should_be() -> None:
    assert found(outline_of("19 15-19 young", "20 20-24 old", "21 20-24 old")) == []


def test_a_label_that_says_an_interval_covers_nothing_beyond_it() -> None:
    tree = outline_of("19 15-19", "20 15-19", "21 15-19", "22 20-24", "23 20-24")
    text = "The label '15-19' covers 20 and 1 more value beyond its bounds. Correct it, or move the value."
    assert found(tree) == [("label", 1, text, True)]
    hidden = "The label '15-19' covers 2 values beyond its bounds. Correct it, or move the value."
    assert found(tree, quotes_values=False) == [("label", 1, hidden, True)]


def test_labels_of_one_level_that_say_the_same_numbers_are_told() -> None:
    tree = outline_of("20 20-30 0-99", "29 20-30 0-99", "30 30-40 0-99", "39 30-40 0-99")
    text = "The labels '20-30' and '30-40' both say [30]. Let each begin after the one before, as 15-19 and 20-24 do."
    assert found(tree) == [("label", 3, text, False)]
    wider = [text for _, _, text, _ in found(outline_of("1 0-9 a", "2 0-9 a", "3 3-4 b"))]
    assert [text.split(". ")[0] for text in wider] == ["The labels '0-9' and '3-4' both say [3:4]"]


@pytest.mark.parametrize(
    ("numbers", "said"),
    [
        ([1, 2, 4, 5], "1 whole number has no row between others that have one: 3"),
        ([1, 2, 6, 7, 8, 9, 11], "4 whole numbers have no row between others that have one: 3 to 5, .."),
        ([10, 20, 30], None),
        ([1, 2, 3.5, 5], None),
        ([-1, 0, 1], None),
    ],
)
def test_a_number_without_a_row_between_others_is_told(numbers: list[float], said: str | None) -> None:
    findings = found(outline_of(*(f"{number} x" for number in numbers)))
    assert findings == ([] if said is None else [("gap", 0, said, False)])
    assert found(outline_of("1 x", "2 x", "4 x"), quotes_values=False) == []
