"""The values of the columns of a session: what is found out once is kept for the next question."""

from __future__ import annotations

import pandas as pd
import pytest
from helpers.session_tables import in_engine

import toolbox

PEOPLE = pd.DataFrame({"age": [*range(100), 0, 0], "town": [*"abcdefghij" * 10, "a", "b"]})


def test_a_histogram_shows_as_many_bars_as_are_asked_for_and_the_rest_together() -> None:
    with toolbox.open(PEOPLE, quasi_identifiers=["age", "town"]) as session:
        ages = session.histogram("age", 2, ["age"], bars=10)
        towns = session.histogram("town", 2, ["age"], sort="count", descending=True, bars=4)
    assert [(bar.label, bar.safe, bar.at_risk) for bar in ages.bars[:2]] == [("0 to 9", 3, 9), ("10 to 19", 0, 10)]
    # Those of age 0 are three: one in town a and one in b besides the first.
    assert [(bar.label, bar.safe, bar.at_risk) for bar in towns.bars] == [("a", 2, 9), ("b", 1, 10), ("c", 0, 10)]
    assert towns.others == ("others", 7, 0, 70)


@pytest.mark.slow
def test_another_k_or_another_order_makes_no_table() -> None:
    with toolbox.open(PEOPLE, quasi_identifiers=["age", "town"]) as session:
        session.histogram("age", 2)
        session.values("age", 2)
        before = in_engine(session._table.store)
        for k in range(3, 9):
            session.histogram("age", k, descending=True)
            session.values("age", k, sort="risk")
        assert in_engine(session._table.store) == before
