"""The notation of ARX, and ours: a row per value, with its label on each level, between semicolons."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from toolbox.hierarchy.outline import Outline

_NEEDS_QUOTES = re.compile(r'[;,"\t\r\n]|^\s|\s$')
_MARK = "\ufeff"
"""A file that begins with it loses it, as it may be the mark of UTF-8; so it is written twice."""


def table_text(outline: Outline) -> str:
    r"""Write an outline as a table, the root last.

    Examples
    --------
    >>> table_text(Outline("*", (Outline("Styria", values=("Graz", "Bad Aussee; Altaussee")),)))
    'Graz;Styria;*\n"Bad Aussee; Altaussee";Styria;*\n'
    """
    return joined(outline.paths())


def joined(rows: Iterable[Sequence[str]]) -> str:
    """Write rows between semicolons, with quotes where a text needs them."""
    text = "".join(f"{';'.join(map(_quoted, row))}\n" for row in rows)
    return _MARK + text if text.startswith(_MARK) else text


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if _NEEDS_QUOTES.search(text) else text
