"""The formal schema, a second opinion on a document in which the reader found no fault."""

import pytest
from lxml import etree

from toolbox.config.xml.structure import check_schema
from toolbox.errors import Findings

VALID = "<config{}>\n<input filename='in.csv'/>\n<output filename='out.csv'/>\n<qid>\n<att index='0'/></qid></config>"


def lines(text):
    """Return the lines to which the schema objects."""
    findings = Findings()
    check_schema(etree.fromstring(text), findings)
    return [fault.line for fault in findings.faults]


def test_what_only_the_schema_objects_to_is_a_fault_in_plain_words():
    findings = Findings()
    check_schema(etree.fromstring("<config>\n<qid>\n<att index='none'/></qid></config>"), findings)
    assert [str(fault) for fault in findings.faults] == [
        "line 3: This line is not written as the schema config.xsd asks. "
        "Compare it with config.xsd, which explains every element."
    ]


def test_a_valid_document_has_no_fault():
    assert lines(VALID.format("")) == []


def test_a_line_with_several_errors_is_reported_once_and_lines_ascend():
    text = VALID.format("").replace("index='0'", "index='none' weight='heavy' priority='x'")
    assert lines(text.replace("filename='out.csv'", "filename='out.csv' replace='perhaps'")) == [3, 5]


@pytest.mark.parametrize("hint", ["noNamespaceSchemaLocation='/nowhere.xsd'", "nil='true'", "type='nothing'"])
def test_a_hint_for_editors_is_not_followed_and_stays_in_the_document(hint):
    text = VALID.format(f" xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance' xsi:{hint}")
    root = etree.fromstring(text)
    findings = Findings()
    check_schema(root, findings)
    assert findings.faults == []
    assert etree.tostring(root) == etree.tostring(etree.fromstring(text))
