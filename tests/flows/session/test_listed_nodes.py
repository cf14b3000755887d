"""A run that tells of every node of the lattice: what brute force finds of each, and the release is the same."""

from __future__ import annotations

from collections import Counter
from itertools import product

import pandas as pd
import pytest
from helpers.amounts import some

import toolbox
from toolbox.app.project.variants import describe_lattice

AGES = ["23", "25", "24", "61", "67", "64", "30", "30", "99", "41"]
TOWNS = ["Graz", "Linz", "Graz", "Wien", "Wien", "Wien", "Linz", "Linz", "Wien", "Graz"]
PEOPLE = pd.DataFrame({"age": AGES, "town": TOWNS})
PATHS = {
    "age": {age: (age, f"{int(age) // 20 * 20}+", "*") for age in AGES},
    "town": {"Graz": ("Graz", "south", "*"), "Linz": ("Linz", "north", "*"), "Wien": ("Wien", "north", "*")},
}
HIERARCHIES = {name: list(paths.values()) for name, paths in PATHS.items()}


@pytest.fixture(scope="module")
def session():
    with toolbox.open(
        PEOPLE, quasi_identifiers=["age", "town"], hierarchies=HIERARCHIES, kinds={"age": "category"}
    ) as opened:
        yield opened


def count_suppressed(levels: tuple[int, ...], k: int) -> int:
    """Count the records in classes of fewer than k at a node."""
    rows = [
        tuple(PATHS[name][value][level] for name, value, level in zip(PATHS, row, levels, strict=True))
        for row in zip(AGES, TOWNS, strict=True)
    ]
    return sum(size for size in Counter(rows).values() if size < k)


@pytest.mark.slow
@pytest.mark.parametrize("method", some(["Flash", "Incognito"], every=2))
def test_each_node_is_told_as_brute_force_finds_it(session: toolbox.Session, method: str) -> None:
    settings = {"method": method, "k": 2, "suppression_threshold": 1}
    plain, variant = session.run(**settings), session.run(**settings, nodes=True)
    assert plain.summary.quasi_identifiers == variant.summary.quasi_identifiers
    assert variant.summary.searched is not None
    nodes = {node.levels: node for node in variant.summary.searched.tagged}
    suppressed = {levels: count_suppressed(levels, 2) for levels in product(range(3), range(3))}
    assert {levels: node.tag for levels, node in nodes.items()} == {
        levels: "satisfies" if count <= 1 else "fails" for levels, count in suppressed.items()
    }
    counted = {levels: node.suppressed for levels, node in nodes.items() if node.is_checked}
    assert counted == {levels: suppressed[levels] for levels in counted}


@pytest.mark.slow
def test_a_method_that_searches_no_lattice_tells_of_none(session: toolbox.Session) -> None:
    assert describe_lattice(session.run(method="Mondrian", k=2, nodes=True)) is None
    assert describe_lattice(session.run(method="Flash", k=2)) is None, "nobody asked"


def test_where_all_classes_count_nothing_is_listed_as_that_is_another_search(session: toolbox.Session) -> None:
    settings = {"method": "Incognito", "counted": "all", "k": 2, "suppression_threshold": 0}
    plain, variant = session.run(**settings), session.run(**settings, nodes=True)
    assert [column.level for column in plain.summary.quasi_identifiers] == [
        column.level for column in variant.summary.quasi_identifiers
    ]
    assert describe_lattice(variant) is None


@pytest.mark.slow
def test_of_a_large_lattice_its_own_node_its_neighbours_and_the_best_minimal_ones_are_kept() -> None:
    columns = {name: [f"{place % (3 + number)}" for place in range(60)] for number, name in enumerate("abcdefgh")}
    trees = {name: [(value, "*") for value in sorted(set(values))] for name, values in columns.items()}
    with toolbox.open(pd.DataFrame(columns), quasi_identifiers=list(columns), hierarchies=trees) as opened:
        variant = opened.run(method="Flash", k=3, nodes=True)
    found = describe_lattice(variant)
    assert found is not None
    own = [column.level for column in variant.summary.quasi_identifiers]
    minimal = [list(node.levels) for node in variant.summary.minimal_nodes]
    near = [
        levels
        for levels in map(list, product(range(2), repeat=8))
        if sum(a != b for a, b in zip(levels, own, strict=True)) <= 1
    ]
    assert (found["nodes"], len(near)) == (256, 9)
    assert sorted(node["levels"] for node in found["shown"]) == sorted(
        map(list, {tuple(levels) for levels in [*near, *minimal[:40]]})
    )
