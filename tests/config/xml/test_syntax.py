"""What is wrong with a text that is no XML, in plain words."""

import pytest

from toolbox.config.xml.document import explain_parser_error


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("age,sex\n", "line 1: This is not an XML file. Begin it with <config>."),
        (b"PK\x03\x04\x00\x00", "line 1: This is not an XML file. Begin it with <config>."),
        (b"\x00\xff" * 500, "line 1: This is not an XML file. Begin it with <config>."),
        ("<config>\n<qid>\n", "line 3: The file ends before its elements are closed. Close them; the last line is </config>."),
        ("<config>\n<qid>\n</id></config>", "line 3: <qid> of line 2 is closed by </id>. Close each element by its own name, here </qid>."),
        ("<config k=5/>", "line 1: The value of an attribute has no quotes. Write it as name='value'."),
        ("<config k='5' k='6'/>", "line 1: An attribute is given twice in one element. Keep one of them."),
        ("<config k='5'l='6'/>", "line 1: A blank is missing between two attributes. Put a blank before each attribute."),
        ("<config k='<'/>", "line 1: The value of an attribute has a '<', or does not end. Write '<' as &lt; and close the quotes."),
        ("<config k='a&b'/>", "line 1: A bare '&' stands in a text. Write it as &amp;."),
        ("<config>&nbsp;</config>", "line 1: An entity, such as &name; is one, is unknown. Write the character itself, or &amp; for a bare '&'."),
        ("<config/><config/>", "line 1: Something follows the end of the root element. End the file after </config>."),
        ("\n<?xml version='1.0'?><config/>", "line 2: Something stands before <?xml ...?>. Let the file begin with it."),
        ("<config>\x01</config>", "line 1: The file has a control character, which XML forbids. Remove it."),
        (b"<config>\n\xff</config>", "line 2: The file is not in its encoding, which is UTF-8 unless the first line says otherwise. Save it as UTF-8."),
        ("<?xml version='1.0' encoding='klingon'?><config/>", "line 1: The first line names an unknown encoding. Save the file as UTF-8, and drop encoding= from the first line."),
    ],
)  # fmt: skip
def test_what_is_no_xml_is_told_in_plain_words(desk, text, fault):
    assert desk.fault(text) == fault


def test_an_error_that_nobody_foresaw_is_no_riddle():
    assert explain_parser_error(9999, "xmlXPtrEval: failed") == (
        "The file is not well-formed XML.",
        "Open it in a web browser, which shows the place.",
    )


def test_the_names_of_two_tags_are_taken_from_the_words_of_the_parser():
    found, remedy = explain_parser_error(76, "Opening and ending tag mismatch: node line 12 and vgh, line 14, column 7")
    assert found == "<node> of line 12 is closed by </vgh>."
    assert remedy == "Close each element by its own name, here </node>."


def test_a_document_that_is_too_deep_is_told_by_what_to_write():
    message = "Excessive depth in document: 256 use XML_PARSE_HUGE option"
    assert explain_parser_error(1, message)[1] == "Write a flatter hierarchy."
