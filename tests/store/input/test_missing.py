"""What counts as a missing value, and what becomes of its record."""

from types import MappingProxyType

import pytest
from sqlalchemy import select

from toolbox.config.model import Attribute, Column
from toolbox.hierarchy.builders.texts import Order
from toolbox.store.input.layout import MissingValues

AS_IN_2010 = {"strips_blanks": True, "looks_everywhere": True}
TEXTS = ["a", "", "?", " ? ", " a ", "  ", "NA", None]
PLAIN = Attribute(column=Column(index=0, name=None), kind=None)
CODED = Attribute(column=Column(index=0, name=None), kind="category", categories=MappingProxyType({"?": 0, "": 1}))

LISTED = Attribute(column=Column(index=0, name=None), kind="category", builder=Order(values=("low", "?")))


@pytest.fixture
def texts(store):
    """Return a function that asks each of the texts, and keeps those to which the answer is yes."""
    table = store.create_constant("texts", {"text": (str, TEXTS), "other": (str, [*TEXTS[1:], TEXTS[0]])})

    def ask(question):
        answers = store.rows(select(table.c.text, question(table.c.text, table.c.other)))
        assert {answer for _, answer in answers} <= {True, False}, "a null is neither yes nor no"
        return [text for text, answer in answers if answer]

    return ask


@pytest.mark.parametrize(
    ("missing", "attribute", "expected"),
    [
        (MissingValues("?", "skip"), PLAIN, ["", "?", None]),
        (MissingValues("NA", "skip"), PLAIN, ["", "NA", None]),
        (MissingValues("?", "skip"), CODED, [None]),
        (MissingValues("?", "skip"), LISTED, ["", None]),
        (MissingValues("?", "skip", **AS_IN_2010), PLAIN, ["", "?", " ? ", "  ", None]),
    ],
    ids=["mark", "another mark", "declared categories", "listed by a builder", "2010"],
)
def test_a_value_is_missing_where_it_is_null_empty_or_the_mark(texts, missing, attribute, expected):
    assert texts(lambda text, _: missing.test(attribute, text)) == expected


def test_one_missing_value_of_any_declared_column_disqualifies_a_record(texts):
    missing = MissingValues("?", "skip")
    found = texts(lambda text, other: missing.is_disqualifying([(PLAIN, text), (PLAIN, other)]))
    assert found == ["a", "", "?", "NA", None]
    assert texts(lambda *_: missing.is_disqualifying([])) == []


def test_nothing_disqualifies_where_missing_values_are_kept(texts):
    missing = MissingValues("?", "keep")
    assert texts(lambda text, _: missing.is_disqualifying([(PLAIN, text)])) == []


def test_only_in_2010_did_a_mark_in_another_column_count_and_an_empty_field_did_not(texts):
    assert texts(lambda text, _: MissingValues("?", "skip", **AS_IN_2010).marked([text])) == ["?", " ? "]
    assert texts(lambda text, _: MissingValues("?", "skip", looks_everywhere=True).marked([text])) == ["?"]
    assert texts(lambda text, _: MissingValues("?", "skip", strips_blanks=True).marked([text])) == []
    assert texts(lambda text, _: MissingValues("?", "keep", **AS_IN_2010).marked([text])) == []


@pytest.mark.parametrize(
    ("missing", "values"),
    [
        (MissingValues("?", "skip"), TEXTS),
        (MissingValues("?", "keep"), ["a", "?", "?", " ? ", " a ", "  ", "NA", "?"]),
        (MissingValues("", "keep"), ["a", "?", "?", " ? ", " a ", "  ", "NA", "?"]),
        (MissingValues("NA", "keep", **AS_IN_2010), ["a", "NA", "?", "?", "a", "NA", "NA", "NA"]),
    ],
    ids=["skipped", "kept", "kept without a mark", "2010"],
)
def test_what_is_kept_is_one_category(store, missing, values):
    table = store.create_constant("texts", {"text": (str, TEXTS)})
    assert [value for (value,) in store.rows(select(missing.value(PLAIN, table.c.text)))] == values
    assert missing.rewrites is (values != TEXTS)
