"""Hierarchies: the ``vgh`` of a quasi-identifier, written out in the XML or named as a file."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal, cast

from lxml import etree

from toolbox.config import values
from toolbox.config.document import attribute, line_of
from toolbox.config.given import BadValueError, Findings, Given
from toolbox.config.model import Kind
from toolbox.errors import ConfigurationError
from toolbox.hierarchy.codebook import CodeBook
from toolbox.hierarchy.faults import family_faults, root_faults, shared_points
from toolbox.hierarchy.from_file import FileHierarchy, read_hierarchy_file
from toolbox.hierarchy.hierarchy import Hierarchy, Node
from toolbox.hierarchy.interval import Interval, IntervalSyntaxError
from toolbox.hierarchy.labels import category_set_label, interval_label

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
            found = f"The hierarchy is deeper than {DEEPEST} levels."
            self.findings.fault(line_of(element), found, "Write a flatter one.")
            return None
        elements = list(element.iterchildren("node"))
        children = [node for node in (self._node(child, depth + 1) for child in elements) if node is not None]
        given = attribute(element, "value")
        interval = None if given is None else self._interval(given)
        if given is None or interval is None:
            return None
        label = self._label(attribute(element, "label"), given.text, interval)
        node = Node(interval, label, tuple(children), given.line, given.text)
        if self.judges and len(children) == len(elements):
            self.findings.faults += family_faults(node, self.book)
            for line, text in shared_points(node, self.book):
                self.findings.warn(line, text)
        return node

    def _interval(self, given: Given) -> Interval | None:
        try:
            return Interval.parse(given.text)
        except IntervalSyntaxError as error:
            found, _, advice = str(error).rpartition(" Write ")
            self.findings.fault(given.line, found, f"Write {advice}")
            return None

    def _label(self, given: Given | None, text: str, interval: Interval) -> str:
        if given is not None:
            if not given.text.strip():
                self.findings.fault(given.line, f"{given} is empty.", "Write what a release shows, or remove label=.")
            return given.text
        if self.book is None:
            return interval_label(text)
        return category_set_label(self.book.names(self.book.within(interval)))


def read_file(
    given: Given, folder: Path, kind: Kind | None, findings: Findings, *, header: Given | None, name: str | None
) -> FileHierarchy | None:
    """Return the hierarchy of a file, or None after noting its faults."""
    has_header = findings.read(header, values.boolean, None)
    try:
        known = cast('Literal["number", "category"] | None', None if kind in ("date", "timestamp") else kind)
        found = read_hierarchy_file(values.path(given.text, folder), known, header=has_header, name=name)
        if found.note:
            findings.warn(given.line, f"{found.note} Write header='true' or header='false' beside file= to say so.")
        return found
    except BadValueError as error:
        findings.fault(given.line, f"{given} {error.args[0]}.", error.args[1])
    except ConfigurationError as error:
        for fault in error.faults:
            if fault.line:
                findings.faults.append(replace(fault, file=given.text))
            else:  # the whole file is meant, which a line of the configuration names
                findings.fault(given.line, f"{given}: {fault.found}", fault.remedy)
    return None
