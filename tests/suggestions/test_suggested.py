"""The guesses for the columns of a table, seen together."""

from __future__ import annotations

from helpers.profiled import planned

from toolbox.store.engine.store import Store
from toolbox.suggestions.plan import MOST_KNOWN, MOST_UNSURE

ROWS = range(240)


def roles(store: Store, table: dict[str, list[str]]) -> dict[str, str]:
    return {column.name: column.role for column in planned(store, table).columns}


def test_a_released_column_that_gives_a_quasi_identifier_away_is_one_itself(store: Store) -> None:
    table = {
        "town": [f"town {row % 40}" for row in ROWS],
        "illness": [f"k{row % 40 // 4}" for row in ROWS],
        "smoker": [str(row % 7 % 2) for row in ROWS],
        "copy": [f"t{row % 40}" for row in ROWS],
        "province": [f"province {row % 40 // 4}" for row in ROWS],
    }
    plan = planned(store, table)
    assert {column.name: column.role for column in plan.columns} == {
        "town": "quasi-identifier",
        "illness": "quasi-identifier",
        "smoker": "sensitive",
        "copy": "quasi-identifier",
        "province": "quasi-identifier",
    }
    (illness,) = (column for column in plan.columns if column.name == "illness")
    assert (illness.why, illness.sureness) == ("its values give province away", "likely")


def test_unsure_quasi_identifiers_are_few_and_those_that_are_too_many_are_dropped(store: Store) -> None:
    table = {f"x{chr(97 + number)}": [f"v{row * (number + 1) % 61}" for row in ROWS] for number in range(20)}
    found = roles(store, {"age": [str(20 + row % 60) for row in ROWS], **table})
    assert found.pop("age") == "quasi-identifier"
    assert list(found.values()).count("quasi-identifier") == MOST_UNSURE
    assert set(found.values()) == {"quasi-identifier", "identifier"}


def test_there_are_never_more_quasi_identifiers_than_a_release_can_bear(store: Store) -> None:
    table = {f"town {chr(97 + number)}": [f"v{row * (number + 1) % 61}" for row in ROWS] for number in range(26)}
    found = list(
        roles(store, table | {f"city {chr(97 + number)}": its for number, its in enumerate(table.values())}).values()
    )
    assert found.count("quasi-identifier") == MOST_KNOWN


def test_where_others_seem_to_know_nothing_the_column_with_most_values_is_a_place_to_begin(store: Store) -> None:
    assert roles(store, {"smoker": ["x", "y"] * 60, "diagnosis": ["x", "y", "z"] * 40}) == {
        "smoker": "sensitive",
        "diagnosis": "quasi-identifier",
    }
    numbers = {"m": [f"{1000 + row * 37}" for row in ROWS], "name": [f"person {row}" for row in ROWS]}
    assert roles(store, numbers) == {"m": "quasi-identifier", "name": "identifier"}


def test_names_of_people_are_never_a_place_to_begin(store: Store) -> None:
    assert set(roles(store, {"name": [f"person {row}" for row in ROWS]}).values()) == {"identifier"}
