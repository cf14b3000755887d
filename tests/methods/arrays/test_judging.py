"""Privacy models are asked about candidate classes of combinations, one class beside the other."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from helpers.small_tables import declared

from toolbox.config.model import Attribute, Column
from toolbox.methods.arrays.models import ClassJudge, mark_refused_classes
from toolbox.privacy.classes import Classes
from toolbox.privacy.model import PrivacyModel
from toolbox.privacy.models.k_anonymity import KAnonymity
from toolbox.privacy.models.l_diversity import DistinctLDiversity
from toolbox.store.engine.store import Store
from toolbox.store.input.source import open_arrow_source
from toolbox.store.load.loading import Loader
from toolbox.store.tables import Tables

K2, L2 = KAnonymity(k=2), DistinctLDiversity(l=2, attribute="illness")


@pytest.fixture(scope="module")
def tables(store: Store) -> Tables:
    """Combination 0 has two records with the flu, 1 one with the flu, 2 one with gout."""
    table = pa.table({"age": [21, 21, 30, 48], "illness": ["flu", "flu", "flu", "gout"]})
    illness = Attribute(column=Column(index=None, name="illness"), kind="category")
    config = declared("age", sensitive=[illness])
    return Loader(config, open_arrow_source(store, table), store, {"illness": False}).load().tables


@pytest.mark.parametrize(
    ("models", "expected"),
    [
        ([K2], [False, True, False, False]),
        ([L2], [True, True, True, False]),
        ([K2, L2], [True, True, True, False]),
    ],
    ids=["k-anonymity", "l-diversity", "both"],
)
def test_the_classes_that_violate_a_model_are_marked(
    tables: Tables, models: list[PrivacyModel], expected: list[bool]
) -> None:
    """Class 0 is combination 0, class 1 is 1, class 2 is both, class 3 is 1 and 2: a combination is in several."""
    members, classes = np.array([0, 1, 0, 1, 1, 2]), np.array([0, 1, 2, 2, 3, 3])
    sizes = np.array([2, 1, 2, 1, 1, 1])
    assert ClassJudge(tables, models).mark_refused(members, sizes, classes, 4).tolist() == expected


def test_classes_may_be_shown_as_their_sizes_alone(store: Store) -> None:
    sizes = store.from_arrays("sizes", {"equivalence_id": np.arange(3), "size": np.array([2, 1, 5])})
    assert mark_refused_classes(store, [K2, KAnonymity(k=3)], lambda attribute: Classes(sizes), 3).tolist() == [
        True,
        True,
        False,
    ]
