"""Many nodes are judged at once: each gets the number of its own violating classes, and of their records."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.illness import load_with_illness

from toolbox.methods.lattice.checking import ModelChecker
from toolbox.methods.lattice.nodes import FrequencySet, NodeHistogram
from toolbox.privacy.model import PrivacyModel
from toolbox.privacy.models.k_anonymity import KAnonymity
from toolbox.privacy.models.l_diversity import DistinctLDiversity
from toolbox.store.engine.store import Store
from toolbox.store.tables import Tables

K3, L2 = KAnonymity(k=3), DistinctLDiversity(l=2, attribute="illness")


@pytest.fixture(scope="module")
def tables(store: Store) -> Tables:
    table = {"age": [21, 21, 30, 30, 48], "illness": ["flu", "flu", "flu", "gout", "flu"]}
    return load_with_illness(store, table, "age")


def frequency_set(*classes: tuple[int, int]) -> FrequencySet:
    """Describe a node by the records of each class with flu and with gout."""
    cells = [(number, value, count) for number, pair in enumerate(classes) for value, count in enumerate(pair) if count]
    histogram = NodeHistogram(*(np.array(column) for column in zip(*cells, strict=True)))
    return FrequencySet(np.array([sum(pair) for pair in classes]), [histogram])


# Each age alone; 21 beside the others; everybody together.
NODES = [frequency_set((2, 0), (1, 1), (1, 0)), frequency_set((2, 0), (2, 1)), frequency_set((4, 1))]


@pytest.mark.parametrize(
    ("models", "classes", "records"),
    [
        ([K3], [3, 1, 0], [5, 2, 0]),
        ([L2], [2, 1, 0], [3, 2, 0]),
        ([K3, L2], [3, 1, 0], [5, 2, 0]),
        ([KAnonymity(k=2), L2], [2, 1, 0], [3, 2, 0]),
        ([KAnonymity(k=6)], [3, 2, 1], [5, 5, 5]),
    ],
    ids=["sizes", "sensitive values", "one refuses more", "the other refuses more", "all are refused"],
)
def test_classes_that_violate_any_model_are_counted_once_at_their_node(
    tables: Tables, models: list[PrivacyModel], classes: list[int], records: list[int]
) -> None:
    values = tables.store.create_constant("values", {"number": (int, [0, 1]), "value": (float, [0.0, 1.0])})
    found = ModelChecker(tables, models, {"illness": values}).violations(NODES)
    assert found.classes.tolist() == classes
    assert found.records.tolist() == records


def test_a_node_is_judged_alike_alone_and_beside_others(tables: Tables) -> None:
    judge = ModelChecker(tables, [K3], {})
    alone = [judge.violations([node]).records.tolist() for node in NODES[::-1]]
    assert alone == [[0], [2], [5]]
    assert judge.violations(NODES[::-1]).records.tolist() == [0, 2, 5]
