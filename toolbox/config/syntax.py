"""What is wrong with a text that is no XML, in plain words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from lxml import etree

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


def in_plain_words(code: int, message: str, root: str = "config") -> tuple[str, str]:
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
