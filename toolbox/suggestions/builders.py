"""How a quasi-identifier is generalised: the attributes of its ``<att>`` and of its ``<vgh>``, by what it holds."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Final, NamedTuple

from toolbox.hierarchy.builders.words import words_of
from toolbox.suggestions.profile import Numbers, Profile

_STEPS: Final = {1: (1, 5, 10), 2: (2, 10, 20), 5: (5, 10, 20)}
"""By its first digit: widths that are round, each a multiple of the one before."""
_CLASSES: Final = 20
"""About this many intervals of the narrowest width cover the usual values."""
_NARROWEST: Final = 1e-9
_OLD: Final = 90
"""Ages from here on are one interval: so HIPAA asks for it (45 CFR 164.514(b)(2)(i)(C))."""
_OLDEST: Final = 1_000
"""What is larger is no age, in whatever unit."""
_FARTHEST: Final = 360
"""Degrees of a coordinate."""
_EXACT: Final = 2.0**50
"""Times the width of an interval: numbers beyond have hardly a digit below it."""
_FEW: Final = 12
"""Words from which a tree of their meanings is worth the work."""
_LEVELS: Final = "3"
_OF_MANY: Final = "the tree is made of the words alone: write one that means something into a file, <vgh file='..'/>"
_ALPHABET: Final = 5
_KEPT: Final = {1: "1", 2: "1", 3: "2,1", 4: "2,1", 5: "3,1"}
_KEPT_OF_LONGER: Final = "4,2"
_COORDINATES: Final = "0.1,0.5,1"
_EVENTS: Final = "month,quarter,year"
_BIRTHS: Final = "month,year,decade"
_MOMENTS: Final = "day,month,year"


class Generalisation(NamedTuple):
    """How a quasi-identifier is generalised."""

    attributes: dict[str, str]
    """Of its ``<att>``."""
    hierarchy: dict[str, str]
    """Of the ``<vgh>``; empty where there is none."""
    remark: str = ""
    """What a person should know of it."""

    @property
    def words(self) -> str:
        """The builder as the command line writes it: ``intervals:5,10,20:top=90``."""
        if self.hierarchy:
            return words_of(self.hierarchy)
        periods = self.attributes.get("hierarchy")
        return words_of({"build": "dates", "periods": periods}) if periods else ""


_OWN: Final = {"icd": "icd10", "ip": "ip", "email": "email", "telephone": "telephone"}
"""Builders of their own, by what values look like."""


def generalisation_of(column: Profile) -> Generalisation:
    """Choose how a column is generalised, if it is a quasi-identifier.

    Parameters
    ----------
    column : Profile
    """
    if column.kind in ("date", "timestamp"):
        return _of_dates(column)
    if column.means("postcode"):
        return _of_codes(column)
    if column.numbers is not None and column.kind == "number":
        return Generalisation({"type": "number"}, _intervals(column, column.numbers))
    return _of_words(column)


def _of_words(column: Profile) -> Generalisation:
    words = {"type": "category"}
    content = None if column.content is None else column.content.meaning.key
    if content in _OWN:
        # Not every value looks so.
        return Generalisation(words, {"build": _OWN[content], "other": "root"})
    return Generalisation(words, {"build": "auto", "levels": _LEVELS}, _OF_MANY if column.different > _FEW else "")


def _of_dates(column: Profile) -> Generalisation:
    attributes: dict[str, str] = {"type": column.kind}
    if column.dates is not None and column.dates.formats:
        attributes["format"] = column.dates.formats[0]
    if column.kind == "timestamp":
        attributes["hierarchy"] = _MOMENTS
    else:
        attributes["hierarchy"] = _BIRTHS if column.by_name is not None and column.by_name.key == "birth" else _EVENTS
    is_unclear = column.dates is not None and column.dates.is_ambiguous
    remark = "day and month may change places in all of its dates: is the format right?" if is_unclear else ""
    return Generalisation(attributes, {}, remark)


def _of_codes(column: Profile) -> Generalisation:
    longest = max(column.shapes, default=_ALPHABET)
    return Generalisation({"type": "category"}, {"build": "prefix", "keep": _KEPT.get(longest, _KEPT_OF_LONGER)})


def _intervals(column: Profile, numbers: Numbers) -> dict[str, str]:
    largest = max(abs(numbers.low), abs(numbers.high))
    if column.means("coordinates") and largest <= _FARTHEST:
        return {"build": "intervals", "width": _COORDINATES}
    if column.by_name is not None and column.by_name.key == "age" and largest <= _OLDEST:
        top = {"top": str(_OLD)} if numbers.high > _OLD else {}
        return {"build": "intervals", "width": "5,10,20", **top}
    return {"build": "intervals", "width": ",".join(widths(numbers)), **_ends(numbers)}


def _ends(numbers: Numbers) -> dict[str, str]:
    """Cut off numbers so far from the usual ones that their digits are coarser than the intervals of these.

    The ends are multiples of the widest interval, and no numbers of the table.
    """
    narrow, _, wide = map(Decimal, widths(numbers))
    most = float(narrow) * _EXACT
    ends = {}
    if numbers.low < -most:
        ends["bottom"] = (Decimal(numbers.usual_low) // wide - 1) * wide
    if numbers.high > most:
        ends["top"] = (Decimal(numbers.usual_high) // wide + 2) * wide
    return {name: format(end.normalize(), "f") for name, end in ends.items()}


def widths(numbers: Numbers) -> list[str]:
    """Return three round widths of intervals, of which the narrowest makes about 20 of the usual numbers.

    Examples
    --------
    >>> widths(Numbers(0, 100, 17, 90, True)), widths(Numbers(0, 1, 0, 1, False))
    (['5', '10', '20'], ['0.05', '0.1', '0.2'])
    """
    span = numbers.usual_high - numbers.usual_low or numbers.high - numbers.low or 1.0
    largest = max(abs(numbers.usual_low), abs(numbers.usual_high))
    wanted = max(span / _CLASSES, _NARROWEST, largest / _EXACT)
    exponent = math.floor(math.log10(wanted))
    digit = min((1, 2, 5, 10), key=lambda digit: abs(math.log(wanted / 10**exponent / digit)))
    if digit == 10:
        digit, exponent = 1, exponent + 1
    if numbers.is_whole and exponent < 0:
        digit, exponent = 1, 0
    return [format((Decimal(step) * Decimal(10) ** exponent).normalize(), "f") for step in _STEPS[digit]]
