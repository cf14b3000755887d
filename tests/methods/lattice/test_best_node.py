"""Which node is released: judged by a plain program that looks at every node of random lattices."""

from __future__ import annotations

import random

import pyarrow as pa
import pytest
from helpers import brute_models as brute
from helpers.amounts import times
from helpers.brute_incognito import Outcome, evaluate
from helpers.small_tables import load

from toolbox.methods.lattice.searching import LatticeSearch, rank_as_in_2010, rank_by_preference
from toolbox.privacy.models.k_anonymity import KAnonymity
from toolbox.store.engine.store import Store
from toolbox.store.tables import LatticeNode

HEIGHTS = (3, 2, 2)
VALUES = 8
FIRST = 72
SEEDS = range(FIRST, FIRST + times(4, slow=300))


def hierarchy(draws: random.Random, height: int) -> dict[str, tuple[str, ...]]:
    """Group eight values level by level, up to one root."""
    paths = {f"v{value}": (f"v{value}",) for value in range(VALUES)}
    for level in range(1, height):
        groups = {path[-1]: f"{level}{draws.randrange(5 - level)}" for path in paths.values()}
        paths = {value: (*path, groups[path[-1]]) for value, path in paths.items()}
    return {value: (*path, "*") for value, path in paths.items()}


class Case:
    """A random table of three columns, whose smallest classes may be suppressed."""

    def __init__(self, seed: int) -> None:
        draws = random.Random(seed)
        self.k, self.threshold = draws.randint(2, 4), draws.choice([0, 2, 4, 8])
        self.hierarchies = [hierarchy(draws, height) for height in HEIGHTS]
        skews = [draws.uniform(0.8, 3) for _ in HEIGHTS]
        self.rows = [
            tuple(f"v{int(VALUES * draws.random() ** skew)}" for skew in skews) for _ in range(draws.randint(12, 60))
        ]

    @property
    def outcome(self) -> Outcome:
        return evaluate(self.rows, self.hierarchies, brute.k_anonymous(self.k), threshold=self.threshold)

    def searched(self, store: Store) -> tuple[list[LatticeNode], LatticeNode]:
        names = [f"c{position}" for position in range(len(HEIGHTS))]
        table = pa.table(dict(zip(names, map(list, zip(*self.rows, strict=True)), strict=True)))
        written = {
            name: "\n".join(" ".join(path) for path in paths.values())
            for name, paths in zip(names, self.hierarchies, strict=True)
        }
        tables = load(store, table, " ".join(names), hierarchies=written).tables
        search = LatticeSearch(tables, (KAnonymity(k=self.k),), self.threshold)
        minimal = search.minimal_nodes()
        return minimal, search.find_best_node(minimal)


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("seed", SEEDS)
def test_the_best_of_all_satisfying_nodes_is_found(seed: int, store: Store) -> None:
    case = Case(seed)
    minimal, best = case.searched(store)
    outcome = case.outcome
    assert {node.levels: node[1:] for node in minimal} == outcome.minimal
    assert (best.levels, best[1:]) == (outcome.chosen, outcome.satisfying[outcome.chosen])
    assert min(minimal, key=rank_as_in_2010).levels == outcome.chosen_in_2010


def test_the_random_cases_tell_the_rules_apart() -> None:
    """In some of them the old rule takes a node that releases less, and in some the best node is not minimal."""
    outcomes = [Case(seed).outcome for seed in range(FIRST, FIRST + 8)]
    releases_less = [
        outcome.satisfying[outcome.chosen_in_2010].released < outcome.satisfying[outcome.chosen].released
        for outcome in outcomes
    ]
    is_higher = [outcome.chosen not in outcome.minimal for outcome in outcomes]
    assert (sum(releases_less), sum(is_higher)) == (4, 3)


def test_nodes_are_preferred_by_released_classes_then_by_suppressed_records_then_as_a_walk_meets_them() -> None:
    nodes = [
        LatticeNode((1, 1), classes=4, released=4, suppressed=3),
        LatticeNode((2, 1), classes=5, released=4, suppressed=2),
        LatticeNode((0, 0), classes=9, released=3, suppressed=0),
        LatticeNode((1, 0), classes=7, released=4, suppressed=3),
        LatticeNode((0, 1), classes=7, released=4, suppressed=3),
    ]
    ordered = [node.levels for node in sorted(nodes, key=rank_by_preference)]
    assert ordered == [(2, 1), (1, 0), (0, 1), (1, 1), (0, 0)]
    assert min(nodes, key=rank_as_in_2010).levels == (0, 0)
