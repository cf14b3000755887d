"""What a reader would guess of a released column: the records of a value are shared evenly by all that it covers."""

from __future__ import annotations

import pandas as pd
import pytest

import toolbox

PEOPLE = pd.DataFrame({"age": [1, 1, 1, 2, 5, 6, 9], "town": list("aabcddd")})


def test_the_records_of_an_interval_are_shared_by_its_values_and_suppressed_ones_by_none() -> None:
    levels = {"age": [(str(age), "1-2" if age < 3 else "5-9", "*") for age in (1, 2, 5, 6, 9)]}
    with toolbox.open(PEOPLE, quasi_identifiers=["age", "town"], hierarchies=levels) as session:
        names = {"quasi_identifiers": ["age"]}
        variant = session.run(method="Datafly", k=4, suppression_threshold=3, keep=True, **names)
        found = session.before_and_after(variant, "age")
    assert [(bar.label, bar.before, bar.after) for bar in found.bars] == [
        ("1", 3, 2.0),
        ("2", 1, 2.0),
        ("5", 1, 0.0),
        ("6", 1, 0.0),
        ("9", 1, 0.0),
    ]
    assert (found.suppressed, found.others, found.is_binned) == (3, None, False)


def test_the_categories_of_a_set_share_its_records_and_rare_ones_a_bar() -> None:
    with toolbox.open(PEOPLE, quasi_identifiers=["town"]) as session:
        variant = session.run(k=3, keep=True)
        every = session.before_and_after(variant, "town")
        few = session.before_and_after(variant, "town", bars=3)
    # The classes are {a,b,c} and d, or a and {b,c,d}.
    assert [(bar.label, bar.before) for bar in every.bars] == [("a", 2), ("b", 1), ("c", 1), ("d", 3)]
    assert [bar.after for bar in every.bars] == pytest.approx([4 / 3, 4 / 3, 4 / 3, 3])
    assert [(bar.label, bar.before) for bar in few.bars] == [("d", 3), ("a", 2)]
    assert few.others is not None
    assert (few.others.values, few.others.before, few.others.after) == (2, 2, pytest.approx(8 / 3))
