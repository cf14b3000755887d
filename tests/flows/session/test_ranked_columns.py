"""What a session says of columns and of a population is what `detect` and `risk` say of the table."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pandas as pd
import pytest

import toolbox

NAMES = ["age", "town", "sex"]
PEOPLE = pd.DataFrame(
    {
        "age": ["23", "25", "23", "61", "67", "61", "23", "25", "67", "41"],
        "town": ["Graz", "Linz", "Graz", "Wien", "Wien", "Wien", "Linz", "Linz", "Graz", None],
        "sex": ["f", "m", "f", "m", "f", "m", "m", "m", "f", "m"],
        "ill": ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"],
    }
)
REGISTER = pd.concat([PEOPLE.dropna()[NAMES]] * 2 + [PEOPLE[NAMES][:4]], ignore_index=True).drop(index=[8, 17])


@pytest.fixture(scope="module")
def session():
    columns = {"quasi_identifiers": NAMES, "sensitive": ["ill"], "on_missing": "skip", "population": REGISTER}
    with toolbox.open(PEOPLE, **columns, kinds={"age": "category"}) as opened:
        yield opened


def test_columns_are_ranked_as_brute_force_counts_who_stands_alone(session: toolbox.Session) -> None:
    found = session.rank_columns().detection
    rows = PEOPLE.dropna()[NAMES].to_dict("records")
    alone = {
        names: sum(size == 1 for size in Counter(tuple(row[name] for name in names) for row in rows).values())
        for size in (1, 2, 3)
        for names in combinations(NAMES, size)
    }
    assert {one.columns: one.singletons for one in found.subsets} == alone
    assert (found.complete, found.best[0].singletons) == (9, max(alone.values()))


def test_they_are_ranked_as_detect_ranks_them(session: toolbox.Session) -> None:
    theirs = toolbox.detect(PEOPLE.dropna(), columns=NAMES).detection
    ours = session.rank_columns().detection
    assert (ours.subsets, ours.columns, ours.identifiers) == (theirs.subsets, theirs.columns, theirs.identifiers)
    two = session.rank_columns(["age", "town"], max_columns=1).detection
    assert [(one.columns, one.singletons) for one in two.subsets] == [(("age",), 0), (("town",), 0)]


def test_persons_are_counted_where_somebody_tells_them_apart() -> None:
    # The person a has two rows, which are alike: no other person has their values.
    visits = pd.DataFrame({"who": ["a", "a", "b", "c"], "town": ["Graz", "Graz", "Wien", "Wien"]})
    with toolbox.open(visits, quasi_identifiers=["town"], person=["who"]) as opened:
        ranked = opened.rank_columns()
    assert ranked.counts_persons
    assert [(one.columns, one.singletons) for one in ranked.detection.subsets] == [(("town",), 1)]


@pytest.mark.slow
def test_who_hides_in_a_register_is_counted_and_is_the_journalists_risk_of_the_table(session: toolbox.Session) -> None:
    found = session.population_risk(k=3)
    rows = [tuple(row) for row in PEOPLE.dropna()[NAMES].to_numpy()]
    own, people = Counter(rows), Counter(tuple(row) for row in REGISTER.to_numpy())
    among = {row: max(own[row], people[row]) for row in own}
    assert found.records == 9 and found.sample is None
    assert found.below_k == sum(among[row] < 3 for row in rows) > 0
    assert found.alone == sum(among[row] == 1 for row in rows)
    theirs = toolbox.risk(PEOPLE.dropna()[NAMES], quasi_identifiers=NAMES, population=REGISTER).risk.journalist
    assert found.register == theirs
    assert found.register.average == pytest.approx(sum(1 / among[row] for row in rows) / 9)


@pytest.mark.slow
def test_from_a_share_of_the_population_the_same_is_estimated_as_risk_does(session: toolbox.Session) -> None:
    theirs = toolbox.risk(PEOPLE.dropna()[NAMES], quasi_identifiers=NAMES, sampling_fraction=0.1, k=4).sample
    assert session.population_risk(k=4, fraction=0.1).sample == theirs
    with pytest.raises(toolbox.errors.UsageError):
        session.population_risk(fraction=2)
