"""What follows from the roles: k, the arguments of a call, and what becomes of missing values."""

from __future__ import annotations

import pytest
from helpers.profiled import planned

from toolbox.store.engine.store import Store
from toolbox.suggestions.plan import BY_PERSON, RolePlan, percent

ROWS = 100


def table(missing_ages: int = 0, missing_answers: int = 0) -> dict[str, list[str | None]]:
    """Make a table: the first records lack an age, the last ones an answer."""
    return {
        "name": [f"person {row}" for row in range(ROWS)],
        "age": [None if row < missing_ages else str(20 + row % 50) for row in range(ROWS)],
        "smoker": [None if row >= ROWS - missing_answers else "no" if row % 3 else "yes" for row in range(ROWS)],
    }


def test_the_roles_are_listed(store: Store) -> None:
    plan = planned(store, table())
    assert (plan.named("identifier"), plan.named("quasi-identifier")) == (["name"], ["age"])
    assert plan.named("sensitive", "as it is") == ["smoker"]


def test_the_arguments_are_those_of_a_call(store: Store) -> None:
    plan = planned(store, table() | {"born": [f"{1 + row % 28:02}.03.1971" for row in range(ROWS)]})
    assert plan.arguments == {
        "identifiers": ["name"],
        "quasi_identifiers": ["age", "born"],
        "sensitive": ["smoker"],
        "kinds": {"age": "number", "born": "date %d.%m.%Y"},
        "k": 5,
    }


@pytest.mark.parametrize(("rows", "k"), [(2, 2), (4, 4), (5, 5), (100, 5)])
def test_k_is_five_or_as_many_as_there_are(store: Store, rows: int, k: int) -> None:
    assert planned(store, {"age": [str(row % 90) for row in range(rows)]}).k == k


@pytest.mark.parametrize(
    ("ages", "answers", "keeps", "leaves_out", "left_out"),
    [
        (0, 0, False, False, 0.0),
        # Among words a missing value is one more.
        (0, 40, True, False, 0.4),
        # Among numbers it has no place: few records are left out, ..
        (4, 0, False, True, 0.04),
        (2, 2, False, True, 0.04),
        # .. and of many the ages become words.
        (6, 0, True, False, 0.06),
        (2, 40, True, False, 0.42),
    ],
)
def test_missing_values_are_kept_or_few_records_are_left_out(
    store: Store, ages: int, answers: int, keeps: bool, leaves_out: bool, left_out: float
) -> None:
    plan = planned(store, table(ages, answers))
    assert (plan.keeps_missing, plan.leaves_out, plan.left_out) == (keeps, leaves_out, left_out)
    (age,) = (column for column in plan.columns if column.name == "age")
    becomes_words = keeps and ages > 0
    assert plan.describe_generalisation(age).words == ("auto:3" if becomes_words else "intervals:5,10,20")


def test_what_is_dropped_may_lack_as_many_values_as_it_likes(store: Store) -> None:
    names = {"name": [f"person {row}" if row % 2 else None for row in range(ROWS)]}
    plan = planned(store, table() | names)
    assert not plan.keeps_missing
    assert not plan.leaves_out


def changed(plan: RolePlan) -> RolePlan:
    return plan.with_roles({0: "identifier", 2: "quasi-identifier"})


def test_a_person_may_say_otherwise_and_the_rest_follows(store: Store) -> None:
    plan = changed(planned(store, table(0, 40)))
    name, _, answer = plan.columns
    # What was guessed right is still a guess with its reason.
    assert name.why != BY_PERSON
    assert (answer.role, answer.why, answer.sureness) == ("quasi-identifier", BY_PERSON, "sure")
    assert plan.keeps_missing


def test_evidence_counts_and_shows_no_value(store: Store) -> None:
    plan = planned(store, table(0, 40))
    name, age, answer = plan.columns
    assert plan.evidence(name) == "100 values; 100 % of the records have one of their own"
    assert plan.evidence(age) == "50 values"
    assert plan.evidence(answer) == (
        "2 values; 40 % lack one; known with the quasi-identifiers, it makes 94 % of the records unique, and these alone "
        "none; protected by article 9 of the GDPR"
    )
    empty = planned(store, {"age": ["1", "2"], "x": [None, None]}).columns[1]
    assert plan.evidence(empty) == "no value"


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.0, "none"), (0.0004, "under 1 %"), (0.01, "1 %"), (0.5, "50 %"), (0.999, "99 %"), (1.0, "100 %")],
)
def test_a_share_is_never_rounded_to_none_or_to_all(share: float, text: str) -> None:
    assert percent(share) == text
