"""What a locally recoded class is called: the narrowest name that covers its values."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pytest
from helpers.small_tables import declared, load, quasi_identifier, released
from sqlalchemy import select

from toolbox.config.model import Column, QuasiIdentifier
from toolbox.hierarchy.hierarchy import Hierarchy, Interval, Node
from toolbox.methods.mondrian.naming import recode_partitions
from toolbox.methods.mondrian.partitions import Partitions, make_one_partition
from toolbox.privacy.models.k_anonymity import KAnonymity
from toolbox.privacy.proof.proof import prove
from toolbox.store.engine.store import Store
from toolbox.store.tables import Tables

pytestmark = pytest.mark.sampled(2)

STATES = """
Ohio   Midwest America *
Iowa   Midwest America *
Maine  East    America *
Lyon   France  Europe  *
Paris  France  Europe  *
"""


def names(store: Store, one: QuasiIdentifier, *groups: str, all_values: str = "") -> list[str]:
    """Name groups of values, each a class of its own; values in no group form the last one."""
    given = [group.split() for group in groups]
    rest = [value for value in all_values.split() if all(value not in group for group in given)]
    texts = [value for group in [*given, rest] for value in group]
    part_of = {value: part for part, group in enumerate([*given, rest]) for value in group}
    loaded = load(store, pa.table({"a": texts}), declared([one]))
    tables = loaded.tables
    ground = tables.quasi_identifiers[0].ground
    part_of_rank = [part_of[label] for (label,) in store.rows(select(ground.c.label).order_by(ground.c.level_0))]
    finished = recode_partitions(tables, partitioned(tables, part_of_rank), by_region=False)
    prove(tables, finished, (KAnonymity(k=1),))
    shown = [label for (label,) in released(finished, loaded)]
    return list(dict.fromkeys(shown[: sum(map(len, given))]))


def partitioned(tables: Tables, part_of_combination: Sequence[int]) -> Partitions:
    """Put the combinations of a table into parts that are numbered from 0."""
    whole, parts = make_one_partition(tables, with_regions=False), np.array(part_of_combination)
    order = np.argsort(parts, kind="stable")
    columns = [column[order] for column in whole.columns]
    starts = np.flatnonzero(np.diff(parts[order], prepend=-1))
    return Partitions(whole.combination_ids[order], whole.sizes[order], columns, starts)


def states() -> QuasiIdentifier:
    return quasi_identifier("a", hierarchy=STATES)


EVERYWHERE = "Ohio Iowa Maine Lyon Paris"


@pytest.mark.slow
def test_one_value_keeps_its_own_name(store: Store) -> None:
    assert names(store, states(), "Ohio", "Lyon", all_values=EVERYWHERE) == ["Ohio", "Lyon"]
    assert names(store, quasi_identifier("a", kind="number"), "7", "08") == ["7", "08"]


def test_several_numbers_are_named_by_their_ends_as_they_are_written(store: Store) -> None:
    ages = quasi_identifier("a", kind="number")
    assert names(store, ages, "3.50 7 9", "-1 2", "1e2 200") == ["[3.50:9]", "[-1:2]", "[1e2:200]"]


def test_numbers_are_named_by_their_ends_even_below_a_node_of_the_hierarchy(store: Store) -> None:
    ages = quasi_identifier("a", hierarchy="1 young *\n2 young *\n3 old *\n4 old *")
    assert names(store, ages, "1 2", "3 4") == ["[1:2]", "[3:4]"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("group", "name"),
    [
        ("Ohio Iowa", "Midwest"),
        ("Ohio Iowa Maine", "America"),
        ("Ohio Iowa Maine Lyon Paris", "*"),
        ("Ohio Maine", "{Ohio,Maine}"),
        ("Maine Ohio", "{Ohio,Maine}"),
        ("Maine Lyon", "{Maine,Lyon}"),
        ("Ohio Iowa Maine Lyon", "{Ohio,Iowa,Maine,Lyon}"),
        ("Paris", "Paris"),
    ],
)
def test_a_node_names_exactly_its_values_and_no_others(store: Store, group: str, name: str) -> None:
    assert names(store, states(), group, all_values=EVERYWHERE) == [name]


def test_of_nested_nodes_with_the_same_values_the_lowest_names_them(store: Store) -> None:
    """Europe holds nothing but France."""
    assert names(store, states(), "Lyon Paris", all_values=EVERYWHERE) == ["France"]


@pytest.mark.slow
def test_only_values_that_occur_count(store: Store) -> None:
    """Without Iowa, Maine and Paris in the table, Ohio and Lyon are all there is."""
    assert names(store, states(), "Ohio Lyon") == ["*"]
    assert names(store, states(), "Ohio Maine", all_values="Ohio Maine Lyon") == ["America"]


def test_categories_without_a_hierarchy_are_listed_in_their_order(store: Store) -> None:
    words = quasi_identifier("a", kind="category")
    assert names(store, words, "c a b", "d", 'x,y "z" {') == ["{a,b,c}", "d", '{"""z""","x,y","{"}']


def test_without_a_hierarchy_even_all_values_are_listed(store: Store) -> None:
    assert names(store, quasi_identifier("a", kind="category"), "b a") == ["{a,b}"]


@pytest.mark.slow
def test_a_hierarchy_of_unequal_depth_names_sets_too(store: Store) -> None:
    def node(text: str, label: str, *children: Node) -> Node:
        return Node(Interval.parse(text), label, children)

    tree = Hierarchy(
        node("[0:3]", "*", node("[0:1]", "low", node("[0:0]", "a"), node("[1:1]", "b")), node("[2:3]", "high"))
    )
    column = Column(index=None, name="a")
    codes = {"p": 0, "q": 1, "r": 2, "s": 3}
    uneven = QuasiIdentifier(column=column, kind="category", categories=codes, hierarchy=tree)
    assert names(store, uneven, "p q", "r s") == ["low", "high"]
    assert names(store, uneven, "q r", all_values="p q r s") == ["{q,r}"]


def test_kept_missing_values_lie_under_no_node(store: Store) -> None:
    loaded = load(store, "a\nLyon\n?\nParis\nOhio\n", declared([states()], on_missing="keep"))
    tables = loaded.tables
    finished = recode_partitions(tables, partitioned(tables, [0, 1, 1, 1]), by_region=False)
    shown = [label for (label,) in released(finished, loaded)]
    assert shown == ["{Lyon,Paris,?}", "{Lyon,Paris,?}", "{Lyon,Paris,?}", "Ohio"]
    assert prove(tables, finished, (KAnonymity(k=1),)).smallest_class == 1
