"""All ways to spare everybody else: which there are, in which order their steps come, and what they are called."""

from __future__ import annotations

from itertools import islice

import pytest
from helpers.towns import BOTH, PEOPLE, SEX, TOWN

from toolbox.methods.singletons.columns import Scope
from toolbox.methods.singletons.comparing import _Change, _list_changes, _list_variants, _SingletonsVariant

COLUMNS = (TOWN, SEX, SEX, SEX)


def steps(*choices: list[_Change]) -> list[str]:
    """List all variants by their steps: the columns that change at once, in capitals for all records."""
    return [
        " ".join("".join(_letter(change) for change in step) for step in variant.steps)
        for variant in _list_variants(choices)
    ]


def _letter(change: _Change) -> str:
    letter = "abcd"[change.column]
    return letter.upper() if change.scope == "global" else letter


def one(column: int, scope: Scope) -> list[_Change]:
    return [_Change(column, 0, scope)]


def test_nothing_comes_first_and_each_column_is_changed_in_one_way_at_most() -> None:
    assert steps([*one(0, "global"), *one(0, "local")]) == ["", "A", "a"]
    assert steps(one(0, "global"), one(1, "global")) == ["", "B", "A", "AB"]


def test_what_is_for_all_records_comes_at_once_with_the_rest_or_before_it() -> None:
    assert steps(one(0, "local"), one(1, "global"))[-2:] == ["aB", "B a"]


def test_local_changes_come_at_once_or_one_after_the_other_in_every_order() -> None:
    assert steps(one(0, "local"), one(1, "local"))[-3:] == ["ab", "a b", "b a"]
    both = steps(one(0, "local"), one(1, "local"), one(2, "global"))
    assert both[-4:] == ["abC", "C ab", "C a b", "C b a"]


def test_more_than_three_local_changes_are_made_at_once_alone() -> None:
    three, four = ([one(column, "local") for column in range(count)] for count in (3, 4))
    assert [text for text in steps(*three) if len(text.replace(" ", "")) == 3][1:3] == ["a b c", "a c b"]
    assert [text for text in steps(*four) if len(text.replace(" ", "")) == 4] == ["abcd"]


@pytest.mark.parametrize(
    ("steps", "name"),
    [
        ((), "as it is"),
        (((_Change(0, 1, "local"), _Change(1, 0, "global")),), "town any (local), sex parent"),
        (((_Change(1, 1, "local"),), (_Change(0, 0, "local"),)), "sex any (local); town parent (local)"),
    ],
)
def test_a_variant_is_named_after_its_steps(steps: tuple[tuple[_Change, ...], ...], name: str) -> None:
    assert _SingletonsVariant(steps).name(PEOPLE.columns) == name


def test_labels_that_do_not_cover_their_values_can_be_left_out() -> None:
    """The towns have a parent, any and a centroid."""
    assert _list_changes(0, TOWN, BOTH, covering=False) == [
        _Change(0, place, scope) for place in range(3) for scope in ("local", "global")
    ]
    assert {change.generalisation for change in _list_changes(0, TOWN, ("local",), covering=True)} == {0, 1}


def test_very_many_variants_are_made_as_they_are_asked_for() -> None:
    choices = [_list_changes(column, TOWN, BOTH, covering=False) for column in range(40)]
    assert len(list(islice(_list_variants(choices), 5))) == 5
