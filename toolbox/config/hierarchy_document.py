"""A hierarchy as XML: an ``att`` with its map and its ``vgh``, or a ``vgh`` alone, as it stands in a configuration."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from lxml import etree

from toolbox.config.categories import read_categories
from toolbox.config.document import line_of, read_document
from toolbox.config.given import Findings
from toolbox.config.hierarchies import TreeReader
from toolbox.config.writing import UNWRITABLE, written_element
from toolbox.errors import ConfigurationError, Fault, quote
from toolbox.hierarchy.codebook import CodeBook
from toolbox.hierarchy.coverage import number_of
from toolbox.hierarchy.hierarchy import Hierarchy
from toolbox.hierarchy.interval import Interval
from toolbox.hierarchy.outline import Outline


@dataclass(frozen=True)
class DocumentHierarchy:
    """A hierarchy of intervals, with the codes of its categories if it has any."""

    hierarchy: Hierarchy
    categories: Mapping[str, int] | None
    warnings: tuple[str, ...]


def is_configuration(path: Path) -> bool:
    """Return whether the root of an XML file is a whole configuration.

    Raises
    ------
    ConfigurationError
        If it is no XML.
    """
    return _root(path).tag == "config"


def read_hierarchy_document(path: Path) -> DocumentHierarchy:
    """Read an ``att`` or a ``vgh``.

    Raises
    ------
    ConfigurationError
        With all faults of the file: gaps and overlaps among them.
    """
    root, findings = _root(path), Findings()
    vgh = root if root.tag == "vgh" else root.find("vgh")
    if root.tag not in ("att", "vgh") or vgh is None:
        problem = f"The root element is <{quote(str(root.tag))[1:-1]}>, and no <vgh>, nor <att> with one."
        raise ConfigurationError(str(path), [Fault(line_of(root), problem, "Write <vgh value='[0:100]'> or <att>.")])
    mapping = root.find("map")
    categories = None if mapping is None else read_categories(mapping, findings)
    if "value" not in vgh.attrib:
        findings.fault(line_of(vgh), "<vgh> has no value=.", "Write value='[a:b]', and nodes below it.")
    book = None if categories is None else CodeBook.of(categories)
    reader = TreeReader(book, judges=book is not None or mapping is None, findings=findings)
    hierarchy = reader.read(vgh)
    if findings.faults or hierarchy is None:
        raise ConfigurationError(str(path), findings.faults)
    return DocumentHierarchy(hierarchy, categories, findings.warnings())


def document_text(outline: Outline, kind: Literal["number", "category"], name: str, source: str) -> str:
    """Write an outline as an ``att`` with a ``vgh``.

    Categories get a map, with codes in their order. The interval of a node of numbers begins at its smallest value, and
    ends where the next one begins, so that numbers between the values are covered as well.

    Raises
    ------
    ConfigurationError
        With each text that XML cannot hold.
    """
    texts = dict.fromkeys([name, *outline.all_values(), *(node.label for node, _ in outline.walk())])
    faults = [
        Fault(0, f"XML cannot hold {quote(text)}, which has a control character.", "Choose another notation: --to arx.")
        for text in texts
        if UNWRITABLE.search(text)
    ]
    faults += [
        Fault(0, "A label is blank, and XML allows no blank labels.", "Choose another notation: --to arx.")
        for label in sorted({node.label for node, _ in outline.walk()})
        if not label.strip()
    ]
    if faults:
        raise ConfigurationError(source, faults)
    att = etree.Element("att", {"name": name} if name.strip() else {"index": "0"})
    if kind == "category":
        codes = {value: code for code, value in enumerate(outline.all_values())}
        mapping = etree.SubElement(att, "map")
        for value, code in codes.items():
            etree.SubElement(mapping, "entry", {"cat": value, "int": str(code)})
        att.append(_of_codes(outline, codes, "vgh"))
    else:
        att.append(_of_numbers(outline))
    return written_element(att)


def _root(path: Path) -> etree._Element:
    findings = Findings()
    root = read_document(path, findings)
    if root is None:
        raise ConfigurationError(str(path), findings.faults)
    return root


def _of_codes(outline: Outline, codes: Mapping[str, int], tag: str) -> etree._Element:
    positions = [codes[value] for value in outline.all_values()]
    element = _element(tag, Interval(min(positions), max(positions)), outline.label)
    for child in outline.children:
        element.append(_of_codes(child, codes, "node"))
    return element


def _of_numbers(outline: Outline) -> etree._Element:
    numbers = sorted(number for value in outline.all_values() if (number := number_of(value)) is not None)
    return _numbers_element(outline, numbers, "vgh")


def _numbers_element(outline: Outline, numbers: Sequence[float], tag: str) -> etree._Element:
    within = [number for value in outline.all_values() if (number := number_of(value)) is not None]
    low, high = min(within), max(within)
    following = bisect_left(numbers, high) + 1
    is_last = following == len(numbers)
    interval = Interval(low, high) if is_last else Interval(low, numbers[following], high_closed=False)
    element = _element(tag, interval, outline.label)
    for child in sorted(outline.children, key=_smallest):
        element.append(_numbers_element(child, numbers, "node"))
    return element


def _smallest(outline: Outline) -> float:
    return min(number for value in outline.all_values() if (number := number_of(value)) is not None)


def _element(tag: str, interval: Interval, label: str) -> etree._Element:
    return etree.Element(tag, {"value": str(interval), "label": label})
