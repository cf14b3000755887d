"""Files that are no configurations, or want more than to be read: a clear fault, and nothing is fetched."""

import socket
import time
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from toolbox.config.reader import read_config
from toolbox.errors import ConfigurationError

SOUND = """<?xml version='1.0'?>
<config method='Mondrian' k='5' l='2.5' c='0' t='0.2' suppThreshold='7' cut='classic'>
<input filename='in.csv' separator=';' header='yes' encoding='utf-8' missing='?' onMissing='skip'/>
<output filename='out.csv' format='genVals'/><id><att index='3'/></id>
<qid><att index='1' name='sex'><map><entry cat='a' int='0'/><entry cat='b' int='1'/></map><vgh value='[0:1]'/></att>
<att name='age'><vgh value='[0:9]'><node value='[0:5)' label='x'/><node value='[5:9]'/></vgh></att></qid></config>"""

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


def test_xinclude_is_refused(desk):
    secret = desk.write("secret.xml", "<att index='7'/>")
    include = f"<x:include xmlns:x='http://www.w3.org/2001/XInclude' href='{secret}'/>"
    fault = desk.fault(desk.with_qid(f"<att index='0'/>{include}"))
    assert fault == "line 3: The file includes another one by XInclude, which is refused. Put the content here."


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
        ("age,sex\n", "line 1: This is not an XML file. Begin it with <config>."),
        (b"PK\x03\x04\x00\x00", "line 1: This is not an XML file. Begin it with <config>."),
        (b"\x00\xff" * 500, "line 1: This is not an XML file. Begin it with <config>."),
        ("<html/>", "line 1: The root element is <html>. Write a plain <config>."),
        ("<config xmlns='urn:x'/>", "line 1: The root element is <config> of the namespace 'urn:x'. Write a plain <config>."),
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
def test_what_is_no_configuration_is_told_so(desk, text, fault):
    assert desk.fault(text) == fault


@pytest.mark.parametrize("depth", [65, 200, 1000, 100_000])
def test_a_bottomless_hierarchy_is_a_fault(desk, depth):
    tree = "<node value='[0:1]'>" * (depth - 1) + "</node>" * (depth - 1)
    fault = desk.fault(desk.with_qid(f"<att index='0'><vgh value='[0:1]'>{tree}</vgh></att>"))
    assert "deeper than 64 levels" in fault


def test_a_hierarchy_of_64_levels_is_read(desk):
    tree = "<node value='[0:1]'>" * 63 + "</node>" * 63
    config = desk.read(desk.with_qid(f"<att index='0'><vgh value='[0:1]'>{tree}</vgh></att>"))
    assert config.quasi_identifiers[0].hierarchy.height == 64


def test_a_missing_file_and_a_folder_are_told_apart(desk):
    with pytest.raises(ConfigurationError, match="There is no such file"):
        read_config(desk.folder / "absent.xml", methods={})
    with pytest.raises(ConfigurationError, match="This is a folder, not a file"):
        read_config(desk.folder, methods={})
    with pytest.raises(ConfigurationError, match="The file cannot be read"):
        read_config(desk.folder / ("x" * 5000), methods={})


@given(edits=st.lists(st.tuples(st.integers(0, 2000), st.integers(0, 3), st.text(max_size=4)), min_size=1, max_size=4))
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_damaged_configuration_is_read_or_reported_but_never_breaks_the_reader(desk, edits):
    text = SOUND
    for place, length, new in edits:
        start = place % len(text)
        text = text[:start] + new + text[start + length :]
    with suppress(ConfigurationError):
        desk.read(text.encode("utf-8", "surrogatepass"))
