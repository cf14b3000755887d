"""The search of lattices of any size: on small ones, where the best node is known."""

from __future__ import annotations

from dataclasses import replace
from math import inf

import pytest
from helpers.lattices import checker_of, objective
from helpers.small_tables import declared, load, quasi_identifier

from toolbox import UsageError
from toolbox.methods.lattice import optimum as optimal
from toolbox.methods.lattice.optimal import Flash
from toolbox.methods.lattice.optimum import LargeLattice, LargeSearch
from toolbox.methods.lattice.searching import Search
from toolbox.privacy.models.k_anonymity import KAnonymity
from toolbox.store.engine.store import Store


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
