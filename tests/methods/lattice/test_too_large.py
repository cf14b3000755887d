"""The search of lattices of any size: on small ones, where the best node is known."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from math import inf

import pytest
from helpers.amounts import some, times
from helpers.lattices import checker_of, objective
from helpers.small_tables import arrow, declared, load, quasi_identifier

from toolbox import UsageError
from toolbox.config.model import Attribute, Column
from toolbox.methods.lattice import optimum as optimal
from toolbox.methods.lattice.checking import Checked, Checker
from toolbox.methods.lattice.objectives import NodeObjective
from toolbox.methods.lattice.optimal import Flash
from toolbox.methods.lattice.optimum import LargeLattice, LargeSearch
from toolbox.methods.lattice.searching import Search
from toolbox.privacy.models.k_anonymity import KAnonymity
from toolbox.privacy.models.l_diversity import DistinctLDiversity
from toolbox.store.engine.store import Store
from toolbox.store.input.source import open_arrow_source
from toolbox.store.load.loading import Loader


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("name", "limit", "expected"),
    [
        ("lm", 0, (0, 1)),
        ("lm", 2, (1, 0)),
        ("non-uniform-entropy", 3, (0, 0)),
        ("discernibility-with-suppression", 0, (0, 1)),
        ("number-of-classes", 3, (0, 1)),
    ],
)
def test_a_small_lattice_is_searched_to_the_proof(
    store: Store, name: str, limit: int, expected: tuple[int, int]
) -> None:
    checker = checker_of(store, limit=limit)
    lattice = LargeLattice((2, 1), (0, 0))
    search = Search(lattice, checker, objective(checker, name))
    running = LargeSearch(search, lattice)
    assert running.run()
    assert search.best is not None
    assert search.best.node.levels == expected


def test_the_roots_are_found_where_the_metric_has_a_value_for_no_satisfying_node(store: Store) -> None:
    checker = checker_of(store, models=(KAnonymity(k=6),))
    lattice = LargeLattice((2, 1), (0, 0))
    search = Search(lattice, checker, objective(checker, "average-class-size"))
    assert LargeSearch(search, lattice).run()
    assert search.best is not None
    assert (search.best.node.levels, search.best.cost) == ((2, 1), inf)


@pytest.mark.slow
def test_the_bound_of_a_search_that_is_cut_off_is_none_of_the_best_node(store: Store) -> None:
    checker = checker_of(store)
    lattice = LargeLattice((2, 1), (0, 0))
    search = Search(lattice, checker, objective(checker, "lm"), deadline=-inf)
    running = LargeSearch(search, lattice)
    assert not running.run()
    assert search.best is not None
    assert (search.best.node.levels, running.bound) == ((2, 1), 0)


def test_neighbours_keep_to_the_levels() -> None:
    lattice = LargeLattice((2, 1), (1, 0))
    assert list(lattice.list_next_higher((1, 1))) == [(2, 1)]
    assert list(lattice.list_next_lower((1, 1))) == [(1, 0)]
    assert LargeLattice((9,) * 20, (0,) * 20).size == 10**20


@pytest.mark.slow
def test_a_lattice_without_an_array_is_searched_until_the_time_is_over(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [" ".join(f"q{column}" for column in range(3))]
    rows += [" ".join(str((row * (column + 3)) % 7) for column in range(3)) for row in range(40)]
    tree = "\n".join(f"{value} {value // 2 * 2 + 10} {value // 4 + 20} *" for value in range(7))
    columns = [quasi_identifier(name, kind="category", hierarchy=tree) for name in rows[0].split()]
    tables = load(store, "\n".join(rows), declared(columns)).tables
    search = Flash(models=(KAnonymity(k=4),), suppression_threshold=0)
    monkeypatch.setattr(optimal, "_MOST_NODES", 50)
    monkeypatch.setattr(optimal, "_USUAL_SECONDS", 1e-9)
    found = search.run(tables).tables.searched
    assert found is not None
    assert (found.nodes, found.is_proved) == (4**3, False)
    assert (found.checked, found.value, found.bound) == (1, pytest.approx(1), 0)
    # A limit of nodes takes the place of that of time.
    first, again = (replace(search, node_limit="4").run(tables).tables.searched for _ in range(2))
    assert first is not None
    assert (first.checked, first.is_proved, first) == (4, False, again)
    assert first.bound is not None
    assert first.bound < first.value < 1


def test_its_nodes_are_too_many_to_be_listed(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    from helpers.lattices import K2, people

    monkeypatch.setattr(optimal, "_MOST_NODES", 5)
    question = optimal.SearchTask(models=K2, limit=0, objective="lm", order=lambda search: None, lists_nodes=True)
    with pytest.raises(UsageError, match="too many to list"):
        optimal.search_lattice(people(store), question)


class Dear(NodeObjective):
    """The costs of another objective, as those of a metric of which nothing is known but what it says of a release."""

    is_cheap = False

    def __init__(self, costs: NodeObjective) -> None:
        self.name, self._costs = costs.name, costs

    def cost(self, node: Checked) -> float:
        return self._costs.cost(node)

    def value(self, cost: float) -> float:
        return self._costs.value(cost)


def find_least_cost(checker: Checker, lattice: LargeLattice, costs: NodeObjective) -> float | None:
    """Look at every node; None if none satisfies the models."""
    ranges = [range(low, high + 1) for low, high in zip(lattice.lowest, lattice.highest, strict=True)]
    found = [
        costs.cost(node) for node in checker.check(list(product(*ranges))) if node.node.suppressed <= checker.limit
    ]
    return min(found, default=None)


def require_truth(checker: Checker, lattice: LargeLattice, costs: NodeObjective, *, every: int) -> None:
    """Cut a search off after some numbers of nodes: its bound must be no more than the least cost of all nodes."""
    least = find_least_cost(checker, lattice, costs)
    for limit in (None, *some(range(1, lattice.size), every=every)):
        search = Search(lattice, checker, costs, most_nodes=limit)
        running = LargeSearch(search, lattice)
        is_proved = running.run()
        best = inf if search.best is None else search.best.cost
        assert is_proved or limit is not None
        assert min(running.bound, best) <= (inf if least is None else least) + 1e-9
        assert not is_proved or (least is None) == (search.best is None)
        assert not is_proved or best == pytest.approx(inf if least is None else least)


def draw_checker(store: Store, draws: random.Random, heights: Sequence[int]) -> Checker:
    """Draw a table, and models that need not hold above a node where they hold."""
    names = [f"q{column}" for column, _ in enumerate(heights)]
    rows = [[*(str(int(6 * draws.random() ** 1.5)) for _ in names), draws.choice("xyz")] for _ in range(20)]
    columns = []
    for name, height in zip(names, heights, strict=True):
        parents = [draws.choice("ab") if height == 2 else "" for _ in range(6)]
        tree = "\n".join(f"{value} {parent} *" for value, parent in enumerate(parents))
        columns.append(quasi_identifier(name, kind="category", hierarchy=tree))
    config = declared(columns, sensitive=[Attribute(column=Column(index=None, name="ill"), kind="category")])
    source = open_arrow_source(store, arrow("\n".join(map(" ".join, [[*names, "ill"], *rows]))))
    tables = Loader(config, source, store, {"ill": False}).load().tables
    models = (KAnonymity(k=draws.choice([2, 3])), DistinctLDiversity(l=2, attribute="ill"))
    return Checker(tables, draws.choice([models, models[:1]]), draws.choice([0, 0, 3, 6]))


@pytest.mark.parametrize("seed", range(13, 13 + times(2, slow=60)))
def test_what_is_proved_is_what_a_look_at_every_node_finds(seed: int, store: Store) -> None:
    draws = random.Random(seed)
    heights = (2, 2, 1, 1)
    checker = draw_checker(store, draws, heights)
    lattice = LargeLattice(heights, (draws.choice([0, 1]), 0, 0, 0))
    costs = objective(checker, draws.choice(["lm", "non-uniform-entropy", "discernibility", "average-class-size"]))
    require_truth(checker, lattice, Dear(costs) if seed % 2 else costs, every=9)


def test_a_dearer_node_that_is_reached_first_raises_no_bound(store: Store) -> None:
    rows = [
        (f"{top}{first + second:03d}", f"{group}{half}{end}")
        for number, (group, end, top) in enumerate(product("abcdefghij", "12", "AC"))
        for first, second, half in product([2 * number], [0, 1], "12")
    ]
    parents = {"a": {a: a[0] for a, _ in rows}, "b": {b: f"{b[:2]} {b[0]}" for _, b in rows}}
    trees = {name: "\n".join(f"{one} {above} *" for one, above in paths.items()) for name, paths in parents.items()}
    columns = [quasi_identifier(name, kind="category", hierarchy=tree) for name, tree in trees.items()]
    tables = load(store, "\n".join(map(" ".join, [("a", "b"), *rows])), declared(columns)).tables
    checker, lattice = Checker(tables, (KAnonymity(k=2),), 0), LargeLattice((2, 3), (0, 0))
    search = Search(lattice, checker, objective(checker, "lm"))
    assert LargeSearch(search, lattice).run()
    assert search.best is not None
    assert (search.best.node.levels, search.best.cost) == ((0, 2), pytest.approx(0.0385, abs=1e-4))
    require_truth(checker, lattice, search.objective, every=1)
