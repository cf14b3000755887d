"""Columns move between the sections of a document, with what means something there."""

from __future__ import annotations

import pytest

from toolbox.config.editing.edited import EditedDocument, declare, list_declared_columns, move, remove_column
from toolbox.errors import UsageError

XML = "<config><qid><att name='a' priority='1'><map><entry cat='x' int='0'/></map><vgh value='[0:0]'/></att></qid></config>"


def test_a_hierarchy_takes_the_place_of_another_one() -> None:
    document = EditedDocument(XML, "a test")
    (column,) = list_declared_columns(document)
    assert (column.hierarchy_source, column.has_map, column.hierarchy_words, column.hierarchy_file) == (
        *("tree", True),
        *(None, None),
    )
    column.set_file("a.csv")
    assert "<att name='a' type='category' priority='1'><vgh file='a.csv' header='false'/></att>" in document.text()
    assert (column.hierarchy_source, column.hierarchy_file) == ("file", ("a.csv", False))
    column.set_builder("dates:month,year")
    assert (column.hierarchy_source, column.hierarchy_words) == ("dates", "dates:month,year")
    column.set_builder("prefix:2")
    assert (column.hierarchy_source, column.said("hierarchy")) == ("builder", None)
    before = document.text()
    with pytest.raises(UsageError, match="intervals"):
        column.set_builder("intervls:2")
    assert document.text() == before
    column.remove_hierarchy()
    assert "<att name='a' type='category' priority='1'/>" in document.text()


def test_a_section_that_is_empty_goes_and_one_with_a_comment_stays() -> None:
    document = EditedDocument(
        "<config><id><att name='b'/></id><qid><!-- why --><att name='a'/></qid></config>", "a test"
    )
    for column in list_declared_columns(document):
        remove_column(column)
    assert document.root.find("id") is None and document.root.find("qid") is not None
    column = declare(document, "sens", {"index": "3"})
    move(document, column, "qid")
    assert [one.section for one in list_declared_columns(document)] == ["qid"]


def test_an_identifier_keeps_nothing_but_its_name() -> None:
    document = EditedDocument(XML, "a test")
    move(document, list_declared_columns(document)[0], "id")
    assert "<id>\n    <att name='a'/>\n  </id>" in document.text()
