"""Hierarchies of texts."""

import pytest
from helpers.built import built

from toolbox.hierarchies import order
from toolbox.hierarchy.builders.builder import BuilderError


def test_rows_come_in_the_order_of_the_tree_with_its_codes():
    tree = built("prefix:1").hierarchy({"ba": 1, "ab": 1, "aa": 1})  # type: ignore[attr-defined]
    assert dict(tree.categories) == {"aa": 0, "ab": 1, "ba": 2}
    assert [row[0] for row in built("prefix:1").rows(["ba", "ab", None, "aa"])] == ["aa", "ab", "ba"]


def test_texts_without_a_place_go_to_the_root_behind_all_others():
    assert built("ip:other=root").rows(["x", "10.0.0.1"])[-1] == ("x", "*", "*", "*", "*")
    assert built("ip:other=root").rows(["x"]) == [("x", "*")]


def test_a_part_that_is_called_like_the_root_is_refused():
    with pytest.raises(BuilderError, match=r"The root is called '\*', and so is a part of the values"):
        order(["*", "a", "b"], size=[2]).rows([]) and order(["a", "b", "*"], size=[2]).rows([])
