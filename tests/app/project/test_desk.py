"""What lies on the desk: rows, values, faults."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from helpers.asgi import Asking

if TYPE_CHECKING:
    from toolbox.app.project.desk import ColumnHierarchy
    from toolbox.app.project.open_project import OpenProject


def look(asking: Asking, number: int) -> ColumnHierarchy:
    from toolbox.app.project.desk import Desk

    return asking.runner.run(Desk.of(asking.app.state.workplace.opened()).look(number))


def test_values_are_known_though_no_run_would_take_the_project(asking: Asking, current: OpenProject) -> None:
    found = look(asking, 0)
    assert current.project.faults(), "Datafly needs hierarchies"
    assert (found.column.name, dict(found.counts), found.rows) == ("town", {"Graz": 2, "Leoben": 1, "Wien": 1}, ())


def test_rows_are_set_against_the_values(asking: Asking, current: OpenProject) -> None:
    current.project.set_rows("town", [("Graz", "*"), ("Linz", "*")])
    found = look(asking, 0)
    assert (found.faults.uncovered, found.faults.unused) == (("Leoben", "Wien"), ("Linz",))
    current.project.set_rows("town", [("Graz", "*"), ("Leoben", "*"), ("Wien", "*")])
    assert look(asking, 0).faults.holds


def test_a_root_that_goes_without_saying_is_shown(asking: Asking, current: OpenProject) -> None:
    current.project.set_rows("town", [("Graz", "Styria"), ("Leoben", "Styria"), ("Wien", "Vienna")])
    assert look(asking, 0).rows[2] == ("Wien", "Vienna", "*")
    assert look(asking, 0).tree.root.values == 3


def test_a_builder_is_shown_by_what_it_makes_of_the_values(asking: Asking, current: OpenProject) -> None:
    current.project.set_builder("age", "intervals:10")
    found = look(asking, 1)
    assert (found.words, found.rows[0], found.kind) == ("intervals:10", ("17", "[10:20)", "*"), "number")
    current.project.set_builder("town", "prefix:x")
    assert "no whole number" in look(asking, 0).missing


def test_numbers_that_are_grouped_over_others_stop_a_run(asking: Asking, current: OpenProject) -> None:
    labels = {"17": "a", "18": "b", "19": "a", "21": "b"}
    current.project.set_rows("age", [(value, label, "*") for value, label in labels.items()])
    (sentence,) = look(asking, 1).stops
    assert sentence.endswith("Move them together, or say in step 2 that it holds categories.")
    assert look(asking, 1).remarks == []


def test_intervals_that_the_configuration_writes_out_are_shown_by_what_they_do_to_the_values(
    asking: Asking, current: OpenProject
) -> None:
    tree = "<vgh value='[0:99]'><node value='[0:18]'/><node value='(18:99]'/></vgh>"
    snapshot = current.project.snapshot()
    written = snapshot.xml.replace("<att name='age' type='number'/>", f"<att name='age'>{tree}</att>")
    current.project.restore(replace(snapshot, xml=written))
    assert look(asking, 1).rows[1:3] == (("18", "[0:18]", "[0:99]"), ("19", "(18:99]", "[0:99]"))


def test_only_columns_with_a_role_are_there(asking: Asking, current: OpenProject) -> None:
    from toolbox.app.project.desk import Desk

    desk = Desk.of(asking.app.state.workplace.opened())
    assert [column.name for _, column in desk.columns()] == ["town", "age", "born", "illness"]
    with pytest.raises(LookupError):
        desk.column(4)
