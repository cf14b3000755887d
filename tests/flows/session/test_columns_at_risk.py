"""What is asked of a loaded table besides runs: its columns, and the records at risk by the values of a column."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations

import pandas as pd
import pytest
from helpers.amounts import times
from helpers.random_tables import HARD, Sample, samples
from hypothesis import example, given, settings
from hypothesis import strategies as st

import toolbox


@pytest.fixture
def session() -> Iterator[toolbox.Session]:
    ages = pd.array([20, None, 30, 20], dtype="Int64")
    people = pd.DataFrame({"age": ages, "born": pd.to_datetime(["2020-01-31"] * 3 + ["2021-02-28"])})
    trees = {"age": [["20", "*"], ["30", "*"]]}
    with toolbox.open(people, quasi_identifiers=["age", "born"], hierarchies=trees) as session:
        yield session


def test_columns_say_what_they_hold_and_what_they_lack(session: toolbox.Session) -> None:
    found = [(each.name, each.kind, each.values, each.missing, each.has_hierarchy) for each in session.columns()]
    assert found == [("age", "number", 2, 1, True), ("born", "timestamp", 2, 0, False)]


def test_the_values_of_a_column_come_in_their_order_as_a_release_would_show_them(session: toolbox.Session) -> None:
    assert session.at_risk(2, "born", []).values == (("2020-01-31", 0, 2), ("2021-02-28", 0, 1))
    assert session.at_risk(2, "age", ["age"]).values == (("20", 2, 0), ("30", 0, 1))


def test_many_records_of_one_person_protect_nobody() -> None:
    # Graz: four records of one person. Linz: three persons, one of whom is also in Wien, alone.
    visits = pd.DataFrame(
        {"who": list("aaaabcddd"), "town": ["Graz"] * 4 + ["Linz"] * 3 + ["Wien"] * 2, "ill": list("xxyyxyxyy")}
    )
    with toolbox.open(visits, quasi_identifiers=["town"], sensitive=["ill"], person="who", records=True) as session:
        found = session.at_risk(3, "town")
        assert (found.counts_persons, found.records, found.at_risk, found.classes) == (True, 9, 6, 3)
        assert found.values == (("Graz", 0, 4), ("Linz", 3, 0), ("Wien", 0, 2))
        assert session.at_risk(3, "ill").values == (("x", 2, 2), ("y", 1, 4))
        risk = session.population_risk(3, fraction=0.5)
        assert risk.sample is not None
        # Four persons of eight; of the five who are in a class, two are alone.
        assert (risk.counts_persons, risk.sample.population, risk.sample.uniqueness.sample_unique) == (True, 8.0, 2)


def test_where_each_person_has_one_combination_persons_count_as_well() -> None:
    visits = pd.DataFrame({"who": list("aaab"), "town": ["Graz"] * 3 + ["Linz"]})
    with toolbox.open(visits, quasi_identifiers=["town"], person="who") as session:
        assert (session.at_risk(2).at_risk, session.at_risk(1).at_risk) == (4, 0)


def test_a_register_is_compared_with_the_persons_of_each_combination() -> None:
    visits = pd.DataFrame({"who": list("aaab"), "town": ["Graz"] * 3 + ["Linz"]})
    register = pd.DataFrame({"town": ["Graz", "Graz", "Linz"]})
    with toolbox.open(visits, quasi_identifiers=["town"], person="who", population=register) as session:
        risk = session.population_risk(2)
    assert risk.register is not None
    assert (risk.below_k, risk.alone, risk.register.average) == (1, 1, (1 / 2 + 1) / 2)


@pytest.mark.slow
@example(HARD, 2)
@given(samples(most_rows=20), st.integers(1, 6))
@settings(max_examples=times(1, slow=200), deadline=None)
def test_records_at_risk_are_those_that_a_plain_count_finds(sample: Sample, k: int) -> None:
    """By every choice of columns, for one of them and for one that is not among them."""
    columns = dict(zip(sample.names, sample.columns, strict=True))
    values = {name: [one.value(text) for text in one.texts] for name, one in columns.items()}
    with toolbox.open(sample.frame, quasi_identifiers=sample.names, kinds=sample.kinds) as session:
        for chosen in list(combinations(sample.names, max(1, len(sample.names) - 1)))[:2]:
            rows = list(zip(*(values[name] for name in chosen), strict=True))
            sizes = Counter(rows)
            small = [sizes[row] < k for row in rows]
            for name in (chosen[0], sample.names[-1]):
                found = session.at_risk(k, name, list(chosen))
                assert (found.records, found.at_risk, found.classes) == (sample.size, sum(small), len(sizes))
                expected: Counter[tuple[object, bool]] = Counter(zip(values[name], small, strict=True))
                counted: Counter[tuple[object, bool]] = Counter()
                for text, safe, at_risk in found.values:
                    counted[columns[name].value(text), False] += safe
                    counted[columns[name].value(text), True] += at_risk
                assert +counted == expected
