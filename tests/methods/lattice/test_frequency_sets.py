"""Frequency sets of nodes: each equals what plain counting of the generalised records gives."""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Iterator
from itertools import product

import pytest
from helpers.small_tables import declared, load

from toolbox.config.model import Attribute, Column, QuasiIdentifier
from toolbox.hierarchy.hierarchy import Hierarchy, Interval, Node
from toolbox.methods.arrays import combinations as grouping
from toolbox.methods.lattice.nodes import NodeCounter, fetch_frequencies, fetch_sensitive_frequencies
from toolbox.methods.lattice.searching import LatticeSearch
from toolbox.privacy.models.k_anonymity import KAnonymity
from toolbox.store.engine.store import Store
from toolbox.store.input.source import open_arrow_source
from toolbox.store.load.loading import Loader
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


def generalised(levels: tuple[int, ...]) -> list[tuple[str, ...]]:
    return [tuple(TREES[place][row[place]][level] for place, level in enumerate(levels)) for row in ROWS]


def sizes(levels: tuple[int, ...]) -> list[int]:
    return sorted(Tally(generalised(levels)).values())


def histograms(levels: tuple[int, ...]) -> list[list[int]]:
    classes: dict[tuple[str, ...], Tally[str]] = {}
    for key, row in zip(generalised(levels), ROWS, strict=True):
        classes.setdefault(key, Tally())[row[-1]] += 1
    return sorted(sorted(counts.values()) for counts in classes.values())


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with Store(tmp_path_factory.mktemp("store")) as opened:
        yield opened


@pytest.fixture(scope="module")
def tables(store: Store) -> Tables:
    return load(store, TABLE, NAMES, hierarchies=HIERARCHIES).tables


@pytest.fixture(scope="module")
def tables_with_illness(store: Store) -> Tables:
    import pyarrow as pa

    columns = dict(zip(["age", "sex", "city", "illness"], zip(*ROWS, strict=True), strict=True))
    given = pa.table({name: list(values) for name, values in columns.items()})
    illness = Attribute(column=Column(index=None, name="illness"), kind="category")
    config = declared(NAMES, hierarchies=HIERARCHIES, sensitive=[illness])
    return Loader(config, open_arrow_source(store, given), store, {"illness": False}).load().tables


@pytest.fixture(scope="module")
def many(store: Store) -> Tables:
    """Load every record three hundred times."""
    header, *rows = TABLE.strip().splitlines()
    return load(store, "\n".join([header, *(rows * 300)]), NAMES, hierarchies=HIERARCHIES).tables


@pytest.fixture(scope="module")
def five_columns(store: Store) -> Tables:
    """Load five columns of five thousand values, each of which occurs twice."""
    import pyarrow as pa

    names = [f"c{number}" for number in range(5)]
    root = Hierarchy(Node(Interval(0, 20_000), "*"))
    declared_columns = [
        QuasiIdentifier(column=Column(index=None, name=name), kind="number", hierarchy=root) for name in names
    ]
    given = pa.table({name: [value // 2 * 2 + place for value in range(10_000)] for place, name in enumerate(names)})
    return load(store, given, declared(declared_columns)).tables


NODES = list(product(*(range(height + 1) for height in HEIGHTS)))


@pytest.fixture(params=["with much room", "with little room", "without room"], autouse=True)
def room(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbers of classes are renumbered where they grow too large; and sorted in another way."""
    largest = {"with much room": 2**62, "with little room": 100, "without room": 1}
    monkeypatch.setattr(grouping, "LARGEST", largest[request.param])


def test_the_classes_of_every_node_are_counted(tables: Tables) -> None:
    counter = NodeCounter(fetch_frequencies(tables))
    assert {levels: sorted(counter.classes(levels).sizes.tolist()) for levels in NODES} == {
        levels: sizes(levels) for levels in NODES
    }


@pytest.mark.slow
@pytest.mark.parametrize("levels", [(0, 0, 0), (1, 1, 0), (2, 0, 2), (3, 1, 2)])
def test_sensitive_values_are_counted_with_the_classes(
    store: Store, tables_with_illness: Tables, levels: tuple[int, ...]
) -> None:
    given = tables_with_illness
    combinations, values = fetch_sensitive_frequencies(given, "illness")
    made = NodeCounter(combinations).histogram(levels)
    found: dict[int, list[int]] = {}
    for number, records in zip(made.classes.tolist(), made.records.tolist(), strict=True):
        found.setdefault(number, []).append(records)
    assert sorted(map(sorted, found.values())) == histograms(levels)
    # Class for class the same records as without the values.
    without = NodeCounter(fetch_frequencies(given)).classes(levels)
    assert [sum(found[number]) for number in range(len(found))] == without.sizes.tolist()
    meaning = dict(store.rows(values.select()))
    in_all: Tally[float] = Tally()
    for value, records in zip(made.values.tolist(), made.records.tolist(), strict=True):
        in_all[meaning[value]] += records
    assert in_all == dict(store.rows(given.sensitive["illness"].overall.select()))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("levels", [(0, 0, 0), (1, 1, 1)])
def test_a_combination_stands_for_all_its_records(many: Tables, levels: tuple[int, ...]) -> None:
    counted = NodeCounter(fetch_frequencies(many)).classes(levels)
    assert sorted(counted.sizes) == [300 * size for size in sizes(levels)]


@pytest.mark.slow
def test_five_columns_of_five_thousand_values_are_searched(five_columns: Tables) -> None:
    """Their possible combinations, some 10^18 times 3, leave no room beside them in 64 bits."""
    # Every value occurs twice, in the same two records: k = 2 holds at the ground, k = 3 only at the roots of all.
    for k, levels in ((2, (0,) * 5), (3, (1,) * 5)):
        assert [node.levels for node in LatticeSearch(five_columns, (KAnonymity(k=k),), 0).minimal_nodes()] == [levels]
