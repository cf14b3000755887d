"""A configuration that a program writes: whatever the names are, a parser reads it, and finds them."""

from __future__ import annotations

import pytest
from lxml import etree

from toolbox.config.xml.writing import Draft, DraftColumn, can_be_a_name


def draft(*columns: DraftColumn, comment: str = "Suggested.") -> Draft:
    return Draft(
        comment=comment,
        attributes={"method": "Mondrian", "k": "5"},
        method_comment="Why.",
        input={"filename": "a.csv"},
        input_comment="",
        output={"filename": "b.csv"},
        columns=columns,
        section_comments={"id": "Dropped.", "qid": "Generalised.", "sens": "Released."},
    )


def test_columns_stand_in_their_sections_behind_their_comments() -> None:
    name = DraftColumn(section="id", index=0, name="name", comment="name: names of people.")
    age = DraftColumn(
        section="qid", index=1, name="age", comment="age: ages.", attributes={"type": "number"},
        hierarchy={"build": "intervals", "width": "5"},
    )  # fmt: skip
    second = DraftColumn(section="qid", index=2, name=None, comment="nothing.")
    assert draft(name, age, second).text() == (
        "<?xml version='1.0' encoding='UTF-8'?>\n"
        "<!-- Suggested. -->\n"
        "<config method='Mondrian' k='5'>\n"
        "  <!-- Why. -->\n"
        "  <input filename='a.csv'/>\n"
        "  <output filename='b.csv'/>\n"
        "  <id>\n"
        "    <!-- Dropped. -->\n"
        "    <!-- name: names of people. -->\n"
        "    <att name='name'/>\n"
        "  </id>\n"
        "  <qid>\n"
        "    <!-- Generalised. -->\n"
        "    <!-- age: ages. -->\n"
        "    <att name='age' type='number'><vgh build='intervals' width='5'/></att>\n"
        "    <!-- nothing. -->\n"
        "    <att index='2'/>\n"
        "  </qid>\n"
        "</config>\n"
    )


def test_long_comments_are_lines_below_each_other() -> None:
    long = DraftColumn(section="id", index=0, name="a", comment="word " * 40)
    lines = [line for line in draft(long).text().splitlines() if "word" in line]
    assert lines == [f"    <!-- {'word ' * 21}".rstrip(), f"         {'word ' * 19}-->"]


@pytest.mark.parametrize(
    "name", ["a--b", "-->", "a---", "-", "--", "<b>&", "'\"", "]]>", "a\x1b[0m", "a\0b", "\ud800", "x" * 5_000, "多 年"]
)
def test_a_comment_may_hold_any_name(name: str) -> None:
    text = draft(DraftColumn(section="id", index=0, name=None, comment=f"{name}: {name}"), comment=name).text()
    root = etree.fromstring(text.encode())
    assert [att.get("index") for att in root.iter("att")] == ["0"]
    assert "\x1b" not in text


@pytest.mark.parametrize(
    ("name", "can"),
    [
        ("age", True), ("a b", True), ("a'b<&>", True), ("年齢", True), ("", False), (" a", False), ("a ", False),
        ("a\nb", False), ("a\tb", False), ("a\x01", False), ("\ufffe", False),
        ("column 17", False), ("column x", True),
    ],
)  # fmt: skip
def test_what_a_document_cannot_say_as_it_is_is_no_name(name: str, can: bool) -> None:
    assert can_be_a_name(name) is can
    if can:
        text = draft(DraftColumn(section="id", index=0, name=name, comment="")).text()
        assert [att.get("name") for att in etree.fromstring(text.encode()).iter("att")] == [name]
