"""What a run declares, as a configuration without input and output, in which nothing is in another file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lxml import etree

from toolbox.config.model import Attribute, Column, Config, QuasiIdentifier
from toolbox.config.reading.recoding import OF_INPUT, OF_RELEASE, OF_RUN
from toolbox.config.settings import list_settings, value_of
from toolbox.config.xml.writing import format_configuration
from toolbox.errors import UsageError
from toolbox.hierarchy.hierarchy import Hierarchy, Interval, Node


def format_declaration(
    config: Config,
    quasi_identifiers: Sequence[QuasiIdentifier],
    sensitive: Sequence[Attribute],
    models: Sequence[Mapping[str, str]],
) -> str:
    """Write what a run declares.

    Hierarchies are written out, and what no node of them holds goes to their root. Builders stay what they are.

    Parameters
    ----------
    quasi_identifiers : sequence of QuasiIdentifier
        As the run has found them: with what they hold, and their hierarchies.
    models : sequence of mapping of str to str
        The attributes of each ``<model>``.

    Raises
    ------
    UsageError
        If XML cannot hold a name or a value.
    """
    try:
        root = etree.Element("config", {"method": config.method, **_format_run(config)})
        _add_reading(root, config)
        for tag, columns in (("person", config.person), ("id", config.identifiers)):
            _add_columns(root, tag, [column for column in columns if tag == "person" or column not in config.person])
        treated = dict(config.treated)
        for att in root.iterfind("*/att"):
            _treat(att, treated)
        _add_declared(root, "qid", quasi_identifiers)
        _add_declared(root, "sens", sensitive)
        others = [column for column in treated if column not in config.identifiers]
        for att in _add_columns(root, "released", others):
            _treat(att, treated)
        listed = etree.SubElement(root, "privacy")
        for model in models:
            etree.SubElement(listed, "model", dict(model))
    except ValueError:  # with which lxml refuses a text
        raise UsageError(
            "A name or a value holds a control character, which no saved recoding can hold. Rename it."
        ) from None
    return format_configuration(root).decode()


def _format_run(config: Config) -> dict[str, str]:
    """Return the attributes of the root: settings of the method and of the run."""
    return {**config.settings, **_format_settings("config", config, OF_RUN, {"config": config})}


def _add_reading(root: etree._Element, config: Config) -> None:
    source = config.input
    if source is not None:
        said = _format_settings("input", config, OF_INPUT, {"input": source})
        # A table of a caller has names as well, though no line holds them.
        etree.SubElement(root, "input", {**said, "header": "true" if config.column_names else "false"})
    said = _format_settings("output", config, OF_RELEASE, {"output": config.output})
    if said:
        etree.SubElement(root, "output", said)


def _format_settings(element: str, config: Config, names: Sequence[str], parts: Mapping[str, object]) -> dict[str, str]:
    """Return the attributes of an element for settings that are not as usual."""
    said = {}
    for setting in list_settings(element):
        if setting.field not in names:
            continue
        holder: Any = parts.get(setting.holder, config.output if setting.holder == "output" else config)
        value = value_of(config, setting) if setting.holder == "others" else getattr(holder, setting.place)
        if value is not None and value not in (setting.default, ""):
            said[setting.attribute] = _format_value(value)
    return said


def _format_value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    # A format of a release is a class.
    return str(getattr(value, "name", value))


def _add_columns(root: etree._Element, tag: str, columns: Sequence[Column]) -> list[etree._Element]:
    if not columns:
        return []
    section = etree.SubElement(root, tag)
    return [etree.SubElement(section, "att", _find_by(column)) for column in columns]


def _find_by(column: Column) -> dict[str, str]:
    """Return how a column is found: by its name, wherever it stands, or by its position."""
    return {"index": str(column.index)} if column.name is None else {"name": column.name}


def _treat(att: etree._Element, treated: Mapping[Column, str]) -> None:
    for column, text in treated.items():
        if all(att.get(name) == found for name, found in _find_by(column).items()):
            att.set("treat", text)


def _add_declared(root: etree._Element, tag: str, columns: Sequence[Attribute]) -> None:
    if not columns:
        return
    section = etree.SubElement(root, tag)
    for column in columns:
        att = etree.SubElement(section, "att", _find_by(column.column))
        for name, text in (("type", column.kind), ("format", column.format)):
            if text is not None:
                att.set(name, text)
        periods: Sequence[str] = ()
        if isinstance(column, QuasiIdentifier):
            _add_ranks(att, column)
            periods = column.periods
        if column.builder is not None:
            etree.SubElement(att, "vgh", {**column.builder.attributes(), "other": "root"})
        elif periods:
            att.set("hierarchy", ",".join(periods))
        elif column.kind not in ("date", "timestamp"):
            _add_tree(att, column)


def _add_ranks(att: etree._Element, attribute: QuasiIdentifier) -> None:
    """Write rank and weight; lowest and highest levels are for a search, and nothing is searched."""
    for name, value in (("priority", attribute.priority), ("weight", attribute.weight)):
        if value is not None:
            att.set(name, str(value))


def _add_tree(att: etree._Element, attribute: Attribute) -> None:
    """Write out the codes of categories, and the hierarchy; an order without one gets a root for what is not in it."""
    categories, tree = attribute.categories, attribute.hierarchy
    if categories:
        mapping = etree.SubElement(att, "map", {"ordered": "true"} if attribute.ordered else {})
        for text, code in categories.items():
            etree.SubElement(mapping, "entry", {"cat": text, "int": str(code)})
        if tree is None:
            codes = categories.values()
            tree = Hierarchy(Node(Interval(min(codes), max(codes)), "*"))
    if tree is not None:
        vgh = _build_node(tree.root, "vgh")
        vgh.set("other", "root")
        # Its name would not be true of values that go there from outside: without one it is ``*``.
        del vgh.attrib["label"]
        att.append(vgh)


def _build_node(node: Node, tag: str) -> etree._Element:
    element = etree.Element(tag, {"value": _format_bounds(node.interval), "label": node.label})
    element.extend([_build_node(child, "node") for child in node.children])
    return element


def _format_bounds(interval: Interval) -> str:
    """Write an interval so that the same doubles are read."""
    left, right = ("[" if interval.low_closed else "("), ("]" if interval.high_closed else ")")
    return f"{left}{float(interval.low)!r}:{float(interval.high)!r}{right}"
