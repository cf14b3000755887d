"""Files that are no configurations, or want more than to be read: a clear fault, and nothing is fetched."""

import socket
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from toolbox.errors import ConfigurationError

SOUND = """<?xml version='1.0'?>
<config method='Mondrian' k='5' l='2.5' c='0' t='0.2' suppThreshold='7' cut='classic'>
<input filename='in.csv' separator=';' header='yes' encoding='utf-8' missing='?' onMissing='skip'/>
<output filename='out.csv' format='genVals'/><id><att index='3'/></id>
<qid><att index='1' name='sex'><map><entry cat='a' int='0'/><entry cat='b' int='1'/></map><vgh value='[0:1]'/></att>
<att name='age'><vgh value='[0:9]'><node value='[0:5)' label='x'/><node value='[5:9]'/></vgh></att></qid></config>"""


@pytest.fixture(autouse=True)
def no_network(monkeypatch):
    def refuse(*_):
        raise AssertionError("the reader opened a connection")

    monkeypatch.setattr(socket.socket, "connect", refuse)


def test_xinclude_is_refused(desk):
    secret = desk.write("secret.xml", "<att index='7'/>")
    include = f"<x:include xmlns:x='http://www.w3.org/2001/XInclude' href='{secret}'/>"
    fault = desk.fault(desk.with_qid(f"<att index='0'/>{include}"))
    assert fault == "line 3: The file includes another one by XInclude, which is refused. Put the content here."


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("<html/>", "line 1: The root element is <html>. Write a plain <config>."),
        ("<config xmlns='urn:x'/>", "line 1: The root element is <config> of the namespace 'urn:x'. Write a plain <config>."),
    ],
)  # fmt: skip
def test_another_root_is_no_configuration(desk, text, fault):
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


@pytest.mark.slow
@given(edits=st.lists(st.tuples(st.integers(0, 2000), st.integers(0, 3), st.text(max_size=4)), min_size=1, max_size=4))
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_damaged_configuration_is_read_or_reported_but_never_breaks_the_reader(desk, edits):
    text = SOUND
    for place, length, new in edits:
        start = place % len(text)
        text = text[:start] + new + text[start + length :]
    with suppress(ConfigurationError):
        desk.read(text.encode("utf-8", "surrogatepass"))
