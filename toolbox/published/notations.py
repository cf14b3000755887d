"""How programs write generalised values: intervals, sets, ranges, bounds, masks."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from toolbox.hierarchy.interval import NUMBER, Interval
from toolbox.queries.calendar import Calendar
from toolbox.queries.numbers import Figures
from toolbox.queries.scale import Scale

_RANGE = re.compile(
    rf"(?P<open>[\[(\]])?\s*(?P<low>{NUMBER}|-inf(?:inity)?)\s*(?:[:,;~–]|-|\.\.+|to)\s*(?P<high>{NUMBER}|\+?inf(?:inity)?)\s*"
    r"(?P<close>[\])\[])?",
    re.IGNORECASE,
)
_SINGLE = re.compile(rf"[\[{{(]?\s*({NUMBER})\s*[\]}})]?")
_BOUND = re.compile(rf"(?P<sign><=|>=|≤|≥|<|>)\s*(?P<bound>{NUMBER})")
_OR_MORE = re.compile(rf"(?P<bound>{NUMBER})\s*(?:\+|(?:and|or)\s+(?:over|more|above|older))", re.IGNORECASE)
_MEMBER = re.compile(r'\s*+(?:"(?P<quoted>(?:[^"]|"")*+)"\s*+|(?P<bare>(?:[^\s",][^,]*+)?))(?P<comma>,|\Z)')
_MASK = re.compile(r"(?P<prefix>.*[^*])(?P<hidden>\*+)", re.DOTALL)


@dataclass(frozen=True)
class Mask:
    """A code whose last characters are hidden."""

    prefix: str
    hidden: int
    """Number of hidden characters."""


def interval_of(text: str) -> Interval | None:
    """Read numbers between bounds, in the notation of any program we know of; None if it is none.

    A bracket that points away from the numbers excludes its bound, as a parenthesis does: ``[20, 30[``.

    Examples
    --------
    >>> for text in ("[20:30)", "(20.0, 30.0]", "20-29", "20 - 29", "20~29", "[20, 30[", "-5--3", "<=50", "65+", "[7]"):
    ...     print(text, interval_of(text))
    [20:30) [20:30)
    (20.0, 30.0] (20:30]
    20-29 [20:29]
    20 - 29 [20:29]
    20~29 [20:29]
    [20, 30[ [20:30)
    -5--3 [-5:-3]
    <=50 [-inf:50]
    65+ [65:inf]
    [7] [7]
    """
    stripped = text.strip()
    if match := _RANGE.fullmatch(stripped):
        low_open, high_open = match["open"] in ("(", "]"), match["close"] in (")", "[")
        interval = Interval(float(match["low"]), float(match["high"]), not low_open, not high_open)
    elif match := _SINGLE.fullmatch(stripped):
        interval = Interval(float(match[1]), float(match[1]))
    elif match := _BOUND.fullmatch(stripped):
        bound, closed = float(match["bound"]), match["sign"] not in ("<", ">")
        is_upper = match["sign"] in ("<", "<=", "≤")
        interval = Interval(-math.inf, bound, True, closed) if is_upper else Interval(bound, math.inf, closed, True)
    elif match := _OR_MORE.fullmatch(stripped):
        interval = Interval(float(match["bound"]), math.inf)
    else:
        return None
    return None if interval.is_empty else interval


def written_as(scale: Scale, text: str) -> Interval | None:
    """Read an interval as a column writes its values, or else as plain numbers.

    Examples
    --------
    >>> str(written_as(Figures(",", "."), "[1.234,5:2.000]"))
    '[1234.5:2000]'
    """
    if isinstance(scale, Calendar):
        from toolbox.published.calendar_notations import dates_of  # few tables hold dates

        return dates_of(scale, text)
    if isinstance(scale, Figures) and not scale.is_plain:
        return interval_of(scale.plain_text(text)) or interval_of(text)
    return interval_of(text)


def members_of(text: str) -> Sequence[str] | None:
    """Read a set of values, ``{a,b}``, where a value with a comma stands in quotes, or ``a~b``; None if it is none.

    Examples
    --------
    >>> members_of('{Ohio,"Washington, D.C."}'), members_of("Ohio~Iowa"), members_of("Ohio")
    (['Ohio', 'Washington, D.C.'], ['Ohio', 'Iowa'], None)
    """
    stripped = text.strip()
    if len(stripped) > 2 and stripped[0] == "{" and stripped[-1] == "}":
        return _listed(stripped[1:-1])
    if "~" in stripped:
        return [member.strip() for member in stripped.split("~")]
    return None


def _listed(inner: str) -> list[str] | None:
    """Cut members at the commas between them; blanks around a member belong to it only within quotes."""
    members, at = [], 0
    while match := _MEMBER.match(inner, at):
        quoted, bare = match["quoted"], match["bare"]
        members.append(bare.rstrip() if quoted is None else quoted.replace('""', '"'))
        if not match["comma"]:
            return members
        at = match.end()
    return None


def mask_of(text: str) -> Mask | None:
    """Read a code whose last characters are hidden, ``130**``; None if it is none.

    Examples
    --------
    >>> mask_of("130**"), mask_of("*")
    (Mask(prefix='130', hidden=2), None)
    """
    match = _MASK.fullmatch(text.strip())
    return Mask(match["prefix"], len(match["hidden"])) if match else None
