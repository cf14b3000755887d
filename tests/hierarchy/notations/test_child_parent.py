"""Rows of a child and its parent."""

from __future__ import annotations

import pytest
from helpers.amounts import times
from helpers.outlines import ANY, PLAIN, outline_of, outlines, without_repeats
from hypothesis import given, settings

from toolbox.errors import ConfigurationError
from toolbox.hierarchy.notations import _convert_pairs, _is_child_parent, format_outline_pairs
from toolbox.hierarchy.outline import Outline, build_row_outline
from toolbox.hierarchy.rows import Row, split_rows


def pairs(*texts: str) -> list[Row]:
    return [Row(line, tuple(text.split(";"))) for line, text in enumerate(texts, start=1)]


def test_a_child_that_is_no_parent_is_a_value_and_stands_on_the_levels_that_it_lacks() -> None:
    rows = _convert_pairs(pairs("Graz;Styria", "Styria;Austria", "Wien;Austria", "Austria;*", "Bonn;*"), "places")
    assert rows == [
        Row(1, ("Graz", "Styria", "Austria", "*")),
        Row(3, ("Wien", "Wien", "Austria", "*")),
        Row(5, ("Bonn", "Bonn", "Bonn", "*")),
    ]


def test_several_texts_without_a_parent_get_one() -> None:
    rows = _convert_pairs(pairs("Graz;Austria", "Bonn;Germany"), "places")
    assert rows == [Row(1, ("Graz", "Austria", "*")), Row(2, ("Bonn", "Germany", "*"))]


@pytest.mark.parametrize(
    ("texts", "lines"),
    [
        ([], [0]),
        (["a;b;c", "a"], [1, 2]),
        ([";a", "b;c"], [1]),
        (["a;b", "a;c", "d;b", "d;c"], [2, 4]),
        (["a;b", "b;c", "c;a"], [1]),
        (["a;a", "b;c"], [1]),
        (["x;a", "a;b", "b;a", "y;z", "z;z"], [2, 5]),
        (["a;b\0", "c\0;b"], [1, 2]),
    ],
)
def test_all_faults_are_told_at_once_with_their_lines(texts: list[str], lines: list[int]) -> None:
    with pytest.raises(ConfigurationError) as error:
        _convert_pairs(pairs(*texts), "places")
    assert [fault.line for fault in error.value.faults] == lines


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
    assert _is_child_parent(pairs(*texts)) is is_so


def test_each_node_is_written_once() -> None:
    tree = outline_of("Graz Styria Austria", "Leoben Styria Austria", "Wien Wien Austria")
    assert format_outline_pairs(tree, "places") == "Graz;Styria\nStyria;Austria\nLeoben;Styria\nWien;Austria\n"


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
        assert format_outline_pairs(outline_of(*rows), "places") == "a;*\nb;*\n"
        return
    with pytest.raises(ConfigurationError) as error:
        format_outline_pairs(outline_of(*rows), "places")
    assert [fault.found.partition(" ")[0] for fault in error.value.faults] == names


@settings(max_examples=times(60, slow=2000), deadline=None)
@given(outlines(PLAIN, marks_levels=True))
def test_labels_that_differ_are_read_as_the_same_tree(outline: Outline) -> None:
    read = _convert_pairs(split_rows(format_outline_pairs(outline, "tree"), "tree"), "tree")
    assert list(build_row_outline(read).paths()) == list(outline.paths())


@pytest.mark.slow
@settings(max_examples=times(60, slow=2000), deadline=None)
@given(outlines(ANY))
def test_any_texts_are_refused_or_read_as_the_same_nodes(outline: Outline) -> None:
    try:
        text = format_outline_pairs(outline, "tree")
    except ConfigurationError:
        return
    read = _convert_pairs(split_rows(text.removeprefix("\ufeff"), "tree"), "tree")
    assert sorted(map(without_repeats, (row.fields for row in read))) == sorted(map(without_repeats, outline.paths()))


def test_a_blank_value_is_refused() -> None:
    for blank in ([" ", "x"], ["a", " "]):
        with pytest.raises(ConfigurationError, match="A blank text is no child"):
            format_outline_pairs(outline_of(blank, ["b", "x"]), "tree")


def test_a_first_row_that_says_so_is_a_header_unless_that_is_denied() -> None:
    rows = pairs("Child;Parent", "a;b", "c;b")
    assert [row.fields for row in _convert_pairs(rows, "tree")] == [("a", "b"), ("c", "b")]
    assert _convert_pairs(rows, "tree", header=False)[0] == Row(1, ("Child", "Parent", "*"))
    assert [row.fields for row in _convert_pairs(rows[1:], "tree", header=True)] == [("c", "b")]
