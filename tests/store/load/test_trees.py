"""The hierarchy of a sensitive attribute as a table."""

from sqlalchemy import select

from toolbox.hierarchy.hierarchy import Hierarchy, Interval, Node
from toolbox.store.load.sensitive import create_tree

LOW, HIGH = Node(Interval(0, 1), "low"), Node(Interval(2, 3), "high")
HIERARCHY = Hierarchy(Node(Interval(0, 3), "*", (LOW, HIGH)))


def costs(store, values):
    """Return for each value its nodes, those of several values by their labels, and what each costs."""
    tree = create_tree(store, HIERARCHY, values)
    return [tuple(row) for row in store.rows(select(tree).order_by(tree.c.value, tree.c.node.desc()))]


def test_values_are_those_of_the_classes_and_not_their_places_in_the_hierarchy(store):
    rows = costs(store, [(10, 0.0), (20, 3.0)])
    assert rows == [(10.0, 1, 0.25, 1), (10.0, -1, 0.25, 0), (20.0, 2, 0.25, 1), (20.0, -2, 0.25, 0)]


def test_values_of_one_leaf_share_its_node_and_of_two_leaves_none(store):
    nodes = {}
    for value, node, *_ in costs(store, [(10, 0.0), (11, 1.0), (20, 2.0)]):
        nodes.setdefault(value, set()).add(node)
    assert len(nodes[10.0] & nodes[11.0]) == 1
    assert not nodes[10.0] & nodes[20.0]


def test_from_one_leaf_over_the_root_to_another_the_whole_way_costs_1(store):
    rows = costs(store, [(10, 0.0), (20, 3.0)])
    assert sum(cost for *_, cost, _ in rows) == 1


def test_a_value_that_is_not_in_the_hierarchy_is_as_far_from_all_as_can_be(store):
    rows = costs(store, [(10, 0.0), (99, None)])
    assert [(value, cost) for value, _, cost, _ in rows] == [(10.0, 0.25), (10.0, 0.25), (99.0, 0.5)]
