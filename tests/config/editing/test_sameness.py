"""Two configurations are compared by what they say, not where they say it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from toolbox.config.editing.saving import list_differences
from toolbox.config.model import Column, Config, Input, Output, QuasiIdentifier
from toolbox.hierarchy.outline import read_hierarchy_rows

AGE = QuasiIdentifier(column=Column(index=None, name="age", line=3), kind="number")
ONE = Config(
    source="a.xml",
    path=Path("a.xml"),
    input=Input(path=Path("people.csv")),
    output=Output(path=Path("release.csv")),
    quasi_identifiers=(AGE,),
)


def test_names_lines_and_what_one_run_does_are_no_difference() -> None:
    elsewhere = replace(AGE, column=Column(index=None, name="age", line=9))
    other = replace(ONE, source="b", path=None, warnings=("w",), quasi_identifiers=(elsewhere,), saved=b"x")
    other = replace(other, output=replace(ONE.output, report=Path("r.json"), configuration=Path("b.xml")))
    other = replace(other, input=replace(ONE.input, path=Path.cwd() / "x" / ".." / "people.csv"))
    assert list_differences(ONE, other) == []


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("k", 5),
        ("method", "Datafly"),
        ("settings", {"cut": "classic"}),
        ("input", replace(ONE.input, missing="")),
        ("input", replace(ONE.input, path=Path("other.csv"))),
        ("output", replace(ONE.output, order="sorted")),
        ("quasi_identifiers", (replace(AGE, kind="category"),)),
        ("quasi_identifiers", (replace(AGE, weight=2.0),)),
        ("quasi_identifiers", ()),
        ("identifiers", (Column(index=0, name=None),)),
        ("undeclared", "drop"),
        ("seed", 1),
    ],
)
def test_everything_else_is_one(field: str, value: object) -> None:
    assert list_differences(ONE, replace(ONE, **{field: value})) == [field]


def test_hierarchies_are_compared_node_by_node() -> None:
    def with_tree(*rows: tuple[str, ...]) -> Config:
        return replace(ONE, quasi_identifiers=(replace(AGE, hierarchy=read_hierarchy_rows(rows, "t", None).hierarchy),))

    one = with_tree(("a", "x", "*"), ("b", "x", "*"))
    assert list_differences(one, with_tree(("a", "x", "*"), ("b", "x", "*"))) == []
    assert list_differences(one, with_tree(("a", "y", "*"), ("b", "y", "*"))) == ["quasi_identifiers"]
