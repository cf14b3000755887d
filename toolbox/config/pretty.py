"""A document as people write it: two blanks for each level, single quotes, comments on lines of their own."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Final

from lxml import etree

_ESCAPED: Final = str.maketrans({"&": "&amp;", "<": "&lt;", "'": "&apos;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;"})
_WIDTH: Final = 118


def pretty(root: etree._Element) -> str:
    """Write a document whose elements hold no text.

    Parameters
    ----------
    root : element
        Comments before it are written first.
    """
    before = reversed(list(root.itersiblings(preceding=True)))
    lines = [line for comment in before for line in _comment(comment, "")]
    return "\n".join([*lines, *_lines(root, "")]) + "\n"


def _lines(element: etree._Element, indent: str) -> Iterator[str]:
    if isinstance(element, etree._Comment):
        yield from _comment(element, indent)
        return
    tag = _text(element.tag)
    attributes = "".join(f" {_text(name)}='{_text(value).translate(_ESCAPED)}'" for name, value in element.items())
    if not len(element):
        yield f"{indent}<{tag}{attributes}/>"
        return
    yield f"{indent}<{tag}{attributes}>"
    for child in element:
        yield from _lines(child, f"{indent}  ")
    yield f"{indent}</{tag}>"


def _comment(comment: etree._Element, indent: str) -> Iterator[str]:
    first, rest = f"{indent}<!-- ", f"{indent}     "
    text = _text(comment.text).strip()
    yield from textwrap.wrap(
        f"{text} -->",
        _WIDTH,
        initial_indent=first,
        subsequent_indent=rest,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _text(value: str | bytes | None) -> str:
    return value.decode() if isinstance(value, bytes) else value or ""
