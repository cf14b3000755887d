"""A configuration that somebody edits: its document, of which all that nobody touches stays as it is."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from lxml import etree

from toolbox.config import urls
from toolbox.config.document import parse_document, read_document
from toolbox.config.files import FileReader
from toolbox.config.given import Findings
from toolbox.config.inputs import input_files
from toolbox.config.model import Input
from toolbox.config.overrides import Overrides
from toolbox.config.places import read_places
from toolbox.config.rebasing import OF_HIERARCHIES, PATHS, rebase
from toolbox.config.writing import UNWRITABLE, drop, section, written
from toolbox.errors import ConfigurationError, InputError, UsageError, quote

_ROOT: Final = "config"
_TABLES: Final = ("input", "input/file", "population")
"""Elements that may name a folder or a pattern of files."""


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
        return written(self.root).decode()

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
            write(section(self.root, element), attributes)

    def remove(self, element: str) -> None:
        """Remove an element, if it is there; what stands around it stays."""
        if (found := self.root.find(element)) is not None:
            detached(found)

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
        found = section(self.root, "input")
        for file in found.findall("file"):
            found.remove(file)
        drop(found, "filename", "url", "query", "table")
        if len(names) == 1:
            found.set("filename", names[0])
        else:
            for name in names:
                etree.SubElement(found, "file", {"name": name})

    def named_files(self, folder: Path) -> dict[str, list[str]]:
        """Return every file that the document names, each with the files of a folder or a pattern; a URL as it is.

        Parameters
        ----------
        folder : Path
            Where relative paths start.
        """
        found: dict[str, list[str]] = {}
        for place, attribute in (*PATHS, *((element, "file") for element in OF_HIERARCHIES)):
            for name in filter(str.strip, (element.get(attribute, "") for element in self.root.iterfind(place))):
                files = found.setdefault(name if urls.is_url(name) else str(folder / name), [])
                if place in _TABLES:
                    with suppress(InputError):  # which a run reports
                        files += map(str, input_files(Input(path=folder / name)))
        return found

    def rebase(self, old: Path, new: Path, *, kept: Collection[str]) -> None:
        """Write relative paths for another folder, except those of hierarchies that are moved there.

        Parameters
        ----------
        kept : collection of str
            The names of these.
        """
        trees = [vgh for vgh in self.root.iter("vgh") if vgh.get("file") in kept]
        names = [vgh.get("file", "") for vgh in trees]
        rebase(self.root, old, new)
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
    return written(root).decode()


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


def detached(element: etree._Element) -> etree._Element:
    """Take an element out of its parent; the space behind it stays where it was."""
    parent = element.getparent()
    if parent is not None:
        parent.remove(element)
    element.tail = None
    return element
