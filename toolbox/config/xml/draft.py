"""A configuration that a program writes for a person: each column with a comment, in the words of the file."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from lxml import etree

from toolbox.config.xml.writing import format_configuration, make_comment

_BY_INDEX: Final = re.compile("column [0-9]+")
"""What readers call a column that has an index and no name."""
_WIDTH: Final = 118
_UNDECIDED: Final = (
    "Left out until you decide, as nobody can be sure what these columns are. Move the att of one into the element "
    "around it, or into sens to release it as it is."
)
Section = Literal["person", "id", "qid", "sens"]


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
        _WIDTH - len(" -->"),
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return make_comment(chr(10).join(lines).strip())
