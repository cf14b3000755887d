"""The figures that an analyst computes of a variant, beside those of the records."""

from __future__ import annotations

from itertools import product
from statistics import median

import pandas as pd
import pytest

import toolbox

AGES = [23, 25, 24, 61, 67, 64, 30, 38]
TOWNS = ["Graz", "Graz", "Linz", "Wien", "Wien", "Wien", "Linz", "Linz"]
PEOPLE = pd.DataFrame({"age": AGES, "town": TOWNS})
HIERARCHIES = {
    "age": [(str(age), f"[{age // 20 * 20}:{age // 20 * 20 + 20})", "[0:100)") for age in sorted(AGES)],
    "town": [("Graz", "south", "*"), ("Linz", "north", "*"), ("Wien", "north", "*")],
}


@pytest.fixture(scope="module")
def session():
    with toolbox.open(PEOPLE, quasi_identifiers=["age", "town"], hierarchies=HIERARCHIES) as opened:
        yield opened


@pytest.fixture(scope="module")
def variant(session: toolbox.Session) -> toolbox.Variant:
    # Ages by twenty years, towns as they are: 23, 25 in Graz; 24, 30, 38 in Linz; 61, 64, 67 in Wien.
    return session.run(method="Flash", k=2, levels={"age": (1, 1), "town": (0, 0)}, keep=True)


@pytest.mark.slow
def test_the_true_figure_of_the_records_lies_between_at_least_and_at_most(
    session: toolbox.Session, variant: toolbox.Variant
) -> None:
    age = session.compare_statistics(variant).values[0]
    assert {word: change.before for word, change in age.order.items()} == {"smallest": 23, "median": 34, "largest": 67}
    # Five ages of [20:40), which are 23 to 38 of those that occur, and three of [60:80), 61 to 67.
    assert {word: (change.lowest, change.highest) for word, change in age.order.items()} == {
        "smallest": (23, 38),
        "median": (23, 38),
        "largest": (61, 67),
    }
    lows, highs = [23] * 5 + [61] * 3, [38] * 5 + [67] * 3
    assert (age.order["median"].lowest, age.order["median"].highest) == (median(lows), median(highs))


def test_the_most_frequent_value_is_told_with_its_records(session: toolbox.Session, variant: toolbox.Variant) -> None:
    age, town = session.compare_statistics(variant).values
    assert (age.commonest_before, age.commonest_after[1]) == (("23", 1), 5)
    assert (town.commonest_before, town.commonest_after) == (("Linz", 3), ("Linz", 3))
    assert town.order == {}, "categories have no middle"


@pytest.mark.slow
def test_means_and_the_two_way_table_are_those_of_measure(session: toolbox.Session, variant: toolbox.Variant) -> None:
    found = session.compare_statistics(variant, ["town", "age"]).changes
    release = toolbox.anonymize(**variant.arguments, order="input").release
    theirs = toolbox.measure(
        PEOPLE, release, quasi_identifiers=["age", "town"], hierarchies=HIERARCHIES, pairs=True
    ).pairs
    assert theirs is not None
    assert found.columns == theirs.columns
    (pair,) = found.pairs
    assert (pair.columns, pair.distance, pair.association) == (
        theirs.pairs[0].columns,
        theirs.pairs[0].distance,
        theirs.pairs[0].association,
    )
    counted = {cell.values: cell.before for cell in pair.cells if cell.before}
    assert counted == {(str(age), town): 1 for age, town in zip(AGES, TOWNS, strict=True)}
    inside = {(str(age), town) for age, town in product(AGES, TOWNS) if age < 40 and town == "Graz"}
    assert {cell.highest for cell in pair.cells if cell.values in inside} == {2}, "two records of Graz may be any"


@pytest.mark.slow
def test_without_a_pair_no_table_is_made_and_a_wrong_one_is_refused(
    session: toolbox.Session, variant: toolbox.Variant
) -> None:
    assert session.compare_statistics(variant).changes.pairs == ()
    with pytest.raises(toolbox.errors.SettingError, match="age or town"):
        session.compare_statistics(variant, ["age", "sex"])
