"""The search of the lattice: how nodes are judged together, and which never are."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import product
from typing import NamedTuple

import pytest
from helpers.lattices import HIERARCHIES, TABLE, people
from helpers.small_tables import declared

from toolbox.config.model import Attribute, Column
from toolbox.methods.lattice import searching as search
from toolbox.methods.lattice.searching import LatticeSearch
from toolbox.privacy.classes import Classes
from toolbox.privacy.model import PrivacyModel
from toolbox.privacy.models.k_anonymity import KAnonymity
from toolbox.privacy.models.l_diversity import DistinctLDiversity
from toolbox.queries.dialect import Query
from toolbox.store.engine.store import Store
from toolbox.store.input.source import open_arrow_source
from toolbox.store.load.loading import Loader
from toolbox.store.tables import Tables

pytestmark = pytest.mark.sampled(2)

ILLNESS = ["flu", "cold", "flu", "flu", "gout", "cold", "gout"]


class Found(NamedTuple):
    levels: tuple[int, ...]
    classes: int


def minimal(tables: Tables, *models: PrivacyModel, threshold: int = 0) -> list[Found]:
    nodes = LatticeSearch(tables, models, threshold).minimal_nodes()
    return [Found(tuple(node.levels), node.classes) for node in nodes]


@lru_cache(maxsize=1)
def with_illness(store: Store) -> Tables:
    import pyarrow as pa

    header, *rows = (line.split() for line in TABLE.strip().splitlines())
    columns = dict(zip(header, map(list, zip(*rows, strict=True)), strict=True))
    illness = Attribute(column=Column(index=None, name="illness"), kind="category")
    config = declared("age sex", hierarchies=HIERARCHIES, sensitive=[illness])
    given = pa.table({**columns, "illness": ILLNESS})
    return Loader(config, open_arrow_source(store, given), store, {"illness": False}).load().tables


@pytest.fixture(params=[1, 3, 1_000_000], ids="at most {} rows".format)
def rows(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nodes are judged one by one, a few together, or all of a round."""
    monkeypatch.setattr(search, "_ROWS", request.param)


@pytest.mark.usefixtures("rows")
def test_nodes_are_judged_together_or_one_by_one_with_the_same_result(store: Store) -> None:
    tables = people(store)
    # Ages 2 3 2, young and old 5 2, sexes 4 3; of both columns 2 2 1 1 1, and 3 2 1 1 with young and old.
    assert minimal(tables, KAnonymity(k=2)) == [Found((0, 1), 3), Found((2, 0), 2)]
    assert minimal(tables, KAnonymity(k=3)) == [Found((2, 0), 2)]
    assert minimal(tables, KAnonymity(k=4)) == [Found((2, 1), 1)]


@pytest.mark.usefixtures("rows")
@pytest.mark.parametrize(
    ("threshold", "expected"),
    [
        (1, [Found((0, 1), 3), Found((2, 0), 2)]),
        (2, [Found((0, 1), 3), Found((1, 0), 4)]),
        (3, [Found((0, 0), 5)]),
    ],
)
def test_as_many_records_as_the_threshold_may_be_in_violating_classes(
    store: Store, threshold: int, expected: list[Found]
) -> None:
    assert minimal(people(store), KAnonymity(k=2), threshold=threshold) == expected


@pytest.mark.usefixtures("rows")
def test_models_with_and_without_a_sensitive_attribute_judge_the_same_classes(store: Store) -> None:
    tables = with_illness(store)
    # 21 flu cold, 22 flu gout, 34 cold gout; f flu cold gout, m flu gout.
    assert minimal(tables, DistinctLDiversity(l=2, attribute="illness")) == [Found((0, 1), 3), Found((2, 0), 2)]
    both = (DistinctLDiversity(l=2, attribute="illness"), KAnonymity(k=3))
    assert minimal(tables, *both) == [Found((2, 0), 2)]


def test_nodes_with_too_many_classes_and_classes_of_too_few_records_are_not_shown_to_any_model(store: Store) -> None:
    shown: list[int] = []

    class Watching(KAnonymity):
        def achieved(self, classes: Classes) -> Query:
            shown.extend(size for _, size in store.rows(classes.sizes.select()))
            return super().achieved(classes)

    # 7 records make at most 2 classes of 3: the three ages have more. Young and old are 5 and 2, which is too few.
    assert minimal(people(store), Watching(k=3)) == [Found((2, 0), 2)]
    assert sorted(shown) == [3, 4, 5, 7]


def test_the_search_agrees_with_a_look_at_every_node(store: Store) -> None:
    header, *records = (line.split() for line in TABLE.strip().splitlines())
    trees: Sequence[dict[str, list[str]]] = [
        {line.split()[0]: line.split() for line in HIERARCHIES[name].splitlines()} for name in header
    ]
    satisfying = {}
    for levels in product(range(3), range(2)):
        named = [
            tuple(tree[text][level] for tree, text, level in zip(trees, row, levels, strict=True)) for row in records
        ]
        if sum(named.count(one) < 2 for one in named) <= 2:
            satisfying[levels] = len(set(named))
    lowest = {
        levels: classes
        for levels, classes in satisfying.items()
        if not any(other != levels and all(a <= b for a, b in zip(other, levels, strict=True)) for other in satisfying)
    }
    assert dict(minimal(people(store), KAnonymity(k=2), threshold=2)) == lowest
