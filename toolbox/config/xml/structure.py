"""Which element may stand where, with which attributes; the formal schemas are a second opinion."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Final, TypeAlias, cast

from lxml import etree

from toolbox.config.settings import list_settings
from toolbox.config.xml.document import find_line
from toolbox.config.xml.writing import SECTIONS
from toolbox.errors import Findings, did_you_mean, quote

# Which element may stand where, with which attributes; the same rules as in the schemas.

_SCHEMA_HINT = "{http://www.w3.org/2001/XMLSchema-instance}noNamespaceSchemaLocation"
_XINCLUDE = "http://www.w3.org/2001/XInclude"
_DEEPEST = 128  # beyond, the reader of hierarchies has its say


@dataclass(frozen=True)
class Shape:
    """What one kind of element may hold."""

    attributes: tuple[str, ...] = ()
    required: tuple[str, ...] = ()
    children: Mapping[str, str] = field(default_factory=dict)
    """Name of each element allowed in it, and the kind that it is there."""
    repeated: bool = False
    """Whether its children may occur more than once."""
    once: tuple[str, ...] = ()
    """The children that may not, where others may."""
    at_least_one: bool = False
    has_own_attributes: bool = False
    """Whether it has attributes that are checked elsewhere, because they depend on what it names."""


def _list_attributes(element: str) -> list[str]:
    return [setting.attribute for setting in list_settings(element, with_places=True)]


ROOT_ATTRIBUTES: Final = tuple(_list_attributes("config"))
"""The attributes of the root, beside the settings of its method."""
_ATT = ("index", "name", "type", "format", "hierarchy", "priority", "weight", "minLevel", "maxLevel", "treat")
_NODES = {"node": "node"}


Shapes: TypeAlias = Mapping[str, Shape]
"""What each kind of element of a document may hold; the first one is the root."""

SHAPES: Final[Shapes] = {
    "config": Shape(children={name: name for name in SECTIONS}),
    "privacy": Shape(children={"model": "model"}, repeated=True, at_least_one=True),
    "model": Shape(("name", "attribute"), required=("name",), has_own_attributes=True),
    "input": Shape(
        ("filename", "url", *_list_attributes("input")),
        children={"file": "file"},
        repeated=True,
    ),
    "population": Shape(("filename", "table", "separator", "header", "encoding")),
    "earlier": Shape(("filename", *_list_attributes("earlier")), children={"file": "file"}, repeated=True),
    "tables": Shape(children={"table": "table"}, repeated=True, at_least_one=True),
    "table": Shape(
        ("name", "filename", "key", "orphans", "table", "separator", "header", "encoding"),
        required=("name", "filename"),
        children={"id": "id", "qid": "qid", "sens": "sens", "released": "released"},
    ),
    "file": Shape(("name",), required=("name",)),
    "output": Shape(("filename", "url", *_list_attributes("output"))),
    "engine": Shape(("name", "url"), required=("name",), children={"set": "set"}, repeated=True),
    "set": Shape(("name", "value"), required=("name", "value")),
    "person": Shape(children={"att": "plain att"}, repeated=True, at_least_one=True),
    "id": Shape(children={"att": "plain att"}, repeated=True),
    "qid": Shape(children={"att": "att with hierarchy"}, repeated=True, at_least_one=True),
    "sens": Shape(children={"att": "att with hierarchy"}, repeated=True),
    "released": Shape(children={"att": "plain att"}, repeated=True, at_least_one=True),
    "plain att": Shape(_ATT, children={"map": "map"}),
    "att with hierarchy": Shape(_ATT, children={"map": "map", "vgh": "vgh"}),
    "map": Shape(("ordered",), children={"entry": "entry"}, repeated=True, at_least_one=True),
    "entry": Shape(("cat", "int"), required=("cat", "int")),
    "vgh": Shape(("value", "label", "file", "header", "other", "build"), children=_NODES, repeated=True),
    "built vgh": Shape(has_own_attributes=True),
    "node": Shape(("value", "label"), required=("value",), children=_NODES, repeated=True),
}


def check_structure(root: etree._Element, findings: Findings, shapes: Shapes = SHAPES) -> None:
    """Note each element and attribute that is unknown, missing or repeated.

    The attributes of the root are not looked at: which ones that of a configuration may have depends on the method.
    """
    _check_content(root, shapes, next(iter(shapes)), 1, findings)


def check_attributes(
    element: etree._Element, known: Sequence[str], findings: Findings, *, tolerated: Collection[str] = ()
) -> None:
    """Note each attribute that is not known; a few unknown ones are tolerated."""
    for name in map(str, element.attrib):
        if name in known or name in tolerated or name == _SCHEMA_HINT:
            continue
        takes = f"It takes: {', '.join(known)}." if known else "It takes none."
        tag, local = _find_local_name(element.tag), _find_local_name(name)
        problem = f"<{tag}> has no attribute {quote(local)}.{did_you_mean(local, known)}"
        findings.fault(find_line(element), problem, takes)


def _check_content(element: etree._Element, shapes: Shapes, kind: str, depth: int, findings: Findings) -> None:
    shape = shapes[kind]
    _check_text(element, findings)
    _check_required(element, shape, findings)
    first_lines: dict[str, int] = {}
    for child in _list_elements(element):
        if child.tag not in shape.children:
            _refuse(child, element, shape, findings)
            continue
        if child.tag in first_lines and (child.tag in shape.once or not shape.repeated):
            lines = f"{first_lines[child.tag]} and {find_line(child)}"
            problem = f"<{child.tag}> occurs twice in <{element.tag}>: in lines {lines}."
            findings.fault(find_line(child), problem, "Keep one of them.")
        first_lines.setdefault(child.tag, find_line(child))
        child_kind = shape.children[child.tag]
        if child_kind == "vgh" and "build" in child.attrib:
            child_kind = "built vgh"
        if not shapes[child_kind].has_own_attributes:
            check_attributes(child, shapes[child_kind].attributes, findings)
        if depth < _DEEPEST:
            _check_content(child, shapes, child_kind, depth + 1, findings)


def _check_required(element: etree._Element, shape: Shape, findings: Findings) -> None:
    for name in shape.required:
        if name not in element.attrib:
            findings.fault(find_line(element), f"<{element.tag}> lacks the attribute {name!r}.", f"Add {name}='...'.")
    if shape.at_least_one and not any(child.tag in shape.children for child in _list_elements(element)):
        first = next(iter(shape.children))
        findings.fault(find_line(element), f"<{element.tag}> is empty.", f"Put at least one <{first}> into it.")


def _check_text(element: etree._Element, findings: Findings) -> None:
    texts = [element.text, *(child.tail for child in element)]
    stray = next((text.strip() for text in texts if text and text.strip()), None)
    if stray is not None:
        problem = f"The text {quote(stray)} stands in <{element.tag}>, where no text is read."
        findings.fault(find_line(element), problem, "Remove it, or make it a comment: <!-- ... -->.")


def _refuse(child: etree._Element, parent: etree._Element, shape: Shape, findings: Findings) -> None:
    tag = etree.QName(child)
    if tag.namespace == _XINCLUDE:
        problem, remedy = "The file includes another one by XInclude, which is refused.", "Put the content here."
    elif tag.namespace:
        problem = f"<{tag.localname}> belongs to a namespace, {quote(tag.namespace)}."
        remedy = "Remove xmlns=: there are no namespaces here."
    elif tag.localname == "vgh" and parent.tag == "att":
        problem = "A <vgh> stands in <id>, whose columns are dropped."
        remedy = "Remove it, or move the <att> to <qid>."
    else:
        problem = f"<{parent.tag}> has no element <{tag.localname}>.{did_you_mean(tag.localname, list(shape.children))}"
        remedy = (
            f"It takes: {', '.join(f'<{name}>' for name in shape.children)}." if shape.children else "It takes none."
        )
    findings.fault(find_line(child), problem, remedy)


def _list_elements(parent: etree._Element) -> Iterator[etree._Element]:
    return parent.iterchildren(tag=etree.Element)


def _find_local_name(name: str) -> str:
    return etree.QName(name).localname


# The formal schemas, ``schemas/*.xsd``: a second opinion on documents in which their readers found no fault.

_XSI = "{http://www.w3.org/2001/XMLSchema-instance}"


@cache
def _load_schema(name: str) -> etree.XMLSchema:
    return etree.XMLSchema(etree.fromstring((files("toolbox") / "schemas" / name).read_bytes()))


def check_schema(root: etree._Element, findings: Findings, name: str = "config.xsd") -> None:
    """Note the lines that do not fit a schema, without the parser's messages, which would help nobody."""
    # A hint where to find the schema is for editors; libxml2 would try to load it.
    copy = deepcopy(root)
    etree.strip_attributes(copy, f"{_XSI}*")
    schema = _load_schema(name)
    if not schema.validate(copy):
        for line in sorted({error.line for error in cast("Iterable[etree._LogEntry]", schema.error_log)}):
            problem = f"This line is not written as the schema {name} asks."
            findings.fault(line, problem, f"Compare it with {name}, which explains every element.")
