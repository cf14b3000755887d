"""How programs write generalised values."""

import math

import pytest

from toolbox.hierarchy.hierarchy import Interval
from toolbox.published.cells.meanings import _parse_mask
from toolbox.published.cells.notations import Mask, parse_interval, parse_members

INF = math.inf


@pytest.mark.parametrize(
    ("text", "interval"),
    [
        ("[20:30]", Interval(20, 30)),
        ("[20:30)", Interval(20, 30, True, False)),
        ("(20:30]", Interval(20, 30, False, True)),
        ("(20:30)", Interval(20, 30, False, False)),
        ("[20, 30[", Interval(20, 30, True, False)),
        ("]20, 30]", Interval(20, 30, False, True)),
        ("(20.0, 30.0]", Interval(20, 30, False, True)),
        ("[20;30]", Interval(20, 30)),
        (" [ 20 : 30 ] ", Interval(20, 30)),
        ("20-29", Interval(20, 29)),
        ("20 - 29", Interval(20, 29)),
        ("20–29", Interval(20, 29)),
        ("20~29", Interval(20, 29)),
        ("20..29", Interval(20, 29)),
        ("20 ... 29", Interval(20, 29)),
        ("20 to 29", Interval(20, 29)),
        ("20:29", Interval(20, 29)),
        ("-5--3", Interval(-5, -3)),
        ("-5 - 3", Interval(-5, 3)),
        ("[-1e3:+.5]", Interval(-1000, 0.5)),
        ("1e-3-2e-3", Interval(0.001, 0.002)),
        ("[-1.7e308:1.7e308]", Interval(-1.7e308, 1.7e308)),
        ("[-inf, 30.5)", Interval(-INF, 30.5, True, False)),
        ("(65, +Infinity]", Interval(65, INF, False, True)),
        ("<=50", Interval(-INF, 50)),
        ("≤50", Interval(-INF, 50)),
        ("< 50", Interval(-INF, 50, True, False)),
        (">=65", Interval(65, INF)),
        ("≥ 65", Interval(65, INF)),
        (">65", Interval(65, INF, False, True)),
        ("65+", Interval(65, INF)),
        ("65 and over", Interval(65, INF)),
        ("65 OR MORE", Interval(65, INF)),
        ("[7]", Interval(7, 7)),
        ("{7}", Interval(7, 7)),
        ("7", Interval(7, 7)),
        ("[58.0]", Interval(58, 58)),
    ],
)
def test_intervals(text: str, interval: Interval) -> None:
    assert parse_interval(text) == interval


@pytest.mark.parametrize(
    "text",
    ["", "*", "young", "{24,29}", "30-20", "(7:7]", "7a", "1-2-3", "2020-01-31", "[a:b]", "nan", "12***", "1_000", "-"],
)
def test_what_is_no_interval(text: str) -> None:
    assert parse_interval(text) is None


@pytest.mark.parametrize(
    ("text", "members"),
    [
        ("{F,N}", ["F", "N"]),
        ("{ F , N }", ["F", "N"]),
        ("{Ohio}", ["Ohio"]),
        ('{Ohio,"Washington, D.C."}', ["Ohio", "Washington, D.C."]),
        ('{"say ""a""",b}', ['say "a"', "b"]),
        ("{24,29}", ["24", "29"]),
        ('{" a ",b}', [" a ", "b"]),
        ('{"a\r\n",\t"b\n" }', ["a\r\n", "b\n"]),
        ("{,a}", ["", "a"]),
        ('{"",a}', ["", "a"]),
        ("{\u2028a\u2028,b}", ["a", "b"]),
        ('{"\u2028a",b}', ["\u2028a", "b"]),
        ('{5"pipe,b}', ['5"pipe', "b"]),
        ("{a\nb,c}", ["a\nb", "c"]),
        ("Ohio~Iowa", ["Ohio", "Iowa"]),
        ("a ~ b ~ c", ["a", "b", "c"]),
    ],
)
def test_sets(text: str, members: list[str]) -> None:
    assert parse_members(text) == members


@pytest.mark.parametrize("text", ["", "{}", "Ohio", "{Ohio", '{"Ohio,Iowa}', '{"a"b,c}', "[a,b]"])
def test_what_is_no_set(text: str) -> None:
    assert parse_members(text) is None


@pytest.mark.parametrize(
    ("text", "mask"),
    [("130**", Mask("130", 2)), ("1****", Mask("1", 4)), ("a*b*", Mask("a*b", 1)), (" 37*** ", Mask("37", 3))],
)
def test_masks(text: str, mask: Mask) -> None:
    assert _parse_mask(text) == mask


@pytest.mark.parametrize("text", ["", "*", "*****", "130", "**30"])
def test_what_is_no_mask(text: str) -> None:
    assert _parse_mask(text) is None
