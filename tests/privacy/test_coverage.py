"""What the labels of a release stand for."""

from __future__ import annotations

import pytest

from toolbox.config.model import Column, Kind, QuasiIdentifier
from toolbox.hierarchy.from_file import hierarchy_from_rows
from toolbox.hierarchy.hierarchy import Hierarchy, Node
from toolbox.hierarchy.interval import Interval
from toolbox.privacy.coverage import Coverage

NAME = Column(index=None, name="it")


def plain(kind: Kind | None = None) -> QuasiIdentifier:
    return QuasiIdentifier(column=NAME, kind=kind)


def stands_for(label: str | None, texts: list[str | None], attribute: QuasiIdentifier) -> list[str | None]:
    return [texts[place] for place in sorted(Coverage(texts, attribute).places(label))]


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("[20:30]", ["20", "25.5", "30"]),
        ("(20:30)", ["25.5"]),
        ("[20:30)", ["20", "25.5"]),
        ("[25.5]", ["25.5"]),
        ("20.0", ["20"]),
        ("2e1", ["20"]),
        ("-5", ["-5"]),
        ("*", ["20", "25.5", "30", "-5", "old", None]),
        ("old", ["old"]),
        (None, [None]),
        ("21", []),
        ("[20:", []),
    ],
)
def test_without_a_hierarchy_an_interval_stands_for_its_numbers(label: str | None, expected: list[str | None]) -> None:
    assert stands_for(label, ["20", "25.5", "30", "-5", "old", None], plain("number")) == expected


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("{Graz,Wien}", ["Graz", "Wien"]),
        ('{Graz,"a,b"}', ["Graz", "a,b"]),
        ('{"say ""x""",Graz}', ["Graz", 'say "x"']),
        ("Graz", ["Graz"]),
        ("{odd}", ["{odd}"]),
        ("[1:2]", ["[1:2]"]),
        ("1.0", []),
    ],
)
def test_a_set_stands_for_its_categories(label: str, expected: list[str]) -> None:
    texts: list[str | None] = ["Graz", "Wien", "a,b", 'say "x"', "{odd}", "[1:2]", "1"]
    assert stands_for(label, texts, plain("category")) == expected


def test_a_label_of_a_hierarchy_stands_for_all_that_is_below() -> None:
    read = hierarchy_from_rows(
        [("Graz", "south", "land", "all"), ("Linz", "north", "land", "all"), ("Wien", "Wien", "city", "all")], "cities"
    )
    city = QuasiIdentifier(column=NAME, kind="category", categories=read.categories, hierarchy=read.hierarchy)
    texts: list[str | None] = ["Graz", "Linz", "Wien", "elsewhere", None]
    assert stands_for("land", texts, city) == ["Graz", "Linz"]
    assert stands_for("south", texts, city) == ["Graz"]
    assert stands_for("Wien", texts, city) == ["Wien"]
    assert stands_for("all", texts, city) == texts
    assert stands_for("{Graz,Wien}", texts, city) == ["Graz", "Wien"]


def test_of_leaves_that_share_a_boundary_the_first_stands_for_it() -> None:
    halves = (Node(Interval(0, 25), "[0:25]"), Node(Interval(25, 50), "[25:50]"))
    age = QuasiIdentifier(column=NAME, kind="number", hierarchy=Hierarchy(Node(Interval(0, 50), "[0:50]", halves)))
    assert stands_for("[0:25]", ["10", "25", "40"], age) == ["10", "25"]
    assert stands_for("[25:50]", ["10", "25", "40"], age) == ["40"]
    assert stands_for("[10:40]", ["10", "25", "40"], age) == ["10", "25", "40"]  # as Mondrian names a class
