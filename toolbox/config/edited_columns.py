"""The columns of a configuration that somebody edits: their roles, what is said of them, and their hierarchies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from lxml import etree

from toolbox.config.edited import EditedDocument, detached, write
from toolbox.config.given import BadValueError
from toolbox.config.hierarchy_words import hierarchy_attributes
from toolbox.config.writing import drop, section
from toolbox.errors import UsageError
from toolbox.hierarchy.builders.words import words_of

HierarchySource = Literal["none", "file", "builder", "tree", "dates"]
"""Where a hierarchy comes from; a tree is written out in the configuration."""
SECTIONS: Final = ("id", "qid", "sens")
_OF_QUASI_IDENTIFIERS: Final = ("hierarchy", "priority", "weight", "minLevel", "maxLevel")
_OF_VALUES: Final = ("type", "format", *_OF_QUASI_IDENTIFIERS)


@dataclass(frozen=True)
class EditedColumn:
    """An ``<att>`` of the document."""

    element: etree._Element

    @property
    def section(self) -> str:
        """Where it stands: ``id``, ``qid`` or ``sens``."""
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
                return words_of({str(name): str(text) for name, text in vgh.attrib.items()})
            except KeyError:
                return str(vgh.get("build"))
        return None if vgh is not None or periods is None else words_of({"build": "dates", "periods": periods})

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
            attributes = hierarchy_attributes(words)
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
            detached(vgh)
        drop(self.element, "hierarchy")

    def _set_vgh(self, attributes: Mapping[str, str]) -> None:
        vgh = etree.Element("vgh")
        write(vgh, attributes)
        self.remove_hierarchy()
        # A map numbers the categories; so do files and builders.
        for mapping in self.element.findall("map"):
            detached(mapping)
            self.say({"type": "category"})
        self.element.append(vgh)


def declared_columns(document: EditedDocument) -> list[EditedColumn]:
    """List the columns of the document, in its order."""
    return [EditedColumn(att) for name in SECTIONS for att in document.root.iterfind(f"{name}/att")]


def declare(document: EditedDocument, role: str, found_by: Mapping[str, str]) -> EditedColumn:
    """Add a column.

    Parameters
    ----------
    role : str
        ``id``, ``qid`` or ``sens``.
    found_by : mapping of str to str
        Its name or its index.
    """
    att = etree.Element("att")
    write(att, found_by)
    section(document.root, role).append(att)
    return EditedColumn(att)


def move(document: EditedDocument, column: EditedColumn, role: str) -> None:
    """Give a column another role; drop the settings that the role does not have."""
    att, comment = column.element, _own_comment(column)
    withdraw(column)
    for name in _OF_VALUES if role == "id" else _OF_QUASI_IDENTIFIERS if role == "sens" else ():
        drop(att, name)
    if role == "id":
        for child in list(att):
            att.remove(child)
    target = section(document.root, role)
    if comment is not None:
        target.append(comment)
    target.append(att)


def withdraw(column: EditedColumn) -> None:
    """Remove a column and its comment from the document, and its section if it is then empty."""
    parent, comment = column.element.getparent(), _own_comment(column)
    if comment is not None:
        detached(comment)
    detached(column.element)
    if parent is not None and not len(parent):
        detached(parent)


def _own_comment(column: EditedColumn) -> etree._Element | None:
    """Return the comment before a column that begins with its name, as `toolbox init` writes them."""
    before, name = column.element.getprevious(), column.said("name")
    if name is None or not isinstance(before, etree._Comment):
        return None
    return before if str(before.text or "").strip().startswith(f"{name}:") else None
