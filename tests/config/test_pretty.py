"""A document as people write it, which a parser reads as the same document."""

from __future__ import annotations

import pytest
from lxml import etree

from toolbox.config.pretty import pretty


def test_levels_are_indented_and_comments_stand_on_lines_of_their_own() -> None:
    root = etree.Element("config", {"k": "5", "method": "Mondrian"})
    root.addprevious(etree.Comment(" Made by hand. "))
    etree.SubElement(root, "input", {"filename": "a.csv"})
    within = etree.SubElement(root, "qid")
    within.append(etree.Comment(" word" * 40))
    etree.SubElement(etree.SubElement(within, "att", {"name": "age"}), "vgh", {"file": "age.csv"})
    assert pretty(root) == (
        "<!-- Made by hand. -->\n"
        "<config k='5' method='Mondrian'>\n"
        "  <input filename='a.csv'/>\n"
        "  <qid>\n"
        f"    <!--{' word' * 21}\n"
        f"        {' word' * 19} -->\n"
        "    <att name='age'>\n"
        "      <vgh file='age.csv'/>\n"
        "    </att>\n"
        "  </qid>\n"
        "</config>\n"
    )


@pytest.mark.parametrize("text", ["a'b", 'a"b', "<&>", "ä € 年", "a\tb\nc\rd", "&amp;", " a ", ""])
def test_a_text_comes_back_as_it_was(text: str) -> None:
    written = pretty(etree.Element("att", {"name": text}))
    assert etree.fromstring(written).get("name") == text
