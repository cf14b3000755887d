"""Texts of which the first or the last characters stay."""

import pytest
from helpers.built import HOSTILE_TEXTS, TEXTS, assert_is_hierarchy, assert_is_stable, built, wrong
from hypothesis import example, given
from hypothesis import strategies as st

from toolbox.hierarchy.builders.builder import BuilderError


def test_the_characters_that_stay_are_those_asked_for():
    assert built("prefix:3,1").rows(["24700", "24981", "SW1", "A"]) == [
        ("24700", "247**", "2****", "*"),
        ("24981", "249**", "2****", "*"),
        ("A", "A", "A", "*"),
        ("SW1", "SW1", "S**", "*"),
    ]
    assert built("suffix:2").rows(["24700", "123"]) == [("123", "*23", "*"), ("24700", "***00", "*")]


def test_without_a_number_one_character_less_stays_on_each_level():
    assert built("prefix").rows(["247", "24", "1"]) == [
        ("1", "1", "1", "*"),
        ("24", "2*", "2*", "*"),
        ("247", "24*", "2**", "*"),
    ]
    assert built("prefix").rows(["7"]) == [("7", "*")]


def test_a_longer_mask_hides_how_many_characters_there_are():
    assert [row[1] for row in built("prefix:2:mask=..").rows(["SW1A", "SW1", "SW"])] == ["SW", "SW..", "SW.."]


def test_what_stays_is_quoted_where_it_could_be_a_part_of_the_mask():
    assert built("prefix:3,1").rows(["a***", "ab**", '"x"']) == [
        ('"x"', '"""x"""', '""""**', "*"),
        ("a***", '"a**"*', "a***", "*"),
        ("ab**", '"ab*"*', "a***", "*"),
    ]


def test_too_many_levels_are_refused():
    with pytest.raises(BuilderError, match=r"It would make 99 levels. Write how many characters stay: keep='3,1'"):
        built("prefix").rows(["x" * 100])


def test_what_is_wrong_is_told_at_once():
    assert wrong('prefix:1,3:mask="') == [
        "keep= has 3 after 1, so that nothing more is hidden. Write fewer characters on each level, such as 3,1.",
        "mask= holds a quote. Write another character, such as *.",
    ]
    assert wrong("suffix:mask=..") == [
        "mask='..' hides how many characters there are, so that keep= must say how many stay. Write keep='3,1', say, or "
        "a mask of one character."
    ]
    assert wrong("prefix:0") == ["keep='0' holds '0', which is no whole number of at least 1. Write 3, say."]


@given(
    st.lists(HOSTILE_TEXTS | TEXTS, min_size=1, max_size=20),
    st.sampled_from(["prefix", "suffix", "prefix:3,1", "suffix:4,2,1", "prefix:2:mask=..", "suffix:3,1:mask=*a"]),
)
@example(["a*", "a**", "ab", "ab*", '"a"', "*", "**", "."], "prefix:2,1")
@example(["a.", "a..", "a...", "a....", "ab"], "prefix:3,2,1:mask=..")
def test_every_text_has_its_place(values, text):
    # A root that no mask looks like.
    build = built(f"{text}:root=everything")
    assert_is_hierarchy(build.rows(values), values)
    assert_is_stable(lambda: build, values[:4], values[4:])
