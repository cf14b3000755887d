"""From the bytes of an XML file to its elements; whatever could reach beyond the file is refused."""

import socket
import time

import pytest
from lxml import etree

from toolbox.config.reading.reader import read_config
from toolbox.config.xml.document import find_line, read_attribute, read_document
from toolbox.errors import ConfigurationError, Findings, RawSetting

LAUGHS = "".join(f"<!ENTITY l{i} '{f'&l{i - 1};' * 10}'>" for i in range(1, 10))


@pytest.fixture(autouse=True)
def no_network(monkeypatch):
    def refuse(*_):
        raise AssertionError("the reader opened a connection")

    monkeypatch.setattr(socket.socket, "connect", refuse)


@pytest.mark.parametrize(
    "text",
    [
        "<?xml version='1.0'?>\n<!DOCTYPE config><config/>",
        f"\n<!DOCTYPE config [<!ENTITY l0 'ha'>{LAUGHS}]><config k='&l9;'>&l9;</config>",
        "\n<!DOCTYPE config SYSTEM 'http://127.0.0.1:9/config.dtd'><config/>",
        "\n<!DOCTYPE config [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><config>&x;</config>",
        "\n<!DOCTYPE config [<!ENTITY % x SYSTEM 'http://127.0.0.1:9/x'> %x;]><config/>",
    ],
)
def test_a_doctype_is_refused_before_anything_in_it_is_used(desk, text):
    started = time.monotonic()
    assert desk.fault(text) == (
        "line 2: The file has a DOCTYPE, which could define entities and refer to other files; it is refused. Remove it."
    )
    assert time.monotonic() - started < 1


def test_a_doctype_is_refused_in_any_encoding(desk):
    text = "<?xml version='1.0' encoding='utf-16'?><!DOCTYPE config><config/>"
    assert desk.fault(text.encode("utf-16")).startswith("The file has a DOCTYPE")


@pytest.mark.parametrize(
    "text",
    [
        "<?xml-stylesheet href='http://127.0.0.1:9/x'?><config/>",
        "<config><?php echo 1 ?></config>",
        "<config/><?last ?>",
    ],
)
def test_processing_instructions_are_refused(desk, text):
    (fault,) = desk.faults(text)
    assert fault.startswith("line 1: The file has a processing instruction, <?")


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "The file is empty. Begin it with <config>."),
        (" \n", "The file is empty. Begin it with <config>."),
    ],
)  # fmt: skip
def test_an_empty_file_is_told_so(desk, text, fault):
    assert desk.fault(text) == fault


def test_a_missing_file_and_a_folder_are_told_apart(desk):
    with pytest.raises(ConfigurationError, match="There is no such file"):
        read_config(desk.folder / "absent.xml", methods={})
    with pytest.raises(ConfigurationError, match="This is a folder, not a file"):
        read_config(desk.folder, methods={})
    with pytest.raises(ConfigurationError, match="The file cannot be read"):
        read_config(desk.folder / ("x" * 5000), methods={})


def test_the_root_is_returned_without_comments_and_nothing_is_reported(tmp_path):
    path = tmp_path / "config.xml"
    path.write_text("<!-- first --><config k='5'>\n<!-- second --><qid/>\n</config>")
    findings = Findings()
    root = read_document(path, findings)
    assert [element.tag for element in root.iter()] == ["config", "qid"]
    assert findings.faults == []


def test_an_attribute_knows_its_line_and_an_absent_one_is_none():
    root = etree.fromstring("<config>\n<input missing=''/></config>")
    element = root[0]
    assert read_attribute(element, "missing") == RawSetting("missing", "", 2)
    assert read_attribute(element, "header") is None
    assert read_attribute(None, "header") is None


def test_an_element_that_no_file_holds_has_line_0():
    assert find_line(etree.Element("att")) == 0


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("absent.xml", "There is no such file. Write the path of a configuration."),
        (".", "This is a folder, not a file. Write the path of a configuration."),
    ],
)
def test_a_file_that_cannot_be_read_has_a_fault_without_a_line(tmp_path, name, fault):
    findings = Findings()
    assert read_document(tmp_path / name, findings) is None
    assert [str(fault) for fault in findings.faults] == [fault]
