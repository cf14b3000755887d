"""What the first records of a text look like, before anything is counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from toolbox.suggestions.drawn import Texts
from toolbox.suggestions.kinds import Notation, dates_of, has_codes, notation_of


def kinds_of_records(records: Sequence[Sequence[str]], width: int) -> tuple[str | None, ...]:
    """Return what each column looks like, as a configuration says it; None for one without values.

    Parameters
    ----------
    records : sequence of records
        Without the header. Those that have another width are not looked at.
    width : int
        Number of columns.

    Examples
    --------
    >>> kinds_of_records([["23", "Graz", "2.1.1990", "", "007"], ["31", "Linz", "30.4.1971", "", "042"]], 5)
    ('number', 'category', 'date %d.%m.%Y', None, 'category')
    """
    columns = texts_of(records, width)
    notation = notation_of(columns)
    return tuple(_kind(texts, notation) for texts in columns)


def texts_of(records: Sequence[Sequence[str]], width: int) -> list[Texts]:
    """Count the texts of each column."""
    fitting = [record for record in records if len(record) == width]
    counts = [Counter(record[index] for record in fitting) for index in range(width)]
    return [Texts({text: count for text, count in each.items() if text}, each.get("", 0)) for each in counts]


def _kind(texts: Texts, notation: Notation) -> str | None:
    known = {text: count for text, count in texts.counts.items() if text != notation.mark}
    if not known:
        return None
    are_numbers = not has_codes(known) and all(notation.number(text) is not None for text in known)
    if (dates := dates_of(list(known), digits=are_numbers)) is not None:
        return " ".join(["timestamp" if dates.with_time else "date", *dates.formats[:1]])
    return "number" if are_numbers else "category"
