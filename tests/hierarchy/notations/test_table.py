"""The notation of ARX, and ours."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from helpers.amounts import times
from helpers.outlines import outline_of, outlines
from hypothesis import example, given, settings

from toolbox.hierarchy.notations import format_outline_table, join_rows, read_notation
from toolbox.hierarchy.outline import Outline, build_row_outline


def test_a_value_stands_before_its_labels_and_the_root_is_last() -> None:
    assert format_outline_table(outline_of("Graz Styria Austria", "Wien Vienna Austria")) == (
        "Graz;Styria;Austria\nWien;Vienna;Austria\n"
    )


@pytest.mark.parametrize("text", ["a;b", 'a"b', " a", "a\tb", "a\nb", "a,b", "a\r"])
def test_a_text_that_would_be_read_as_something_else_stands_in_quotes(text: str) -> None:
    quoted = text.replace('"', '""')
    assert join_rows([(text, "x")]) == f'"{quoted}";x\n'


@settings(max_examples=times(60, slow=2000), deadline=None)
@given(outlines())
@example(outline_of(["\ufeffa", "b"], ["c", "b"]))
@example(outline_of(["a;b,c\t", "x;y"], ['"', "x;y"]))
@example(outline_of(["a\rb\n", " "], ["\x0b", " "]))
def test_what_is_written_is_read_as_the_same_tree(outline: Outline) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "tree.csv"
        path.write_text(format_outline_table(outline), encoding="utf-8", newline="")
        read = read_notation([path], "arx")
    assert read.note == ""
    assert list(build_row_outline(read.rows).paths()) == list(outline.paths())
