"""Names of neighbouring texts: ``low..mid``, the first and the last of them."""

from __future__ import annotations

from collections.abc import Sequence

SEPARATOR = ".."
_QUOTE = '"'


def range_of(texts: Sequence[str], root: str | None = None) -> str:
    """Name some neighbours by their ends, one by itself.

    An end that could be read in two ways stands in quotes, and so does one text that is called as the root.

    Examples
    --------
    >>> range_of(["low", "mid", "high"]), range_of(["low"]), range_of(["v1.", "v2"])
    ('low..high', 'low', '"v1."..v2')
    """
    if len(texts) == 1:
        only = texts[0]
        return _quoted(only) if SEPARATOR in only or only.startswith(_QUOTE) or only == root else only
    return SEPARATOR.join(_quoted(end) if _is_ambiguous(end) else end for end in (texts[0], texts[-1]))


def _is_ambiguous(end: str) -> bool:
    return SEPARATOR in end or end.startswith((".", _QUOTE)) or end.endswith(".")


def _quoted(text: str) -> str:
    return f"{_QUOTE}{text.replace(_QUOTE, _QUOTE * 2)}{_QUOTE}"
