"""How a quasi-identifier is generalised: the attributes of its ``<att>`` and of its ``<vgh>``, by what it holds."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Final, NamedTuple

from toolbox.suggestions.profile import Numbers, Profile

_STEPS: Final = {1: (1, 5, 10), 2: (2, 10, 20), 5: (5, 10, 20)}
"""By its first digit: widths that are round, each a multiple of the one before."""
_CLASSES: Final = 20
"""About this many intervals of the narrowest width cover the usual values."""
_NARROWEST: Final = 1e-9
_OLD: Final = 90
"""Ages from here on are one interval: so HIPAA asks for it (45 CFR 164.514(b)(2)(i)(C))."""
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
        options = dict(self.hierarchy)
        if (name := options.pop("build", None)) is None:
            return f"dates:{periods}" if (periods := self.attributes.get("hierarchy")) else ""
        main = next(iter(options), None) if name in _MAIN else None
        first = f":{options.pop(main)}" if main == _MAIN.get(name) and main is not None else ""
        return name + first + "".join(f":{option}={value}" for option, value in options.items())


_OWN: Final = {"icd": "icd10", "ip": "ip", "email": "email", "telephone": "telephone"}
"""Builders of their own, by what values look like."""
_MAIN: Final = {"auto": "levels", "intervals": "width", "prefix": "keep", "dates": "periods"}


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
    if column.means("coordinates"):
        return {"build": "intervals", "width": _COORDINATES}
    if column.by_name is not None and column.by_name.key == "age":
        top = {"top": str(_OLD)} if numbers.high > _OLD else {}
        return {"build": "intervals", "width": "5,10,20", **top}
    return {"build": "intervals", "width": ",".join(widths(numbers))}


def widths(numbers: Numbers) -> list[str]:
    """Return three round widths of intervals, of which the narrowest makes about 20 of the usual numbers.

    Examples
    --------
    >>> widths(Numbers(0, 100, 17, 90, True)), widths(Numbers(0, 1, 0, 1, False))
    (['5', '10', '20'], ['0.05', '0.1', '0.2'])
    """
    span = numbers.usual_high - numbers.usual_low or numbers.high - numbers.low or 1.0
    wanted = max(span / _CLASSES, _NARROWEST)
    exponent = math.floor(math.log10(wanted))
    digit = min((1, 2, 5, 10), key=lambda digit: abs(math.log(wanted / 10**exponent / digit)))
    if digit == 10:
        digit, exponent = 1, exponent + 1
    if numbers.is_whole and exponent < 0:
        digit, exponent = 1, 0
    return [format((Decimal(step) * Decimal(10) ** exponent).normalize(), "f") for step in _STEPS[digit]]
