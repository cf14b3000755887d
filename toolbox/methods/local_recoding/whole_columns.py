"""The best full-domain release: a local recoding must not lose more."""

from __future__ import annotations

import numpy as np

from toolbox.methods.arrays.judging import Judge
from toolbox.methods.arrays.types import Numbers, Reals
from toolbox.methods.local_recoding.nodes import Nodes
from toolbox.methods.local_recoding.sweep import Groups, Left


def cheapest_node(everybody: Left, nodes: Nodes, paid: Reals, least: int, judge: Judge | None) -> Numbers | None:
    """Find the cheapest node at which all records are in classes, and return the class of each row.

    If a node leaves a record out, so does every node below it. So the search halves the remaining nodes again and
    again, at the node of median price.

    Parameters
    ----------
    paid : array
        What a record pays at each node on average; those that are no option are not listed.

    Returns
    -------
    array, optional
        None if there is no such node.
    """
    best: Numbers | None = None
    while len(nodes):
        order = np.argsort(paid, kind="stable")
        middle = order[(len(nodes) - 1) // 2]
        groups = everybody.groups(tuple(nodes[middle].tolist()), least)
        if groups is not None and _all_accepted(everybody, groups, judge):
            best = np.empty(len(everybody.places), np.int64)
            best[groups.members] = groups.of_member
            stay = paid < paid[middle]
        else:
            stay = (nodes > nodes[middle]).any(axis=1)
        nodes, paid = nodes[stay], paid[stay]
    return best


def _all_accepted(everybody: Left, groups: Groups, judge: Judge | None) -> bool:
    if len(groups.members) < len(everybody.places):
        return False
    return judge is None or not everybody.rows.refused(judge, groups.members, groups.of_member).any()
