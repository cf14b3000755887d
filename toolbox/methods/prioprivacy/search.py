"""The rounds of PrioPrivacy: one quasi-identifier more in each, the most important last."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations as subsets
from itertools import product
from math import prod

from toolbox.errors import UsageError
from toolbox.methods.prioprivacy.cheapest import join_classes, make_cheapest
from toolbox.methods.prioprivacy.combinations import Combinations, Node
from toolbox.methods.prioprivacy.hash_map import hash_order
from toolbox.methods.prioprivacy.largest import make_largest
from toolbox.methods.prioprivacy.masking import mask
from toolbox.methods.prioprivacy.state import State, first_state

_MOST_NODES = 300_000
"""Transformations that are tried at most: some minutes."""


def search(
    combinations: Combinations, k: int, *, published: bool, report: Callable[[str], None] = lambda message: None
) -> State:
    """Find the level of every value.

    Parameters
    ----------
    combinations : Combinations
    k : int, >= 1
    published : bool
        Suppress as published, which leaves people with fewer than k; otherwise so that every class has k records.
    report : callable
        Is told each round.

    Returns
    -------
    State
        If published, records that can not be masked at all stay open, with their original values.

    Raises
    ------
    UsageError
        If there are more transformations than can be tried.
    """
    _require_few(combinations)
    state, changing = first_state(combinations, k), []
    for index, newest in enumerate(combinations.rounds, start=1):
        changing.append(newest)
        places = sorted(changing)
        report(f"quasi-identifier {index} of {len(combinations.rounds)}: {int(state.is_open.sum()):,} combinations")
        for nodes in _generalising(combinations, places, newest):
            make_largest(combinations, state, nodes, k)
        if published:
            for nodes in _at_root(combinations, changing):
                mask(combinations, state, nodes, k)
        elif state.is_open.any():
            make_cheapest(combinations, state, _mixed(combinations, places, newest), k)
    if not published:
        join_classes(combinations, state)
    return state


def _require_few(combinations: Combinations) -> None:
    count = prod(root + 1 for root in combinations.roots)
    if count > _MOST_NODES:
        raise UsageError(
            f"PrioPrivacy tries every combination of levels, and {len(combinations.codes)} quasi-identifiers have "
            f"{count:,} of them; {_MOST_NODES:,} is the most. Declare fewer quasi-identifiers, or take Mondrian."
        )


def _generalising(combinations: Combinations, places: list[int], newest: int) -> Iterator[list[Node]]:
    """List the nodes that generalise, level by level and by the number of columns that change, all to one level.

    A node that leaves the newest column as it is was tried in an earlier round, and forms no more groups.
    """
    for level in range(1, max(combinations.roots)):
        having = [position for position in places if level < combinations.roots[position]]
        if newest in having:
            targets = [level] * len(combinations.codes)
            for count in range(1, len(having) + 1):
                yield _nodes(targets, having, newest, count)


def _at_root(combinations: Combinations, changing: Sequence[int]) -> Iterator[list[Node]]:
    """List the nodes that suppress, by the number of columns, then in the order of the published program.

    That program names a set of columns by their numbers in the order of the rounds, and keeps these texts in a HashMap.
    """
    roots, newest = combinations.roots, changing[-1]
    for count in range(1, len(changing) + 1):
        chosen = {" ".join(map(str, subset)): set(subset) for subset in subsets(changing, count) if newest in subset}
        ordered = (chosen[text] for text in hash_order(chosen))
        yield [tuple(root if position in subset else 0 for position, root in enumerate(roots)) for subset in ordered]


def _nodes(targets: Sequence[int], places: list[int], newest: int, count: int) -> list[Node]:
    """List the nodes at which `count` of these columns change, the newest among them, in the order of the columns."""
    chosen = (set(subset) for subset in subsets(places, count) if newest in subset)
    return [tuple(level if position in subset else 0 for position, level in enumerate(targets)) for subset in chosen]


def _mixed(combinations: Combinations, places: list[int], newest: int) -> list[Node]:
    """List all nodes at which the newest column changes, and any other of these columns to any level."""
    levels = [
        range(int(position == newest), root + 1) if position in places else range(1)
        for position, root in enumerate(combinations.roots)
    ]
    return list(product(*levels))
