"""What the texts of a column are, numbers, dates or words, and how a table writes its numbers and what is missing."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from toolbox.config.model import DEFAULT_MISSING
from toolbox.hierarchy.date_formats import DATE, ISO, ISO_WITH_OFFSET, fitting, usual_formats
from toolbox.suggestions.drawn import Texts

MARKS: Final = frozenset(
    (
        *(
            "?",
            "NA",
            "N/A",
            "n/a",
            "na",
            "NaN",
            "nan",
            "NULL",
            "null",
            "None",
            "none",
            "#N/A",
            "#NULL!",
            "-",
            "--",
            ".",
            "..",
        ),
        *(
            "missing",
            "Missing",
            "MISSING",
            "k.A.",
            "k. A.",
            "keine Angabe",
            "n.d.",
            "s/d",
            "N.C.",
            "\\N",
            "(null)",
            "<NA>",
        ),
    )
)
"""Texts that programs and people write where they have no value."""
_POINT: Final = re.compile(r"\s*[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?\s*")
_COMMA: Final = re.compile(r"\s*[+-]?(?:[0-9]+|[0-9]{1,3}(?:\.[0-9]{3})+)(?:,[0-9]*)?\s*")
_GROUPED: Final = re.compile(r"\s*[+-]?[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]*)?\s*")
_CODE: Final = re.compile(r"0[0-9]+")
_DIGITS: Final = re.compile(r"[12][0-9]{7}")
_DATE: Final = re.compile(DATE)
_MOMENT: Final = re.compile(ISO)
_MOMENT_IN_A_ZONE: Final = re.compile(ISO_WITH_OFFSET)
_DATES_SAMPLED: Final = 300
_FEWEST_DIGITS: Final = 5
"""Digits of a date whose year has four."""
_OLDEST, _LATEST = 1850, 2100


@dataclass(frozen=True)
class Notation:
    """How a table writes numbers, and where it has none."""

    decimal: str = "."
    thousands: str = ""
    mark: str | None = None
    """What stands for a missing value besides an empty text, if anything does."""

    @property
    def declared_mark(self) -> str:
        """The mark that a configuration has to name."""
        return self.mark or DEFAULT_MISSING

    def number(self, text: str) -> float | None:
        """Read a number; None for a text that is none."""
        if self.thousands == ",":
            pattern = _GROUPED if "," in text else _POINT
        else:
            pattern = _COMMA if self.decimal == "," else _POINT
        if pattern.fullmatch(text) is None:
            return None
        if self.thousands:
            text = text.replace(self.thousands, "")
        elif self.decimal == "," and "." in text:
            return None
        return float(text.replace(self.decimal, "."))


def notation_of(columns: Iterable[Texts]) -> Notation:
    """Find out how a table of texts writes numbers, and what marks a missing value.

    Parameters
    ----------
    columns : iterable of Texts
    """
    marks: Counter[str] = Counter()
    points = commas = groups = 0
    thousands = ""
    for texts in columns:
        marks.update({mark: texts.counts[mark] for mark in MARKS.intersection(texts.counts)})
        known = [text for text in islice(texts.counts, 2_000) if text not in MARKS]
        if not known or not any("," in text or "." in text for text in known):
            continue
        if all(_POINT.fullmatch(text) for text in known):
            points += 1
        elif all(_GROUPED.fullmatch(text) or _POINT.fullmatch(text) for text in known):
            # 1,234 is a thousand, or one and a bit.
            groups += any("." in text for text in known) or sum("," in text for text in known) > 1
        elif all(_COMMA.fullmatch(text) for text in known):
            commas += 1
            thousands = "." if any("." in text for text in known) else thousands
    mark = max(sorted(marks), key=marks.__getitem__, default=None)
    if commas > points + groups:
        return Notation(",", thousands, mark)
    return Notation(".", "," if groups else "", mark)


@dataclass(frozen=True)
class Dates:
    """The formats in which all the dates of a column may be written; none: ISO 8601."""

    formats: tuple[str, ...]
    with_time: bool

    @property
    def is_ambiguous(self) -> bool:
        """Whether day and month may change places."""
        return len(self.formats) > 1


def dates_of(texts: Sequence[str], *, digits: bool = False) -> Dates | None:
    """Return how texts write dates; None if they are none.

    Parameters
    ----------
    texts : sequence of str
        Distinct texts that are there; the first of many are looked at.
    digits : bool
        Whether eight digits may be a date.
    """
    some = [text.strip() for text in islice(texts, _DATES_SAMPLED)]
    if not some or sum(character.isdigit() for character in some[0]) < _FEWEST_DIGITS:
        return None
    if all(map(_DATE.fullmatch, some)):
        return Dates((), with_time=False)
    if all(map(_MOMENT.fullmatch, some)) or all(map(_MOMENT_IN_A_ZONE.fullmatch, some)):
        return Dates((), with_time=True)
    if all(_DIGITS.fullmatch(text) for text in some):
        years = [int(text[:4]) for text in some]
        is_date = digits and min(years) >= _OLDEST and max(years) <= _LATEST
        return Dates(("%Y%m%d",), with_time=False) if is_date and _formats(some, ["%Y%m%d"]) else None
    for with_time in (False, True):
        if formats := _formats(some, usual_formats(with_time=with_time)):
            return Dates(formats, with_time)
    return None


def _formats(texts: Sequence[str], formats: Iterable[str]) -> tuple[str, ...]:
    """Return the formats that all texts fit."""
    left = [form for form in formats if form != "%Y%m%d" or len(texts[0]) == 8]
    for text in texts:
        left = fitting([text], left)
        if not left:
            break
    return tuple(left)


def is_day_first(form: str) -> bool:
    """Return whether a format has the day before the month."""
    day, month = form.find("%d"), max(form.find("%m"), form.find("%b"), form.find("%B"))
    return 0 <= day < month


def has_codes(texts: Mapping[str, int]) -> bool:
    """Return whether some text has a leading zero, as postcodes and keys have."""
    return any(_CODE.fullmatch(text) for text in texts)
