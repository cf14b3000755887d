"""Hierarchies as trees: levels, height, leaves."""

from toolbox.hierarchy.hierarchy import Hierarchy, Interval, Node


def node(text, *children):
    return Node(Interval.parse(text), text, children)


def test_levels_are_counted_from_the_values_up():
    ages = Hierarchy(node("[0:4]", node("[0:2)", node("[0:1)"), node("[1:2)")), node("[2:4]", node("[2:4]"))))
    assert ages.height == 3
    assert list(ages.labels()) == [("[0:4]", 3), ("[0:2)", 2), ("[0:1)", 1), ("[1:2)", 1), ("[2:4]", 2), ("[2:4]", 1)]
    assert ages.is_uniform


def test_a_root_alone_is_one_level_above_the_values():
    alone = Hierarchy(node("[0:4]"))
    assert (alone.height, alone.is_uniform, list(alone.labels())) == (1, True, [("[0:4]", 1)])


def test_leaves_at_different_depth_are_not_uniform():
    assert not Hierarchy(node("[0:4]", node("[0:2)", node("[0:2)")), node("[2:4]"))).is_uniform
