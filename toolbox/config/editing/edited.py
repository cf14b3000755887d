"""A configuration that somebody edits: its document, of which all that nobody touches stays as it was written."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from lxml import etree

from toolbox.config import urls
from toolbox.config.file_names import list_input_files
from toolbox.config.model import Input
from toolbox.config.reading.declarations import parse_hierarchy_words
from toolbox.config.reading.files import FileReader
from toolbox.config.reading.overrides import Overrides
from toolbox.config.reading.places import read_places
from toolbox.config.reading.requirements import CLASSICAL
from toolbox.config.xml.document import parse_document, read_document
from toolbox.config.xml.writing import (
    PATHS,
    TABLES,
    UNWRITABLE,
    drop,
    ensure_section,
    format_configuration,
    rewrite_relative_paths,
)
from toolbox.errors import BadValueError, ConfigurationError, Findings, InputError, UsageError, quote
from toolbox.hierarchy.builders.words import format_builder_words

# A configuration that somebody edits: its document, of which all that nobody touches stays as it is.

_ROOT: Final = "config"


class EditedDocument:
    """The XML of a configuration.

    Parameters
    ----------
    text : str
    source : str
        What messages call it.

    Raises
    ------
    ConfigurationError
        If it is no XML, or no configuration.
    """

    def __init__(self, text: str, source: str) -> None:
        findings = Findings()
        root = parse_document(text.encode(), findings, keeps_comments=True)
        if root is not None and root.tag != _ROOT:
            problem = f"The root element is <{etree.QName(root).localname}>."
            findings.fault(0, problem, "Open a configuration, whose root is <config>.")
        if root is None or findings.faults:
            raise ConfigurationError(source, findings.faults)
        self.root = root

    def text(self) -> str:
        """Write it, with its comments."""
        return format_configuration(self.root).decode()

    def said(self, element: str = "") -> dict[str, str]:
        """Return the attributes of an element, without a name those of the root."""
        found = self.root if not element else self.root.find(element)
        attributes = {} if found is None else {str(name): str(text) for name, text in found.attrib.items()}
        # A hint for editors, of a namespace.
        return {name: text for name, text in attributes.items() if not name.startswith("{")}

    def set(self, element: str, attributes: Mapping[str, str | None]) -> None:
        """Write attributes of an element, without a name of the root; None removes one.

        Raises
        ------
        UsageError
            If XML cannot hold a text.
        """
        if not element:
            for name in [name for name in self.said() if name.lower() in {new.lower() for new in attributes}]:
                drop(self.root, *([] if name in attributes else [name]))  # another spelling
            write(self.root, attributes)
        elif any(text is not None for text in attributes.values()) or self.root.find(element) is not None:
            write(ensure_section(self.root, element), attributes)

    def remove(self, element: str) -> None:
        """Remove an element, if it is there; what stands around it stays."""
        if (found := self.root.find(element)) is not None:
            detach_element(found)

    def files(self) -> list[str]:
        """List the names of files in which the records are, as they are written."""
        found = self.root.find("input")
        if found is None:
            return []
        names = [found.get("filename"), *(file.get("name") for file in found.iterfind("file"))]
        return [name for name in names if name is not None]

    def set_files(self, names: Sequence[str]) -> None:
        """Name the files in which the records are.

        Raises
        ------
        UsageError
            If XML cannot hold a name.
        """
        require_writable(*names)
        found = ensure_section(self.root, "input")
        for file in found.findall("file"):
            found.remove(file)
        drop(found, "filename", "url", "query", "table")
        if len(names) == 1:
            found.set("filename", names[0])
        else:
            for name in names:
                etree.SubElement(found, "file", {"name": name})

    def find_named_files(self, folder: Path) -> dict[str, list[str]]:
        """Return every file that the document names, each with the files of a folder or a pattern.

        A URL of files stands as it is, and so does that of a database that is a file.

        Parameters
        ----------
        folder : Path
            Where relative paths start.
        """
        addresses = (element.get("url", "") for element in self.root.iterfind(".//*[@url]"))
        found: dict[str, list[str]] = {url: [] for url in addresses if urls.is_file_database(url)}
        for place, attribute in PATHS:
            for name in filter(str.strip, (element.get(attribute, "") for element in self.root.iterfind(place))):
                files = found.setdefault(name if urls.is_url(name) else str(folder / name), [])
                if (place, attribute) in TABLES:
                    with suppress(InputError):  # which a run reports
                        files += map(str, list_input_files(Input(path=folder / name)))
        return found

    def rewrite_document_paths(self, old: Path, new: Path, *, kept: Collection[str]) -> None:
        """Write relative paths for another folder, except those of hierarchies that are moved there.

        Parameters
        ----------
        kept : collection of str
            The names of these.
        """
        trees = [vgh for vgh in self.root.iter("vgh") if vgh.get("file") in kept]
        names = [vgh.get("file", "") for vgh in trees]
        rewrite_relative_paths(self.root, old, new)
        for vgh, name in zip(trees, names, strict=True):
            vgh.set("file", name)

    def input(self, folder: Path) -> Input | None:
        """Return how the document says to read the records; faults are ignored.

        Parameters
        ----------
        folder : Path
            Where relative paths start.
        """
        findings = Findings()
        places = read_places(self.root, folder, Overrides(), findings)
        return FileReader(self.root, folder, Overrides(), findings, places).read_input()


def read_text(path: Path) -> str:
    """Read the text of a configuration.

    Raises
    ------
    ConfigurationError
        If it is no XML.
    """
    findings = Findings()
    root = read_document(path, findings, keeps_comments=True)
    if root is None or findings.faults:
        raise ConfigurationError(str(path), findings.faults)
    return format_configuration(root).decode()


def write(element: etree._Element, attributes: Mapping[str, str | None]) -> None:
    """Write attributes of an element; None removes one.

    Raises
    ------
    UsageError
        If XML cannot hold a text.
    """
    require_writable(*(text for text in attributes.values() if text is not None))
    for name, text in attributes.items():
        if text is None:
            drop(element, name)
        else:
            element.set(name, text)


def require_writable(*texts: str) -> None:
    """Stop where XML cannot hold a text.

    Raises
    ------
    UsageError
    """
    for text in texts:
        if (found := UNWRITABLE.search(text)) is not None:
            problem = f"{quote(text)} holds the character U+{ord(found[0]):04X}, which no configuration can hold."
            raise UsageError(f"{problem} Write another text.")


def detach_element(element: etree._Element) -> etree._Element:
    """Take an element out of its parent; the space behind it stays where it was."""
    parent = element.getparent()
    if parent is not None:
        parent.remove(element)
    element.tail = None
    return element


# The columns of a configuration that somebody edits: their roles, what is said of them, and their hierarchies.

HierarchySource = Literal["none", "file", "builder", "tree", "dates"]
"""Where a hierarchy comes from; a tree is written out in the configuration."""
SECTIONS: Final = ("id", "qid", "sens", "released")
_OF_QUASI_IDENTIFIERS: Final = ("hierarchy", "priority", "weight", "minLevel", "maxLevel")
_OF_VALUES: Final = ("type", "format", *_OF_QUASI_IDENTIFIERS)


@dataclass(frozen=True)
class EditedColumn:
    """An ``<att>`` of the document."""

    element: etree._Element

    @property
    def section(self) -> str:
        """Where it stands: ``id``, ``qid``, ``sens``, or ``released`` where only its treatment is said."""
        parent = self.element.getparent()
        return "" if parent is None else str(parent.tag)

    def said(self, name: str) -> str | None:
        """Return an attribute as it is written."""
        return self.element.get(name)

    def say(self, attributes: Mapping[str, str | None]) -> None:
        """Write attributes; None removes one.

        Raises
        ------
        UsageError
            If XML cannot hold a text.
        """
        write(self.element, attributes)

    @property
    def has_map(self) -> bool:
        """Whether its categories are listed."""
        return self.element.find("map") is not None

    @property
    def hierarchy_source(self) -> HierarchySource:
        """Where its hierarchy comes from."""
        vgh = self.element.find("vgh")
        if vgh is None:
            return "none" if self.said("hierarchy") is None else "dates"
        return "builder" if "build" in vgh.attrib else "file" if "file" in vgh.attrib else "tree"

    @property
    def hierarchy_words(self) -> str | None:
        """The builder of the hierarchy, as ``--hierarchy`` says it; None if it has none.

        What no builder is called is told when the configuration is read.
        """
        vgh, periods = self.element.find("vgh"), self.said("hierarchy")
        if vgh is not None and "build" in vgh.attrib:
            try:
                return format_builder_words({str(name): str(text) for name, text in vgh.attrib.items()})
            except KeyError:
                return str(vgh.get("build"))
        return (
            None if vgh is not None or periods is None else format_builder_words({"build": "dates", "periods": periods})
        )

    @property
    def hierarchy_file(self) -> tuple[str, bool | None] | None:
        """The file of the hierarchy, and whether it has a header, if that is said."""
        vgh = self.element.find("vgh")
        if vgh is None or "build" in vgh.attrib or "file" not in vgh.attrib:
            return None
        header = (vgh.get("header") or "").strip().lower()
        return vgh.get("file", ""), None if not header else header in ("true", "yes", "1")

    def set_builder(self, words: str) -> None:
        """Let a builder make the hierarchy, or read a file as it is.

        Parameters
        ----------
        words : str
            As ``--hierarchy`` says it: ``intervals:5,10:top=90``.

        Raises
        ------
        UsageError
            If it is no builder.
        """
        try:
            attributes = parse_hierarchy_words(words)
        except BadValueError as error:
            raise UsageError(f"{words!r} {error.args[0]}. {error.args[1]}") from None
        if set(attributes) == {"build", "periods"} and attributes["build"] == "dates" and self.section == "qid":
            self.remove_hierarchy()
            self.say({"hierarchy": attributes["periods"]})
        else:
            self._set_vgh(attributes)

    def set_file(self, name: str) -> None:
        """Name the file of the hierarchy, which has no header; what becomes of other values stays as it is."""
        vgh = self.element.find("vgh")
        other = None if vgh is None else vgh.get("other")
        self._set_vgh({"file": name, "header": "false", **({} if other is None else {"other": other})})

    def remove_hierarchy(self) -> None:
        """Take the hierarchy away."""
        for vgh in self.element.findall("vgh"):
            detach_element(vgh)
        drop(self.element, "hierarchy")

    def _set_vgh(self, attributes: Mapping[str, str]) -> None:
        vgh = etree.Element("vgh")
        write(vgh, attributes)
        self.remove_hierarchy()
        # A map numbers the categories; so do files and builders.
        for mapping in self.element.findall("map"):
            detach_element(mapping)
            self.say({"type": "category"})
        self.element.append(vgh)


def list_declared_columns(document: EditedDocument) -> list[EditedColumn]:
    """List the columns of the document, in its order."""
    return [EditedColumn(att) for name in SECTIONS for att in document.root.iterfind(f"{name}/att")]


def declare(document: EditedDocument, role: str, found_by: Mapping[str, str]) -> EditedColumn:
    """Add a column.

    Parameters
    ----------
    role : str
        ``id``, ``qid``, ``sens`` or ``released``.
    found_by : mapping of str to str
        Its name or its index.
    """
    att = etree.Element("att")
    write(att, found_by)
    ensure_section(document.root, role).append(att)
    return EditedColumn(att)


def move(document: EditedDocument, column: EditedColumn, role: str) -> None:
    """Give a column another role; drop the settings that the role does not have."""
    att, comment = column.element, _find_own_comment(column)
    if role != "id":
        _forget_person(document, column)
        drop(att, "treat")
    remove_column(column)
    for name in _OF_VALUES if role == "id" else _OF_QUASI_IDENTIFIERS if role == "sens" else ():
        drop(att, name)
    if role == "id":
        for child in list(att):
            att.remove(child)
    target = ensure_section(document.root, role)
    if comment is not None:
        target.append(comment)
    target.append(att)


def list_persons(document: EditedDocument) -> list[EditedColumn]:
    """List the columns that tell persons apart, each of which may be an identifier as well."""
    return [EditedColumn(att) for att in document.root.iterfind("person/att")]


def set_persons(document: EditedDocument, found_by: Sequence[Mapping[str, str]]) -> None:
    """Write which columns tell persons apart; none: each record is a person."""
    for column in list_persons(document):
        remove_column(column)
    for keys in found_by:
        declare(document, "person", keys)


def _forget_person(document: EditedDocument, column: EditedColumn) -> None:
    """Remove a column from those that tell persons apart: a release may show it now."""
    for att in document.root.findall("person/att"):
        if all(att.get(name) == column.said(name) for name in ("name", "index")):
            remove_column(EditedColumn(att))


def remove_column(column: EditedColumn) -> None:
    """Remove a column and its comment from the document, and its section if it is then empty."""
    parent, comment = column.element.getparent(), _find_own_comment(column)
    if comment is not None:
        detach_element(comment)
    detach_element(column.element)
    if parent is not None and not len(parent):
        detach_element(parent)


def _find_own_comment(column: EditedColumn) -> etree._Element | None:
    """Return the comment before a column that begins with its name, as `toolbox init` writes them."""
    before, name = column.element.getprevious(), column.said("name")
    if name is None or not isinstance(before, etree._Comment):
        return None
    return before if str(before.text or "").strip().startswith(f"{name}:") else None


# The privacy models of a configuration that somebody edits: a list, or the parameters of 2010.

_K_ANONYMITY = "k-anonymity"


def list_required_models(document: EditedDocument) -> list[dict[str, str]] | None:
    """Return the attributes of each ``<model>``; None if the parameters of the root say what is required."""
    listed = document.root.find("privacy")
    if listed is None:
        return None
    return [{str(name): str(text) for name, text in model.attrib.items()} for model in listed.iterfind("model")]


def set_models(document: EditedDocument, models: Sequence[Mapping[str, str]], *, is_k_usual: bool) -> None:
    """Write what is required.

    Parameters
    ----------
    models : sequence of mapping
        The attributes of each ``<model>``.
    is_k_usual : bool
        Whether ``k`` of the root is what the method takes, so that k-anonymity alone needs no list.

    Raises
    ------
    UsageError
        If XML cannot hold a text.
    """
    drop(document.root, *CLASSICAL)
    old = document.root.find("privacy")
    only = models[0] if len(models) == 1 else {}
    if is_k_usual and set(only) == {"name", "k"} and only["name"].strip().lower() == _K_ANONYMITY:
        if old is not None:
            detach_element(old)
        write(document.root, {"k": only["k"]})
        return
    made = []
    for attributes in models:
        model = etree.Element("model")
        write(model, attributes)
        made.append(model)
    listed = ensure_section(document.root, "privacy")
    for model in listed.findall("model"):
        detach_element(model)
    listed.extend(made)
