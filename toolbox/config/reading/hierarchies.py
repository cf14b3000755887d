"""Hierarchies: the ``map`` and the ``vgh`` of a quasi-identifier, written out in XML or named as a file."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Final, Literal, cast

from lxml import etree

from toolbox.config import values
from toolbox.config.model import Kind
from toolbox.config.xml.document import find_line, find_option, read_attribute, read_document
from toolbox.config.xml.writing import UNWRITABLE, format_configuration_part
from toolbox.errors import BadValueError, ConfigurationError, Fault, Findings, RawSetting, quote, suggest_notation
from toolbox.hierarchy.builders.builder import Builder, BuilderError
from toolbox.hierarchy.builders.words import make_builder
from toolbox.hierarchy.checking import number_of
from toolbox.hierarchy.faults import find_family_faults, find_root_faults, find_shared_points
from toolbox.hierarchy.hierarchy import (
    CodeBook,
    Hierarchy,
    Interval,
    IntervalSyntaxError,
    Node,
    format_category_set,
    format_interval,
)
from toolbox.hierarchy.outline import FileHierarchy, Outline, read_hierarchy_file
from toolbox.messages import choose_setting_name

# Hierarchies: the ``vgh`` of a quasi-identifier, written out in the XML or named as a file.

DEEPEST: Final = 64


@dataclass(frozen=True)
class TreeReader:
    """Reads hierarchies that are written out below a ``vgh``; the findings take the faults of every node."""

    book: CodeBook | None
    """The codes of the categories; none for numbers."""
    judges: bool
    """Whether to look for gaps and overlaps, which means nothing where the map itself is wrong."""
    findings: Findings
    has_gaps: bool = False
    """Whether numbers that no leaf takes in go to the root, so that gaps do no harm."""

    def read(self, vgh: etree._Element) -> Hierarchy | None:
        """Return the hierarchy, or None after noting why there is none."""
        before = len(self.findings.faults)
        root = self._read_tree_node(vgh, 1)
        if root is None:
            return None
        if self.judges and self.book is not None:
            self.findings.faults += find_root_faults(root, self.book)
        return Hierarchy(root) if len(self.findings.faults) == before else None

    def _read_tree_node(self, element: etree._Element, depth: int) -> Node | None:
        if depth > DEEPEST:
            problem = f"The hierarchy is deeper than {DEEPEST} levels."
            self.findings.fault(find_line(element), problem, "Write a flatter one.")
            return None
        elements = list(element.iterchildren("node"))
        children = [node for node in (self._read_tree_node(child, depth + 1) for child in elements) if node is not None]
        setting = read_attribute(element, "value")
        interval = None if setting is None else self._read_tree_interval(setting)
        if setting is None or interval is None:
            return None
        label = self._label(read_attribute(element, "label"), setting.text, interval)
        node = Node(interval, label, tuple(children), setting.line, setting.text)
        if self.judges and len(children) == len(elements):
            self.findings.faults += find_family_faults(node, self.book, has_gaps=self.has_gaps)
            for line, text in find_shared_points(node, self.book):
                self.findings.warn(line, text)
        return node

    def _read_tree_interval(self, setting: RawSetting) -> Interval | None:
        try:
            return Interval.parse(setting.text)
        except IntervalSyntaxError as error:
            problem, _, advice = str(error).rpartition(" Write ")
            self.findings.fault(setting.line, problem, f"Write {advice}")
            return None

    def _label(self, setting: RawSetting | None, text: str, interval: Interval) -> str:
        if setting is not None:
            if not setting.text.strip():
                self.findings.fault(
                    setting.line, f"{setting} is empty.", "Write what a release shows, or remove label=."
                )
            return setting.text
        if self.book is None:
            return format_interval(text)
        return format_category_set(self.book.names(self.book.within(interval)))


def read_built(vgh: etree._Element, folder: Path, findings: Findings) -> Builder | None:
    """Return the builder of a ``vgh`` with ``build``, or None after noting its faults."""
    line = find_line(vgh)
    file = read_attribute(vgh, "file")
    if file is not None and findings.read(file, partial(values.parse_path, folder=folder), None) is None:
        return None
    try:
        return make_builder({str(name): str(text) for name, text in vgh.attrib.items()}, folder)
    except BuilderError as error:
        option = find_option(vgh)
        for found, remedy in error.wrong:
            findings.fault(line, found if option is None else f"{option}: {found}", remedy)
        if error.file is not None:
            _note_faults(error.file, file, line, findings)
    except ConfigurationError as error:
        _note_faults(error, file, line, findings)
    return None


def _note_faults(error: ConfigurationError, setting: RawSetting | None, line: int, findings: Findings) -> None:
    """Note the faults of a file, each with its line there."""
    name = "" if setting is None else setting.text
    for fault in error.faults:
        if fault.line:
            findings.faults.append(replace(fault, file=name))
        else:  # the whole file is meant, which a line of the configuration names
            findings.fault(line, f"{setting}: {fault.found}", fault.remedy)


def read_file(
    setting: RawSetting,
    folder: Path,
    kind: Kind | None,
    findings: Findings,
    *,
    header: RawSetting | None,
    name: str | None,
) -> FileHierarchy | None:
    """Return the hierarchy of a file, or None after noting its faults."""
    has_header = findings.read(header, values.parse_boolean, None)
    try:
        known = cast('Literal["number", "category"] | None', None if kind in ("date", "timestamp") else kind)
        hierarchy = read_hierarchy_file(values.parse_path(setting.text, folder), known, header=has_header, name=name)
        if hierarchy.note:
            said = choose_setting_name(
                "Write header='true' or header='false' beside file= to say so.",
                options="Write :header=yes or :header=no after the file to say so.",
            )
            findings.warn(setting.line, f"{hierarchy.note} {said}")
        return hierarchy
    except BadValueError as error:
        findings.fault(setting.line, f"{setting} {error.args[0]}.", error.args[1])
    except ConfigurationError as error:
        _note_faults(error, setting, setting.line, findings)
    return None


# The ``map`` of an attribute: the code of each category.

# Interval bounds are doubles: beyond, they cannot tell a code from its neighbour.
_LARGEST_CODE: Final = 2**53


def read_categories(mapping: etree._Element, findings: Findings) -> Mapping[str, int] | None:
    """Return the code of each category, ascending, or None after noting what is wrong with them."""
    before = len(findings.faults)
    categories: dict[str, int] = {}
    lines: dict[str | int, int] = {}
    complete = True
    for entry in mapping.iterchildren("entry"):
        category = read_attribute(entry, "cat")
        setting = read_attribute(entry, "int")
        code = findings.read(
            setting, partial(values.parse_integer, minimum=-_LARGEST_CODE, maximum=_LARGEST_CODE), None
        )
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


# A hierarchy as XML: an ``att`` with its map and its ``vgh``, or a ``vgh`` alone, as it stands in a configuration.


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
    return _read_root(path).tag == "config"


def read_hierarchy_document(path: Path) -> DocumentHierarchy:
    """Read an ``att`` or a ``vgh``.

    Raises
    ------
    ConfigurationError
        With all faults of the file: gaps and overlaps among them.
    """
    root, findings = _read_root(path), Findings()
    vgh = root if root.tag == "vgh" else root.find("vgh")
    if root.tag not in ("att", "vgh") or vgh is None:
        problem = f"The root element is <{quote(str(root.tag))[1:-1]}>, and no <vgh>, nor <att> with one."
        raise ConfigurationError(str(path), [Fault(find_line(root), problem, "Write <vgh value='[0:100]'> or <att>.")])
    mapping = root.find("map")
    categories = None if mapping is None else read_categories(mapping, findings)
    if "value" not in vgh.attrib:
        findings.fault(find_line(vgh), "<vgh> has no value=.", "Write value='[a:b]', and nodes below it.")
    book = None if categories is None else CodeBook.of(categories)
    reader = TreeReader(book, judges=book is not None or mapping is None, findings=findings)
    hierarchy = reader.read(vgh)
    if findings.faults or hierarchy is None:
        raise ConfigurationError(str(path), findings.faults)
    return DocumentHierarchy(hierarchy, categories, findings.warnings())


def format_hierarchy_document(outline: Outline, kind: Literal["number", "category"], name: str, source: str) -> str:
    """Write an outline as an ``att`` with a ``vgh``.

    Categories get a map, with codes in their order. The interval of a node of numbers begins at its smallest value, and
    ends where the next one begins, so that numbers between the values are covered as well.

    Raises
    ------
    ConfigurationError
        With each text that XML cannot hold.
    """
    texts = dict.fromkeys([name, *outline.list_all_values(), *(node.label for node, _ in outline.walk())])
    faults = [
        Fault(0, f"XML cannot hold {quote(text)}, which has a control character.", suggest_notation("arx"))
        for text in texts
        if UNWRITABLE.search(text)
    ]
    faults += [
        Fault(0, "A label is blank, and XML allows no blank labels.", suggest_notation("arx"))
        for label in sorted({node.label for node, _ in outline.walk()})
        if not label.strip()
    ]
    if faults:
        raise ConfigurationError(source, faults)
    att = etree.Element("att", {"name": name} if name.strip() else {"index": "0"})
    if kind == "category":
        codes = {value: code for code, value in enumerate(outline.list_all_values())}
        mapping = etree.SubElement(att, "map")
        for value, code in codes.items():
            etree.SubElement(mapping, "entry", {"cat": value, "int": str(code)})
        att.append(_build_code_element(outline, codes, "vgh"))
    else:
        att.append(_build_number_tree(outline))
    return format_configuration_part(att)


def _read_root(path: Path) -> etree._Element:
    findings = Findings()
    root = read_document(path, findings)
    if root is None:
        raise ConfigurationError(str(path), findings.faults)
    return root


def _build_code_element(outline: Outline, codes: Mapping[str, int], tag: str) -> etree._Element:
    positions = [codes[value] for value in outline.list_all_values()]
    element = _make_element(tag, Interval(min(positions), max(positions)), outline.label)
    for child in outline.children:
        element.append(_build_code_element(child, codes, "node"))
    return element


def _build_number_tree(outline: Outline) -> etree._Element:
    numbers = sorted(number for value in outline.list_all_values() if (number := number_of(value)) is not None)
    return _build_number_element(outline, numbers, "vgh")


def _build_number_element(outline: Outline, numbers: Sequence[float], tag: str) -> etree._Element:
    within = [number for value in outline.list_all_values() if (number := number_of(value)) is not None]
    low, high = min(within), max(within)
    following = bisect_left(numbers, high) + 1
    is_last = following == len(numbers)
    interval = Interval(low, high) if is_last else Interval(low, numbers[following], high_closed=False)
    element = _make_element(tag, interval, outline.label)
    for child in sorted(outline.children, key=_find_smallest):
        element.append(_build_number_element(child, numbers, "node"))
    return element


def _find_smallest(outline: Outline) -> float:
    return min(number for value in outline.list_all_values() if (number := number_of(value)) is not None)


def _make_element(tag: str, interval: Interval, label: str) -> etree._Element:
    return etree.Element(tag, {"value": str(interval), "label": label})
