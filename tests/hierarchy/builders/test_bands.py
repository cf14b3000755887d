"""Hierarchies of ordered numbers."""

import math

import pytest
from helpers.built import built

from toolbox.hierarchy.builders.builder import BuilderError
from toolbox.hierarchy.builders.numbers import Band, build_banded_hierarchy


def test_nodes_reach_to_the_ends_of_their_bands_and_open_ones_to_the_last_number():
    low, mid, high = Band(-math.inf, 18, "<18"), Band(18, 65, "[18:65)"), Band(65, math.inf, ">=65")
    tree, unplaced = build_banded_hierarchy(
        [3, 17, 20, 80, 99], lambda value: [low if value < 18 else mid if value < 65 else high], "*"
    )
    assert [(str(node.interval), node.label) for node, _ in tree.nodes()] == [
        ("[3:99]", "*"),
        ("[3:18)", "<18"),
        ("[18:65)", "[18:65)"),
        ("[65:99]", ">=65"),
    ]
    assert unplaced == ()


def test_a_number_without_a_place_is_below_the_root_only():
    band = Band(0, 10, "[0:10)")
    tree, unplaced = build_banded_hierarchy([-5, 1, 2, 30], lambda value: [band] if 0 <= value < 10 else None, "all")
    assert [str(node.interval) for node, _ in tree.nodes()] == ["[-5:30]", "[0:10)"]
    assert unplaced == (-5, 30)
    assert tree.is_uniform


def test_numbers_are_written_as_their_column_writes_them():
    tree = built("intervals:0.5").hierarchy({0.2: 1}, lambda number: str(number).replace(".", ","))  # type: ignore[attr-defined]
    assert [label for label, _ in tree.hierarchy.labels()] == ["*", "[0,0:0,5)"]


def test_of_several_spellings_the_shortest_stands_for_a_number():
    assert built("intervals:5").rows(["1.00", "1", " 1.0"]) == [("1", "[0:5)", "*")]


@pytest.mark.parametrize("value", ["Ada", "nan", "inf", ""])
def test_what_is_no_number_is_refused_without_being_shown(value):
    with pytest.raises(BuilderError) as caught:
        built("intervals:5").rows([1, None, value])
    assert str(caught.value) == "intervals: A value is not a number. Correct it, or choose a builder of texts."
