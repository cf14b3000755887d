"""XML as text, in the order of the README, and relative paths as they are written from another folder."""

from __future__ import annotations

import os
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal

from lxml import etree

from toolbox.config import urls

# XML as text: two blanks for each level, single quotes, attributes in the order of the README.

UNWRITABLE: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""A character that no XML can hold."""
_INDENT: Final = "  "
_WIDTH: Final = 120
_FIRST: Final[Mapping[str, Sequence[str]]] = {
    "config": ("method", "k", "l", "c", "t", "suppThreshold", "suppressed", "undeclared", "rowsArePeople"),
    "input": ("filename", "url", "table", "query", "format", "separator", "header", "encoding", "missing", "onMissing"),
    "population": ("filename", "table", "separator", "header", "encoding"),
    "earlier": ("filename", "key", "repair"),
    "table": ("name", "filename", "key", "orphans"),
    "output": ("filename", "url", "table", "replace", "format", "separator", "order"),
    "engine": ("name", "url"),
    "att": ("index", "name", "type", "format", "treat", "hierarchy", "priority", "weight"),
    "vgh": ("file", "build"),
    "entry": ("cat", "int"),
    "model": ("name",),
}
"""The attributes that come first; all others keep the order in which they were written."""
_LAST: Final[Mapping[str, Sequence[str]]] = {"model": ("attribute",), "config": ("seed", "compatibility")}
COLUMN_SECTIONS: Final = ("person", "id", "qid", "sens", "released")
"""The elements of a configuration that declare columns."""
SECTIONS: Final = ("input", "population", "earlier", "output", "engine", *COLUMN_SECTIONS, "tables", "privacy")
"""All elements below its root, in the order of the README."""
# What XML would take for something else, or turn into a blank where it reads an attribute.
_ESCAPES: Final = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", "'": "&apos;", "\t": "&#9;", "\n": "&#10;", "\r": "&#13;"}
)


def format_configuration(root: etree._Element) -> bytes:
    """Return the text of a configuration, in UTF-8.

    Parameters
    ----------
    root : element
        With its comments, if it shall keep them. Comments before or behind it are written as well, and between two
        elements an empty line stays where there was one.

    Examples
    --------
    >>> root = etree.fromstring("<config k='5'><qid><att name='age'><vgh file='age.csv'/></att></qid></config>")
    >>> print(format_configuration(root).decode().rstrip())
    <?xml version='1.0' encoding='UTF-8'?>
    <config k='5'>
      <qid>
        <att name='age'><vgh file='age.csv'/></att>
      </qid>
    </config>
    """
    lines = ["<?xml version='1.0' encoding='UTF-8'?>"]
    for node in (*reversed([*root.itersiblings(preceding=True)]), root, *root.itersiblings()):
        lines += _format_lines(node, 0)
    return ("\n".join(lines) + "\n").encode()


def format_configuration_part(element: etree._Element) -> str:
    """Return the text of a part of a configuration, which people copy into a whole one.

    Examples
    --------
    >>> print(format_configuration_part(etree.fromstring("<vgh label='*' value='[0:9]'/>")), end="")
    <vgh label='*' value='[0:9]'/>
    """
    return "".join(f"{line}\n" for line in _format_lines(element, 0))


def make_comment(text: str) -> etree._Comment:
    """Make a comment; two hyphens, which XML forbids in it, are set apart."""
    return etree.Comment(f" {text.replace('--', '- -').replace('--', '- -')} ")


def ensure_section(root: etree._Element, name: str) -> etree._Element:
    """Return a section of a configuration; where there is none, make it in the order of the README.

    Parameters
    ----------
    name : str
        Such as ``qid``.
    """
    found = root.find(name)
    if found is not None:
        return found
    made = etree.Element(name)
    before = [child for child in root if child.tag in SECTIONS[: SECTIONS.index(name)]]
    if before:
        made.tail, before[-1].tail = before[-1].tail, None
        before[-1].addnext(made)
    else:
        root.insert(0, made)
    return made


def drop(element: etree._Element, *names: str) -> None:
    """Remove the attributes with these names, if there are any."""
    for name in names:
        if name in element.attrib:
            del element.attrib[name]


def _format_lines(node: etree._Element, depth: int) -> Iterator[str]:
    """Yield the lines of an element or a comment."""
    blanks = _INDENT * depth
    if isinstance(node, etree._Comment):
        yield f"{blanks}<!--{node.text or ''}-->"
        return
    if not isinstance(node.tag, str):
        return
    children = list(node)
    if not children:
        yield f"{blanks}{_format_opening_tag(node, '/>')}"
        return
    # A column with what says little more stays on one line, as people write it.
    line = _format_on_one_line(node, children)
    if line is not None and len(blanks) + len(line) <= _WIDTH:
        yield blanks + line
        return
    yield f"{blanks}{_format_opening_tag(node, '>')}"
    space = node.text
    for child in children:
        if (space or "").count("\n") > 1:
            yield ""
        yield from _format_lines(child, depth + 1)
        space = child.tail
    yield f"{blanks}</{node.tag}>"


def _format_on_one_line(node: etree._Element, children: Sequence[etree._Element]) -> str | None:
    only = children[0]
    if node.tag != "att" or len(children) > 1 or len(only) or not isinstance(only.tag, str):
        return None
    return f"{_format_opening_tag(node, '>')}{_format_opening_tag(only, '/>')}</{node.tag}>"


def _format_opening_tag(element: etree._Element, end: str) -> str:
    """Return the opening tag of an element."""
    tag = str(element.tag)
    names = [str(name) for name in element.attrib]
    first = [name for name in _FIRST.get(tag, ()) if name in names]
    last = [name for name in _LAST.get(tag, ()) if name in names]
    middle = [name for name in names if name not in first and name not in last]
    written_names = [*first, *middle, *last]
    attributes = "".join(f" {_name(element, name)}='{_escape_text(element.get(name, ''))}'" for name in written_names)
    return f"<{tag}{_format_namespaces(element)}{attributes}{end}"


def _name(element: etree._Element, name: str) -> str:
    """Return the name of an attribute with the prefix of its namespace, such as that of a hint for editors."""
    qualified = etree.QName(name)
    if qualified.namespace is None:
        return name
    prefix = next(prefix for prefix, space in element.nsmap.items() if space == qualified.namespace and prefix)
    return f"{prefix}:{qualified.localname}"


def _format_namespaces(element: etree._Element) -> str:
    """Return the declarations of the namespaces that an element adds to those of its parent."""
    parent = element.getparent()
    known = {} if parent is None else parent.nsmap
    added = {prefix: space for prefix, space in element.nsmap.items() if known.get(prefix) != space and prefix}
    return "".join(f" xmlns:{prefix}='{_escape_text(space)}'" for prefix, space in added.items())


def _escape_text(text: str) -> str:
    return text.translate(_ESCAPES)


# Relative paths of a configuration, as they are written where another folder is the start.

TABLES: Final = (
    ("input", "filename"),
    ("input/file", "name"),
    ("population", "filename"),
    ("earlier", "filename"),
    ("earlier/file", "name"),
    ("tables/table", "filename"),
)
"""Elements below the root, each with the attribute that is the path of a table: a file, a folder or a pattern."""
HIERARCHY: Final = (".//vgh", "file")
"""The same of hierarchy files: wherever a column stands, also in a child table."""
PATHS: Final = (*TABLES, ("output", "filename"), (".", "recoding"), HIERARCHY)
"""The same of all paths that a configuration may name, whoever asks for them; a test compares them with the schema."""


def rewrite_path(path: str, old: Path, new: Path) -> str:
    """Write a path for another folder; an absolute one stays as it is.

    Parameters
    ----------
    old, new : Path
        The folders from which it leads to the same file, before and after.

    Examples
    --------
    >>> rewrite_path("people.csv", Path("data"), Path("configs/of/mine"))
    '../../../data/people.csv'
    """
    if urls.is_url(path) or Path(path).is_absolute() or os.path.abspath(old) == os.path.abspath(new):  # noqa: PTH100 - links stay links
        return path
    # Two dots lead up from the folder itself, which a link to it does not tell.
    start, target = os.path.realpath(new), old / path
    way = os.path.relpath(os.path.join(os.path.realpath(target.parent), target.name), start)  # noqa: PTH118
    return f"{way}/" if path.endswith("/") else way


def format_cluster_place(path: str, old: Path) -> str:
    """Write the place of a folder for a cluster, which knows no folder of ours; it may be a URI."""
    return path if urls.is_url(path) else str((old / path).absolute())


def rewrite_relative_paths(root: etree._Element, old: Path, new: Path) -> None:
    """Rewrite every relative path of a configuration."""
    has_folders = (engine := root.find("engine")) is not None and urls.names_folder_engine(engine.get("name", ""))
    for place, name in PATHS:
        for element in root.iterfind(place):
            path = element.get(name)
            if path is not None:
                is_place = has_folders and (place, name) != HIERARCHY
                element.set(name, format_cluster_place(path, old) if is_place else rewrite_path(path, old, new))


# A configuration that a program writes for a person: each column with a comment, in the words of the file.

_BY_INDEX: Final = re.compile("column [0-9]+")
"""What readers call a column that has an index and no name."""
_COMMENT_WIDTH: Final = 118
_UNDECIDED: Final = (
    "Left out until you decide, as nobody can be sure what these columns are. Move the att of one into the element "
    "around it, or into sens to release it as it is."
)
Section = Literal["person", "id", "qid", "sens", "released"]


@dataclass(frozen=True, kw_only=True)
class DraftColumn:
    """A column of the draft."""

    section: Section
    index: int
    name: str | None
    """None: it is found by its index alone."""
    comment: str
    attributes: Mapping[str, str] = field(default_factory=dict)
    hierarchy: Mapping[str, str] = field(default_factory=dict)
    """Attributes of its ``<vgh>``; empty: it has none."""


@dataclass(frozen=True, kw_only=True)
class Draft:
    """A configuration to be written."""

    comment: str
    """What stands before it."""
    attributes: Mapping[str, str]
    """Of ``<config>``."""
    method_comment: str
    input: Mapping[str, str]
    input_comment: str
    output: Mapping[str, str]
    columns: Sequence[DraftColumn]
    section_comments: Mapping[Section, str]
    undecided: Sequence[DraftColumn] = ()
    """Columns that nobody has declared: each is a comment with the element that declares it."""

    def text(self) -> str:
        """Write the document."""
        root = etree.Element("config", dict(self.attributes))
        root.addprevious(_wrap_comment(self.comment, 0))
        root.append(_wrap_comment(self.method_comment, 1))
        if self.input_comment:
            root.append(_wrap_comment(self.input_comment, 1))
        etree.SubElement(root, "input", dict(self.input))
        etree.SubElement(root, "output", dict(self.output))
        for section, explanation in self.section_comments.items():
            members = [column for column in self.columns if column.section == section]
            if members:
                within = etree.SubElement(root, section)
                within.append(_wrap_comment(explanation, 2))
                for column in members:
                    _add(within, column)
        if self.undecided:
            root.append(_wrap_comment(_UNDECIDED, 1))
        for column in self.undecided:
            root.append(
                _wrap_comment(f"{column.comment} <{column.section}>{_write_element(column)}</{column.section}>", 1)
            )
        return format_configuration(root).decode()


def can_be_a_name(name: str) -> bool:
    """Return whether a document can name a column so, and a reader finds it by that."""
    # Nothing printable is beyond XML.
    is_free = name != "" and _BY_INDEX.fullmatch(name) is None
    return is_free and name == name.strip() and name.isprintable()


def _add(within: etree._Element, column: DraftColumn) -> None:
    within.append(_wrap_comment(column.comment, 2))
    within.append(_make_element(column))


def _write_element(column: DraftColumn) -> str:
    return etree.tostring(_make_element(column), encoding="unicode").replace('"', "'")


def _make_element(column: DraftColumn) -> etree._Element:
    found = {"index": str(column.index)} if column.name is None else {"name": column.name}
    att = etree.Element("att", {**found, **column.attributes})
    if column.hierarchy:
        etree.SubElement(att, "vgh", dict(column.hierarchy))
    return att


def _wrap_comment(text: str, depth: int) -> etree._Comment:
    """Make a comment of lines that are not too long.

    Parameters
    ----------
    depth : int
        Of the elements beside it.
    """
    shown = "".join(letter if letter.isprintable() else " " for letter in text)
    # What stands before the first line stands before the others, too.
    indent = " " * (2 * depth + len("<!-- "))
    lines = textwrap.wrap(
        shown,
        _COMMENT_WIDTH - len(" -->"),
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return make_comment(chr(10).join(lines).strip())
