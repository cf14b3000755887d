"""Short names of loss metrics: the heads of columns, and what people type."""

from __future__ import annotations

import re

_APART = re.compile(r"[\s_-]+")


def plain_name(name: str) -> str:
    """Return a name in small letters, with one blank between its words.

    Examples
    --------
    >>> plain_name("Non-Uniform_entropy ")
    'non uniform entropy'
    """
    return _APART.sub(" ", name.strip()).lower()


def short_name(name: str) -> str:
    """Return the first letters of the words of a name; a single word as it is.

    Examples
    --------
    >>> short_name("normalised certainty penalty"), short_name("loss metric (LM)"), short_name("C_avg")
    ('NCP', 'LM', 'C_avg')
    """
    words = name.replace("-", " ").split()
    return name if len(words) == 1 else "".join(word[0].upper() for word in words if word[0].isalpha())
