"""Rules as PrioPrivacy has them."""

from __future__ import annotations

import pytest
from helpers.amounts import times
from helpers.outlines import ANY, PLAIN, outline_of, outlines
from hypothesis import given, settings

from toolbox.errors import ConfigurationError
from toolbox.hierarchy.notations import RuleFile, _is_rules, format_level_rules, format_rules, parse_rules
from toolbox.hierarchy.outline import Outline, build_row_outline


def read(*texts: str) -> list[tuple[str, ...]]:
    files = [RuleFile(f"level_{number}.txt", text) for number, text in enumerate(texts, start=1)]
    return [row.fields for row in parse_rules(files, "ages")]


def faults(*texts: str) -> list[str]:
    with pytest.raises(ConfigurationError) as error:
        read(*texts)
    return [str(fault) for fault in error.value.faults]


FIRST = "17,18,19 => 15-19\n21 ,22=>20-24\n"
SECOND = "17,18,19,21,22 => 15-24\n"
ROWS = [
    ("17", "15-19", "15-24"),
    ("18", "15-19", "15-24"),
    ("19", "15-19", "15-24"),
    ("21", "20-24", "15-24"),
    ("22", "20-24", "15-24"),
]


def test_each_level_names_the_values_again_in_a_file_of_its_own_or_behind_an_empty_line() -> None:
    assert read(FIRST, SECOND) == read(f"{FIRST}\n\n{SECOND}") == read(f"\n{FIRST}  \r\n{SECOND}\n") == ROWS


def test_a_level_may_name_the_labels_below_instead() -> None:
    assert read(f"{FIRST}\n15-19,21,22 => 15-24") == ROWS


def test_empty_lines_mean_nothing_where_each_level_has_its_file() -> None:
    assert read(FIRST.replace("21", "\n21"), f"\n{SECOND}") == ROWS


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (["a,b => X\na => Y"], ["line 2: 'a' has a rule in line 1 already. Keep one of them."]),
        (
            ["a,b => X\n\na,b,c => Y"],
            [
                "line 3: 'c' is neither a value, which a rule of level 1 has, nor a label of level 1. "
                "Correct it; or remove the empty line above, if one level is meant."
            ],
        ),
        (
            ["a,b,c => X\n\na => Y"],
            [
                "line 3: 'b' and 1 more have no rule on level 2. Write one, or give them their label of the level below again."
            ],
        ),
        (
            ["a => X\nb => X\n\na => Y\nX => Z"],
            ["line 5: 'X' has a rule of level 2 in line 4 already. Keep one of them."],
        ),
        (
            ["a,b => X\nX => Y"],
            [
                "line 2: 'X' is the label of line 1, on the same level. Put an empty line before the rules of the next level."
            ],
        ),
        (
            ["a => b => c\na\n => x\na, => x\nb =>"],
            [
                "line 1: The rule has several arrows =>. Write values, an arrow and their label: 17,18,19 => 15-19.",
                "line 2: The rule has no arrow =>. Write values, an arrow and their label: 17,18,19 => 15-19.",
                "line 3: An empty value stands on the left of the arrow. "
                "Write values, an arrow and their label: 17,18,19 => 15-19.",
                "line 4: An empty value stands on the left of the arrow. "
                "Write values, an arrow and their label: 17,18,19 => 15-19.",
                "line 5: No label stands on the right of the arrow. "
                "Write values, an arrow and their label: 17,18,19 => 15-19.",
            ],
        ),
        ([""], ["There is no rule. Write a rule in each line: 17,18,19 => 15-19."]),
        (["a => X", "a => Y\nb => Y"], ["level_2.txt, line 2: 'b' is neither a value"]),
        (["a\0 => X"], ["line 1: The rule holds the control character U+0000. Remove it."]),
    ],
)
def test_all_faults_are_told_at_once_with_their_lines(texts: list[str], said: list[str]) -> None:
    found = faults(*texts)
    assert len(found) == len(said)
    assert all(fault.startswith(start) for fault, start in zip(found, said, strict=True)), found


def test_most_lines_of_rules_have_an_arrow() -> None:
    assert _is_rules("a,b => X\n\nc => Y\nd\n")
    assert not _is_rules("a;b=>c;*\nd;e;*\n")
    assert not _is_rules("")


def test_levels_are_written_apart_and_a_root_of_several_labels_is_left_to_suppression() -> None:
    tree = outline_of("17 15-19 *", "18 15-19 *", "21 20-24 *")
    assert format_rules(tree, "age") == "17,18 => 15-19\n21 => 20-24\n"
    assert format_rules(outline_of("f any", "m any"), "sex") == "f,m => any\n"
    assert format_rules(outline_of("f *", "m *"), "sex") == "f,m => *\n"
    assert format_rules(outline_of("a x *", "b x *"), "one") == "a,b => x\n\na,b => *\n"
    assert format_level_rules(outline_of("a x *", "b x *"), "one") == ["a,b => x\n", "a,b => *\n"]


def test_what_rules_cannot_say_is_told_all_at_once() -> None:
    tree = outline_of(["a,b", "x,y"], ["c => d", " z"], ["z\n", "x,y"])
    with pytest.raises(ConfigurationError) as error:
        format_rules(tree, "tree.csv")
    assert [fault.found for fault in error.value.faults] == [
        "Rules cannot say ' z', which has a blank at its end.",
        "Rules cannot say 'a,b', which has a comma.",
        "Rules cannot say 'c => d', which has an arrow =>.",
        "Rules cannot say 'z\\n', which has a line break and a blank at its end.",
    ]


@pytest.mark.slow
@settings(max_examples=times(60, slow=2000), deadline=None)
@given(outlines(PLAIN, marks_levels=True))
def test_plain_texts_are_read_as_the_same_tree(outline: Outline) -> None:
    rows = parse_rules([RuleFile("tree.txt", format_rules(outline, "tree"))], "tree")
    assert list(build_row_outline(rows).paths()) == list(outline.paths())


@settings(max_examples=times(60, slow=2000), deadline=None)
@given(outlines(ANY))
def test_any_texts_are_refused_or_read_as_the_same_tree(outline: Outline) -> None:
    try:
        text = format_rules(outline, "tree")
    except ConfigurationError:
        return
    rows = parse_rules([RuleFile("tree.txt", text)], "tree")
    assert list(build_row_outline(rows).paths()) == list(outline.paths())
