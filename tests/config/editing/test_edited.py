"""A document keeps all that nobody edits, comments too."""

from __future__ import annotations

from pathlib import Path

import pytest

from toolbox.config.editing.edited import EditedDocument, read_text
from toolbox.errors import ConfigurationError, UsageError

TEXT = """\
<?xml version='1.0' encoding='UTF-8'?>
<!-- why it is so -->
<config method='Datafly' SUPPTHRESHOLD='3'>
  <!-- last year -->
  <input filename='old.csv' header='true'/>
  <privacy>
    <!-- for the board -->
    <model name='k-anonymity' k='5'/>
  </privacy>
</config>
"""


def test_what_nobody_edits_stays() -> None:
    document = EditedDocument(TEXT, "a test")
    assert document.text() == TEXT
    document.set("", {"suppThreshold": "4"})
    document.set("input", {"header": "false", "missing": None})
    document.set("output", {"order": None})
    assert document.text() == TEXT.replace("SUPPTHRESHOLD='3'", "suppThreshold='4'").replace("true", "false")


def test_files_are_one_attribute_or_several_elements() -> None:
    document = EditedDocument("<config><input url='sqlite:///x.db' table='t'/></config>", "a test")
    document.set_files(["a.csv"])
    assert (document.files(), document.said("input")) == (["a.csv"], {"filename": "a.csv"})
    document.set_files(["a.csv", "b.csv"])
    assert (document.files(), document.said("input")) == (["a.csv", "b.csv"], {})
    assert document.input(Path("/x")).names == (Path("/x/a.csv"), Path("/x/b.csv"))  # type: ignore[union-attr]


def test_what_is_no_configuration_and_what_xml_cannot_hold_is_refused(tmp_path: Path) -> None:
    for text, told in (
        ("<att/>", "root element is <att>"),
        ("<config>", "not closed|ends"),
        ("<!DOCTYPE x><config/>", "DOCTYPE"),
    ):
        with pytest.raises(ConfigurationError, match=told):
            EditedDocument(text, "a test")
    with pytest.raises(UsageError, match=r"U\+0000"):
        EditedDocument("<config/>", "a test").set("input", {"missing": "\0"})
    with pytest.raises(ConfigurationError, match="no such file"):
        read_text(tmp_path / "nothing.xml")
