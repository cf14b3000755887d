"""The plan of a study as XML: its elements as the words of a plan in TOML, and the lines where they stand."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

from lxml import etree

from toolbox.config.reading.declarations import format_model_words
from toolbox.config.xml.document import find_line, is_called, parse_document
from toolbox.config.xml.structure import Shape, Shapes, check_attributes, check_schema, check_structure
from toolbox.errors import Findings, Place, did_you_mean, quote
from toolbox.hierarchy.builders.words import BUILDERS, format_builder_words

_NAMED = Shape(("name",), required=("name",))
_COLUMNS: Final = {"qid": "quasi_identifiers", "sens": "sensitive", "id": "identifiers", "person": "person"}
"""The sections of columns, and the words of a plan for them."""
_LISTED: Final = {"method": "methods", "metric": "metrics", "learner": "learners", "feature": "features"}
"""Elements of which each is one of a list, and the words for these lists."""
_OF_COLUMN: Final = {"priority": "priorities", "weight": "weights", "hierarchy": "hierarchies"}
NAMES_IN_XML: Final[Mapping[str, str]] = {
    **{word: f"<{name}>" for name, word in (*_COLUMNS.items(), *_LISTED.items())},
    **{word: f"{name}=" for name, word in _OF_COLUMN.items()},
    "hierarchies": "the hierarchy",
    "models": "<privacy>",
    "kinds": "type=",
}
"""What XML calls a word that it calls otherwise."""

SHAPES: Final[Shapes] = {
    "plan": Shape(
        ("name", "seed", "repetitions", "suppression_threshold", "threshold"),
        children={name: name for name in ("method", "metric", "parameters", "privacy", "classification", "data")},
        repeated=True,
        once=("parameters", "classification"),
    ),
    "method": Shape(("name",), required=("name",), has_own_attributes=True),
    "metric": _NAMED,
    "parameters": Shape(("k", "l", "t")),
    "privacy": Shape(children={"model": "model"}, repeated=True, at_least_one=True),
    "model": Shape(("name",), required=("name",), has_own_attributes=True),
    "classification": Shape(("splits", "test_share", "test_on"), children={"learner": "learner"}, repeated=True),
    "learner": _NAMED,
    "data": Shape(
        ("name", "configuration", "table", "separator", "encoding", "on_missing", "label"),
        children={name: name for name in (*_COLUMNS, "feature", "method")},
        repeated=True,
        once=tuple(_COLUMNS),
    ),
    "id": Shape(children={"att": "plain att"}, repeated=True),
    "person": Shape(children={"att": "plain att"}, repeated=True, at_least_one=True),
    "qid": Shape(children={"att": "att"}, repeated=True, at_least_one=True),
    "sens": Shape(children={"att": "att"}, repeated=True),
    "plain att": _NAMED,
    "att": Shape(
        ("name", "type", "format", "hierarchy", "priority", "weight"), required=("name",), children={"vgh": "vgh"}
    ),
    "vgh": Shape(("file",), required=("file",)),
    "built vgh": Shape(has_own_attributes=True),
    "feature": _NAMED,
}


def _number(text: str) -> int | float | str:
    """Return the number that a text is; any other text as it stands, of which the reader of plans tells."""
    for kind in (int, float):
        with suppress(ValueError):
            return kind(text)
    return text


def _parse_numbers(text: str) -> list[int | float | str]:
    return [_number(part.strip()) for part in text.split(",")]


_READERS: Final[Mapping[str, Callable[[str], object]]] = {
    **dict.fromkeys(("seed", "repetitions", "suppression_threshold", "threshold", "splits", "test_share"), _number),
    **dict.fromkeys(("k", "l", "t"), _parse_numbers),
    "separator": lambda text: text.replace("\\t", "\t"),
}
"""How the attributes are read that are no texts."""


@dataclass(eq=False)
class PlanDocument:
    """A plan that was written as XML."""

    root: etree._Element
    findings: Findings
    lines: dict[Place, int] = field(default_factory=dict)
    """The line of each table and each word, by the way to it."""
    words: dict[str, Any] = field(init=False)
    """As TOML would have them."""

    @classmethod
    def of(cls, content: bytes, findings: Findings) -> PlanDocument | None:
        """Read a text; None after noting why it is no plan."""
        root = parse_document(content, findings, named="plan")
        if root is None:
            return None
        if root.tag == "config":
            remedy = "Write a plan, and name it there: <data configuration='FILE.xml'/>."
            findings.fault(find_line(root), "This is a configuration, which describes one data set.", remedy)
            return None
        if not is_called(root, "plan", findings):
            return None
        check_attributes(root, SHAPES["plan"].attributes, findings)
        check_structure(root, findings, SHAPES)
        return cls(root, findings)

    def __post_init__(self) -> None:
        self.words = self._table(self.root, "plan", ())

    def check_schema(self) -> None:
        """Note the lines that do not fit ``plan.xsd``; for a plan in which its reader found no fault."""
        check_schema(self.root, self.findings, "plan.xsd")

    def _table(self, element: etree._Element, kind: str, place: Place) -> dict[str, Any]:
        """Return the words of an element that is a table in TOML."""
        line = self.lines[place] = find_line(element)
        words: dict[str, Any] = {}
        for name in SHAPES[kind].attributes:
            if (text := element.get(name)) is not None:
                words[name] = _READERS.get(name, str)(text)
                self.lines[*place, name] = line
        # Without a name, `iterchildren` yields all children.
        for child in element.iterchildren(*SHAPES[kind].children) if SHAPES[kind].children else ():
            self._read_child(str(child.tag), child, words, place)
        return words

    def _read_child(self, tag: str, child: etree._Element, words: dict[str, Any], place: Place) -> None:
        if tag in _LISTED:
            if "name" in child.attrib:
                named = _format_method(child) if tag == "method" else child.get("name")
                self._listed(_LISTED[tag], child, named, words, place)
        elif tag == "privacy":
            models = [
                format_model_words(_read_attributes(model))
                for model in child.iterchildren("model")
                if "name" in model.attrib
            ]
            self._listed("models", child, models, words, place)
        elif tag == "data":
            tables = words.setdefault("data", [])
            tables.append(self._table(child, "data", (*place, "data", len(tables))))
        elif tag in _COLUMNS:
            self.lines.setdefault((*place, _COLUMNS[tag]), find_line(child))
            for column in child.iterchildren("att"):
                self._column(_COLUMNS[tag], column, words, place)
        elif tag not in words:
            words[tag] = self._table(child, tag, (*place, tag))

    def _listed(self, word: str, element: etree._Element, value: object, words: dict[str, Any], place: Place) -> None:
        """Add a value to a list."""
        listed = words.setdefault(word, [])
        self.lines.setdefault((*place, word), find_line(element))
        self.lines[*place, word, len(listed)] = find_line(element)
        listed.append(value)

    def _column(self, word: str, column: etree._Element, words: dict[str, Any], place: Place) -> None:
        """Add what an ``att`` says of a column to the lists and tables of its data set."""
        name = column.get("name")
        if name is None:
            return
        self._listed(word, column, name, words, place)
        said: dict[str, object] = {_OF_COLUMN[key]: column.get(key) for key in _OF_COLUMN}
        said |= {key: _number(str(said[key])) for key in ("priorities", "weights") if said[key] is not None}
        kind, form = column.get("type"), column.get("format")
        said["kinds"] = " ".join(part for part in (kind, form) if part is not None) or None
        vgh = column.find("vgh")
        if vgh is not None:
            if said["hierarchies"] is not None:
                self.findings.fault(find_line(vgh), "<att> has hierarchy= and a <vgh>.", "Leave one of the two out.")
            said["hierarchies"] = self._read_hierarchy_words(vgh)
        for table, value in said.items():
            if value is not None:
                words.setdefault(table, {})[name] = value
                self.lines.setdefault((*place, table), find_line(column))
                self.lines[*place, table, name] = find_line(column if vgh is None else vgh)

    def _read_hierarchy_words(self, vgh: etree._Element) -> str | None:
        """Return a hierarchy in words: the file, or the builder with its settings."""
        said = _read_attributes(vgh)
        if (build := said.get("build")) is None:
            return said.get("file")
        if build in BUILDERS:
            return format_builder_words(said)
        remedy = f"{did_you_mean(build, BUILDERS.names)} Write one of: {', '.join(BUILDERS.names)}.".strip()
        self.findings.fault(find_line(vgh), f"build={quote(build)} is unknown.", remedy)
        return None


def _read_attributes(element: etree._Element) -> dict[str, str]:
    return {etree.QName(str(name)).localname: str(text) for name, text in element.attrib.items()}


def _format_method(element: etree._Element) -> str:
    """Return the name of a method with its settings, as a plan in TOML has it."""
    said = _read_attributes(element)
    return ":".join([said.pop("name"), *(f"{name}={text}" for name, text in said.items())])
