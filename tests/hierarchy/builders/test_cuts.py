"""Intervals between given numbers."""

from helpers.built import NUMBERS, assert_is_hierarchy, assert_is_stable, built, wrong
from hypothesis import given
from hypothesis import strategies as st


def test_the_first_and_the_last_interval_are_open():
    assert built("cuts:18,30,65/18,65").rows([-1e308, 17.99, 18, 30, 64, 65, 1e308]) == [
        ("-1e+308", "<18", "<18", "*"),
        ("17.99", "<18", "<18", "*"),
        ("18", "[18:30)", "[18:65)", "*"),
        ("30", "[30:65)", "[18:65)", "*"),
        ("64", "[30:65)", "[18:65)", "*"),
        ("65", ">=65", ">=65", "*"),
        ("1e+308", ">=65", ">=65", "*"),
    ]


def test_what_is_wrong_is_told_at_once():
    assert wrong("cuts:18,18,7/20") == [
        "at= has 18 after 18. Write the numbers of a level in their order, each once.",
        "at= has 7 after 18. Write the numbers of a level in their order, each once.",
        "at= cuts a level at 20, where the level before it is not cut. Let each level leave some cuts of the one before "
        "it out, and add none.",
    ]
    assert wrong("cuts:1,2/1,2") == ["at= has the same level twice. Leave one of them out."]
    assert wrong("cuts:1//2")[0] == "at='1//2' holds '', which is not a number. Write a number such as 2 or 0.5."
    assert wrong("cuts") == ["build='cuts' lacks at=. Write at='18,30,65/18,65'."]


@given(st.lists(NUMBERS, min_size=1, max_size=30), st.lists(NUMBERS, min_size=2, max_size=6, unique=True))
def test_every_number_has_its_place(values, at):
    cuts = sorted({number + 0.0 for number in at})
    build = built(f"cuts:{','.join(map(repr, cuts))}" + (f"/{cuts[0]!r}" if len(cuts) > 1 else ""))
    rows = build.rows(values)
    assert_is_hierarchy(rows, [row[0] for row in rows])
    assert_is_stable(lambda: build, values[:5], values[5:])
