"""How the settings of builders are written: each kind of value as a text, and back."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from io import StringIO
from typing import Any, Final, Literal, get_args

from toolbox.errors import did_you_mean

Other = Literal["error", "root"]
"""What becomes of a value that a hierarchy does not know."""
_NUMBER: Final = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_COUNT: Final = re.compile(r"0*([1-9][0-9]{0,8})")
_DATE: Final = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
_LONGEST: Final = 1_000
"""Characters that a number may have."""


class BadSettingError(ValueError):
    """A text is no value of its setting: why, and what to write instead."""

    def __init__(self, reason: str, remedy: str) -> None:
        super().__init__(reason, remedy)


@dataclass(frozen=True)
class Setting:
    """One kind of value."""

    read: Callable[[str], Any]
    """Raises `BadSettingError`."""
    write: Callable[[Any], str] = str
    has_levels: bool = False
    """Whether it lists something for each level."""


def number(text: str) -> Decimal:
    """Read a number that a double can hold.

    Examples
    --------
    >>> number("2.5"), number("1e3")
    (Decimal('2.5'), Decimal('1E+3'))
    """
    stripped = text.strip()
    if len(stripped) > _LONGEST or not _NUMBER.fullmatch(stripped):
        raise BadSettingError(f"holds {shown(stripped)}, which is not a number", "Write a number such as 2 or 0.5.")
    value = float(stripped)
    if not math.isfinite(value):
        raise BadSettingError("is too large", "Write a number below 1.8e308.")
    # An exponent far below all doubles would make exact arithmetic endless.
    return Decimal(stripped) if value else Decimal(0)


def written_number(value: Decimal) -> str:
    """Write a number without an exponent if that is short.

    Examples
    --------
    >>> written_number(Decimal("1E+3")), written_number(Decimal("0.50"))
    ('1000', '0.5')
    """
    plain = value.normalize()
    exponent = plain.as_tuple().exponent
    return f"{plain:f}" if isinstance(exponent, int) and -10 <= exponent <= 15 else str(plain)


def shown(text: str) -> str:
    """Quote a part of a setting."""
    return repr(text) if len(text) <= 40 else repr(text[:40]) + ".."


def numbers(text: str) -> tuple[Decimal, ...]:
    """Read numbers with commas between them."""
    return tuple(number(part) for part in text.split(","))


def count(text: str) -> int:
    """Read a whole number of at least 1."""
    match = _COUNT.fullmatch(text.strip())
    if match is None:
        raise BadSettingError(f"holds {shown(text.strip())}, which is no whole number of at least 1", "Write 3, say.")
    return int(match[1])


def counts(text: str) -> tuple[int, ...]:
    """Read whole numbers with commas between them."""
    return tuple(count(part) for part in text.split(","))


def day(text: str) -> date:
    """Read a date as ISO 8601 writes it."""
    match = _DATE.fullmatch(text.strip())
    if match is None:
        raise BadSettingError("is not a date", "Write year, month and day, such as 2026-01-31.")
    try:
        return date(int(match[1]), int(match[2]), int(match[3]))
    except ValueError:
        raise BadSettingError("is a date that does not exist", "Write another day, such as 2026-01-31.") from None


def texts(text: str) -> tuple[str, ...]:
    """Read texts with commas between them; one that holds a comma stands in quotes.

    Examples
    --------
    >>> texts('low, mid,"high, or more"')
    ('low', 'mid', 'high, or more')
    """
    try:
        rows = list(csv.reader(StringIO(text, newline=""), skipinitialspace=True, strict=True))
    except csv.Error:
        raise BadSettingError("has a quote that does not end", "Close it, or double a quote within quotes.") from None
    return tuple(part.strip() for row in rows for part in row)


def written_texts(parts: Sequence[str]) -> str:
    """Write texts with commas between them, those with commas or quotes in quotes."""
    to = StringIO(newline="")
    csv.writer(to).writerow(parts)
    return to.getvalue().removesuffix("\r\n")


def word_of(known: Sequence[str]) -> Callable[[str], str]:
    """Return what reads one of a few words."""

    def read(text: str) -> str:
        found = text.strip().lower()
        if found in known:
            return found
        raise BadSettingError("is unknown", f"{did_you_mean(found, known)} Write {' or '.join(known)}.".strip())

    return read


def filled(text: str) -> str:
    """Read a text that is not blank."""
    if not text.strip() or "\0" in text:
        raise BadSettingError("is empty", "Write a text, or leave it out.")
    return text


def boolean(text: str) -> bool:
    """Read yes or no."""
    match text.strip().lower():
        case "true" | "yes" | "1":
            return True
        case "false" | "no" | "0":
            return False
    raise BadSettingError("is neither true nor false", "Write true or false.")


def _joined(write: Callable[[Any], str], between: str = ",") -> Callable[[Any], str]:
    return lambda parts: between.join(map(write, parts))


NUMBER: Final = Setting(number, written_number)
NUMBERS: Final = Setting(numbers, _joined(written_number), has_levels=True)
COUNT: Final = Setting(count)
COUNTS: Final = Setting(counts, _joined(str), has_levels=True)
DAY: Final = Setting(day)
TEXT: Final = Setting(filled)
BOOLEAN: Final = Setting(boolean, lambda value: "true" if value else "false")
TEXTS: Final = Setting(texts, written_texts)
NUMBERS_BY_LEVEL: Final = Setting(
    lambda text: tuple(numbers(part) for part in text.split("/")),
    _joined(_joined(written_number), "/"),
    has_levels=True,
)
OTHER: Final = Setting(word_of(get_args(Other)))
