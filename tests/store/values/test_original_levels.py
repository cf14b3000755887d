"""Which levels the toolbox of 2010 saw in a hierarchy."""

import pytest

from toolbox.hierarchy.hierarchy import Hierarchy, Interval, Node
from toolbox.store.values.generalisations import remove_single_leaves


def node(text, *children, written=None):
    return Node(Interval.parse(text), text, tuple(children), text=written or text)


def test_leaves_that_are_written_as_values_are_no_level():
    tree = node("[0:3]", node("[0:1]", node("[0.0]"), node("[1.0]")), node("[2:3]", node("[2.0]"), node("[3.0]")))
    before = Hierarchy(tree)
    after = remove_single_leaves(before)
    assert (before.height, after.height) == (3, 2)
    assert [label for label, _ in after.labels()] == ["[0:3]", "[0:1]", "[2:3]"]
    assert [label for label, _ in before.labels()][-1] == "[3.0]"


@pytest.mark.parametrize(
    "tree",
    [
        node("[0:1]", node("[0.0]"), node("[1]")),
        node("[0:1]", node("[0.0]"), node("[1.0]", written=" [1.0]")),
        node("[0:3]", node("[0:1]"), node("[2:3]")),
        node("[0.0]"),
        node("[0:3]", node("[0.0]"), node("[1:3]", node("[1.0]"), node("[2.0]"))),
    ],
    ids=["whole numbers", "a blank", "intervals", "one node", "uneven"],
)
def test_all_other_hierarchies_stay_as_they_are(tree):
    hierarchy = Hierarchy(tree)
    assert remove_single_leaves(hierarchy) is hierarchy
