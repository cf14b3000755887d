"""The small tables: each is what its name says, and none is beyond anonymising."""

from __future__ import annotations

from collections import Counter

import pytest

from toolbox import FewColumnsKAnonymity, KAnonymity, KMAnonymity, ReleaseModel
from toolbox.checks.promises import _satisfies
from toolbox.checks.tables import EXAMPLES, IDENTIFIER, ILLNESS, ONE_CLASS, STAGE, TABLES, SmallTable

BY_NAME = {table.name: table for table in TABLES}
each_table = pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)


def sizes(table: SmallTable) -> list[int]:
    return sorted(Counter(table.rows(table.quasi_identifiers)).values())


@each_table
def test_all_columns_are_of_one_length_and_people_have_names_of_their_own(table: SmallTable) -> None:
    assert {len(values) for values in table.columns.values()} == {table.size}
    assert len(set(table.columns[IDENTIFIER])) == table.size
    assert list(table.frame()) == list(table.columns)


@each_table
def test_the_whole_table_satisfies_every_example(table: SmallTable) -> None:
    for models in EXAMPLES:
        for model in models:
            if isinstance(model, ReleaseModel):
                assert model.judge([(table.size, 1)])[1]
                continue
            members = [value for (value,) in table.rows([model.attribute or ILLNESS])]
            # In one class, records look alike in any few columns if they do in all.
            judge = KAnonymity(k=model.k) if isinstance(model, FewColumnsKAnonymity | KMAnonymity) else model
            assert _satisfies(judge, members, members)


@each_table
def test_no_sensitive_value_is_too_frequent_for_groups(table: SmallTable) -> None:
    for column, groups_of in ((ILLNESS, 2), (STAGE, 3)):
        counts = Counter(table.rows([column]))
        assert max(counts.values()) * groups_of <= len(table.kept())


@each_table
def test_hierarchies_know_every_value_and_have_one_root(table: SmallTable) -> None:
    for name, hierarchy in table.hierarchies.items():
        known = {row[0] for row in hierarchy}
        assert {"?" if value is None else value for (value,) in table.rows([name])} <= known
        assert len({row[-1] for row in hierarchy}) == len({len(row) for row in hierarchy}) == 1


def test_the_tables_differ_in_how_many_classes_they_have() -> None:
    assert sizes(ONE_CLASS) == [9]
    assert sizes(BY_NAME["duplicates"]) == [5, 5, 6, 6]
    assert max(sizes(BY_NAME["many classes"])) == 1


def test_records_without_a_declared_value_are_not_kept() -> None:
    table = BY_NAME["records with missing values"]
    lacking = [row for row in range(table.size) if None in (table.columns["age"][row], table.columns["region"][row])]
    assert lacking
    assert table.kept() == [row for row in range(table.size) if row not in lacking]
    kept = BY_NAME["missing values as a category"]
    assert None in kept.columns["region"]
    assert kept.kept() == list(range(kept.size))


def test_a_shuffled_table_has_the_same_rows_in_another_order() -> None:
    table = BY_NAME["many classes"]
    shuffled = table.shuffled(1)
    names = list(table.columns)
    assert shuffled.rows(names) != table.rows(names)
    assert Counter(shuffled.rows(names)) == Counter(table.rows(names))
    assert table.shuffled(1).rows(names) == shuffled.rows(names)


def test_a_constant_replaces_one_column() -> None:
    table = ONE_CLASS.set_constant(ILLNESS, "flu")
    assert table.columns[ILLNESS] == ("flu",) * 9
    assert table.columns[STAGE] == ONE_CLASS.columns[STAGE]
