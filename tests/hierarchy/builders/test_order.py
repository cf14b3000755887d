"""Categories in an order."""

import pytest
from helpers.built import HOSTILE_TEXTS, assert_is_hierarchy, built, wrong
from hypothesis import given
from hypothesis import strategies as st

from toolbox.errors import ConfigurationError
from toolbox.hierarchies import order
from toolbox.hierarchy.builders.builder import BuilderError


def test_neighbours_become_one():
    assert built("order:low,mid,high,top:size=2,4").rows([]) == [
        ("low", "low..mid", "low..top", "*"),
        ("mid", "low..mid", "low..top", "*"),
        ("high", "high..top", "low..top", "*"),
        ("top", "high..top", "low..top", "*"),
    ]


def test_without_a_size_they_double():
    assert [row[1:] for row in built("order:a,b,c,d,e").rows(["c"])] == [
        ("a..b", "a..d", "*"),
        ("a..b", "a..d", "*"),
        ("c..d", "a..d", "*"),
        ("c..d", "a..d", "*"),
        ("e", "e", "*"),
    ]
    assert built("order:only").rows([]) == [("only", "*")]


def test_categories_may_stand_in_a_file(tmp_path):
    (tmp_path / "grades.txt").write_text("\ufefflow\n\n mid, or so \nhigh\n", encoding="utf-8")
    assert [row[0] for row in built("order:file=grades.txt", tmp_path).rows([])] == ["low", "mid, or so", "high"]
    (tmp_path / "grades.txt").write_text("low\nmid\nlow\n")
    with pytest.raises(ConfigurationError, match="line 3: The category is in line 1 already"):
        built("order:file=grades.txt", tmp_path)
    (tmp_path / "grades.txt").write_text("\n")
    with pytest.raises(ConfigurationError, match="lists no category"):
        built("order:file=grades.txt", tmp_path)


def test_a_value_that_is_not_listed_has_no_place():
    with pytest.raises(BuilderError, match="Add them to values="):
        built("order:low,mid").rows(["high"])
    assert built("order:low,mid,high:other=root").rows(["top"])[-1] == ("top", "*", "*")


def test_a_category_in_quotes_keeps_its_blanks():
    assert [row[0] for row in built('order:low, " ", "high "').rows(["low", " ", "high "])] == ["low", " ", "high "]


def test_what_is_wrong_is_told_at_once():
    assert wrong("order:low,mid,low,:size=1,3,4") == [
        "values= has 'low' 2 times. Keep it once.",
        "values= has an empty category. Remove a comma.",
        "size= has 4 after 3, which is no multiple of it. Write each number as a multiple of the one before, such as 2,4.",
        "size= holds 1, which leaves each category alone. Write 2 or more.",
    ]
    assert wrong("order:a,b:file=x.txt") == ["values= and file= both list the categories. Keep one of them."]
    assert wrong("order") == ["build='order' lacks values=. Write values='low,mid,high'."]
    assert wrong('order:a,"b') == [
        "values='a,\"b' has a quote that does not end, or a line break outside of quotes. Close it, or double a quote within quotes."
    ]


@given(st.lists(HOSTILE_TEXTS.map(str.strip).filter(bool), min_size=1, max_size=12, unique=True))
def test_every_category_has_its_place(values):
    assert_is_hierarchy(order(values, root="everything").rows(values), values)
