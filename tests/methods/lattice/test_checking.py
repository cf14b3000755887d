"""Checking nodes: what must be suppressed at each, by sizes alone or by statements."""

from __future__ import annotations

import pytest
from helpers.lattices import K2, NODES, checker_of
from helpers.small_tables import declared

from toolbox.config.model import Attribute, Column
from toolbox.methods.lattice import checking
from toolbox.methods.lattice.checking import Checker
from toolbox.privacy.models.k_anonymity import KAnonymity
from toolbox.privacy.models.l_diversity import DistinctLDiversity
from toolbox.store.engine.store import Store
from toolbox.store.input.source import open_arrow_source
from toolbox.store.load.loading import Loader


def with_illness(store: Store, *, limit: int) -> Checker:
    from helpers.lattices import HIERARCHIES, TABLE
    from helpers.small_tables import arrow

    illness = Attribute(column=Column(index=None, name="illness"), kind="category")
    table = arrow(TABLE).append_column("illness", [["flu", "cold", "flu", "flu", "gout", "cold", "gout"]])
    config = declared("age sex", hierarchies=HIERARCHIES, sensitive=[illness])
    tables = Loader(config, open_arrow_source(store, table), store, {"illness": False}).load().tables
    return Checker(tables, [KAnonymity(k=2), DistinctLDiversity(l=2, attribute="illness")], limit)


def test_what_is_suppressed_at_each_node(store: Store) -> None:
    nodes = [checked.node for checked in checker_of(store).check(NODES)]
    assert [node.levels for node in nodes] == NODES
    assert [node.classes for node in nodes] == [5, 3, 4, 2, 2, 1]
    assert [node.released for node in nodes] == [2, 3, 2, 2, 2, 1]
    assert [node.suppressed for node in nodes] == [3, 0, 2, 0, 0, 0]


@pytest.mark.slow
@pytest.mark.parametrize("rows", [1, 1_000_000])
def test_several_models_are_asked_about_many_nodes_together(
    store: Store, rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checking, "_ROWS", rows)
    checker = with_illness(store, limit=7)
    # The two of 22 and m have flu both.
    assert [checked.node.suppressed for checked in checker.check(NODES)] == [5, 0, 4, 0, 0, 0]
    assert not checker.asks_sizes_only
    checker.close()


def test_what_is_hopeless_is_judged_by_the_sizes_alone(store: Store) -> None:
    checker = with_illness(store, limit=2)
    found = {checked.node.levels: checked.node.suppressed for checked in checker.check(NODES)}
    # Three are in classes of one, which is more than may be suppressed; nobody asks about diversity there.
    assert (found[0, 0], found[1, 0]) == (3, 4)


def test_tags_follow_where_suppression_helps_all_models(store: Store) -> None:
    assert checker_of(store, limit=3).is_monotone
    assert with_illness(store, limit=0).is_monotone
    assert not with_illness(store, limit=1).is_monotone
    assert checker_of(store, models=(*K2, KAnonymity(k=3))).least == 3
