"""Frequency sets of many nodes in one table: each equals what plain counting of the generalised records gives."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, product

import pytest
from helpers.small_tables import declared, load

from toolbox.config.model import Attribute, Column, QuasiIdentifier
from toolbox.errors import UsageError
from toolbox.hierarchy.hierarchy import Hierarchy, Node
from toolbox.hierarchy.interval import Interval
from toolbox.methods.lattice import packing
from toolbox.methods.lattice.cube import Cube
from toolbox.methods.lattice.frequency_sets import FrequencySets, RollUp, of_combinations
from toolbox.methods.lattice.packing import pack
from toolbox.methods.lattice.roll_up import Wanted, at_nodes
from toolbox.methods.lattice.search import LatticeSearch
from toolbox.privacy.k_anonymity import KAnonymity
from toolbox.store.load import Loader
from toolbox.store.source import arrow_source
from toolbox.store.store import Store
from toolbox.store.tables import Tables

TABLE = """
age sex city illness
21  f   graz flu
22  m   graz flu
22  m   graz cold
34  f   linz flu
35  m   wien cold
35  f   wien gout
48  m   linz flu
21  f   graz cold
"""
HIERARCHIES = {
    "age": "21 twenties young *\n22 twenties young *\n34 thirties young *\n35 thirties young *\n48 forties old *",
    "sex": "f *\nm *",
    "city": "graz south *\nlinz north *\nwien north *",
}
NAMES = "age sex city"
HEIGHTS = (3, 1, 2)
ROWS = [line.split() for line in TABLE.strip().splitlines()[1:]]
TREES = [{line.split()[0]: line.split() for line in HIERARCHIES[name].splitlines()} for name in NAMES.split()]


def generalised(levels: tuple[int, ...], subset: tuple[int, ...]) -> list[tuple[str, ...]]:
    return [tuple(TREES[place][row[place]][level] for place, level in zip(subset, levels, strict=True)) for row in ROWS]


def sizes(levels: tuple[int, ...], subset: tuple[int, ...]) -> list[int]:
    return sorted(Counter(generalised(levels, subset)).values())


def histograms(levels: tuple[int, ...], subset: tuple[int, ...]) -> list[list[int]]:
    classes: dict[tuple[str, ...], Counter[str]] = {}
    for key, row in zip(generalised(levels, subset), ROWS, strict=True):
        classes.setdefault(key, Counter())[row[-1]] += 1
    return sorted(sorted(counts.values()) for counts in classes.values())


def tables(store: Store) -> Tables:
    return load(store, TABLE, NAMES, hierarchies=HIERARCHIES).tables


def tables_with_illness(store: Store) -> Tables:
    import pyarrow as pa

    columns = dict(zip(["age", "sex", "city", "illness"], zip(*ROWS, strict=True), strict=True))
    given = pa.table({name: list(values) for name, values in columns.items()})
    illness = Attribute(column=Column(index=None, name="illness"), kind="category")
    config = declared(NAMES, hierarchies=HIERARCHIES, sensitive=[illness])
    return Loader(config, arrow_source(store, given), store, {"illness": False}).load().tables


def by_node(sets: FrequencySets) -> dict[int, list[int]]:
    """Return the class sizes of every node."""
    (table,) = sets.sets
    found: dict[int, list[int]] = {}
    for number, size in sets.tables.store.rows(table.select()):
        found.setdefault(number // sets.packing.span, []).append(size)
    return {node: sorted(counts) for node, counts in found.items()}


@pytest.mark.parametrize("lowest", [(0, 0, 0), (1, 0, 1), (3, 1, 2)])
def test_the_combinations_are_counted_at_their_lowest_levels(store: Store, lowest: tuple[int, ...]) -> None:
    sets = of_combinations(tables(store), (0, 1, 2), lowest, [None])
    assert by_node(sets) == {0: sizes(lowest, (0, 1, 2))}
    assert sets.class_counts() == {0: len(sizes(lowest, (0, 1, 2)))}


def test_all_nodes_are_rolled_up_in_one_statement(store: Store) -> None:
    base = of_combinations(tables(store), (0, 1, 2), (0, 0, 0), [None])
    nodes = list(product(*(range(height + 1) for height in HEIGHTS)))
    plan = [RollUp(0, number, node, (0, 0, 0)) for number, node in enumerate(nodes)]
    made = base.created(base.rolled_up(plan))
    assert by_node(made) == {number: sizes(node, (0, 1, 2)) for number, node in enumerate(nodes)}
    assert made.class_counts() == {number: len(sizes(node, (0, 1, 2))) for number, node in enumerate(nodes)}


def test_a_node_is_rolled_up_from_another_one_by_one_level(store: Store) -> None:
    base = of_combinations(tables(store), (0, 1, 2), (0, 0, 0), [None])
    first = base.created(base.rolled_up([RollUp(0, 4, (1, 0, 1), (0, 0, 0)), RollUp(0, 5, (0, 0, 1), (0, 0, 0))]))
    second = first.created(
        first.rolled_up(
            [RollUp(4, 0, (2, 0, 1), (1, 0, 1)), RollUp(5, 1, (0, 0, 2), (0, 0, 1)), RollUp(4, 2, (1, 1, 1), (1, 0, 1))]
        )
    )
    assert by_node(second) == {
        number: sizes(node, (0, 1, 2)) for number, node in enumerate([(2, 0, 1), (0, 0, 2), (1, 1, 1)])
    }


@pytest.mark.parametrize("lowest", [(0, 0, 0), (1, 0, 1)])
def test_the_cube_has_every_subset_of_two_columns_and_more(store: Store, lowest: tuple[int, ...]) -> None:
    cube = Cube(tables(store), lowest, [None])
    for size in (2, 3):
        found = by_node(cube.of_size(size))
        subsets = list(combinations(range(3), size))
        assert {cube.number(subset): subset for subset in subsets}.keys() == found.keys()
        for subset in subsets:
            levels = tuple(lowest[place] for place in subset)
            assert found[cube.number(subset)] == sizes(levels, subset)


def test_nodes_along_shared_paths_are_numbered_as_they_are_asked_for(store: Store) -> None:
    cube = Cube(tables(store), (0, 0, 0), [None])
    nodes = [(0, 0), (2, 1), (1, 0), (3, 0), (2, 0), (0, 1), (1, 1)]
    wanted = [Wanted(cube.number((0, 1)), (*node, 0)) for node in nodes]
    wanted += [Wanted(cube.number((1, 2)), (0, *node)) for node in [(1, 2), (0, 1)]]
    made = at_nodes(cube.of_size(2), wanted)
    expected = [sizes(node, (0, 1)) for node in nodes] + [sizes(node, (1, 2)) for node in [(1, 2), (0, 1)]]
    assert by_node(made) == dict(enumerate(expected))


def test_sensitive_values_are_counted_with_the_classes(store: Store) -> None:
    base = of_combinations(tables_with_illness(store), (0, 1, 2), (0, 0, 0), ["illness"])
    nodes = [(1, 1, 0), (2, 0, 2), (3, 1, 2)]
    made = at_nodes(base, [Wanted(0, node) for node in nodes])
    (table,) = made.sets
    found: dict[int, dict[int, list[int]]] = {}
    for number, _, records in store.rows(table.select()):
        found.setdefault(number // made.packing.span, {}).setdefault(number, []).append(records)
    shown = {node: sorted(sorted(counts) for counts in classes.values()) for node, classes in found.items()}
    assert shown == {number: histograms(node, (0, 1, 2)) for number, node in enumerate(nodes)}
    assert made.class_counts() == {number: len(histograms(node, (0, 1, 2))) for number, node in enumerate(nodes)}
    assert sorted(store.rows(made.classes(None).sizes.select()))[-1][1] == len(ROWS)


def test_numbers_too_large_for_64_bits_take_128(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "_LARGEST", 2)
    made = at_nodes(of_combinations(tables(store), (0, 1, 2), (0, 0, 0), [None]), [Wanted(0, (1, 1, 1))])
    assert by_node(made) == {0: sizes((1, 1, 1), (0, 1, 2))}


def test_five_columns_of_five_thousand_values_are_searched(store: Store) -> None:
    """Their combinations, some 10^18, and their nodes are beyond 64 bits."""
    import pyarrow as pa

    names = [f"c{number}" for number in range(5)]
    root = Hierarchy(Node(Interval(0, 20_000), "*"))
    declared_columns = [
        QuasiIdentifier(column=Column(index=None, name=name), kind="number", hierarchy=root) for name in names
    ]
    given = pa.table({name: [value // 2 * 2 + place for value in range(10_000)] for place, name in enumerate(names)})
    tables = load(store, given, declared(declared_columns)).tables
    # Every value occurs twice, in the same two records: k = 2 holds at the ground, k = 3 only at the roots of all.
    assert [node.levels for node in LatticeSearch(tables, (KAnonymity(k=2),), 0).minimal_nodes()] == [(0,) * 5]
    assert [node.levels for node in LatticeSearch(tables, (KAnonymity(k=3),), 0).minimal_nodes()] == [(1,) * 5]
    base = of_combinations(tables, (0, 1, 2, 3, 4), (0,) * 5, [None])
    assert base.packing.span == 5_000**5
    cube = Cube(tables, (0,) * 5, [None])
    assert set(map(tuple, by_node(cube.of_size(2)).values())) == {(2,) * 5_000}


def test_numbers_too_large_for_any_type_are_refused(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "_LARGEST_HUGE", 2)
    with pytest.raises(UsageError, match="too many values for a search of their lattice"):
        pack(tables(store), (0, 1, 2), (0, 0, 0))
