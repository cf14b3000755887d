"""Released values as features: intervals, sets, and what is suppressed."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import toolbox
from toolbox.errors import UsageError
from toolbox.experiments.cells.learning import encode_classes, encode_columns, gather_features


@pytest.mark.slow
def test_intervals_are_two_columns_sets_are_indicators_and_suppressed_records_are_missing() -> None:
    people = pd.DataFrame({"age": [20, 25, 40, 41, 90], "town": ["Graz", "Linz", "Wien", "Wien", "Linz"]})
    regions = {"Austria": {"South": ["Graz", "Linz"], "North": ["Wien"]}}
    ages = {"all": {"young": [20, 25], "old": [40, 41, 90]}}
    columns = {"quasi_identifiers": ["age", "town"], "hierarchies": {"town": regions, "age": ages}}
    with toolbox.open(people, **columns, kinds={"age": "number"}) as session:  # type: ignore[arg-type]
        variant = session.run(method="Datafly", k=2, suppression_threshold=1, keep=True)
        tables = session._variants.find(variant).tables
        _, features = encode_classes(tables, tables.equivalence, "equivalence_id")
        ids, original = encode_classes(tables, tables.combinations, "combination_id")
    # Low and high of the age, then Graz, Linz, Wien in the order of the hierarchy.
    assert sorted(map(list, np.nan_to_num(features, nan=-1))) == [
        [-1, -1, -1, -1, -1],
        [20, 25, 1, 1, 0],
        [40, 90, 0, 0, 1],
    ]
    assert sorted(map(list, original)) == [
        [20, 20, 1, 0, 0],
        [25, 25, 0, 1, 0],
        [40, 40, 0, 0, 1],
        [41, 41, 0, 0, 1],
        [90, 90, 0, 1, 0],
    ]
    assert (np.diff(ids) > 0).all()


def test_a_set_that_is_no_range_has_an_indicator_for_each_member() -> None:
    # Mondrian cuts town (a, b, c, d) at the age only: the young live in a and d.
    people = pd.DataFrame({"age": [1, 1, 9, 9], "town": ["a", "d", "b", "c"]})
    with toolbox.open(people, quasi_identifiers=["age", "town"]) as session:
        variant = session.run(method="Mondrian", k=2, keep=True)
        tables = session._variants.find(variant).tables
        _, features = encode_classes(tables, tables.equivalence, "equivalence_id")
    assert sorted(map(list, features)) == [[1, 1, 1, 0, 0, 1], [9, 9, 0, 1, 1, 0]]


def test_columns_of_too_many_categories_are_refused() -> None:
    with pytest.raises(UsageError, match="name has 2,001 categories"):
        encode_columns(pd.DataFrame({"name": [f"n{number}" for number in range(2001)]}))


def test_records_get_the_features_of_their_classes() -> None:
    found = gather_features(np.array([3, 7]), np.array([[1.0], [2.0]]), [7, 3, 7])
    assert found.tolist() == [[2.0], [1.0], [2.0]]
