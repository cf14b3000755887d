"""A hierarchy as a tree that is opened branch by branch."""

from __future__ import annotations

import pytest

from toolbox.app.project.desk import MOST, TreeBranch, _BranchTree, parse_branch_key

TOWNS = _BranchTree(
    [("Graz", "Styria", "Austria"), ("Leoben", "Styria", "Austria"), ("Wien", "Vienna", "Austria")],
    {"Graz": 5, "Wien": 2, "Oslo": 9},
)


def labels(tree: _BranchTree, key: str, *opened: str, offset: int = 0) -> list[object]:
    def listed(shown: object) -> list[object]:
        return [
            child.branch.label if not child.is_open else (child.branch.label, listed(child)) for child in shown.children
        ]

    return listed(tree.shown(tree.branch(*parse_branch_key(key)), opened, offset))


def test_a_branch_has_its_values_and_records() -> None:
    assert TOWNS.root == TreeBranch(2, "Austria", values=3, records=7, below=2)
    assert TOWNS.branch(1, "Styria") == TreeBranch(1, "Styria", values=2, records=5, below=2)
    assert TOWNS.branch(0, "Leoben") == TreeBranch(0, "Leoben", values=1, records=0, below=0)
    assert [branch.label for branch in TOWNS.above(TOWNS.branch(0, "Wien"))] == ["Vienna", "Austria"]
    assert TOWNS.labels(1) == ["Styria", "Vienna"]


def test_there_is_no_branch_for_what_a_form_may_make_up() -> None:
    for key in ("1:Graz", "3:Austria", "-1:Graz", "x:Graz", "", "²:Graz", "999999999999:Graz"):
        with pytest.raises(KeyError):
            TOWNS.branch(*parse_branch_key(key))


def test_what_is_below_is_shown_as_far_as_it_is_open() -> None:
    assert labels(TOWNS, "2:Austria") == ["Styria", "Vienna"]
    assert labels(TOWNS, "2:Austria", "1:Styria") == [("Styria", ["Graz", "Leoben"]), "Vienna"]
    assert labels(TOWNS, "0:Graz") == []


def test_of_many_branches_some_are_shown_at_first() -> None:
    many = _BranchTree([(str(number), "*") for number in range(2 * MOST + 1)], {})
    first = many.shown(many.root, ())
    assert (len(first.children), first.next_offset) == (MOST, MOST)
    assert labels(many, "1:*", offset=2 * MOST) == [str(2 * MOST)]
    assert many.shown(many.root, (), 2 * MOST).next_offset is None


def test_at_first_as_many_levels_are_open_as_fit_on_a_screen() -> None:
    assert TOWNS.find_open_keys() == {"2:Austria", "1:Styria", "1:Vienna"}
    wide = _BranchTree([(str(number), str(number // 30), "*") for number in range(90)], {})
    assert wide.find_open_keys() == {"2:*"}
