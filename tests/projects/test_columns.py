"""Columns of the table and declared columns come together: by name, by position, or not at all."""

from toolbox.config.editing.edited import EditedDocument, list_declared_columns
from toolbox.projects.edited_columns import _find_column_key, _pair_columns
from toolbox.projects.state import TableColumns

TABLE = TableColumns(("age", "town", "town"), ("number", "category", None), is_typed=False)
DOCUMENT = EditedDocument(
    "<config><id><att index='2'/></id><qid><att name='age' type='date' format='%d.%m.%Y' priority='x' weight='2'/>"
    "<att name='gone'/><att index='99' name='late'/><att/></qid></config>",
    "a test",
)


def test_each_column_of_the_table_is_listed_once_and_the_lost_ones_behind_them() -> None:
    found = [pair.column for pair in _pair_columns(TABLE, list_declared_columns(DOCUMENT))]
    assert [(column.name, column.header, column.position, column.role) for column in found] == [
        ("age", "age", 0, "quasi-identifier"),
        ("column 1", "town", 1, "other"),
        ("column 2", "town", 2, "identifier"),
        ("gone", None, None, "quasi-identifier"),
        ("late", None, None, "quasi-identifier"),
        ("column ", None, None, "quasi-identifier"),
    ]
    assert (found[0].kind, found[0].looks, found[0].priority, found[0].weight) == ("date %d.%m.%Y", "number", None, 2.0)


def test_a_column_is_declared_by_its_own_name_or_by_its_position() -> None:
    found = [pair.column for pair in _pair_columns(TABLE, [])]
    assert [_find_column_key(column) for column in found] == [{"name": "age"}, {"index": "1"}, {"index": "2"}]
