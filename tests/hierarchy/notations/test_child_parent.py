"""Rows of a child and its parent."""

from __future__ import annotations

import pytest
from helpers.amounts import times
from helpers.outlines import ANY, PLAIN, outline_of, outlines, without_repeats
from hypothesis import given, settings

from toolbox.errors import ConfigurationError
from toolbox.hierarchy.notations.child_parent import is_child_parent, pairs_text, rows_of_pairs, without_header
from toolbox.hierarchy.outline import Outline, outline_of_rows
from toolbox.hierarchy.rows import Row, rows_of


def pairs(*texts: str) -> list[Row]:
    return [Row(line, tuple(text.split(";"))) for line, text in enumerate(texts, start=1)]


def faults(*texts: str) -> list[str]:
    with pytest.raises(ConfigurationError) as error:
        rows_of_pairs(pairs(*texts), "places")
    return [str(fault) for fault in error.value.faults]


def test_a_child_that_is_no_parent_is_a_value_and_stands_on_the_levels_that_it_lacks() -> None:
    rows = rows_of_pairs(pairs("Graz;Styria", "Styria;Austria", "Wien;Austria", "Austria;*", "Bonn;*"), "places")
    assert rows == [
        Row(1, ("Graz", "Styria", "Austria", "*")),
        Row(3, ("Wien", "Wien", "Austria", "*")),
        Row(5, ("Bonn", "Bonn", "Bonn", "*")),
    ]


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        ([], ["The hierarchy is empty. Write a row for each child: Graz;Styria."]),
        (["a;b;c", "a"], ["line 1: The row has 3 fields.", "line 2: The row has 1 fields."]),
        (["a;", "b;c"], ["line 1: The row has an empty field."]),
        (
            ["a;b", "a;c", "a;b"],
            ["line 2: 'a' has another parent in line 1.", "line 3: The row stands in line 1 already."],
        ),
        (["a;b", "b;c", "c;a"], ["line 1: 'a' is above itself: by the lines 1, 2, 3."]),
        (["a;a", "b;c"], ["line 1: 'a' is its own parent."]),
        (
            ["x;a", "a;b", "b;a", "y;z", "z;z"],
            ["line 2: 'a' is above itself: by the lines 2, 3.", "line 5: 'z' is its own"],
        ),
        (
            ["a;b", "c;d"],
            [
                "line 2: 'd' has no parent, nor has 'b' of line 1: these are two roots. Give both one parent: d;* and b;*"
            ],
        ),
        (["a;b\0", "c;b\0"], ["line 1: The row holds", "line 2: The row holds"]),
    ],
)
def test_all_faults_are_told_at_once_with_their_lines(texts: list[str], said: list[str]) -> None:
    found = faults(*texts)
    assert len(found) == len(said)
    assert all(fault.startswith(start) for fault, start in zip(found, said, strict=True)), found


def test_a_long_circle_names_its_first_lines() -> None:
    circle = [f"{n};{(n + 1) % 15}" for n in range(15)]
    (fault,) = faults(*circle)
    assert "by the lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 5 more." in fault


def test_a_first_row_of_texts_that_no_other_has_is_a_header() -> None:
    rows = pairs("child;parent", "a;b", "c;b", "b;*")
    assert without_header(rows, header=None) == (rows[1:], "Line 1 is taken for a header, and left out.")
    assert without_header(rows, header=False) == (rows, "")
    assert without_header(rows[:3], header=None) == (rows[:3], "")
    assert without_header(rows[1:], header=True) == (rows[2:], "")


@pytest.mark.parametrize(
    ("texts", "is_so"),
    [
        (["Graz;Styria", "Styria;Austria"], True),
        (["Aosta;Aosta", "Arnad;Aosta"], False),
        (["a;x", "b;x"], False),
        (["a;b;c", "b;c"], False),
        ([], False),
    ],
)
def test_a_parent_that_is_a_child_tells_the_notation(texts: list[str], is_so: bool) -> None:
    assert is_child_parent(pairs(*texts)) is is_so


def test_each_node_is_written_once() -> None:
    tree = outline_of("Graz Styria Austria", "Leoben Styria Austria", "Wien Wien Austria")
    assert pairs_text(tree, "places") == "Graz;Styria\nStyria;Austria\nLeoben;Styria\nWien;Austria\n"


@pytest.mark.parametrize(
    ("rows", "names"),
    [
        (["Aosta Aosta", "Arnad Aosta", "Bard Turin"], ["'Aosta'"]),
        (["a x p", "b y x"], ["'x'"]),
        (["a * *", "b * *"], []),
        (["* x *", "b x *"], ["'*'"]),
        (["a a"], ["'a'"]),
    ],
)
def test_a_text_that_stands_for_two_nodes_is_refused(rows: list[str], names: list[str]) -> None:
    if not names:
        assert pairs_text(outline_of(*rows), "places") == "a;*\nb;*\n"
        return
    with pytest.raises(ConfigurationError) as error:
        pairs_text(outline_of(*rows), "places")
    assert [fault.found.partition(" ")[0] for fault in error.value.faults] == names


@settings(max_examples=times(60, slow=2000), deadline=None)
@given(outlines(PLAIN, marks_levels=True))
def test_labels_that_differ_are_read_as_the_same_tree(outline: Outline) -> None:
    read = rows_of_pairs(rows_of(pairs_text(outline, "tree"), "tree"), "tree")
    assert list(outline_of_rows(read).paths()) == list(outline.paths())


@settings(max_examples=times(60, slow=2000), deadline=None)
@given(outlines(ANY))
def test_any_texts_are_refused_or_read_as_the_same_nodes(outline: Outline) -> None:
    try:
        text = pairs_text(outline, "tree")
    except ConfigurationError:
        return
    read = rows_of_pairs(rows_of(text.removeprefix("\ufeff"), "tree"), "tree")
    assert sorted(map(without_repeats, (row.fields for row in read))) == sorted(map(without_repeats, outline.paths()))
