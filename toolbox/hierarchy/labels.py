"""The labels of generalised values to which their author gave none."""

from __future__ import annotations

import re
from collections.abc import Sequence

_BLANKS = "".join(character for character in map(chr, range(0x3001)) if character.isspace())
MEMBER_NEEDS_QUOTES = rf'[,{{}}"\r\n]|^[{_BLANKS}]|[{_BLANKS}]$'
"""What a member of a set is quoted for; in the words that Python's regular expressions share with the engine's."""
_NEEDS_QUOTES = re.compile(MEMBER_NEEDS_QUOTES)


def category_set_label(names: Sequence[str]) -> str:
    """Write a set of categories: one as it is, several in braces, quoted where a name would be ambiguous.

    Parameters
    ----------
    names : sequence of str, length >= 1
        In the order of their codes.

    Examples
    --------
    >>> category_set_label(["Ohio"]), category_set_label(["Ohio", "Washington, D.C."])
    ('Ohio', '{Ohio,"Washington, D.C."}')
    """
    if len(names) == 1:
        return names[0]
    return f"{{{','.join(_quoted(name) for name in names)}}}"


def interval_label(text: str) -> str:
    """Write an interval as its author did, without blanks; the digits of its bounds are kept.

    Examples
    --------
    >>> interval_label(" [ 0 : 1e2 ) ")
    '[0:1e2)'
    """
    return re.sub(r"\s+", "", text)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"' if _NEEDS_QUOTES.search(name) else name
