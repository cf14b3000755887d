"""The levels between which a quasi-identifier is kept: what is wrong with them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from helpers.small_tables import quasi_identifier

from toolbox.config.model import find_levels_fault

AGE = quasi_identifier("age", hierarchy="21 young *\n34 old *")


@pytest.mark.parametrize(
    ("low", "high", "problem"),
    [
        (0, None, None),
        (1, 2, None),
        (2, 2, None),
        (2, 1, "age has 2 for its lowest level, and 1 for its highest."),
        (3, None, "age has no level 3: the root of its hierarchy is level 2."),
        (0, 7, "age has no level 7: the root of its hierarchy is level 2."),
    ],
)
def test_levels_lie_in_the_hierarchy_and_in_their_order(low: int, high: int | None, problem: str | None) -> None:
    fault = find_levels_fault(replace(AGE, min_level=low, max_level=high))
    assert (fault and fault[0]) == problem


def test_without_a_hierarchy_the_height_is_told() -> None:
    dates = replace(quasi_identifier("born"), min_level=4)
    assert find_levels_fault(dates) is None
    assert find_levels_fault(dates, height=3) == (
        "born has no level 4: the root of its hierarchy is level 3.",
        "Write a level from 0 to 3.",
    )
    assert dates.has_levels and not AGE.has_levels
