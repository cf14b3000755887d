"""A configuration as text: one layout, and every text survives it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from toolbox.config.xml.writing import drop, ensure_section, format_configuration, make_comment

LAID_OUT = """\
<?xml version='1.0' encoding='UTF-8'?>
<!-- before -->
<config method='Datafly' k='5' cut='x' seed='1'>

  <!-- Two
       lines. -->
  <input filename='a.csv' header='true'/>
  <qid>
    <att name='age'><vgh file='age.csv'/></att>
    <att name='size' type='category'>
      <map ordered='true'>
        <entry cat='low' int='0'/>
      </map>
    </att>
    <att name='zip'>
      <vgh value='[0:9]'>
        <node value='[0:4]'/>
      </vgh>
    </att>
  </qid>
</config>
<!-- behind -->
"""
XML = st.characters(blacklist_categories=("Cs", "Cc"), blacklist_characters="\ufffe\uffff") | st.sampled_from("\t\n\r")


def parsed(text: bytes) -> etree._Element:
    return etree.fromstring(text)


def test_what_is_laid_out_stays_as_it_is() -> None:
    assert format_configuration(parsed(LAID_OUT.encode())).decode() == LAID_OUT


def test_any_layout_becomes_this_one() -> None:
    crowded = LAID_OUT.replace("\n  <qid>\n    ", "<qid>").replace("k='5' cut='x'", 'cut="x"\n   k="5"')
    crowded = crowded.replace("    </att>\n", "</att>")
    assert format_configuration(parsed(crowded.encode())).decode() == LAID_OUT


@given(st.text(XML), st.text(XML, min_size=1))
def test_every_text_that_xml_can_hold_is_read_back(name: str, category: str) -> None:
    root = etree.Element("config")
    att = etree.SubElement(ensure_section(root, "qid"), "att", {"name": name})
    etree.SubElement(etree.SubElement(att, "map"), "entry", {"cat": category, "int": "1"})
    again = parsed(format_configuration(root))
    assert again.find("qid/att").get("name") == name
    assert again.find("qid/att/map/entry").get("cat") == category


def test_a_hint_for_editors_keeps_its_namespace() -> None:
    hint = b"<config xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance' xsi:noNamespaceSchemaLocation='config.xsd'/>"
    assert format_configuration(parsed(hint)).splitlines()[1] == hint


def test_sections_are_made_in_one_order_wherever_they_are_asked_for() -> None:
    root = etree.fromstring("<config><!-- a --><qid/></config>")
    made = [ensure_section(root, name).tag for name in ("privacy", "id", "output", "qid", "input")]
    assert made == ["privacy", "id", "output", "qid", "input"]
    assert [child.tag for child in root.iterchildren("*")] == ["input", "output", "id", "qid", "privacy"]


def test_a_comment_holds_no_two_hyphens() -> None:
    root = etree.Element("config")
    root.append(make_comment("a -- b --- c--"))
    assert b"<!-- a - - b - - - c- - -->" in format_configuration(root)
    parsed(format_configuration(root))


def test_attributes_are_dropped_if_they_are_there() -> None:
    root = etree.fromstring("<config k='5' l='2'/>")
    drop(root, "k", "t")
    assert dict(root.attrib) == {"l": "2"}
