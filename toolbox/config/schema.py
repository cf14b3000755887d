"""The formal schemas, ``schemas/*.xsd``: a second opinion on documents in which their readers found no fault."""

from __future__ import annotations

from collections.abc import Iterable
from copy import deepcopy
from functools import cache
from importlib.resources import files
from typing import cast

from lxml import etree

from toolbox.config.given import Findings

_XSI = "{http://www.w3.org/2001/XMLSchema-instance}"


@cache
def _schema(name: str) -> etree.XMLSchema:
    return etree.XMLSchema(etree.fromstring((files("toolbox") / "schemas" / name).read_bytes()))


def check_schema(root: etree._Element, findings: Findings, name: str = "config.xsd") -> None:
    """Note the lines that do not fit a schema, without the parser's messages, which would help nobody."""
    # A hint where to find the schema is for editors; libxml2 would try to load it.
    copy = deepcopy(root)
    etree.strip_attributes(copy, f"{_XSI}*")
    schema = _schema(name)
    if not schema.validate(copy):
        for line in sorted({error.line for error in cast("Iterable[etree._LogEntry]", schema.error_log)}):
            problem = f"This line is not written as the schema {name} asks."
            findings.fault(line, problem, f"Compare it with {name}, which explains every element.")
