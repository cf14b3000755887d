"""Whether the first record of a text names the columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from toolbox.knowledge.names import meaning_of_name
from toolbox.suggestions.drawn import Texts
from toolbox.suggestions.kinds import MARKS, dates_of, notation_of

_COLUMNS: Final = 500
"""Columns of a wide table that are asked."""


def has_header(records: Sequence[Sequence[str]]) -> bool:
    """Return whether the first of some records is a header: it is not like the others, or its words are names.

    Examples
    --------
    >>> has_header([["age", "town"], ["30", "Graz"], ["40", "Linz"]]), has_header([["30", "Graz"], ["40", "Linz"]])
    (True, False)
    """
    if not records:
        return False
    first, others = records[0], [record for record in records[1:] if len(record) == len(records[0])]
    if not others:
        return not any(map(_is_value, first))
    some = range(min(len(first), _COLUMNS))
    votes = sum(_vote(first[index], [record[index] for record in others]) for index in some)
    # Words that are no values and no names, of columns of words, are more often a header than a first record.
    return votes > 0 or (votes == 0 and len(set(first)) == len(first) and not any(map(_is_value, first)))


def _vote(cell: str, values: Sequence[str]) -> int:
    """Return 1 if a cell speaks for a header, -1 if it speaks against it."""
    known = [value for value in values if value and value not in MARKS]
    if cell in known:
        return -1
    if _are_values(known):
        return -1 if _is_value(cell) else int(bool(cell))
    if _is_value(cell):
        return -1
    return int(meaning_of_name(cell) is not None)


def _is_value(text: str) -> bool:
    """Return whether a text is a number or a date."""
    return bool(text) and _are_values([text])


def _are_values(texts: Sequence[str]) -> bool:
    if not texts:
        return False
    counts = dict.fromkeys(texts, 1)
    notation = notation_of([Texts(counts, 0)])
    return all(notation.number(text) is not None for text in texts) or dates_of(list(counts)) is not None
