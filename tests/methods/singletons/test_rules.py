"""How numbers are put into groups: each rule by hand."""

import numpy as np
import pytest

from toolbox.methods.singletons.columns import NUMBER_RULES


def shown(rule: str, counts: dict[float, int], k: int = 2) -> dict[float, str]:
    """Apply a rule to values that occur so often."""
    values = np.array(sorted(counts), np.float64)
    texts = [f"{value:g}" for value in values]
    groups = NUMBER_RULES[rule](values, np.array([counts[value] for value in values]), texts, k)
    return {float(value): groups.labels[group] for value, group in zip(values, groups.group, strict=True)}


def test_ranges_hold_four_distinct_values_and_the_last_one_the_rest() -> None:
    assert shown("ranges", dict.fromkeys([1918, 1920, 1921, 1922, 1923], 9)) == {
        1918: "[1918:1922]",
        1920: "[1918:1922]",
        1921: "[1918:1922]",
        1922: "[1918:1922]",
        1923: "[1923:1923]",
    }


def test_row_ranges_hold_k_records_never_split_a_value_and_what_is_left_joins_the_last() -> None:
    assert shown("row-ranges", {1: 2, 2: 1, 3: 5, 4: 1, 5: 1}, k=3) == {
        1: "[1:2]",
        2: "[1:2]",
        3: "[3:5]",
        4: "[3:5]",
        5: "[3:5]",
    }
    assert shown("row-ranges", {1: 3, 2: 1, 3: 2}, k=3) == {1: "1", 2: "[2:3]", 3: "[2:3]"}


def test_row_ranges_of_fewer_than_k_records_are_one() -> None:
    assert set(shown("row-ranges", {1: 1, 2: 1}, k=5).values()) == {"[1:2]"}


def test_the_middle_of_four_values_is_the_upper_one_of_two() -> None:
    assert shown("middles", dict.fromkeys([1, 2, 3, 4, 8, 9], 1)) == {1: "3", 2: "3", 3: "3", 4: "3", 8: "9", 9: "9"}


def test_medians_are_those_of_a_fourth_of_the_records_and_a_value_in_two_belongs_to_the_first() -> None:
    # Eight records in four parts: 1 1 | 1 2 | 5 6 | 7 9. The ones begin in the first part, the median of which is 1.
    assert shown("medians", {1: 3, 2: 1, 5: 1, 6: 1, 7: 1, 9: 1}) == {
        1: "1",
        2: "1.5",
        5: "5.5",
        6: "5.5",
        7: "8",
        9: "8",
    }


def test_means_are_those_of_the_records_that_got_them_whole_where_values_are() -> None:
    # The same parts; the second has the two alone, and halves are rounded up.
    assert shown("means", {1: 3, 2: 1, 5: 1, 6: 1, 7: 1, 9: 1}) == {1: "1", 2: "2", 5: "6", 6: "6", 7: "8", 9: "8"}
    assert shown("means", {0.5: 1, 1: 1, 2: 1, 4: 5})[0.5] == "0.75"


@pytest.mark.parametrize("rule", NUMBER_RULES)
def test_one_value_is_one_group(rule: str) -> None:
    assert len(shown(rule, {7: 3})) == 1
