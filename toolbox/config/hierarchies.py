"""Hierarchies: the ``vgh`` of a quasi-identifier, written out in the XML or named as a file."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final, Literal, cast

from lxml import etree

from toolbox.config import values
from toolbox.config.document import attribute, line_of, option_of
from toolbox.config.given import BadValueError, Findings, Given
from toolbox.config.model import Kind
from toolbox.errors import ConfigurationError
from toolbox.hierarchy.builders.builder import Builder, BuilderError
from toolbox.hierarchy.builders.words import builder_of
from toolbox.hierarchy.codebook import CodeBook
from toolbox.hierarchy.faults import family_faults, root_faults, shared_points
from toolbox.hierarchy.from_file import FileHierarchy, read_hierarchy_file
from toolbox.hierarchy.hierarchy import Hierarchy, Node
from toolbox.hierarchy.interval import Interval, IntervalSyntaxError
from toolbox.hierarchy.labels import category_set_label, interval_label
from toolbox.messages import either

DEEPEST: Final = 64


@dataclass(frozen=True)
class TreeReader:
    """Reads hierarchies that are written out below a ``vgh``; the findings take the faults of every node."""

    book: CodeBook | None
    """The codes of the categories; none for numbers."""
    judges: bool
    """Whether to look for gaps and overlaps, which means nothing where the map itself is wrong."""
    findings: Findings

    def read(self, vgh: etree._Element) -> Hierarchy | None:
        """Return the hierarchy, or None after noting why there is none."""
        before = len(self.findings.faults)
        root = self._node(vgh, 1)
        if root is None:
            return None
        if self.judges and self.book is not None:
            self.findings.faults += root_faults(root, self.book)
        return Hierarchy(root) if len(self.findings.faults) == before else None

    def _node(self, element: etree._Element, depth: int) -> Node | None:
        if depth > DEEPEST:
            problem = f"The hierarchy is deeper than {DEEPEST} levels."
            self.findings.fault(line_of(element), problem, "Write a flatter one.")
            return None
        elements = list(element.iterchildren("node"))
        children = [node for node in (self._node(child, depth + 1) for child in elements) if node is not None]
        setting = attribute(element, "value")
        interval = None if setting is None else self._interval(setting)
        if setting is None or interval is None:
            return None
        label = self._label(attribute(element, "label"), setting.text, interval)
        node = Node(interval, label, tuple(children), setting.line, setting.text)
        if self.judges and len(children) == len(elements):
            self.findings.faults += family_faults(node, self.book)
            for line, text in shared_points(node, self.book):
                self.findings.warn(line, text)
        return node

    def _interval(self, setting: Given) -> Interval | None:
        try:
            return Interval.parse(setting.text)
        except IntervalSyntaxError as error:
            problem, _, advice = str(error).rpartition(" Write ")
            self.findings.fault(setting.line, problem, f"Write {advice}")
            return None

    def _label(self, setting: Given | None, text: str, interval: Interval) -> str:
        if setting is not None:
            if not setting.text.strip():
                self.findings.fault(
                    setting.line, f"{setting} is empty.", "Write what a release shows, or remove label=."
                )
            return setting.text
        if self.book is None:
            return interval_label(text)
        return category_set_label(self.book.names(self.book.within(interval)))


def read_built(vgh: etree._Element, folder: Path, findings: Findings) -> Builder | None:
    """Return the builder of a ``vgh`` with ``build``, or None after noting its faults."""
    line = line_of(vgh)
    file = attribute(vgh, "file")
    if file is not None and findings.read(file, partial(values.path, folder=folder), None) is None:
        return None
    try:
        return builder_of({str(name): str(text) for name, text in vgh.attrib.items()}, folder)
    except BuilderError as error:
        option = option_of(vgh)
        for found, remedy in error.wrong:
            findings.fault(line, found if option is None else f"{option}: {found}", remedy)
        if error.file is not None:
            _note_faults(error.file, file, line, findings)
    except ConfigurationError as error:
        _note_faults(error, file, line, findings)
    return None


def _note_faults(error: ConfigurationError, setting: Given | None, line: int, findings: Findings) -> None:
    """Note the faults of a file, each with its line there."""
    name = "" if setting is None else setting.text
    for fault in error.faults:
        if fault.line:
            findings.faults.append(replace(fault, file=name))
        else:  # the whole file is meant, which a line of the configuration names
            findings.fault(line, f"{setting}: {fault.found}", fault.remedy)


def read_file(
    setting: Given, folder: Path, kind: Kind | None, findings: Findings, *, header: Given | None, name: str | None
) -> FileHierarchy | None:
    """Return the hierarchy of a file, or None after noting its faults."""
    has_header = findings.read(header, values.boolean, None)
    try:
        known = cast('Literal["number", "category"] | None', None if kind in ("date", "timestamp") else kind)
        hierarchy = read_hierarchy_file(values.path(setting.text, folder), known, header=has_header, name=name)
        if hierarchy.note:
            said = either(
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
