"""Which levels the toolbox of 2010 saw in a hierarchy: none in leaves that have the names of values."""

from __future__ import annotations

from dataclasses import replace

from toolbox.hierarchy.hierarchy import Hierarchy, Node


def original_levels(hierarchy: Hierarchy) -> Hierarchy:
    """Remove the leaves if each is a single value, ``[1.0]``: to the original, leaf and value were the same.

    The result of a search differs in one case only: Incognito prefers the lower of two nodes.
    """
    leaves = [node for node, _ in hierarchy.root.walk() if not node.children]
    are_values = all(node.text == f"[{node.interval.low!r}]" for node in leaves)
    if leaves == [hierarchy.root] or not are_values or not hierarchy.is_uniform:
        return hierarchy
    return Hierarchy(_without_leaves(hierarchy.root))


def _without_leaves(node: Node) -> Node:
    """Make the parents of the leaves the leaves, in a tree whose leaves are all at one depth."""
    if not node.children[0].children:
        return replace(node, children=())
    return replace(node, children=tuple(map(_without_leaves, node.children)))
