"""What a variant leaves of a column: the values that it releases instead, and how many cells still say something."""

from __future__ import annotations

import pandas as pd
import pytest

import toolbox
from toolbox import UsageError

PEOPLE = pd.DataFrame({"age": [1, 1, 1, 2, 5, 6, 9], "town": list("aabcddd")})
LEVELS = {"age": [(str(age), "1-2" if age < 3 else "5-9", "*") for age in (1, 2, 5, 6, 9)]}


@pytest.mark.slow
def test_released_values_stand_beside_those_that_were_read_and_suppressed_records_show_the_root() -> None:
    with toolbox.open(PEOPLE, quasi_identifiers=["age", "town"], hierarchies=LEVELS) as session:
        names = {"quasi_identifiers": ["age"]}
        variant = session.run(method="Datafly", k=4, suppression_threshold=3, keep=True, **names)
        found = session.before_and_after(variant, "age")
        (age,) = session.describe_remains(variant)
    assert [(bar.label, bar.records) for bar in found.before] == [("1", 3), ("2", 1), ("5", 1), ("6", 1), ("9", 1)]
    assert [(bar.label, bar.records) for bar in found.after] == [("1-2", 4), ("*", 3)]
    assert (found.suppressed, found.is_binned) == (3, False)
    assert (age.values_before, age.values_after, age.records) == (5, 2, 7)
    assert (age.unchanged, age.silent, age.says_nothing) == (0, 3, False)
    assert age.example == ("1", "1-2")


def test_a_set_is_a_value_and_the_rarest_share_the_last_bar() -> None:
    with toolbox.open(PEOPLE, quasi_identifiers=["town"]) as session:
        variant = session.run(k=2, keep=True)
        every, few = (session.before_and_after(variant, "town", bars=bars) for bars in (20, 2))
        (town,) = session.describe_remains(variant)
    assert [(bar.label, bar.records) for bar in every.before] == [("a", 2), ("b", 1), ("c", 1), ("d", 3)]
    assert [(bar.label, bar.records) for bar in every.after] == [("a", 2), ("{b,c}", 2), ("d", 3)]
    assert [(bar.name, bar.records) for bar in few.before] == [("d", 3), ("others (3)", 4)]
    assert [(bar.name, bar.records) for bar in few.after] == [("d", 3), ("others (2)", 4)]
    assert (town.unchanged, town.silent, town.values_after, town.example) == (5, 0, 3, ("d", "d"))


@pytest.mark.slow
@pytest.mark.parametrize("method", ["Mondrian", "Datafly"])
def test_a_value_that_covers_all_others_says_nothing_whatever_it_is_called(method: str) -> None:
    trees = LEVELS | {"town": [(town, "anywhere") for town in "abcd"]}
    with toolbox.open(PEOPLE, quasi_identifiers=["age", "town"], hierarchies=trees) as session:
        variant = session.run(method=method, k=7, keep=True)
        remains = session.describe_remains(variant)
    assert [(one.name, one.values_after, one.silent, one.says_nothing) for one in remains] == [
        ("age", 1, 7, True),
        ("town", 1, 7, True),
    ]
    assert remains[0].document()["says_nothing"] is True


@pytest.mark.slow
def test_a_column_with_one_value_has_nothing_to_say_and_loses_nothing() -> None:
    with toolbox.open(pd.DataFrame({"age": [3, 3], "town": ["a", "b"]}), quasi_identifiers=["age", "town"]) as session:
        age, town = session.describe_remains(session.run(k=2, keep=True))
    assert (age.unchanged, age.silent, age.says_nothing) == (2, 0, False)
    assert (town.unchanged, town.silent) == (0, 2)


@pytest.mark.slow
def test_what_was_not_kept_is_refused() -> None:
    with toolbox.open(PEOPLE, quasi_identifiers=["age"]) as session, pytest.raises(UsageError, match="keep=True"):
        session.describe_remains(session.run(k=2))
