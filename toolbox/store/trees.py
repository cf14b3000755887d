"""The hierarchy of a sensitive attribute as a table, by which distances over it are measured."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Table

from toolbox.hierarchy.hierarchy import Hierarchy
from toolbox.hierarchy.tree import steps
from toolbox.store.store import Store


def create_tree(store: Store, hierarchy: Hierarchy, values: Sequence[tuple[float, float | None]]) -> Table:
    """Create a table of the steps from each value up a hierarchy: ``value, node, cost, level``.

    Parameters
    ----------
    values : sequence of (value, place)
        Each value as classes show it, and the number or the code as which it stands in the hierarchy; None if it does
        not.
    """
    ways = list(steps(hierarchy, (position for _, position in values)))
    return store.create_constant(
        "tree",
        {
            "value": (float, [float(values[way.number][0]) for way in ways]),
            "node": (int, [way.node for way in ways]),
            "cost": (float, [way.cost for way in ways]),
            "level": (int, [way.level for way in ways]),
        },
    )
