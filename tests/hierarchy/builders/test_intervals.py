"""Intervals of equal widths."""

from decimal import Decimal
from fractions import Fraction

import pytest
from helpers.built import NUMBERS, assert_is_hierarchy, assert_is_stable, built, wrong
from hypothesis import example, given
from hypothesis import strategies as st

from toolbox.hierarchy.builders.builder import BuilderError
from toolbox.hierarchy.builders.numbers import Grid


def test_each_level_has_its_width_and_the_ends_are_one_on_every_level():
    assert built("intervals:5,10,20:bottom=18:top=90").rows([3, 17.5, 18, 24, 89, 90, 1e300]) == [
        ("3", "<18", "<18", "<18", "*"),
        ("17.5", "<18", "<18", "<18", "*"),
        ("18", "[18:20)", "[18:20)", "[18:20)", "*"),
        ("24", "[20:25)", "[20:30)", "[20:40)", "*"),
        ("89", "[85:90)", "[80:90)", "[80:90)", "*"),
        ("90", ">=90", ">=90", ">=90", "*"),
        ("1e+300", ">=90", ">=90", ">=90", "*"),
    ]


def test_bounds_are_exact_decimals():
    assert built("intervals:0.1,0.3").rows([0.1, 0.2, 0.3, "0.30000000000000004", -1e-300, "-0"]) == [
        ("-1e-300", "[-0.1:0)", "[-0.3:0)", "*"),
        ("-0", "[0:0.1)", "[0:0.3)", "*"),
        ("0.1", "[0.1:0.2)", "[0:0.3)", "*"),
        ("0.2", "[0.2:0.3)", "[0:0.3)", "*"),
        ("0.3", "[0.3:0.4)", "[0.3:0.6)", "*"),
        ("0.30000000000000004", "[0.3:0.4)", "[0.3:0.6)", "*"),
    ]


def test_an_origin_moves_all_levels():
    assert built("intervals:10,20:origin=5").rows([4, 5, 16]) == [
        ("4", "[-5:5)", "[-15:5)", "*"),
        ("5", "[5:15)", "[5:25)", "*"),
        ("16", "[15:25)", "[5:25)", "*"),
    ]


def test_only_intervals_that_hold_a_number_exist():
    tree = built("intervals:1").hierarchy({0.0: 1, 1e9: 1}).hierarchy  # type: ignore[attr-defined]
    assert [str(node.interval) for node, _ in tree.nodes()] == ["[0:1000000001)", "[0:1)", "[1000000000:1000000001)"]


def test_numbers_whose_digits_are_coarser_than_the_width_are_refused():
    with pytest.raises(BuilderError, match=r"no intervals of width 5, .* Write wider ones, or top="):
        built("intervals:5").rows([1e308])
    assert built("intervals:1e300").rows([1e308, 1.7976931348623157e308])[0][1:] == ("[1e+308:1.00000001e+308)", "*")
    assert built("intervals:5:top=100:bottom=-100").rows([1e308, -1e308]) == [
        ("-1e+308", "<-100", "*"),
        ("1e+308", ">=100", "*"),
    ]


def test_what_is_wrong_is_told_at_once():
    assert wrong("intervals:5,12,-1:bottom=9:top=3") == [
        "width= holds -1, which is no width. Write a number above 0.",
        "width= has 12 after 5, and is no multiple of it. Write each width as a multiple of the one before, such as "
        "5,10,20.",
        "top='3' is not above bottom='9'. Write a larger top.",
    ]
    assert wrong("intervals:5,5") == [
        *wrong("intervals:5,7.5")[:0],
        "width= has 5 after 5, and is no multiple of it. Write each width as a multiple of the one before, such as "
        "5,10,20.",
    ]
    assert wrong("intervals:x,1:top=1e999") == [
        "width='x,1' holds 'x', which is not a number. Write a number such as 2 or 0.5.",
        "top='1e999' is too large. Write a number below 1.8e308.",
    ]


SOME = st.lists(NUMBERS.map(lambda number: round(number % 1000, 3)) | st.integers(-50, 50), min_size=1, max_size=30)


@given(SOME, st.sampled_from(["0.1,0.5,10", "7", "2,4,8,16", "0.001,1", "1e-3,3"]), st.sampled_from(["", ":top=40"]))
@example([-0.0, 0, 1e-300], "0.1,0.5,10", "")
def test_every_number_has_its_place(values, width, top):
    build = built(f"intervals:{width}{top}")
    rows = build.rows(values)
    assert_is_hierarchy(rows, [row[0] for row in rows])
    assert {float(row[0]) for row in rows} == {float(value) for value in values}
    assert_is_stable(lambda: build, values[:5], values[5:])


@given(NUMBERS, st.decimals(min_value="1e-30", max_value="1e30", allow_nan=False), st.integers(-3, 3))
def test_a_number_lies_in_its_cell_or_is_too_large_for_it(value, width, origin):
    grid = Grid(width, Decimal(origin))
    low, high = grid.cell(value)
    is_coarse = Fraction(value).limit_denominator() and abs(Fraction(value)) / Fraction(width) > 2**50
    assert low <= value < high or is_coarse
