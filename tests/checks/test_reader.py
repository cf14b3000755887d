"""What a reader of a release can see."""

from __future__ import annotations

from types import MappingProxyType

import pandas as pd
import pytest

from toolbox.checks.check import CheckedRelease, read_rows, read_values
from toolbox.checks.promises import _stands_for
from toolbox.checks.tables import SmallTable

TABLE = SmallTable(
    "a table",
    MappingProxyType({"name": ("a", "b"), "age": (23, 61), "town": ("Graz, Old", None), "illness": ("flu", "cold")}),
    {
        "age": ((23, "20s", "*"), (61, "60s", "*")),
        "town": (("Graz, Old", "south", "anywhere"), ("?", "unknown", "anywhere")),
    },
    numbers=frozenset({"age"}),
)
FREE = SmallTable("without", TABLE.columns, TABLE.hierarchies, needs_hierarchies=False, numbers=TABLE.numbers)


@pytest.mark.parametrize(
    ("shown", "original", "expected"),
    [
        ("23", 23, True),
        ("23.0", 23, True),
        ("24", 23, False),
        ("[20:23]", 23, True),
        ("[20:23)", 23, False),
        ("(23:30]", 23, False),
        ("[23:30]", 23, True),
        ("[-1e3:2.5e1]", 23, True),
        ("[24:30]", 23, False),
        ("20s", 23, True),
        ("60s", 23, False),
        ("*", 23, True),
        ("young", 23, False),
        ("{23,61}", 23, False),
    ],
)
def test_a_number_is_stood_for_by_itself_a_range_or_a_label(shown: str, original: int, expected: bool) -> None:
    assert _stands_for(shown, original, TABLE, "age") is expected


@pytest.mark.parametrize(
    ("shown", "original", "expected"),
    [
        ("Graz, Old", "Graz, Old", True),
        ('{"Graz, Old",Wien}', "Graz, Old", True),
        ("{Graz, Old,Wien}", "Graz, Old", False),
        ("{Linz,Wien}", "Graz, Old", False),
        ('{"say ""x""",Wien}', 'say "x"', True),
        ("{two\nlines,Wien}", "two\nlines", True),
        ('{"{x}",Wien}', "{x}", True),
        ("south", "Graz, Old", True),
        ("unknown", "Graz, Old", False),
        ("?", None, True),
        ("unknown", None, True),
        ("{?,Wien}", None, True),
        ("south", None, False),
    ],
)
def test_a_category_is_stood_for_by_itself_a_set_or_a_label(shown: str, original: str | None, expected: bool) -> None:
    assert _stands_for(shown, original, TABLE, "town") is expected


def test_a_star_is_the_root_where_a_method_may_get_no_hierarchy() -> None:
    assert not _stands_for("*", "Graz, Old", TABLE, "town")
    assert _stands_for("*", "Graz, Old", FREE, "town")


def test_a_missing_value_is_none_whatever_stands_for_it() -> None:
    frame = pd.DataFrame({"a": [1.0, float("nan")], "b": ["x", None], "c": pd.array([1, None], dtype="Int64")})
    assert [read_values(frame, name) for name in frame] == [[1.0, None], ["x", None], [1, None]]
    assert read_rows(frame, ["b", "a"]) == [("x", 1.0), (None, None)]


def test_the_classes_of_a_table_are_what_its_quasi_identifiers_show() -> None:
    frame = pd.DataFrame({"age": ["*", "*"], "town": ["x", "x"], "illness": ["flu", "cold"]})
    released = CheckedRelease(TABLE, TABLE.frame(), (frame,), None)
    assert released.classes("illness") == {("*", "x"): ["flu", "cold"]}
    assert not released.is_anatomy


def test_the_classes_of_anatomy_are_its_groups() -> None:
    qit = pd.DataFrame({"age": ["23", "61"], "town": ["x", "y"], "group": [1, 2]})
    st = pd.DataFrame({"group": [1, 2], "illness": ["cold", "flu"]})
    released = CheckedRelease(TABLE, TABLE.frame(), (qit, st), None)
    assert released.classes("illness") == {1: ["cold"], 2: ["flu"]}
    assert released.quasi_identifiers() == [("23", "x"), ("61", "y")]
    assert released.passed_through() == [("cold",), ("flu",)]
