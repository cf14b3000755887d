"""The picture of a hierarchy in lines of text."""

from helpers.outlines import outline_of

from toolbox.hierarchy.outline import Outline
from toolbox.report.explore.hierarchy import Picture, choose_depth, escape_label

PLACES = outline_of("Graz Styria Austria", "Leoben Styria Austria", "Wien Vienna Austria", "Bonn NRW Germany")


def test_each_label_stands_below_its_parent_and_values_beside_the_last() -> None:
    assert Picture(3).lines(PLACES) == [
        "*  4 values",
        "├── Austria  3 values",
        "│   ├── Styria  2 values: Graz, Leoben",
        "│   └── Vienna  1 value: Wien",
        "└── Germany  1 value",
        "    └── NRW  1 value: Bonn",
    ]


def test_below_the_depth_values_are_counted() -> None:
    assert Picture(1).lines(PLACES) == ["*  4 values", "├── Austria  3 values", "└── Germany  1 value"]


def test_what_is_left_out_of_a_wide_label_is_counted() -> None:
    wide = outline_of(*(f"{n} label{n % 3}" for n in range(30)))
    assert Picture(2, widest=2).lines(wide) == [
        "*  30 values",
        "├── label0  10 values: 0, 3 and 8 more",
        "├── label1  10 values: 1, 4 and 8 more",
        "└── and 1 more: 10 values",
    ]
    assert "27" in Picture(2, widest=None).lines(wide)[1]


def test_values_that_are_nobodys_business_are_counted_only() -> None:
    assert Picture(3, lists_values=False).lines(PLACES)[2] == "│   ├── Styria  2 values"


def test_records_stand_beside_values() -> None:
    records = {id(PLACES): 9, **{id(child): 4 + n for n, child in enumerate(PLACES.children)}}
    assert Picture(1).lines(PLACES, records) == [
        "*  4 values, 9 records",
        "├── Austria  3 values, 4 records",
        "└── Germany  1 value, 5 records",
    ]


def test_intervals_without_values_have_no_numbers_beside_them() -> None:
    assert Picture(1).lines(Outline("[0:9]", (Outline("[0:5)"), Outline("[5:9]")))) == [
        "[0:9]",
        "├── [0:5)",
        "└── [5:9]",
    ]


def test_a_picture_is_as_deep_as_fits_and_shows_one_level_at_least() -> None:
    assert choose_depth(PLACES).depth == 3
    deep = outline_of(*(f"{n} a{n} b{n // 2} c{n // 40} d{n // 200}" for n in range(400)))
    assert choose_depth(deep).depth == 2
    assert choose_depth(outline_of(*(f"{n} a{n}" for n in range(400)))).depth == 2


def test_what_a_terminal_would_obey_is_written_out() -> None:
    assert escape_label("\x1b[31mred\n") == "\\x1b[31mred\\n"
    assert escape_label("x" * 99) == "x" * 60 + "..."
