"""Names of tables are read as SQL reads them, and never guessed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolbox.engines.engine import TableName, parse_table_name
from toolbox.errors import UsageError


@pytest.mark.parametrize(
    ("text", "table", "schema"),
    [
        ("people", "people", None),
        ("census.people", "people", "census"),
        ("Census.PEOPLE_2020", "people_2020", "census"),
        ('census."People of 2020"', "People of 2020", "census"),
        ('"a.b"."c.d"', "c.d", "a.b"),
        ('"say ""hi"""', 'say "hi"', None),
        ('"select"', "select", None),
        ('" "', " ", None),
        ("straße.ÉlanX", "Élanx", "straße"),
        ("a$1", "a$1", None),
        ('"100%"', "100%", None),
    ],
)
def test_a_name_is_read(text: str, table: str, schema: str | None) -> None:
    assert parse_table_name(text, folded=True) == TableName(table, schema)


def test_letters_stay_large_where_nobody_folds_them() -> None:
    assert parse_table_name('Census."x"', folded=False) == TableName("x", "Census")


@pytest.mark.parametrize(
    "text", ["", ".", "a.", ".a", "a b", "my-table", '"a', 'a"', '""', '"a"b', "1a", "a;b", "a..b", '"\0"', " a", "a\n"]
)
def test_what_is_no_name_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match=r"is no name of a table. Write schema.table"):
        parse_table_name(text, folded=True)


def test_a_name_with_a_database_is_refused() -> None:
    with pytest.raises(UsageError, match=r"has 3 parts.*the database is named by the URL"):
        parse_table_name("census.public.people", folded=True)


@given(st.builds(TableName, st.text(st.characters(exclude_characters="\0"), min_size=1), st.none() | st.just('a"B.')))
def test_a_written_name_is_read_as_the_same(name: TableName) -> None:
    assert parse_table_name(str(name), folded=True) == parse_table_name(str(name), folded=False) == name
