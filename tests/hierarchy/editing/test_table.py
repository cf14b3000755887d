"""What must stay true of a hierarchy whatever is edited, in whatever order."""

from __future__ import annotations

from copy import deepcopy

import pytest
from helpers.amounts import times
from helpers.outlines import outlines
from hypothesis import given, settings
from hypothesis import strategies as st

from toolbox.errors import UsageError
from toolbox.hierarchy.editing import (
    Table,
    add_level,
    add_values,
    build_hierarchy_table,
    find_ambiguous_texts,
    group,
    move,
    remove_level,
    remove_values,
    rename,
)

NAMES = st.sampled_from([*"abcd", "*", "new"])
TEXTS = st.sampled_from("abcdefg")


def meanings(table: Table) -> dict[str, set[frozenset[str]]]:
    """List the sets of values that each text stands for, wherever it stands."""
    found: dict[str, set[frozenset[str]]] = {}
    for level in range(len(table[0])):
        for label in {row[level] for row in table}:
            values = frozenset(row[0] for row in table if row[level] == label)
            found.setdefault(label, set()).add(values)
    return found


def require_hierarchy(table: Table) -> None:
    """Judge a table without the functions that made it."""
    assert len({len(row) for row in table}) == 1
    assert len({row[0] for row in table}) == len(table)
    assert len({row[-1] for row in table}) == 1
    for level in range(len(table[0]) - 1):
        assert len({(row[level], row[level + 1]) for row in table}) == len({row[level] for row in table})
    assert all(text.strip() for row in table for text in row)


def edited(data: st.DataObject, table: Table) -> tuple[str, Table, set[str]]:
    """Draw an edit and make it; return its name, the result, and the values that it may change."""
    level = data.draw(st.integers(0, len(table[0]) - 1))
    labels = sorted({row[level] for row in table})
    some = data.draw(st.lists(st.sampled_from(labels), min_size=1, max_size=3, unique=True))
    above = sorted({row[min(level + 1, len(table[0]) - 1)] for row in table})
    name, parent = data.draw(NAMES), data.draw(st.sampled_from(above))
    touched = {row[0] for row in table if row[level] in some}
    every = {row[0] for row in table}
    edits = {
        "rename": (lambda: rename(table, level, some[0], name), touched | {name}),
        "move": (lambda: move(table, level, some, parent), touched),
        "group": (lambda: group(table, level, some, name), touched),
        "add_level": (lambda: add_level(table, level), every),
        "remove_level": (lambda: remove_level(table, level), every),
        "add_values": (lambda: add_values(table, [name], level, some[0]), {name}),
        "remove_values": (lambda: remove_values(table, some), set(some)),
    }
    kind = data.draw(st.sampled_from(sorted(edits)))
    edit, may_change = edits[kind]
    return kind, edit(), may_change


@pytest.mark.slow
@settings(max_examples=times(60, slow=5000))
@given(st.data())
def test_after_any_edits_it_is_still_a_hierarchy_and_nothing_else_has_changed(data: st.DataObject) -> None:
    table = build_hierarchy_table(list(data.draw(outlines(TEXTS)).paths()))
    for _ in range(4):
        before, unclear = deepcopy(table), {label for label, sets in meanings(table).items() if len(sets) > 1}
        assert find_ambiguous_texts(table) == unclear
        try:
            kind, after, may_change = edited(data, table)
        except UsageError:
            assert table == before
            continue
        assert table == before, "an edit is undone by what it began with"
        require_hierarchy(after)
        assert {label for label, sets in meanings(after).items() if len(sets) > 1} <= unclear
        if len(after[0]) == len(table[0]):
            assert {row for row in after if row[0] not in may_change} == {
                row for row in table if row[0] not in may_change
            }
        if kind not in ("rename", "add_values", "remove_values"):
            assert [row[0] for row in after] == [row[0] for row in table]
        table = after


def test_rows_without_a_common_root_get_one() -> None:
    assert build_hierarchy_table([["a"], ["b"]]) == [("a", "*"), ("b", "*")]
    assert build_hierarchy_table([["a", "x"], ["b", "y"]]) == [("a", "x", "*"), ("b", "y", "*")]
    assert build_hierarchy_table([["a", "x"], ["b", "x"]]) == [("a", "x"), ("b", "x")]


def test_rows_of_several_lengths_are_no_table() -> None:
    for rows in ([], [[]], [["a", "x"], ["b"]]):
        with pytest.raises(UsageError, match="is no table"):
            build_hierarchy_table(rows)
