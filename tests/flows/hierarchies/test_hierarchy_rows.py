"""A hierarchy as rows: what builds it, its faults, another one beside it, and its rules."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from toolbox.errors import UsageError
from toolbox.flows.hierarchies.calls import build, diff, faults, read, rows_to_rules, rules_to_rows

AGES = [("18", "15-19", "*"), ("19", "15-19", "*"), ("20", "20-24", "*")]


def refused(call: Callable[[], object]) -> str:
    with pytest.raises(UsageError) as error:
        call()
    return str(error.value)


def kinds(rows: list[tuple[str, ...]], values: list[str] | None = None) -> list[str]:
    return [finding.kind for finding in faults(rows, values).findings if finding.is_fault]


def test_every_kind_of_fault_is_told_as_data() -> None:
    assert faults(AGES, ["18", "19", "20"]).findings == ()
    assert kinds([("17", "15-19", "*"), ("17", "20-24", "*"), ("21", "20-24", "all")]) == ["value twice", "two parents"]
    assert kinds([("17", "15-19", "*"), ("18", "*")]) == ["table"]
    assert kinds([("17", ""), ("18", "*")]) == ["table"]
    assert kinds([]) == ["table"]
    assert kinds([*AGES[:2], ("20", "15-19", "*"), ("21", "20-24", "*")]) == ["label"]
    assert [finding.kind for finding in faults([("a", "a", "*"), ("b", "b", "*")]).findings] == ["level"]


def test_values_without_a_path_and_paths_without_a_value_are_named() -> None:
    found = faults(AGES, {"18.0": 5, "19": 1, "30": 2})
    assert (found.uncovered, found.unused) == (("30",), ("20",))
    assert [str(finding) for finding in found.findings] == [
        "The hierarchy lacks 1 value of 2 records.",
        "1 value of the hierarchy does not occur in the data.",
    ]
    assert not found.holds


def test_they_are_named_of_rows_that_contradict_each_other_as_well() -> None:
    found = faults([("a", "x", "1"), ("b", "x", "2"), ("c",)], ["a", "d"])
    assert (found.uncovered, found.unused) == (("d",), ("b", "c"))
    assert [finding.kind for finding in found.findings] == ["table", "uncovered", "unused"]
    assert faults([], ["a"]).uncovered == ("a",)


def test_a_diff_has_the_faults_of_the_new_one() -> None:
    found = diff(AGES, [("18", "teen"), ("19", "adult")], ["18", "19", "20"])
    assert (found.added, found.removed, len(found.moved), found.levels) == ((), ("20",), 2, (2, 1))
    assert found.faults.uncovered == ("20",)


def test_a_builder_lists_what_it_makes_of_the_values() -> None:
    assert build("prefix:1", {"24": 2, "25": 1}) == [("24", "2*", "*"), ("25", "2*", "*")]
    assert build("dates:year", ["05.03.1971"], date_format="%d.%m.%Y") == [("05.03.1971", "1971", "*")]
    assert build("intervals:10", ["1,5"], decimal=",") == [("1,5", "[0:10)", "*")]
    assert "There is no builder 'prefex'. Did you mean 'prefix'?" in refused(lambda: build("prefex:1", ["24"]))
    assert "There are no values" in refused(lambda: build("prefix:1", []))


def test_rules_of_each_level_become_rows_and_rows_rules() -> None:
    rules = ["18,19 => 15-19\n20 => 20-24\n"]
    assert rows_to_rules(AGES) == rules
    assert rules_to_rows(rules) == AGES
    above = [*rules, "18,19,20 => 15-24\n"]
    assert rules_to_rows([*rules, "15-19,20 => 15-24"]) == rules_to_rows(above)
    assert rows_to_rules(rules_to_rows(above)) == above
    assert rows_to_rules(rules_to_rows(above), of_labels=True) == [*rules, "15-19,20-24 => 15-24\n"]


def test_a_label_that_would_be_read_as_something_else_is_written_as_its_values() -> None:
    rows = [("a", "x,y", "top"), ("b", "x,y", "top"), ("c", "c", "top"), ("d", "a b", "top")]
    rules = rows_to_rules(rows, of_labels=True)
    assert rules[1] == "a,b,c,a b => top\n"
    assert rules_to_rows(rules) == rows


def test_what_is_wrong_with_rules_and_rows_is_told_by_level_and_line() -> None:
    assert "level 2, line 1: 'x' is neither a value" in refused(lambda: rules_to_rows(["17 => 15-19", "x => all"]))
    assert refused(lambda: rules_to_rows(["17 => a", " "])) == "There is no rule in level 2. Write 17,18,19 => 15-19."
    assert refused(lambda: rules_to_rows([])) == "There is no rule in the list. Write 17,18,19 => 15-19."
    assert (
        refused(lambda: rules_to_rows("17 => a")) == "The rules are one text. Give a list with the text of each level."
    )
    assert "Rules cannot say 'a,b', which has a comma." in refused(lambda: rows_to_rules([("a,b", "x")]))
    assert "agree in column 2" in refused(lambda: rows_to_rules([("a", "x", "1"), ("b", "x", "2")]))


def test_rows_without_a_field_are_a_fault_and_stop_nothing() -> None:
    found = faults([(), ("a", "b")], ["a"])
    assert ([finding.kind for finding in found.findings], found.unused) == (["table"], ())
    compared = diff([("a", "b")], [()])
    assert (compared.added, compared.removed, compared.levels) == ((), ("a",), (1, 0))


def test_values_that_are_no_texts_are_taken_as_their_texts(tmp_path: Path) -> None:
    decades = [("23", "[20:30)", "*"), ("28", "[20:30)", "*")]
    assert build("intervals:10", [23, 28]) == decades  # type: ignore[list-item]
    assert build("intervals:10", {23: 2, "23": 1, 28: 1}) == decades
    assert build("dates:year", [date(1971, 3, 5)]) == [("1971-03-05", "1971", "*")]  # type: ignore[list-item]
    rows: Any = [(1, "x"), (2, "x")]
    assert (faults(rows, [1, 3]).uncovered, diff([("1", "x")], rows).added) == (("3",), ("2",))  # type: ignore[list-item]
    config = tmp_path / "c.xml"
    config.write_text(
        "<config><input filename='p.csv'/><output filename='r.csv'/><qid>"
        "<att index='0' name='zip' type='category'><vgh build='prefix' keep='2'/></att></qid></config>"
    )
    assert read(config, column="zip", values=[1010]) == [("1010", "10**", "*")]  # type: ignore[list-item]


def test_timestamps_with_an_offset_are_on_the_clock_of_a_run() -> None:
    written = "2024-01-31T23:30:00-05:00"
    assert build("dates:month,year", [written]) == [(written, "2024-02", "2024", "*")]
    assert build("dates:month,year", ["2024-01-31T23:30:00"])[0][1] == "2024-01"
