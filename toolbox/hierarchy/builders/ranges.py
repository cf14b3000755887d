"""Names of neighbouring texts: ``low..mid``, the first and the last of them."""

from __future__ import annotations

from collections.abc import Sequence

SEPARATOR = ".."
_QUOTE = '"'


def range_of(texts: Sequence[str]) -> str:
    """Name some neighbours by their ends, one by itself.

    An end that could be read in two ways stands in quotes.

    Examples
    --------
    >>> range_of(["low", "mid", "high"]), range_of(["low"]), range_of(["v1.", "v2"])
    ('low..high', 'low', '"v1."..v2')
    """
    if len(texts) == 1:
        only = texts[0]
        return _quoted(only) if SEPARATOR in only or only.startswith(_QUOTE) else only
    return SEPARATOR.join(map(_quoted, (texts[0], texts[-1])))


def _quoted(text: str) -> str:
    is_ambiguous = SEPARATOR in text or text.startswith((".", _QUOTE)) or text.endswith(".")
    return f"{_QUOTE}{text.replace(_QUOTE, _QUOTE * 2)}{_QUOTE}" if is_ambiguous else text
