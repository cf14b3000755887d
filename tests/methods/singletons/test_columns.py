"""What the values of a column can become: its rules, the groups that they make, and what these are called."""

from __future__ import annotations

import pytest
from helpers.small_tables import declared, load, quasi_identifier
from sqlalchemy import select

from toolbox.errors import UsageError
from toolbox.methods.singletons.columns import SingletonsColumn, ValueGeneralisation, read_rows, require_rules
from toolbox.store.engine.store import Store
from toolbox.store.tables import Tables

TOWNS = "Graz south *\nLinz north *\nWels north *"


def shown(column: SingletonsColumn) -> dict[str, list[str]]:
    """Return, by rule, what each value becomes."""
    return {way.rule: [way.labels[group] for group in way.group] for way in column.generalisations}


@pytest.fixture(scope="module")
def tables(store: Store) -> Tables:
    table = "town born\nWels 1950\nGraz 1918\nLinz 1918\nWels 1950\nWels 1920"
    config = declared([quasi_identifier("town", hierarchy=TOWNS), quasi_identifier("born", kind="number")])
    return load(store, table, config).tables


def test_combinations_are_fetched_with_their_records(tables: Tables) -> None:
    rows = read_rows(tables, 2)
    values = [
        [column.labels[value] for value in ranks] for column, ranks in zip(rows.columns, rows.values, strict=True)
    ]
    assert sorted(zip(*values, rows.sizes.tolist(), strict=True)) == [
        ("Graz", "1918", 1),
        ("Linz", "1918", 1),
        ("Wels", "1920", 1),
        ("Wels", "1950", 2),
    ]
    assert rows.records == 5


def test_a_category_can_become_its_parent_or_the_root(tables: Tables) -> None:
    town, _ = read_rows(tables, 2).columns
    assert (town.name, town.labels) == ("town", ("Graz", "Linz", "Wels"))
    assert shown(town) == {"parent": ["south", "north", "north"], "any": ["*"] * 3}
    assert all(way.covers for way in town.generalisations)


def test_a_number_can_become_the_root_a_range_or_a_centroid_that_does_not_cover_it(tables: Tables) -> None:
    """1918 and 1950 have two records each, 1920 one: with k = 3 it joins 1918, and 1950 is left over."""
    _, born = read_rows(tables, 3).columns
    found = shown(born)
    assert found["any"] == ["*"] * 3
    assert found["ranges"] == ["[1918:1950]"] * 3
    assert found["row-ranges"] == ["[1918:1950]"] * 3
    assert shown(read_rows(tables, 2).columns[1])["row-ranges"] == ["1918", "[1920:1950]", "[1920:1950]"]
    assert found["middles"] == ["1920"] * 3
    assert {way.rule for way in born.generalisations if not way.covers} == {"middles", "medians", "means"}


def test_one_text_has_one_code_however_it_came_about(tables: Tables) -> None:
    """1920 itself, and the middle of all."""
    _, born = read_rows(tables, 2, {"born": ["middles"]}).columns
    assert born.labels == ("1918", "1920", "1950")
    itself, middle = born.codes.tolist()
    assert len(set(itself)) == 3
    assert middle == [itself[1]] * 3


def test_rules_can_be_chosen_for_a_column_or_left_out_for_all(tables: Tables) -> None:
    town, born = read_rows(tables, 2, {"born": ["ranges"]}).columns
    assert (list(shown(town)), list(shown(born))) == (["parent", "any"], ["ranges"])
    town, born = read_rows(tables, 2, leave_out=["any", "ranges", "row-ranges"]).columns
    assert (list(shown(town)), list(shown(born))) == (["parent"], ["middles", "medians", "means"])


def test_a_rule_that_a_column_does_not_have_is_refused(tables: Tables) -> None:
    with pytest.raises(UsageError, match=r"town cannot be generalised by 'means'. Its rules: parent, any\."):
        read_rows(tables, 2, {"town": ["any", "means"]})
    require_rules("town", ["any"], ["parent", "any"])


def test_dates_have_no_rules_that_write_a_number_of_their_own(store: Store) -> None:
    config = declared([quasi_identifier("day", kind="date")])
    day = load(store, "day\n2020-01-01\n2020-02-01\n2021-01-01", config).tables
    (column,) = read_rows(day, 2).columns
    assert {"ranges", "row-ranges"} <= set(shown(column))
    assert not {"middles", "medians", "means"} & set(shown(column))


def test_groups_of_numbers_have_no_interval_yet_and_nodes_have_theirs(tables: Tables) -> None:
    town, born = read_rows(tables, 2).columns
    ways: dict[str, ValueGeneralisation] = {way.rule: way for way in (*town.generalisations, *born.generalisations)}
    assert ways["ranges"].intervals is None
    named = tables.quasi_identifiers[0].intervals
    labels = dict(tables.store.rows(select(named.c.interval_id, named.c.label)))
    intervals = ways["parent"].intervals
    assert intervals is not None
    assert tuple(labels[number] for number in intervals.tolist()) == ways["parent"].labels
