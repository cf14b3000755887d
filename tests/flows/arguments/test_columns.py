"""The columns that the arguments of a call declare."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from toolbox.config.model import Attribute, QuasiIdentifier
from toolbox.errors import ConfigurationError, SettingError, UnknownColumnError, UsageError
from toolbox.flows.arguments.anonymize import ColumnArguments, add_ranks, declare_columns, find_hierarchy_kinds
from toolbox.hierarchies import auto
from toolbox.messages import name_python_arguments

TOWNS = [("Graz", "south", "*"), ("Linz", "north", "*")]


def declared(
    *names: object,
    sensitive: tuple[object, ...] = (),
    hierarchies: dict[object, Any] | None = None,
    kinds: dict[object, str] | None = None,
) -> tuple[tuple[QuasiIdentifier, ...], tuple[Attribute, ...]]:
    return declare_columns(names, sensitive, hierarchies or {}, kinds or {})


def test_columns_have_their_kinds_and_how_they_write_dates() -> None:
    kinds = {"born": "date %d.%m.%Y", 7: "category", "illness": "number", "seen": "date %Y/%m/%d"}
    (age, born, code), (illness, seen) = declared("age", "born", 7, sensitive=("illness", "seen"), kinds=kinds)
    assert [str(attribute.column) for attribute in (age, born, code, illness)] == ["age", "born", "7", "illness"]
    assert [attribute.kind for attribute in (age, born, code, illness)] == [None, "date", "category", "number"]
    assert (born.format, seen.format, age.format, code.column.index) == ("%d.%m.%Y", "%Y/%m/%d", None, None)


@pytest.mark.parametrize("kind", ["rows", "mapping", "file"])
def test_a_hierarchy_of_any_form_names_the_values_and_what_is_above_them(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "towns.csv"
    path.write_text("Graz;south;*\nLinz;north;*\n")
    forms: dict[str, Any] = {"rows": TOWNS, "mapping": {"Graz": ["south", "*"], "Linz": ["north", "*"]}, "file": path}
    ((town,), (home,)) = declared("town", sensitive=("home",), hierarchies={"town": forms[kind], "home": forms[kind]})
    for attribute in (town, home):
        assert attribute.hierarchy is not None
        assert attribute.kind == "category"
        assert (attribute.hierarchy.root.label, set(attribute.categories or ())) == ("*", {"Graz", "Linz"})
        assert [node.label for node in attribute.hierarchy.root.children] == ["south", "north"]


def test_words_for_periods_are_the_hierarchy_of_dates() -> None:
    ((born, died), _) = declared("born", "died", hierarchies={"born": "month,decade", "died": ["year"]})
    assert (born.periods, born.hierarchy, died.periods) == (("month", "decade"), None, ("year",))


def test_hierarchies_say_what_a_column_holds_but_for_builders_that_take_anything() -> None:
    says: dict[object, Any] = {"town": TOWNS, 7: "intervals:5", "zip": "zip.csv", "born": "month,year"}
    assert find_hierarchy_kinds({**says, "age": None, "weight": "auto", "height": auto(levels=2)}) == {
        "town",
        "7",
        "zip",
        "born",
    }


@pytest.mark.parametrize(
    ("arguments", "error", "said"),
    [
        ({"quasi_identifiers": []}, UsageError, "quasi_identifiers is empty"),
        ({"hierarchies": {"aeg": TOWNS}}, UnknownColumnError, "in hierarchies=.*Did you mean 'age'"),
        ({"kinds": {"aeg": "number"}}, UnknownColumnError, "in kinds=.*Did you mean 'age'"),
        (
            {"kinds": {"age": "integer"}},
            SettingError,
            r"kinds\['age'\] is 'integer'; write one of 'number', 'category'",
        ),
        ({"kinds": {"age": "date"}, "hierarchies": {"age": TOWNS}}, UsageError, "'age' is a date. Write hierarchies="),
        ({"hierarchies": {"age": "decade,month"}}, UsageError, r"hierarchies\['age'\] is not in order"),
        ({"hierarchies": {"age": [("1", "*"), ("1", "*")]}}, ConfigurationError, "the hierarchy of 'age'"),
    ],
)
def test_what_is_wrong_is_named_by_its_argument(arguments: dict[str, Any], error: type[UsageError], said: str) -> None:
    usual: dict[str, Any] = {"quasi_identifiers": ["age"], "sensitive": [], "hierarchies": {}, "kinds": {}}
    with name_python_arguments(), pytest.raises(error, match=said):
        declare_columns(**{**usual, **arguments})


def test_a_command_line_names_its_options() -> None:
    with pytest.raises(UnknownColumnError, match=r"^The command line, in --qi and --sensitive, has no column 'aeg'"):
        declared("age", kinds={"aeg": "number"})


def test_arguments_that_say_nothing_are_empty_and_those_that_are_no_lists_and_dicts_are_refused() -> None:
    nothing: dict[str, Any] = {field.name: None for field in fields(ColumnArguments)}
    assert ColumnArguments(**nothing) == ColumnArguments((), (), (), {}, {}, {}, {}, {}, person=())
    for name in nothing:
        if name in ("key", "same_domain_as"):
            continue  # paths, which are no lists and no dicts
        with pytest.raises(UsageError, match=name):
            ColumnArguments(**{**nothing, name: 5})


def test_ranks_and_weights_belong_to_columns() -> None:
    (age, town), _ = declared("age", 7)
    first, second = add_ranks((age, town), {"age": 2}, {7: 3})
    assert (first.priority, first.weight, second.priority, second.weight) == (2, None, None, 3.0)


@pytest.mark.parametrize(
    ("priorities", "weights", "said"),
    [
        ({"age": 0}, {}, r"priorities\['age'\] is 0; write a whole number of at least 1"),
        ({"age": True}, {}, r"priorities\['age'\] is True"),
        ({}, {"age": 0}, r"weights\['age'\] is 0; write a number above 0"),
        ({}, {"age": "2"}, r"weights\['age'\] is '2'; write a finite number"),
        ({"aeg": 1}, {}, "in priorities=.*Did you mean 'age'"),
        ({}, {"aeg": 1}, "in weights=.*Did you mean 'age'"),
    ],
)
def test_a_wrong_rank_or_weight_is_refused(priorities: dict[str, Any], weights: dict[str, Any], said: str) -> None:
    with name_python_arguments(), pytest.raises(UsageError, match=said):
        add_ranks(declared("age")[0], priorities, weights)
