"""From the bytes of an XML file to its elements; everything that could reach beyond the file is refused."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from types import MappingProxyType
from typing import Final, TypeAlias, cast

from lxml import etree

from toolbox.errors import Findings, RawSetting, quote

# What is wrong with a text that is no XML, in plain words.

_CODES: Final = etree.ErrorTypes

_WORDS: Final[Mapping[int, tuple[str, str]]] = {
    _CODES.ERR_DOCUMENT_EMPTY: (
        "This is not an XML file.",
        "Begin it with <{root}>.",
    ),
    _CODES.ERR_DOCUMENT_END: (
        "Something follows the end of the root element.",
        "End the file after </{root}>.",
    ),
    _CODES.ERR_TAG_NOT_FINISHED: (
        "The file ends before its elements are closed.",
        "Close them; the last line is </{root}>.",
    ),
    _CODES.ERR_GT_REQUIRED: (
        "A tag does not end with '>'.",
        "End it with '>' or '/>'.",
    ),
    _CODES.ERR_SPACE_REQUIRED: (
        "A blank is missing between two attributes.",
        "Put a blank before each attribute.",
    ),
    _CODES.ERR_NAME_REQUIRED: (
        "A name is missing, or has a character that names cannot have.",
        "Write an element as <name>, an attribute as name='value', and in a text '<' as &lt; and '&' as &amp;.",
    ),
    _CODES.ERR_ATTRIBUTE_NOT_STARTED: (
        "The value of an attribute has no quotes.",
        "Write it as name='value'.",
    ),
    _CODES.ERR_ATTRIBUTE_NOT_FINISHED: (
        "The value of an attribute does not end.",
        "Close its quotes.",
    ),
    _CODES.ERR_ATTRIBUTE_WITHOUT_VALUE: (
        "An attribute has no value.",
        "Write it as name='value'.",
    ),
    _CODES.ERR_ATTRIBUTE_REDEFINED: (
        "An attribute is given twice in one element.",
        "Keep one of them.",
    ),
    _CODES.ERR_LT_IN_ATTRIBUTE: (
        "The value of an attribute has a '<', or does not end.",
        "Write '<' as &lt; and close the quotes.",
    ),
    _CODES.ERR_ENTITYREF_SEMICOL_MISSING: (
        "A bare '&' stands in a text.",
        "Write it as &amp;.",
    ),
    _CODES.ERR_UNDECLARED_ENTITY: (
        "An entity, such as &name; is one, is unknown.",
        "Write the character itself, or &amp; for a bare '&'.",
    ),
    _CODES.ERR_UNSUPPORTED_ENCODING: (
        "The first line names an unknown encoding.",
        "Save the file as UTF-8, and drop encoding= from the first line.",
    ),
    _CODES.ERR_INVALID_ENCODING: (
        "The file is not in its encoding, which is UTF-8 unless the first line says otherwise.",
        "Save it as UTF-8.",
    ),
    _CODES.ERR_INVALID_CHAR: (
        "The file has a control character, which XML forbids.",
        "Remove it.",
    ),
    _CODES.ERR_RESERVED_XML_NAME: (
        "Something stands before <?xml ...?>.",
        "Let the file begin with it.",
    ),
    _CODES.ERR_HYPHEN_IN_COMMENT: (
        "A comment has two hyphens in its text.",
        "Write other characters there.",
    ),
}

_MISMATCH = re.compile(r"mismatch: (\S+) line (\d+) and ([^\s,]+)")


def explain_parser_error(code: int, message: str, root: str = "config") -> tuple[str, str]:
    """Return what the parser found, and what to write instead.

    Parameters
    ----------
    code : int
        The parser's number for the kind of error.
    message : str
        Its own words, from which the names of two mismatched tags are taken.
    root : str
        The element that holds all others.
    """
    if match := _MISMATCH.search(message):
        opened, line, closed = match.groups()
        problem = f"<{opened}> of line {line} is closed by </{closed}>."
        return problem, f"Close each element by its own name, here </{opened}>."
    if "depth" in message:
        return "The elements are nested deeper than 64 levels.", "Write a flatter hierarchy."
    unknown = ("The file is not well-formed XML.", "Open it in a web browser, which shows the place.")
    found, remedy = _WORDS.get(code, unknown)
    return found, remedy.replace("{root}", root)


# From the bytes of an XML file to its elements; everything that could reach beyond the file is refused.

Made: TypeAlias = Mapping[etree._Element, Mapping[str, str]]
"""Elements that options have made: of each the attributes, with what messages call them instead; and the option."""
_MADE: ContextVar[Made] = ContextVar("made_by_options", default=MappingProxyType({}))


class _DoctypeError(Exception):
    """The document has a DOCTYPE."""


class _RefuseDoctype:
    """A parser target that stops at a DOCTYPE, before any entity is declared."""

    def doctype(self, *_: object) -> None:
        raise _DoctypeError

    def start(self, *_: object) -> None: ...
    def end(self, *_: object) -> None: ...
    def data(self, *_: object) -> None: ...
    def comment(self, *_: object) -> None: ...
    def close(self) -> None: ...


def _make_parser(target: _RefuseDoctype | None, *, keeps_comments: bool = False) -> etree.XMLParser:
    return etree.XMLParser(
        target=target,
        remove_comments=not keeps_comments,
        resolve_entities=False,
        load_dtd=False,
        no_network=True,
        huge_tree=False,
    )


def read_document(path: Path, findings: Findings, *, keeps_comments: bool = False) -> etree._Element | None:
    """Return the root element of an XML file, or None after noting why there is none.

    Parameters
    ----------
    keeps_comments : bool
        Whether comments are part of the tree; no reader of a configuration expects them there.
    """
    data = _read_bytes(path, findings)
    return None if data is None else parse_document(data, findings, keeps_comments=keeps_comments)


def parse_document(
    data: bytes, findings: Findings, *, keeps_comments: bool = False, named: str = "config"
) -> etree._Element | None:
    """Return the root element of a text, or None after noting why there is none.

    Parameters
    ----------
    named : str
        What the root element is called, for messages.
    """
    try:
        etree.fromstring(data, _make_parser(target=_RefuseDoctype()))
        root = etree.fromstring(data, _make_parser(target=None, keeps_comments=keeps_comments))
    except _DoctypeError:
        before, doctype, _ = data.partition(b"<!DOCTYPE")
        line = before.count(b"\n") + 1 if doctype else 0  # not found in an encoding such as UTF-16
        problem = "The file has a DOCTYPE, which could define entities and refer to other files; it is refused."
        findings.fault(line, problem, "Remove it.")
        return None
    except etree.XMLSyntaxError as error:
        code: int = getattr(error, "code", 0)
        problem, remedy = explain_parser_error(code, error.msg or "", named)
        findings.fault(error.lineno or 0, problem, remedy)
        return None
    return root if _is_self_contained(root, findings) else None


def _read_bytes(path: Path, findings: Findings) -> bytes | None:
    advice = "Write the path of a configuration."
    try:
        data = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        findings.fault(0, "There is no such file.", advice)
    except IsADirectoryError:
        findings.fault(0, "This is a folder, not a file.", advice)
    except PermissionError:
        findings.fault(0, "The file may not be read.", "Ask for the right to read it, or use another one.")
    except (OSError, ValueError) as error:
        findings.fault(0, f"The file cannot be read ({error}).", advice)
    else:
        if data.strip():
            return data
        findings.fault(0, "The file is empty.", "Begin it with <config>.")
    return None


def _is_self_contained(root: etree._Element, findings: Findings) -> bool:
    instructions = cast("list[etree._ProcessingInstruction]", root.xpath("//processing-instruction()"))
    for instruction in instructions:
        problem = f"The file has a processing instruction, <?{cast('str', instruction.target)} ...?>, which is refused."
        findings.fault(find_line(instruction), problem, "Remove it.")
    return not instructions


def is_called(root: etree._Element, name: str, findings: Findings) -> bool:
    """Return whether the root element has a name; note it where it has not."""
    if root.tag == name:
        return True
    found = etree.QName(root)
    namespace = f" of the namespace {quote(found.namespace)}" if found.namespace else ""
    findings.fault(find_line(root), f"The root element is <{found.localname}>{namespace}.", f"Write a plain <{name}>.")
    return False


def find_line(element: etree._Element) -> int:
    """Return the line of an element, or 0 if it is made up."""
    return cast("int | None", element.sourceline) or 0


def read_attribute(element: etree._Element | None, name: str) -> RawSetting | None:
    """Return an attribute with its place, or None if there is none."""
    text = None if element is None else element.get(name)
    if element is None or text is None:
        return None
    made = _MADE.get().get(element)
    return RawSetting(name if made is None else made.get(name, name), text, find_line(element))


def find_option(element: etree._Element | None) -> str | None:
    """Return the option that has made an element, such as ``--hierarchy age``; None if none has."""
    made = {} if element is None else _MADE.get().get(element, {})
    return made.get("")


@contextmanager
def mark_option_elements(made: Made) -> Iterator[None]:
    """Make messages about these elements name the options that made them, while the block runs."""
    # The mapping holds the elements, as lxml makes new objects of those that nobody holds.
    token = _MADE.set(made)
    try:
        yield
    finally:
        _MADE.reset(token)
