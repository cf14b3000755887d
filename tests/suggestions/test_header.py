"""Whether a first line is a header."""

from __future__ import annotations

import pytest

from toolbox.suggestions.texts import has_header

ROWS = [["30", "Graz", "f"], ["40", "Linz", "m"], ["50", "Graz", "m"]]


@pytest.mark.parametrize(
    ("first", "is_one"),
    [
        (["age", "town", "sex"], True),
        (["x", "y", "z"], True),
        (["alter", "", "geschlecht"], True),
        (["20", "Graz", "f"], False),
        (["20", "Wels", "d"], False),
        (["?", "Graz", "m"], False),
        # A value of another column of words, and no number: most columns decide.
        (["age", "Graz", "sex"], True),
        (["2019", "2020", "2021"], False),
    ],
)
def test_the_first_line_is_compared_with_the_others(first: list[str], is_one: bool) -> None:
    assert has_header([first, *ROWS]) is is_one


@pytest.mark.parametrize(
    ("records", "is_one"),
    [
        ([], False),
        ([["age", "sex"]], True),
        ([["30", "f"]], False),
        ([["name"], ["Ada"], ["Bo"]], True),
        ([["Ada"], ["Bo"], ["Ada"]], False),
        ([["q", "q"], ["a", "b"]], False),
        ([["born"], ["1.2.1990"], ["3.4.1991"]], True),
        ([["1.1.1980"], ["1.2.1990"], ["3.4.1991"]], False),
    ],
)
def test_little_is_enough(records: list[list[str]], is_one: bool) -> None:
    assert has_header(records) is is_one


def test_lines_of_another_width_are_not_asked() -> None:
    assert has_header([["age", "sex"], ["total"], ["30", "f"]])
