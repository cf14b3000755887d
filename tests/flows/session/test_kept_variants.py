"""Variants that a session keeps: their numbers, and what is left when they are dropped."""

from __future__ import annotations

import pandas as pd
import pytest
from helpers.session_tables import in_engine

import toolbox

PEOPLE = pd.DataFrame({"age": [1, 1, 2, 2, 3, 3], "town": list("aabbcc")})


@pytest.mark.slow
def test_variants_are_numbered_and_nothing_is_left_of_one_that_is_dropped() -> None:
    with toolbox.open(PEOPLE, quasi_identifiers=["age", "town"]) as session:
        plain = session.run(k=3)
        before = in_engine(session._table.store)
        first, second = session.run(k=3, keep=True), session.run(k=2, keep=True)
        assert (plain.number, first.number, second.number) == (None, 1, 2)
        session.drop(first)
        with pytest.raises(toolbox.UsageError, match=r"keeps no variant 1\. It keeps: 2"):
            session.drop(1)
        session.drop(2)
        # What is known of the rows of the session stays; the first variant has asked for it.
        tables, *others = in_engine(session._table.store)
        assert (tables, *others) == (before[0] + 1, *before[1:])


def test_a_run_that_fails_or_is_cancelled_keeps_nothing() -> None:
    with toolbox.open(PEOPLE, quasi_identifiers=["age", "town"]) as session:
        session.drop(session.run(k=2, keep=True))
        before = in_engine(session._table.store)
        with pytest.raises(toolbox.UnsatisfiableError):
            session.run(k=7, keep=True)
        with pytest.raises(toolbox.CancelledError):
            session.run(k=2, keep=True, cancel=lambda: True)
        assert in_engine(session._table.store) == before
