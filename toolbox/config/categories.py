"""The ``map`` of an attribute: the code of each category."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from types import MappingProxyType
from typing import Final

from lxml import etree

from toolbox.config import values
from toolbox.config.document import attribute
from toolbox.config.given import Findings
from toolbox.errors import quote

# Interval bounds are doubles: beyond, they cannot tell a code from its neighbour.
_LARGEST_CODE: Final = 2**53


def read_categories(mapping: etree._Element, findings: Findings) -> Mapping[str, int] | None:
    """Return the code of each category, ascending, or None after noting what is wrong with them."""
    before = len(findings.faults)
    categories: dict[str, int] = {}
    lines: dict[str | int, int] = {}
    complete = True
    for entry in mapping.iterchildren("entry"):
        category = attribute(entry, "cat")
        setting = attribute(entry, "int")
        code = findings.read(setting, partial(values.integer, minimum=-_LARGEST_CODE, maximum=_LARGEST_CODE), None)
        if category is None or code is None:
            complete = False
            continue
        if category.text in lines:
            problem = f"The category {quote(category.text)} is in line {lines[category.text]} already."
            findings.fault(category.line, problem, "Keep one of the entries.")
        if code in lines:
            problem = f"The code {code} is that of line {lines[code]} already."
            findings.fault(category.line, problem, "Give each category a number of its own.")
        lines |= {category.text: category.line, code: category.line}
        categories[category.text] = code
    if not complete or not categories or len(findings.faults) > before:
        return None
    return MappingProxyType(dict(sorted(categories.items(), key=lambda item: item[1])))
